package sparse

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(fillEmptyRows), nil }, "SparseFillEmptyRows")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(fillEmptyRaggedRows), nil }, "RaggedFillEmptyRows")
	for _, op := range []string{"SparseFillEmptyRowsGrad", "RaggedFillEmptyRowsGrad"} {
		kernel.Register(kernel.Registration{
			Op: op, Types: map[string][]tensor.DType{"T": elementwise.Numbers},
			New: func(c *kernel.Construction) (kernel.Kernel, error) {
				add := elementwise.Combine(elementwise.UpdateAdd, c.Type("T"))
				return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
					return fillEmptyRowsGrad(ctx, in, out, add)
				}), nil
			},
		})
	}
}

// fillEmptyRaggedRows returns the kernel of RaggedFillEmptyRows: rows are numbers of a
// vector, where those of a sparse tensor are the first of each index.
func fillEmptyRaggedRows(ctx *kernel.Context, in, out []tensor.Value) error {
	rows, values, height := &in[0], &in[1], &in[2]
	switch {
	case rows.Rank() != 1:
		return status.Invalid("value_rowids must be a vector, saw: %s", tensor.FormatDims(rows.Dims()))
	case values.Rank() != 1:
		return status.Invalid("values must be a vector, saw: %s", tensor.FormatDims(values.Dims()))
	case rows.Dim(0) != values.Dim(0):
		return status.Invalid("The length of `values` (%d) must match the first dimension of `value_rowids` (%d).", values.Dim(0), rows.Dim(0))
	case height.Rank() != 0:
		return status.Invalid("nrows must be a scalar, saw: %s", tensor.FormatDims(height.Dims()))
	}
	shape, err := ctx.Alloc(tensor.Int64, []int64{1})
	if err != nil {
		return err
	}
	defer ctx.Free(shape)
	tensor.Of[int64](&shape)[0] = tensor.At0[int64](height)
	if err := fillEmptyRows(ctx, []tensor.Value{rows.Reshaped([]int64{int64(rows.Dim(0)), 1}), in[1], shape, in[3]}, out); err != nil {
		return err
	}
	out[0].SetDims([]int64{int64(out[0].Dim(0))})
	return nil
}

// fillEmptyRows returns the kernel of SparseFillEmptyRows. Entries keep their order
// within a row, and rows come in order.
func fillEmptyRows(ctx *kernel.Context, in, out []tensor.Value) error {
	at, values, shape, filler := &in[0], &in[1], &in[2], &in[3]
	switch {
	case shape.Rank() != 1:
		return status.Invalid("dense_shape must be a vector, saw: %s", tensor.FormatDims(shape.Dims()))
	case at.Rank() != 2:
		return status.Invalid("indices must be a matrix, saw: %s", tensor.FormatDims(at.Dims()))
	case values.Rank() != 1:
		return status.Invalid("values must be a vector, saw: %s", tensor.FormatDims(values.Dims()))
	case at.Dim(0) != values.Dim(0):
		return status.Invalid("The length of `values` (%d) must match the first dimension of `indices` (%d).", values.Dim(0), at.Dim(0))
	case at.Dim(1) != shape.Dim(0):
		return status.Invalid("The length of `dense_shape` (%d) must match the second dimension of `indices` (%d).", shape.Dim(0), at.Dim(1))
	case filler.Rank() != 0:
		return status.Invalid("default_value must be a scalar, saw: %s", tensor.FormatDims(filler.Dims()))
	case shape.Dim(0) == 0:
		return status.Invalid("Dense shape cannot be empty.")
	}
	e := rawEntries(in)
	height := e.dims[0]
	if height < 0 {
		return status.Invalid("Expected shape dimensions to be non-negative, got %d", height)
	}
	if height == 0 && e.n != 0 {
		return status.Invalid("Received SparseTensor with dense_shape[0] = 0 but indices.shape[0] = %d", e.n)
	}
	var err error
	if out[2], err = ctx.Alloc(tensor.Bool, []int64{height}); err != nil {
		return err
	}
	if out[3], err = ctx.Alloc(tensor.Int64, []int64{int64(e.n)}); err != nil {
		return err
	}
	// Where the entries of each row begin among the new ones.
	starts, err := ctx.AllocZeroed(tensor.Int64, []int64{height + 1})
	if err != nil {
		return err
	}
	defer ctx.Free(starts)
	empty, to, next := tensor.Of[bool](&out[2]), tensor.Of[int64](&out[3]), tensor.Of[int64](&starts)
	for i := range e.n {
		row := e.at[i*e.rank]
		if row < 0 || row >= height {
			return status.Invalid("indices(%d, 0) is invalid: %d >= %d", i, row, height)
		}
		next[row+1]++
	}
	for row := range empty {
		if row%block == block-1 && ctx.Err() != nil {
			return ctx.Err()
		}
		empty[row] = next[row+1] == 0
		if empty[row] {
			next[row+1] = 1
		}
		next[row+1] += next[row]
	}
	if err := allocEntries(ctx, out, values.DType(), int(next[height]), e.rank); err != nil {
		return err
	}
	o := tensor.Of[int64](&out[0])
	for row, alone := range empty {
		if row%block == block-1 && ctx.Err() != nil {
			return ctx.Err()
		}
		if alone {
			index := o[int(next[row])*e.rank:][:e.rank]
			clear(index)
			index[0] = int64(row)
			strided.Move(&out[1], int(next[row]), filler, 0, 1)
		}
	}
	for i := range to {
		if i%block == block-1 && ctx.Err() != nil {
			return ctx.Err()
		}
		row := e.at[i*e.rank]
		to[i] = next[row]
		next[row]++
		copy(o[int(to[i])*e.rank:][:e.rank], e.index(i))
	}
	strided.Scatter(&out[1], values, to, 1)
	return ctx.Err()
}

func fillEmptyRowsGrad(ctx *kernel.Context, in, out []tensor.Value, add *elementwise.Combination) error {
	from, grad := &in[0], &in[1]
	switch {
	case from.Rank() != 1:
		return status.Invalid("reverse_index_map must be a vector, saw: %s", tensor.FormatDims(from.Dims()))
	case grad.Rank() != 1:
		return status.Invalid("grad_values must be a vector, saw: %s", tensor.FormatDims(grad.Dims()))
	}
	n, places := grad.Dim(0), tensor.Of[int64](from)
	for _, i := range places {
		if i < 0 || i >= int64(n) {
			return status.Invalid("Elements in reverse index must be in [0, %d) but got %d", n, i)
		}
	}
	var err error
	if out[0], err = ctx.Alloc(grad.DType(), from.Dims()); err != nil {
		return err
	}
	if out[1], err = ctx.AllocZeroed(grad.DType(), nil); err != nil {
		return err
	}
	strided.Gather(&out[0], 0, grad, 0, places, 1)
	old, err := ctx.AllocZeroed(tensor.Bool, []int64{int64(n)})
	if err != nil {
		return err
	}
	defer ctx.Free(old)
	was := tensor.Of[bool](&old)
	for _, i := range places {
		was[i] = true
	}
	for i := range was {
		if i%block == block-1 && ctx.Err() != nil {
			break
		}
		if was[i] {
			continue
		}
		if err := add.Range(&out[1], &out[1], 0, grad, i, 1); err != nil {
			return err
		}
	}
	return ctx.Err()
}
