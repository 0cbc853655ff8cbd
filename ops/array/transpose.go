package array

import (
	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("Transpose").
		Input("x: T").Input("perm: Tperm").Output("y: T").
		Attr("T: type").
		Attr("Tperm: {int32, int64} = DT_INT32").
		Doc(`Permutes the dimensions of a tensor.

perm: For each dimension of the result the one of x that it is; each occurs once, negative ones count from the end.`)
	registry.Define("ConjugateTranspose").
		Input("x: T").Input("perm: Tperm").Output("y: T").
		Attr("T: type").
		Attr("Tperm: {int32, int64} = DT_INT32").
		Doc(`Permutes the dimensions of a tensor and takes the complex conjugate.

perm: For each dimension of the result the one of x that it is; each occurs once, negative ones count from the end.`)
	registry.Define("InvertPermutation").
		Input("x: T").Output("y: T").
		Attr("T: {int32, int64} = DT_INT32").
		Doc(`Computes the permutation that undoes the given one.

x: A vector that holds each number from 0 up to its length once.
y: The vector whose element x[i] is i.`)

	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(transpose), nil }, "Transpose")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(conjugateTranspose), nil }, "ConjugateTranspose")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(invertPermutation), nil }, "InvertPermutation")

	gradient.Unary(func(c *gradient.Context, _, _, dy graph.Output) graph.Output {
		return c.Apply(c.Node().Type(), dy, c.Apply("InvertPermutation", c.Input(1)))
	}, "Transpose", "ConjugateTranspose")
	gradient.None("InvertPermutation")
}

func transpose(ctx *kernel.Context, in, out []tensor.Value) error {
	_, err := transposed(ctx, in, out)
	return err
}

// transposed also reports whether it made a copy.
func transposed(ctx *kernel.Context, in, out []tensor.Value) (fresh bool, err error) {
	x := in[0].Dims()
	if in[1].Rank() != 1 || in[1].NumElements() != len(x) {
		return false, status.Invalid("transpose expects a vector of size %d. But input(1) is a vector of size %d", len(x), in[1].NumElements())
	}
	var buf [8]int64
	perm := make([]int, len(x))
	dims := make([]int64, len(x))
	seen := make([]bool, len(x))
	moved := false // a dimension of more than one element changes places with another
	last := -1
	for i, p := range kernel.AppendInts(buf[:0], &in[1]) {
		d, ok := kernel.Axis(p, len(x))
		if !ok {
			return false, status.Invalid("%d is out of range [0 .. %d)", p, len(x))
		}
		perm[i], dims[i], seen[d] = d, x[d], true
		if x[d] != 1 {
			moved = moved || d < last
			last = d
		}
	}
	for d, s := range seen {
		if !s {
			return false, status.Invalid("%d is missing from {%s}.", d, joined(perm))
		}
	}
	if !moved {
		out[0], err = ctx.Reshaped(in, 0, dims)
		return false, err
	}
	v, err := ctx.Alloc(in[0].DType(), dims)
	if err != nil {
		return false, err
	}
	out[0] = v
	if batch, rows, cols, ok := matrices(x, perm); ok && !v.DType().HasPointers() {
		switch v.DType().Size() {
		case 4:
			return true, transposeMatrices(ctx, tensor.Words[uint32](&out[0]), tensor.Words[uint32](&in[0]), batch, rows, cols)
		case 8:
			return true, transposeMatrices(ctx, tensor.Words[uint64](&out[0]), tensor.Words[uint64](&in[0]), batch, rows, cols)
		}
	}
	return true, strided.Copy(ctx, &out[0], strided.Whole(out[0]), &in[0], strided.Whole(in[0]).Permute(perm))
}

