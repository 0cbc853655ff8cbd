package kernel

import "github.com/troupe-go/troupe/tensor"

// A Preparer is a kernel that can be made ready for inputs of certain shapes.
// Where small kernels run again and again, as in a loop, an engine prepares them
// once and leaves out from then on what Run spends on looking at shapes and on
// finding memory.
type Preparer interface {
	Kernel
	// Prepare returns what Run does with inputs of in's shapes, with bit-identical
	// results. It returns false where Run would fail, or where preparing gains nothing:
	// an output is a scalar, or there is so much to do that the rest does not matter. It
	// may read the elements of the inputs that constant names, bit i for input i: they
	// do not change.
	Prepare(in []tensor.Value, constant uint64) (Prepared, bool)
}

// A Fixer is a Preparer that can be made ready only where certain inputs, which say
// how and not what, are constants: bit i for input i of n.
type Fixer interface {
	Preparer
	Fixed(n int) uint64
}

// A Summed is a Preparer of one output that can add it to a sum without making it
// first. A loop that adds up what every iteration computes, as of the gradient of a
// matrix, reads and writes the sum once in place of three tensors.
type Summed interface {
	Preparer
	// PrepareSum is Prepare for an output that is added to a sum.
	PrepareSum(in []tensor.Value, constant uint64) (PreparedSum, bool)
}

// A PreparedSum is a kernel made ready whose output, of that type and shape, is added
// to a sum.
type PreparedSum struct {
	DType tensor.DType
	Dims  []int64
	// Run makes sum, of DType and Dims, sum + output, each element rounded as the
	// kernel and an addition whose first operand is the sum do it. It shares no
	// memory with in.
	Run func(in []tensor.Value, sum *tensor.Value)
}

// Prepared is a kernel that was made ready.
type Prepared struct {
	Outs []PreparedOut
	// Run sets the elements of out, which have the types and shapes of Outs and
	// share no memory with in. It cannot fail, and is done within some
	// microseconds.
	Run func(ctx *Context, in, out []tensor.Value)
	// Floats, where it is not nil, is the same for a kernel on float32 with one
	// output: on the elements of the output and of the first and the last input.
	// Where each element of the output depends on those at its place alone, o may
	// also be an input of its shape.
	Floats func(o, x, y []float32)
}

// A PreparedOut is an output of a prepared kernel.
type PreparedOut struct {
	DType tensor.DType
	Dims  []int64
	// Of is an input, plus 1, that the output is a part of, from element Start
	// on: who has that input's memory for as long needs no copy. 0: of none.
	Of, Start int
}

// OneOut is Prepared for a kernel of one output; false for a scalar.
//
//go:noinline
func OneOut(dt tensor.DType, dims []int64, run func(ctx *Context, in, out []tensor.Value)) (Prepared, bool) {
	return Prepared{Outs: []PreparedOut{{DType: dt, Dims: dims}}, Run: run}, len(dims) > 0
}
