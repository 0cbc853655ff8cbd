// Package parsing holds the operations that decode text and serialized messages into
// tensors: Example protocol buffers, CSV, JSON, raw bytes.
//
// Programs import it for its effect, which is to register these operations.
package parsing
