package sparse

import (
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(reorder), nil }, "SparseReorder")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(reshape), nil }, "SparseReshape")
}

// reorder returns the kernel of SparseReorder. It does not ask whether indices are
// within the shape.
func reorder(ctx *kernel.Context, in, out []tensor.Value) error {
	e, err := entriesOf(in)
	if err != nil {
		return err
	}
	var credit kernel.Credit
	compare := func(i, j int64) int {
		if !credit.Spend(ctx, 16+e.rank) {
			ctx.Ask()
		}
		return slices.Compare(e.index(int(i)), e.index(int(j)))
	}
	sorted := true
	for i := 1; i < e.n && sorted; i++ {
		sorted = compare(int64(i-1), int64(i)) <= 0
	}
	if sorted {
		out[0], out[1] = in[0], in[1]
		return nil
	}
	order, err := ordered(ctx, e.n, compare)
	if err != nil {
		return err
	}
	defer ctx.Free(order)
	if err := allocEntries(ctx, out, e.values.DType(), e.n, e.rank); err != nil {
		return err
	}
	strided.Gather(&out[0], 0, &in[0], 0, tensor.Of[int64](&order), e.rank)
	strided.Gather(&out[1], 0, &in[1], 0, tensor.Of[int64](&order), 1)
	return ctx.Err()
}

// reshape returns the kernel of SparseReshape.
func reshape(ctx *kernel.Context, in, out []tensor.Value) error {
	switch {
	case in[0].Rank() != 2:
		return status.Invalid("Input must be a matrix.")
	case in[1].Rank() != 1:
		return status.Invalid("Input shape must be a vector.")
	case in[2].Rank() != 1:
		return status.Invalid("Target shape should be a vector but received shape %s", tensor.FormatDims(in[2].Dims()))
	case in[0].Dim(1) != in[1].Dim(0):
		return status.Invalid("Input tensor rank must match input shape length.")
	}
	from := tensor.Of[int64](&in[1])
	if err := checkDims(from); err != nil {
		return err
	}
	size, err := product(from)
	if err != nil {
		return err
	}
	to, err := newDims(from, tensor.Of[int64](&in[2]), size)
	if err != nil {
		return err
	}
	n, rank := in[0].Dim(0), len(to)
	if size == 0 && n > 0 && !slices.Equal(from, to) {
		return status.Invalid("Input tensor has %d non zero elements but input shape (%s) or output shape (%s) is empty", n, tensor.FormatDims(from), tensor.FormatDims(to))
	}
	if err := vector(ctx, &out[1], to); err != nil {
		return err
	}
	if slices.Equal(from, to) {
		out[0] = in[0]
		return nil
	}
	if out[0], err = ctx.Alloc(tensor.Int64, []int64{int64(n), int64(rank)}); err != nil {
		return err
	}
	x, o := tensor.Of[int64](&in[0]), tensor.Of[int64](&out[0])
	ctx.Parallel(n, block, func(lo, hi int) {
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			place := int64(0)
			for d, j := range x[i*len(from):][:len(from)] {
				place = place*from[d] + j
			}
			index := o[i*rank:][:rank]
			for d := rank - 1; d > 0; d-- {
				index[d] = place % to[d]
				place /= to[d]
			}
			if rank > 0 {
				index[0] = place
			}
		}
	})
	return ctx.Err()
}

// newDims returns the shape that wanted says, in which one dimension may be -1, for a
// tensor of size elements.
func newDims(from, wanted []int64, size int64) ([]int64, error) {
	to, unknown := slices.Clone(wanted), -1
	rest := int64(1)
	for d, n := range wanted {
		switch {
		case n == -1 && unknown >= 0:
			return nil, status.Invalid("only one output dimension may be -1, not both %d and %d", unknown, d)
		case n == -1:
			unknown = d
			to[d] = 1
		case n < 0:
			return nil, status.Invalid("size %d must be non-negative, not %d", d, n)
		case rest != 0 && n > (1<<63-1)/rest:
			return nil, status.Invalid("Encountered overflow when multiplying %d with %d, result: -1", rest, n)
		default:
			rest *= n
		}
	}
	if unknown >= 0 {
		if rest == 0 {
			return nil, status.Invalid("reshape cannot infer the missing input size for an empty tensor unless all specified input sizes are non-zero")
		}
		to[unknown] = size / rest
		if rest*to[unknown] != size {
			return nil, status.Invalid("Input to reshape is a SparseTensor with %d dense values, but the requested shape requires a multiple of %d. input_shape=%s output_shape=%s",
				size, rest, tensor.FormatDims(from), tensor.FormatDims(to))
		}
		rest = size
	}
	if rest != size {
		return nil, status.Invalid("Input to reshape is a tensor with %d dense values, but the requested shape has %d. input_shape=%s output_shape=%s",
			size, rest, tensor.FormatDims(from), tensor.FormatDims(to))
	}
	return to, nil
}
