package sparse

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) {
		if c.Type("Tindices") == tensor.Int32 {
			return toDense[int32]{c.Bool("validate_indices")}, nil
		}
		return toDense[int64]{c.Bool("validate_indices")}, nil
	}, "SparseToDense")
}

// A toDense is the kernel of SparseToDense.
type toDense[I int32 | int64] struct{ check bool }

func (k toDense[I]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	at, shape, values, filler := &in[0], &in[1], &in[2], &in[3]
	if at.Rank() > 2 {
		return status.Invalid("sparse_indices should be a scalar, vector, or matrix, got shape %s", tensor.FormatDims(at.Dims()))
	}
	n, rank := 1, 1
	if at.Rank() > 0 {
		n = at.Dim(0)
	}
	if at.Rank() > 1 {
		rank = at.Dim(1)
	}
	switch {
	case shape.Rank() != 1:
		return status.Invalid("output_shape must be rank 1, got shape %s", tensor.FormatDims(shape.Dims()))
	case shape.NumElements() != rank:
		return status.Invalid("output_shape has incorrect number of elements: %d should be: %d", shape.NumElements(), rank)
	case values.Rank() != 0 && (values.Rank() != 1 || values.NumElements() != n):
		return status.Invalid("sparse_values has incorrect shape %s, should be [] or [%d]", tensor.FormatDims(values.Dims()), n)
	case filler.Rank() != 0:
		return status.Invalid("default_value should be a scalar.")
	}
	for _, d := range tensor.Of[I](shape) {
		if d < 0 {
			return status.Invalid("Dimension %d must be >= 0", d)
		}
	}
	dims, err := kernel.Dims(shape, "output_shape")
	if err != nil {
		return err
	}
	if k.check {
		if err := rowMajor(tensor.Of[I](at), tensor.Of[I](shape)); err != nil {
			return err
		}
		if rank == 0 && n > 1 {
			return status.Invalid("indices[1] = [] is repeated")
		}
	}
	if out[0], err = ctx.Alloc(in[2].DType(), dims); err != nil {
		return err
	}
	if out[0].NumElements() > 0 {
		if err := strided.Fill(ctx, &out[0], filler, 0); err != nil {
			return err
		}
	}
	places, err := ctx.Alloc(tensor.Int64, []int64{int64(n)})
	if err != nil {
		return err
	}
	defer ctx.Free(places)
	rows, x := tensor.Of[int64](&places), tensor.Of[I](at)
	for i := range rows {
		index := x[i*rank:][:rank]
		if !inside(index, tensor.Of[I](shape)) {
			return status.Invalid("Indices are not valid (out of bounds).  Shape: %s", tensor.FormatDims(dims))
		}
		rows[i] = 0
		for d, j := range index {
			rows[i] = rows[i]*dims[d] + int64(j)
		}
	}
	if values.Rank() > 0 {
		strided.Scatter(&out[0], values, rows, 1)
		return ctx.Err()
	}
	for i, row := range rows {
		if i%block == block-1 && ctx.Err() != nil {
			break
		}
		strided.Move(&out[0], int(row), values, 0, 1)
	}
	return ctx.Err()
}

// block is after how many entries a kernel asks whether the step has ended.
const block = 1 << 12
