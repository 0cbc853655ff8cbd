package array

import (
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
}

func transpose(ctx *kernel.Context, in, out []tensor.Value) error {
	_, err := transposed(ctx, in, out)
	return err
}

// transposed also says whether it made a copy.
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
	return true, strided.Copy(ctx, &out[0], strided.Whole(out[0]), &in[0], strided.Whole(in[0]).Permute(perm))
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
