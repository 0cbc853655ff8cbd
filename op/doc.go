// Package op builds graphs: it has a function for every operation, as package op of
// TensorFlow's Go binding does.
//
//	s := op.NewScope()
//	x := op.Placeholder(s, tf.Float, op.PlaceholderShape(tf.MakeShape(-1, 2)))
//	w := op.Const(s, [][]float32{{1}, {2}})
//	y := op.MatMul(s, x, w)
//	graph, err := s.Finalize()
//
// A function takes the inputs of the operation, a list as a slice, then the
// attributes that have no default and do not follow from the inputs. Those that
// have one are options: [MatMulTransposeB](true) for attribute transpose_b of
// [MatMul]. It returns the outputs, or the operation itself if it has none.
// Internal operations, and those with references or functions among their
// arguments, have no such function; [Scope.AddOperation] adds those too.
//
// A [Scope] determines names, device and control inputs of the operations that are
// added. Mistakes do not interrupt the construction. The first one
// stays in the scope, all functions do nothing afterwards, and
// [Scope.Finalize] returns it; it names the line of the program that
// added the operation.
//
// [While] builds a loop from two Go functions.
//
// The functions know operations by their names only: a program still links the
// families of operations that it uses, or package ops/all.
//
// # Words
//
// The documentation of the functions uses these words. With broadcasting, shapes
// are aligned at their last dimensions, and a tensor is repeated
// along a dimension that it lacks or that is of size 1. A slice is what a tensor
// holds at one index of its first dimension, or of the dimension that is named; a
// row is what it holds along its last one. A scalar has no dimensions, a vector
// has one. A resource outlives the node that creates it, in the
// session or the step, and a handle refers to it. An option that is not given
// has the default that its function names.
//
// Nothing here blocks, and a scope and what is derived from it are for one
// goroutine.
package op

//go:generate go run ./gen
