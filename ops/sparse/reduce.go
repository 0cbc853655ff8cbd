package sparse

import (
	"cmp"
	"math"
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	for op, r := range map[string]struct {
		update elementwise.Update
		types  []tensor.DType
	}{
		"SparseReduceSum": {elementwise.UpdateAdd, elementwise.Numbers},
		"SparseReduceMax": {elementwise.UpdateMax, elementwise.Reals},
	} {
		kernel.Register(kernel.Registration{
			Op: op, Types: map[string][]tensor.DType{"T": r.types},
			New: func(c *kernel.Construction) (kernel.Kernel, error) {
				return &reduction{elementwise.Combine(r.update, c.Type("T")), c.Bool("keep_dims")}, nil
			},
		})
		kernel.Register(kernel.Registration{
			Op: op + "Sparse", Types: map[string][]tensor.DType{"T": r.types},
			New: func(c *kernel.Construction) (kernel.Kernel, error) {
				return &sparseReduction{reduction{elementwise.Combine(r.update, c.Type("T")), c.Bool("keep_dims")}}, nil
			},
		})
	}
	kernel.ForType("SparseSoftmax", "T", tensor.Float, func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(softmax[float32]), nil })
	kernel.ForType("SparseSoftmax", "T", tensor.Double, func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(softmax[float64]), nil })
	kernel.ForType("SparseSoftmax", "T", tensor.Half, func(*kernel.Construction) (kernel.Kernel, error) {
		return elementwise.Widen(tensor.Half, kernel.Func(softmax[float32])), nil
	})
}

// A reduction is the kernel of SparseReduceSum and SparseReduceMax. Where there
// is no entry the result is 0.
type reduction struct {
	combine *elementwise.Combination
	keep    bool
}

func (k *reduction) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	values := &in[1]
	e, gone, err := reduced(in)
	if err != nil {
		return err
	}
	rank := e.rank
	var dims []int64
	strides, stride := make([]int64, rank), int64(1)
	for d := rank - 1; d >= 0; d-- {
		switch {
		case !gone[d]:
			dims = append(dims, e.dims[d])
			strides[d] = stride
			stride *= e.dims[d]
		case k.keep:
			dims = append(dims, 1)
		}
	}
	slices.Reverse(dims)
	if out[0], err = ctx.AllocZeroed(values.DType(), dims); err != nil {
		return err
	}
	size := int64(out[0].NumElements())
	full, err := ctx.AllocZeroed(tensor.Bool, []int64{size})
	if err != nil {
		return err
	}
	defer ctx.Free(full)
	was := tensor.Of[bool](&full)
	for i := range e.n {
		if i%block == block-1 && ctx.Err() != nil {
			return ctx.Err()
		}
		to := int64(0)
		for d, j := range e.index(i) {
			to += j * strides[d]
		}
		if to < 0 || to >= size {
			return status.Errorf(status.Internal, "Obtained a write index of %d which is outside of bounds of [0, %d)", to, size)
		}
		if !was[to] {
			was[to] = true
			strided.Move(&out[0], int(to), values, i, 1)
			continue
		}
		if err := k.combine.Range(&out[0], &out[0], int(to), values, i, 1); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// reduced checks the inputs of a reduction: the entries, and which dimensions go.
func reduced(in []tensor.Value) (e entries, gone []bool, err error) {
	at, values, shape, axes := &in[0], &in[1], &in[2], &in[3]
	if shape.Rank() != 1 {
		return entries{}, nil, status.Invalid("Expected input_shape to be a vector; got shape: %s", tensor.FormatDims(shape.Dims()))
	}
	if axes.Rank() > 1 {
		return entries{}, nil, status.Invalid("Expected reduction_axes to be a scalar or a vector; got shape: %s", tensor.FormatDims(axes.Dims()))
	}
	rank := shape.Dim(0)
	gone = make([]bool, rank)
	for _, a := range tensor.Of[int32](axes) {
		d, ok := kernel.Axis(int64(a), rank)
		if !ok {
			return entries{}, nil, status.Invalid("Invalid reduction dimension %d, for input with %d dimensions.", a, rank)
		}
		gone[d] = true
	}
	switch {
	case at.Rank() != 2:
		return entries{}, nil, status.Invalid("indices must be a matrix, but got: %s", tensor.FormatDims(at.Dims()))
	case values.Rank() != 1:
		return entries{}, nil, status.Invalid("vals must be a vec, but got: %s", tensor.FormatDims(values.Dims()))
	case at.Dim(0) != values.Dim(0):
		return entries{}, nil, status.Invalid("indices and values rows (indexing dimension) must match. (indices = %d, values = %d)", at.Dim(0), values.Dim(0))
	case at.Dim(1) != rank:
		return entries{}, nil, status.Invalid("Order length must be SparseTensor rank.")
	}
	e = rawEntries(in)
	if err := checkDims(e.dims); err != nil {
		return entries{}, nil, err
	}
	return e, gone, nil
}

// A sparseReduction is the kernel of SparseReduceSumSparse and
// SparseReduceMaxSparse. Its entries are in order, one for each index, without
// the dimensions that go, that an entry has.
type sparseReduction struct{ reduction }

func (k *sparseReduction) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	values := &in[1]
	e, gone, err := reduced(in)
	if err != nil {
		return err
	}
	var stay []int // dimensions
	var dims []int64
	for d, g := range gone {
		switch {
		case !g:
			stay = append(stay, d)
			dims = append(dims, e.dims[d])
		case k.keep:
			dims = append(dims, 1)
		}
	}
	// Entries by what stays of their indices.
	room, err := ctx.Alloc(tensor.Int64, []int64{int64(e.n)})
	if err != nil {
		return err
	}
	defer ctx.Free(room)
	order := tensor.Of[int64](&room)
	for i := range order {
		order[i] = int64(i)
	}
	asked := 0
	compare := func(a, b int64) int {
		if asked++; asked%(1<<14) == 0 {
			ctx.Ask()
		}
		x, y := e.index(int(a)), e.index(int(b))
		for _, d := range stay {
			if c := cmp.Compare(x[d], y[d]); c != 0 {
				return c
			}
		}
		return 0
	}
	slices.SortStableFunc(order, compare)
	groups := 0
	for i := range order {
		if i == 0 || compare(order[i-1], order[i]) != 0 {
			groups++
		}
	}
	if err := allocEntries(ctx, out, values.DType(), groups, len(dims)); err != nil {
		return err
	}
	if out[2], err = ctx.Alloc(tensor.Int64, []int64{int64(len(dims))}); err != nil {
		return err
	}
	copy(tensor.Of[int64](&out[2]), dims)
	at, group := tensor.Of[int64](&out[0]), -1
	for i, entry := range order {
		if i%block == block-1 && ctx.Err() != nil {
			return ctx.Err()
		}
		if i > 0 && compare(order[i-1], entry) == 0 {
			if err := k.combine.Range(&out[1], &out[1], group, values, int(entry), 1); err != nil {
				return err
			}
			continue
		}
		group++
		strided.Move(&out[1], group, values, int(entry), 1)
		index := at[group*len(dims):][:len(dims)]
		to := 0
		for d, x := range e.index(int(entry)) {
			if !gone[d] {
				index[to] = x
				to++
			} else if k.keep {
				index[to] = 0
				to++
			}
		}
	}
	return ctx.Err()
}