// matrices reports whether a permutation of dimensions x transposes each of a
// batch of matrices, which it does where, with neighbours merged, the last two
// change places.
func matrices(x []int64, perm []int) (batch, rows, cols int, ok bool) {
	type run struct{ n, stride int } // stride in the input
	var buf [3]run
	runs := buf[:0]
	for _, d := range perm {
		r := run{int(x[d]), 1}
		for _, behind := range x[d+1:] {
			r.stride *= int(behind)
		}
		switch last := len(runs) - 1; {
		case r.n == 1:
		case r.n == 0:
			return 0, 0, 0, false
		case last >= 0 && runs[last].stride == r.n*r.stride:
			runs[last] = run{runs[last].n * r.n, r.stride}
		case len(runs) == len(buf):
			return 0, 0, 0, false
		default:
			runs = append(runs, r)
		}
	}
	batch = 1
	if len(runs) == 3 {
		batch, runs = runs[0].n, runs[1:]
	}
	if len(runs) != 2 || runs[0].stride != 1 || runs[1].stride != runs[0].n {
		return 0, 0, 0, false
	}
	return batch, runs[1].n, runs[0].n, true
}

// transposeMatrices shares the matrices out in blocks.
func transposeMatrices[T uint32 | uint64](ctx *kernel.Context, o, x []T, batch, rows, cols int) error {
	if len(o) <= strided.Grain {
		for at := 0; at < len(o); at += rows * cols {
			vec.Transpose(o[at:at+rows*cols], rows, x[at:at+rows*cols], cols, rows, cols)
		}
		return nil
	}
	return shareMatrices(ctx, o, x, rows, cols, batch)
}

// shareMatrices is transposeMatrices for more than one worker takes.
func shareMatrices[T uint32 | uint64](ctx *kernel.Context, o, x []T, rows, cols, batch int) error {
	const height = 1024
	width := 64 * max(1, 64/rows) // the ends of few rows are transposed one by one
	down, across := (rows+height-1)/height, (cols+width-1)/width
	ctx.Parallel(batch*down*across, max(1, strided.Grain/(min(rows, height)*min(cols, width))), func(lo, hi int) {
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			at := i / (down * across) * rows * cols
			top, left := i/across%down*height, i%across*width
			vec.Transpose(o[at+left*rows+top:at+rows*cols], rows, x[at+top*cols+left:at+rows*cols], cols,
				min(height, rows-top), min(width, cols-left))
		}
	})
	return ctx.Err()
}

func joined(x []int) string {
	dims := make([]int64, len(x))
	for i, d := range x {
		dims[i] = int64(d)
	}
	s := tensor.FormatDims(dims)
	return s[1 : len(s)-1]
}

func conjugateTranspose(ctx *kernel.Context, in, out []tensor.Value) error {
	fresh, err := transposed(ctx, in, out)
	if err != nil {
		return err
	}
	dt := out[0].DType()
	if dt != tensor.Complex64 && dt != tensor.Complex128 {
		return nil
	}
	x := out[0]
	if !fresh { // the input, or its memory
		if out[0], err = ctx.Alloc(dt, x.Dims()); err != nil {
			return err
		}
	}
	if dt == tensor.Complex64 {
		conjugate(tensor.Of[complex64](&out[0]), tensor.Of[complex64](&x), func(x complex64) complex64 { return complex(real(x), -imag(x)) })
	} else {
		conjugate(tensor.Of[complex128](&out[0]), tensor.Of[complex128](&x), func(x complex128) complex128 { return complex(real(x), -imag(x)) })
	}
	return nil
}

func conjugate[T tensor.Element](o, x []T, conj func(T) T) {
	for i, x := range x {
		o[i] = conj(x)
	}
}

func invertPermutation(ctx *kernel.Context, in, out []tensor.Value) error {
	if in[0].Rank() != 1 {
		return status.Invalid("invert_permutation expects a 1D vector.")
	}
	v, err := ctx.Alloc(in[0].DType(), in[0].Dims())
	if err != nil {
		return err
	}
	out[0] = v
	if v.DType() == tensor.Int32 {
		return invert(tensor.Of[int32](&out[0]), tensor.Of[int32](&in[0]))
	}
	return invert(tensor.Of[int64](&out[0]), tensor.Of[int64](&in[0]))
}

func invert[T int32 | int64](o, x []T) error {
	for i := range o {
		o[i] = -1
	}
	for i, p := range x {
		if p < 0 || int64(p) >= int64(len(o)) {
			return status.Invalid("%d is not between 0 and %d", p, len(o))
		}
		if o[p] != -1 {
			return status.Invalid("%d is duplicated in the input.", p)
		}
		o[p] = T(i)
	}
	return nil
}
