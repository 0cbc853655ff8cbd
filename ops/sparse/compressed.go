package sparse

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	for _, dt := range []tensor.DType{tensor.Float, tensor.Double, tensor.Complex64, tensor.Complex128} {
		kernel.ForType("SparseTensorToCSRSparseMatrix", "T", dt, func(*kernel.Construction) (kernel.Kernel, error) {
			return kernel.Func(compress), nil
		})
		kernel.ForType("CSRSparseMatrixToSparseTensor", "type", dt, func(*kernel.Construction) (kernel.Kernel, error) {
			return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error { return expand(ctx, dt, in, out) }), nil
		})
	}
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(countEntries), nil }, "SparseMatrixNNZ")
}

// Compressed are sparse matrices in compressed rows, as a variant holds them: for
// each matrix where the entries of each row begin and the last one ends, and for
// all entries their columns and values. It is immutable.
type Compressed struct {
	dims                  []int64 // of a matrix, or of a batch of them
	starts, columns, list tensor.Value
}

// TotalBytes returns what c takes. See [tensor.Value.TotalBytes].
func (c *Compressed) TotalBytes() int64 {
	return c.starts.TotalBytes() + c.columns.TotalBytes() + c.list.TotalBytes()
}

// matrices returns how many there are, and how many rows each has.
func matrices(dims []int64) (n, rows int64) {
	if len(dims) == 3 {
		return dims[0], dims[1]
	}
	return 1, dims[0]
}

// compress returns the kernel of SparseTensorToCSRSparseMatrix.
func compress(ctx *kernel.Context, in, out []tensor.Value) error {
	e, err := entriesOf(in)
	if err != nil {
		return err
	}
	if e.rank != 2 && e.rank != 3 {
		return status.Invalid("SparseTensor must have rank 2 or 3, but indices has rank: %d", e.rank)
	}
	if err := checkDims(e.dims); err != nil {
		return err
	}
	if err := rowMajor(e.at, e.dims); err != nil {
		return err
	}
	n, rows := matrices(e.dims)
	starts, err := ctx.AllocZeroed(tensor.Int64, []int64{n, rows + 1})
	if err != nil {
		return err
	}
	columns, err := ctx.Alloc(tensor.Int64, []int64{int64(e.n)})
	if err != nil {
		return err
	}
	begin, column := tensor.Of[int64](&starts), tensor.Of[int64](&columns)
	for i := range e.n {
		if i%block == block-1 && ctx.Err() != nil {
			return ctx.Err()
		}
		index := e.index(i)
		row := index[e.rank-2] + 1
		if e.rank == 3 {
			row += index[0] * (rows + 1)
		}
		begin[row]++
		column[i] = index[e.rank-1]
	}
	for m := range n {
		of := begin[m*(rows+1):][:rows+1]
		for r := range rows {
			of[r+1] += of[r]
		}
	}
	out[0] = tensor.Scalar(&tensor.Object{Value: &Compressed{append([]int64(nil), e.dims...), starts.Share(), columns.Share(), in[1].Share()}})
	return ctx.Err()
}

// compressedOf returns the matrices that a variant holds.
func compressedOf(v *tensor.Value) (*Compressed, error) {
	if v.Rank() == 0 {
		if o := tensor.At0[*tensor.Object](v); o != nil {
			if c, ok := o.Value.(*Compressed); ok {
				return c, nil
			}
		}
	}
	return nil, status.Invalid("Could not get a CSRSparseMatrix from the input, a variant of shape %s", tensor.FormatDims(v.Dims()))
}

// expand returns the kernel of CSRSparseMatrixToSparseTensor.
func expand(ctx *kernel.Context, dt tensor.DType, in, out []tensor.Value) error {
	c, err := compressedOf(&in[0])
	if err != nil {
		return err
	}
	if have := c.list.DType(); have != dt {
		return status.Invalid("dtype of input is not equal to 'type': %v vs. %v", have, dt)
	}
	count, rank := c.list.NumElements(), len(c.dims)
	if err := vector(ctx, &out[2], c.dims); err != nil {
		return err
	}
	if out[0], err = ctx.Alloc(tensor.Int64, []int64{int64(count), int64(rank)}); err != nil {
		return err
	}
	out[1] = c.list.Share()
	n, rows := matrices(c.dims)
	starts, columns, o := tensor.Of[int64](&c.starts), tensor.Of[int64](&c.columns), tensor.Of[int64](&out[0])
	at := 0
	for m := range n {
		for r := range rows {
			if r%block == block-1 && ctx.Err() != nil {
				return ctx.Err()
			}
			begin := starts[m*(rows+1):]
			for range begin[r+1] - begin[r] {
				index := o[at*rank:][:rank]
				if rank == 3 {
					index[0] = m
				}
				index[rank-2], index[rank-1] = r, columns[at]
				at++
			}
		}
	}
	return ctx.Err()
}

// countEntries returns the kernel of SparseMatrixNNZ.
func countEntries(ctx *kernel.Context, in, out []tensor.Value) error {
	c, err := compressedOf(&in[0])
	if err != nil {
		return err
	}
	n, rows := matrices(c.dims)
	if out[0], err = ctx.Alloc(tensor.Int32, c.dims[:len(c.dims)-2]); err != nil {
		return err
	}
	starts, o := tensor.Of[int64](&c.starts), tensor.Of[int32](&out[0])
	if out[0].Rank() == 0 {
		out[0] = tensor.Scalar(int32(starts[rows]))
		return nil
	}
	for m := range n {
		o[m] = int32(starts[m*(rows+1)+rows])
	}
	return nil
}