// softmax returns the kernel of SparseSoftmax: consecutive entries whose indices are
// equal but for the last are a row.
func softmax[T elementwise.Float](ctx *kernel.Context, in, out []tensor.Value) error {
	at, values, shape := &in[0], &in[1], &in[2]
	switch {
	case at.Rank() != 2:
		return status.Invalid("Input sp_indices should be a matrix but received shape: %s", tensor.FormatDims(at.Dims()))
	case values.Rank() != 1 || shape.Rank() != 1:
		return status.Invalid("Inputs sp_values and sp_shape should be vectors but received shapes: %s and %s", tensor.FormatDims(values.Dims()), tensor.FormatDims(shape.Dims()))
	case shape.NumElements() < 2:
		return status.Invalid("Input should have rank >= 2, but received shape: %s", spaced(tensor.Of[int64](shape)))
	case at.Dim(0) != values.Dim(0):
		return status.Invalid("indices and values rows (indexing dimension) must match. (indices = %d, values = %d)", at.Dim(0), values.Dim(0))
	case at.Dim(1) != shape.Dim(0):
		return status.Invalid("Order length must be SparseTensor rank.")
	}
	e := rawEntries(in)
	if err := checkDims(e.dims); err != nil {
		return err
	}
	var err error
	if out[0], err = ctx.Alloc(values.DType(), values.Dims()); err != nil {
		return err
	}
	o, x := tensor.Of[T](&out[0]), tensor.Of[T](values)
	for first := 0; first < e.n; {
		if err := ctx.Err(); err != nil {
			return err
		}
		row, last := e.index(first)[:e.rank-1], first
		largest := T(math.Inf(-1))
		for ; last < e.n && slices.Equal(row, e.index(last)[:e.rank-1]); last++ {
			largest = max(largest, x[last])
		}
		var sum T
		for i := first; i < last; i++ {
			o[i] = T(math.Exp(float64(x[i] - largest)))
			sum += o[i]
		}
		for i := first; i < last; i++ {
			o[i] /= sum
		}
		first = last
	}
	return nil
}
