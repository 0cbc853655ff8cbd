// Package parsing holds the operations that make tensors of text and of serialized
// messages: Example protocol buffers, CSV, JSON, raw bytes.
package parsing
