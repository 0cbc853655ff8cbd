package kernel

import "github.com/troupe-go/troupe/tensor"

// A Tiler is a kernel of one output of float32, any rows of which can be computed from
// the inputs' rows that they depend on. Where such kernels follow each other an engine
// computes a few rows with all of them before it goes on to the next, so that what one
// puts out is in the cache when the next reads it, and is never there as a whole.
//
// A row is all elements with the same indices in a tensor's first dimensions: of its
// last one, the row of a matrix, or of its last two, the line of an image whose channels
// come last. The dimension in front of these counts the rows of an image, those before it
// the images.
type Tiler interface {
	Kernel
	// Tile returns how Run's output is computed from inputs of these types and shapes,
	// in rows of so many dimensions. Its Dims are nil if Run would fail or what they are is
	// not known.
	Tile(in []TileInput, inner int) Tiling
}

// An Elementwise Tiler computes an element from those in its place, or moves elements. Several
// of these alone are not worth computing in tiles: rewriting makes one of the former.
type Elementwise interface {
	Tiler
	Elementwise()
}

// A TileInput is what is known of an input before a kernel is run.
type TileInput struct {
	DType tensor.DType
	Dims  []int64
	// Constant is the input, if its elements do not change; else it is zero.
	Constant tensor.Value
}

// A Tiling says how a kernel computes some rows of its output.
type Tiling struct {
	Dims []int64 // of the output
	// Streams are the inputs of float32 of which the rows that Rows says are enough, bit i
	// for input i: they have as many images as the output. Of others all is needed.
	Streams uint64
	// Scattered, if it is not 0, is how many images there are of how many rows that do not
	// follow each other in the output: the kernel is given all of that, and puts them in their
	// places. Nobody can take them as they are made.
	Scattered [2]int
	// Rows returns which rows of an input rows lo to hi of the output, of the same image,
	// depend on: they come no earlier than those of the rows before. Nil: those with the
	// same numbers.
	Rows func(input, lo, hi int) (from, to int)
	// Work is how many multiplications, or what takes as long, a row takes.
	Work int
	// New makes what computes rows on one goroutine at a time. It may keep what it finds
	// out about sizes. Nil: rows cannot be computed by themselves.
	New func() Tile
}

// A Tile sets out to rows lo to hi of an image of the output, with the bits that Run's have.
// in has, of an input that is a stream, just the rows that these depend on; of any other of
// float32 all elements. They share no memory with out. ctx shares out no work, and has no
// memory to give.
type Tile func(ctx *Context, image, lo, hi int, in [][]float32, out []float32) error

// RowsOf returns how many images, rows of each, and elements of each row a tensor of
// shape dims has, if a row has so many dimensions; ok is false if there are no rows.
func RowsOf(dims []int64, inner int) (images, rows, width int, ok bool) {
	at := len(dims) - inner - 1
	if at < 0 {
		return 0, 0, 0, false
	}
	images, width = 1, 1
	for _, d := range dims[:at] {
		images *= int(d)
	}
	for _, d := range dims[at+1:] {
		width *= int(d)
	}
	return images, int(dims[at]), width, true
}
