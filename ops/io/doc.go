// Package io holds the operations on files: reading and writing, checkpoints and
// readers.
package io
