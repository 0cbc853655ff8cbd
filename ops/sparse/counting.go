package sparse

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// The kernels that count how often values occur in rows.

func init() {
	countsFor[int32](tensor.Int32)
	countsFor[int64](tensor.Int64)
	countsFor[float32](tensor.Float)
	countsFor[float64](tensor.Double)
}

// A countable is what counts are.
type countable interface {
	int32 | int64 | float32 | float64
}

func countsFor[T countable](dt tensor.DType) {
	for op, read := range map[string]func(in []tensor.Value) (valued, error){
		"DenseCountSparseOutput": denseRows, "SparseCountSparseOutput": sparseRows, "RaggedCountSparseOutput": raggedRows,
	} {
		kernel.ForType(op, "output_type", dt, func(c *kernel.Construction) (kernel.Kernel, error) {
			k := counts[T]{dt: dt, read: read, low: c.Int("minlength"), high: c.Int("maxlength"), binary: c.Bool("binary_output")}
			return &k, nil
		})
	}
	kernel.ForType("SparseBincount", "T", dt, func(c *kernel.Construction) (kernel.Kernel, error) {
		binary := c.Bool("binary_output")
		return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error { return sparseBins[T](ctx, in, out, binary) }), nil
	})
}

// Valued is what is counted.
type valued struct {
	values *tensor.Value
	row    func(i int) int64 // of value i
	rows   int64             // -1 if there is only one, which is no dimension of the result
}

// value reads value i of int32 or int64.
func (v valued) value(i int) int64 {
	if v.values.DType() == tensor.Int32 {
		return int64(tensor.Of[int32](v.values)[i])
	}
	return tensor.Of[int64](v.values)[i]
}

func checkWeights(values, weights *tensor.Value, name string) error {
	if weights.NumElements() > 0 && !tensor.SameShape(*values, *weights) {
		return status.Invalid("Weights and %s must have the same shape. Weight shape: %s; %s shape: %s", name, tensor.FormatDims(weights.Dims()), name, tensor.FormatDims(values.Dims()))
	}
	return nil
}

func denseRows(in []tensor.Value) (valued, error) {
	v := &in[0]
	if v.Rank() != 1 && v.Rank() != 2 {
		return valued{}, status.Invalid("Input must be a 1 or 2-dimensional tensor. Got: %s", tensor.FormatDims(v.Dims()))
	}
	if err := checkWeights(v, &in[1], "data"); err != nil {
		return valued{}, err
	}
	if v.Rank() == 1 {
		return valued{v, func(int) int64 { return 0 }, -1}, nil
	}
	if v.Dim(0) == 0 {
		return valued{}, status.Invalid("Invalid input: Shapes dimension cannot be 0.")
	}
	width := v.Dim(1)
	return valued{v, func(i int) int64 { return int64(i / width) }, int64(v.Dim(0))}, nil
}

func sparseRows(in []tensor.Value) (valued, error) {
	at, v, shape := &in[0], &in[1], &in[2]
	switch {
	case at.Rank() != 2:
		return valued{}, status.Invalid("Input indices must be a 2-dimensional tensor. Got: %s", tensor.FormatDims(at.Dims()))
	case v.Rank() != 1:
		return valued{}, status.Invalid("Input values must be a vector. Got: %s", tensor.FormatDims(v.Dims()))
	case shape.Rank() != 1:
		return valued{}, status.Invalid("Input shape must be a vector. Got: %s", tensor.FormatDims(shape.Dims()))
	case v.Dim(0) != at.Dim(0):
		return valued{}, status.Invalid("Number of values must match first dimension of indices.Got %d values, indices shape: %s", v.Dim(0), tensor.FormatDims(at.Dims()))
	case shape.Dim(0) != at.Dim(1):
		return valued{}, status.Invalid("Number of dimensions must match second dimension of indices.Got %d dimensions, indices shape: %s", shape.Dim(0), tensor.FormatDims(at.Dims()))
	case shape.NumElements() == 0:
		return valued{}, status.Invalid("The shape argument requires at least one element.")
	}
	if err := checkWeights(v, &in[3], "values"); err != nil {
		return valued{}, err
	}
	e := rawEntries(in)
	for i := range e.n {
		for d, x := range e.index(i) {
			if x < 0 || x >= e.dims[d] {
				return valued{}, status.Invalid("Invalid index value at %d: dimension %d has value %d which is not in [0, %d) (as given by dense shape Tensor<type: int64 shape: [%d] values: %s>",
					i, d, x, e.dims[d], e.rank, strings.Trim(fmt.Sprint(e.dims), "[]"))
			}
		}
	}
	if e.rank == 1 {
		return valued{v, func(int) int64 { return 0 }, -1}, nil
	}
	if err := checkDims(e.dims); err != nil {
		return valued{}, err
	}
	if e.dims[0] <= 0 {
		return valued{}, status.Invalid("Cannot allocate %d batches, is the dense shape too wide?", e.dims[0])
	}
	return valued{v, func(i int) int64 { return e.at[i*e.rank] }, e.dims[0]}, nil
}

