// Package parsing holds the operations that make tensors of text and of serialized
// messages: Example protocol buffers, CSV, JSON, raw bytes.
//
// Programs import it for its effect, which is to register these operations.
package parsing
