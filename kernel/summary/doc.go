// Package summary prints tensors for messages, in the two forms that
// TensorFlow's operations print them in: programs and people match on them.
package summary
