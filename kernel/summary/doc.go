// Package summary formats tensors for messages, in the two formats of TensorFlow's
// operations, which programs and people match on.
package summary