func raggedRows(in []tensor.Value) (valued, error) {
	v, splits := &in[1], tensor.Of[int64](&in[0])
	if err := checkWeights(v, &in[2], "values"); err != nil {
		return valued{}, err
	}
	n := v.NumElements()
	switch last := len(splits) - 1; {
	case last < 1:
		return valued{}, status.Invalid("Must provide at least 2 elements for the splits argument")
	case splits[0] != 0:
		return valued{}, status.Invalid("Splits must start with 0, not with %d", splits[0])
	case splits[last] != int64(n):
		return valued{}, status.Invalid("Splits must end with the number of values, got %d instead of %d", splits[last], n)
	}
	for i, s := range splits[1:] {
		if s < splits[i] {
			return valued{}, status.Invalid("Splits must not fall, got %d after %d", s, splits[i])
		}
	}
	row := int64(0) // values are asked for in order
	return valued{v, func(i int) int64 {
		for splits[row+1] <= int64(i) {
			row++
		}
		return row
	}, int64(len(splits)) - 1}, nil
}

// A counts is the kernel of the operations that count into a sparse tensor.
type counts[T countable] struct {
	dt        tensor.DType
	read      func(in []tensor.Value) (valued, error)
	low, high int64
	binary    bool
}

func (k *counts[T]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	v, err := k.read(in)
	if err != nil {
		return err
	}
	n, weights := v.values.NumElements(), tensor.Of[T](&in[len(in)-1])
	// Row, value and place of everything that is counted.
	all, err := ctx.Alloc(tensor.Int64, []int64{int64(n), 3})
	if err != nil {
		return err
	}
	defer ctx.Free(all)
	kept, m, largest := tensor.Of[int64](&all), 0, int64(0)
	for i := range n {
		if i%block == block-1 && ctx.Err() != nil {
			return ctx.Err()
		}
		x := v.value(i)
		if x < 0 {
			return status.Invalid("Input values must all be non-negative")
		}
		if k.high >= 0 && x >= k.high {
			continue
		}
		largest = max(largest, x)
		kept[3*m], kept[3*m+1], kept[3*m+2] = v.row(i), x, int64(i)
		m++
	}
	order, err := ordered(ctx, m, func(i, j int64) int {
		if c := cmp.Compare(kept[3*i], kept[3*j]); c != 0 {
			return c
		}
		return cmp.Compare(kept[3*i+1], kept[3*j+1])
	})
	if err != nil {
		return err
	}
	defer ctx.Free(order)
	sorted := tensor.Of[int64](&order)
	first := func(i int) bool {
		if i == 0 {
			return true
		}
		a, b := kept[3*sorted[i-1]:][:2], kept[3*sorted[i]:][:2]
		return a[0] != b[0] || a[1] != b[1]
	}
	different := 0
	for i := range sorted {
		if first(i) {
			different++
		}
	}
	width := k.high
	if k.high < 0 {
		if width = max(largest, largest+1); width == math.MaxInt64 && largest == math.MaxInt64 {
			return status.Invalid("value %d is too large to be counted", largest)
		}
		width = max(width, k.low)
	}
	dims := []int64{v.rows, width}
	if v.rows < 0 {
		dims = dims[1:]
	}
	if err := allocEntries(ctx, out, k.dt, different, len(dims)); err != nil {
		return err
	}
	at, count, to := tensor.Of[int64](&out[0]), tensor.Of[T](&out[1]), -1
	for i, j := range sorted {
		e := kept[3*j:][:3]
		if first(i) {
			to++
			count[to] = 0
			copy(at[to*len(dims):], e[2-len(dims):2])
		}
		switch {
		case k.binary:
			count[to] = 1
		case len(weights) > 0:
			count[to] += weights[e[2]]
		default:
			count[to]++
		}
	}
	return vector(ctx, &out[2], dims)
}

// sparseBins returns the kernel of SparseBincount.
func sparseBins[T countable](ctx *kernel.Context, in, out []tensor.Value, binary bool) error {
	if in[3].Rank() != 0 {
		return status.Invalid("Shape must be rank 0 but is rank %d", in[3].Rank())
	}
	size, _ := kernel.Int(&in[3], "size")
	if size < 0 {
		return status.Invalid("size (%d) must be non-negative", size)
	}
	e, err := entriesOf(in)
	if err != nil {
		return err
	}
	weights := tensor.Of[T](&in[4])
	if len(weights) > 0 && len(weights) != e.n {
		return status.Invalid("Input indices and weights must have the same size.")
	}
	if e.rank == 0 || e.rank > 2 {
		return status.Invalid("Input must be of rank 1 or 2, got %d", e.rank)
	}
	if err := e.bounds(); err != nil {
		return err
	}
	dims := []int64{size}
	if e.rank == 2 {
		if e.dims[0] < 0 {
			return status.Invalid("Expected shape dimensions to be non-negative, got %d", e.dims[0])
		}
		dims = []int64{e.dims[0], size}
	}
	if out[0], err = ctx.AllocZeroed(tensor.DTypeOf[T](), dims); err != nil {
		return err
	}
	v, o := valued{values: e.values}, tensor.Of[T](&out[0])
	for i := range e.n {
		if i%block == block-1 && ctx.Err() != nil {
			break
		}
		x := v.value(i)
		switch {
		case x < 0 && e.rank == 1:
			return status.Invalid("Input arr must be non-negative!")
		case x < 0:
			return status.Invalid("Input must be non-negative")
		case x >= size:
			continue
		}
		if e.rank == 2 {
			x += e.index(i)[0] * size
		}
		switch {
		case binary:
			o[x] = 1
		case len(weights) > 0:
			o[x] += weights[i]
		default:
			o[x]++
		}
	}
	return ctx.Err()
}
