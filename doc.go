// Package troupe runs TensorFlow graphs in Go: no cgo, nothing to install, one
// static binary.
//
// It offers what package session offers, under the names of TensorFlow's Go
// binding, and links all operations, so that a program written for the binding
// moves by changing its import:
//
//	import tf "github.com/troupe-go/troupe"
//
// Programs that care for their size import package session and the families of
// operations they use instead. See docs/binding.md for what is the same as in
// the binding, what differs and what is beyond it.
package troupe
