// Package io holds the operations on files: reading and writing, checkpoints and
// readers.
//
// Programs import it for its effect, which is to register these operations.
package io
