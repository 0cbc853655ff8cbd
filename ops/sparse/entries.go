package sparse

import (
	"cmp"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Entries are a sparse tensor as three inputs give it, their ranks and sizes
// checked against each other, but not the indices against the shape.
type entries struct {
	at     []int64 // the indices, rank of them for each entry
	values *tensor.Value
	dims   []int64
	n      int // how many entries
	rank   int
}

// index returns that of entry i.
func (e *entries) index(i int) []int64 { return e.at[i*e.rank : (i+1)*e.rank] }

// entriesOf reads the three inputs from in[0] on. Its errors are those that
// most operations on sparse tensors have in common.
func entriesOf(in []tensor.Value) (entries, error) {
	switch {
	case in[0].Rank() != 2:
		return entries{}, status.Invalid("Sparse indices must be rank 2 but is rank %d", in[0].Rank())
	case in[1].Rank() != 1:
		return entries{}, status.Invalid("Sparse values must be rank 1 but is rank %d", in[1].Rank())
	case in[2].Rank() != 1:
		return entries{}, status.Invalid("Sparse shape must be rank 1 but is rank %d", in[2].Rank())
	case in[0].Dim(0) != in[1].Dim(0):
		return entries{}, status.Invalid("Number of elements in indices (%d) and values (%d) do not match", in[0].Dim(0), in[1].Dim(0))
	case in[0].Dim(1) != in[2].Dim(0):
		return entries{}, status.Invalid("Index rank (%d) and shape rank (%d) do not match", in[0].Dim(1), in[2].Dim(0))
	}
	return rawEntries(in), nil
}

// bounds fails for an index that is not within the shape.
func (e *entries) bounds() error {
	for i := range e.n {
		if !inside(e.index(i), e.dims) {
			return status.Invalid("Sparse index tuple indices[%d, :] = %s is out of bounds", i, strings.ReplaceAll(formatIndex(e.index(i)), ",", ", "))
		}
	}
	return nil
}

// rawEntries is entriesOf for inputs that have been checked.
func rawEntries(in []tensor.Value) entries {
	return entries{
		at: tensor.Of[int64](&in[0]), values: &in[1], dims: tensor.Of[int64](&in[2]),
		n: in[0].Dim(0), rank: in[0].Dim(1),
	}
}

// inside reports whether an index is within dims.
func inside[I int32 | int64](index, dims []I) bool {
	for d, x := range index {
		if x < 0 || x >= dims[d] {
			return false
		}
	}
	return true
}

// rowMajor fails unless the entries are within the shape, in row-major order,
// and no two in one place.
func rowMajor[I int32 | int64](at, dims []I) error {
	rank := len(dims)
	for i := 0; i*rank < len(at); i++ {
		index := at[i*rank:][:rank]
		if !inside(index, dims) {
			return status.Invalid("indices[%d] = %s is out of bounds: need 0 <= index < %s", i, formatIndex(index), formatIndex(dims))
		}
		if i == 0 {
			continue
		}
		switch slices.Compare(at[(i-1)*rank:i*rank], index) {
		case 0:
			return status.Invalid("indices[%d] = %s is repeated", i, formatIndex(index))
		case 1:
			return status.Invalid("indices[%d] = %s is out of order. Many sparse ops require sorted indices.\n    Use `tf.sparse.reorder` to create a correctly ordered copy.\n\n", i, formatIndex(index))
		}
	}
	return nil
}

func formatIndex[I int32 | int64](index []I) string {
	wide := make([]int64, len(index))
	for i, x := range index {
		wide[i] = int64(x)
	}
	return tensor.FormatDims(wide)
}

// checkDims fails for a negative dimension, and where the number of elements
// does not fit.
func checkDims(dims []int64) error {
	for _, d := range dims {
		if d < 0 {
			return status.Invalid("Expected shape dimensions to be non-negative, got %d", d)
		}
	}
	_, err := product(dims)
	return err
}

// product returns the number of elements of dims, none of which is negative.
func product(dims []int64) (int64, error) {
	n := int64(1)
	for _, d := range dims {
		if n != 0 && d > (1<<63-1)/n {
			return 0, status.Invalid("Encountered overflow when multiplying %d with %d, result: -1", n, d)
		}
		n *= d
	}
	return n, nil
}

// ordered returns the numbers of n entries in the order of less, equal ones as they
// are. It is memory of the step, which the caller frees.
func ordered(ctx *kernel.Context, n int, compare func(i, j int64) int) (tensor.Value, error) {
	v, err := ctx.Alloc(tensor.Int64, []int64{int64(n)})
	if err != nil {
		return v, err
	}
	order := tensor.Of[int64](&v)
	for i := range order {
		order[i] = int64(i)
	}
	err = kernel.Sort(ctx, order, func(i, j int64) int {
		if c := compare(i, j); c != 0 {
			return c
		}
		return cmp.Compare(i, j)
	})
	return v, err
}

// vector makes an output of int64.
func vector(ctx *kernel.Context, out *tensor.Value, x []int64) (err error) {
	if *out, err = ctx.Alloc(tensor.Int64, []int64{int64(len(x))}); err == nil {
		copy(tensor.Of[int64](out), x)
	}
	return err
}

// allocEntries makes the outputs for n entries: indices and values.
func allocEntries(ctx *kernel.Context, out []tensor.Value, dt tensor.DType, n, rank int) (err error) {
	if out[0], err = ctx.Alloc(tensor.Int64, []int64{int64(n), int64(rank)}); err != nil {
		return err
	}
	out[1], err = ctx.Alloc(dt, []int64{int64(n)})
	return err
}
