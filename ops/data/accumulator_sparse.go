package data

import (
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("SparseConditionalAccumulator").
		Output("handle: Ref(string)").
		Attr("dtype: numbertype").
		Attr("shape: shape").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Attr("reduction_type: {'MEAN', 'SUM'} = 'MEAN'").
		Stateful().
		Doc(`Makes an accumulator that gathers rows of gradients until enough gradients have come, behind a reference.

shape: The shape of the gradients.
reduction_type: Whether it returns the mean of the rows that came for an index or their sum.`)
	registry.Define("SparseAccumulatorApplyGradient").
		Input("handle: Ref(string)").Input("local_step: int64").Input("gradient_indices: int64").
		Input("gradient_values: dtype").Input("gradient_shape: int64").
		AddsTo("handle").
		Attr("dtype: numbertype").
		Attr("has_known_shape: bool").
		Doc(`Adds rows of a gradient to an accumulator behind a reference, unless they are stale.

local_step: The step the gradient was computed at; below the accumulator's step it is stale.
gradient_indices: The index of each row.
gradient_values: The rows.
gradient_shape: The shape of the whole gradient.
has_known_shape: Whether it is known.`)
	registry.Define("SparseAccumulatorTakeGradient").
		Input("handle: Ref(string)").Input("num_required: int32").
		Output("indices: int64").Output("values: dtype").Output("shape: int64").
		Takes("handle").Traits(registry.Synchronizes).
		Attr("dtype: numbertype").
		Doc(`Takes the rows that an accumulator behind a reference has gathered, waiting until there are enough gradients, and starts the next step.

num_required: How many gradients to wait for.
indices: The index of each row.
values: The rows.
shape: The shape of the whole gradient, with -1 where it is not known.`)
	shape.Register(shape.Rule("-> handle: [2]"), "SparseConditionalAccumulator")
	shape.Register(shape.Rule("handle: ?, local_step: [], gradient_indices: ?, gradient_values: ?, gradient_shape: ? ->"), "SparseAccumulatorApplyGradient")
	shape.Register(shape.Rule("handle: ?, num_required: [] -> indices: [?], values: ?, shape: [?]"), "SparseAccumulatorTakeGradient")

	gradients := map[string][]tensor.DType{"dtype": {tensor.Half, tensor.Float, tensor.Double}}
	kernel.Register(kernel.Registration{Op: "SparseConditionalAccumulator", Types: gradients, New: newSparseAccumulator})
	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) {
		known := c.Bool("has_known_shape")
		return kernel.Func(func(ctx *kernel.Context, in, _ []tensor.Value) error { return applyRows(ctx, in, known) }), nil
	}, "SparseAccumulatorApplyGradient")
	kernel.ForAll(kernel.ChargeOutputs(newTakeRows), "SparseAccumulatorTakeGradient")
}

// Places of what a sparse accumulator keeps: the indices, which rise once
// gradients have been added, the rows, and how many rows came for each index.
const (
	rowIndices = iota
	rowValues
	rowCounts
)

func newSparseAccumulator(c *kernel.Construction) (kernel.Kernel, error) {
	s := c.Shape("shape")
	if err := shape.CheckAttr(s); err != nil {
		return nil, err
	}
	dt := c.Type("dtype")
	add, divide := elementwise.Combine(elementwise.UpdateAdd, dt), elementwise.Combine(elementwise.UpdateDiv, dt)
	return &accumulator{
		options: resource.AccumulatorOptions{
			Type: dt, Shape: shape.FromAttr(s), Mean: c.Str("reduction_type") == "MEAN", Rows: true,
			Check: func(sum, gradient []tensor.Value) error {
				if sum == nil {
					return nil
				}
				if a, b := sum[rowValues].Dims()[1:], gradient[rowValues].Dims()[1:]; !slices.Equal(a, b) {
					return status.Invalid("Shape mismatch: expected values of shape %s, got %s", tensor.FormatDims(a), tensor.FormatDims(b))
				}
				return nil
			},
			Add: func(sum, gradient []tensor.Value, _ bool) ([]tensor.Value, error) { return addRows(add, sum, gradient) },
			Divide: func(sum []tensor.Value, _ int) {
				rows := &sum[rowValues]
				n := rowSize(rows)
				for r, count := range tensor.Of[int64](&sum[rowCounts]) {
					by := floatOf(dt, int(count))
					for i := range n {
						_ = divide.Range(rows, rows, r*n+i, &by, 0, 1) // cannot fail on floating-point numbers
					}
				}
			},
		},
		label: labelOf(c), old: true, device: c.Device,
	}, nil
}

// rowSize returns the elements of a row.
func rowSize(v *tensor.Value) int { return v.NumElements() / max(v.Dim(0), 1) }

// addRows joins the rows of two sums by their indices.
func addRows(add *elementwise.Combination, sum, gradient []tensor.Value) ([]tensor.Value, error) {
	type row struct {
		index int64
		of, i int
	}
	both := [2][]tensor.Value{sum, gradient}
	var rows []row
	for of, g := range both {
		for i, index := range tensor.Of[int64](&g[rowIndices]) {
			rows = append(rows, row{index, of, i})
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return int(min(max(a.index-b.index, -1), 1)) })
	n := 0
	for i := range rows {
		if i == 0 || rows[i].index != rows[i-1].index {
			n++
		}
	}
	dims := slices.Clone(sum[rowValues].Dims())
	dims[0] = int64(n)
	joined := make([]tensor.Value, 3)
	for i, t := range []struct {
		dt   tensor.DType
		dims []int64
	}{{tensor.Int64, dims[:1]}, {sum[rowValues].DType(), dims}, {tensor.Int64, dims[:1]}} {
		v, err := tensor.New(t.dt, t.dims...)
		if err != nil {
			return nil, err
		}
		joined[i] = tensor.ValueOf(v)
	}
	size, to := rowSize(&joined[rowValues]), -1
	for i, r := range rows {
		from := &both[r.of][rowValues]
		if i == 0 || r.index != rows[i-1].index {
			to++
			tensor.Of[int64](&joined[rowIndices])[to] = r.index
			strided.Move(&joined[rowValues], to*size, from, r.i*size, size)
		} else if err := add.Range(&joined[rowValues], &joined[rowValues], to*size, from, r.i*size, size); err != nil {
			return nil, err
		}
		tensor.Of[int64](&joined[rowCounts])[to] += tensor.Of[int64](&both[r.of][rowCounts])[r.i]
	}
	return joined, nil
}

// rowsOf returns the accumulator of a handle, for rows of type dt.
func rowsOf(v *tensor.Value, dt tensor.DType) (*resource.Accumulator, error) {
	a, err := held[*resource.Accumulator](v)
	if err == nil && (!a.Rows || a.Type != dt) {
		return nil, status.Invalid("the accumulator '%s' holds gradients of type %v, which are not rows of type %v", a.Name, a.Type, dt)
	}
	return a, err
}

func applyRows(ctx *kernel.Context, in []tensor.Value, known bool) error {
	a, err := rowsOf(&in[0], in[3].DType())
	if err != nil {
		return err
	}
	local, err := step(&in[1])
	if err != nil {
		return err
	}
	indices, values, whole := &in[2], &in[3], &in[4]
	switch {
	case indices.Rank() != 1:
		return status.Invalid("Input indices should be vector but received shape: %s", tensor.FormatDims(indices.Dims()))
	case values.Rank() == 0:
		return status.Invalid("Values cannot be 0-dimensional.")
	case values.Dim(0) != indices.Dim(0):
		return status.Invalid("Number of values must match number of indices: %d and %d", values.Dim(0), indices.Dim(0))
	case whole.Rank() != 1:
		return status.Invalid("Input shape should be vector but received shape: %s", tensor.FormatDims(whole.Dims()))
	}
	dims := slices.Clone(values.Dims())
	dims[0] = shape.Unknown
	if known {
		said := tensor.Of[int64](whole)
		if len(said) != len(dims) || !slices.Equal(said[1:], dims[1:]) {
			return status.Invalid("Shape mismatch: the gradient is said to have shape %s, its values have shape %s", tensor.FormatDims(said), tensor.FormatDims(values.Dims()))
		}
		dims[0] = said[0]
	}
	if !a.Shape.Known() || shape.Compatible(a.Shape, shape.Of(dims...)) {
		for _, i := range tensor.Of[int64](indices) {
			if i < 0 || dims[0] >= 0 && i >= dims[0] {
				return status.Invalid("Shape mismatch: index %d is not in a gradient of shape %s", i, tensor.FormatDims(dims))
			}
		}
	} else {
		return status.Invalid("Shape mismatch: expected %s, got %s", resource.FormatShape(a.Shape), tensor.FormatDims(dims))
	}
	counts, err := ctx.Alloc(tensor.Int64, indices.Dims())
	if err != nil {
		return err
	}
	for i := range tensor.Of[int64](&counts) {
		tensor.Of[int64](&counts)[i] = 1
	}
	return a.Apply(local, ctx.UnchargeValue(in[2]), ctx.UnchargeValue(in[3]), ctx.UnchargeValue(counts))
}

func newTakeRows(c *kernel.Construction) (kernel.Kernel, error) {
	dt := c.Type("dtype")
	return asyncFunc(func(ctx *kernel.Context, in, out []tensor.Value, done func(error)) {
		a, err := rowsOf(&in[0], dt)
		n := int32(0)
		if err == nil {
			n, err = required(&in[1])
		}
		if err != nil {
			done(err)
			return
		}
		a.Take(ctx.Step.Context, int(n), func(rows []tensor.Value, err error) {
			if err == nil {
				out[0], out[1] = rows[rowIndices], rows[rowValues]
				dims := slices.Clone(rows[rowValues].Dims())
				dims[0] = shape.Unknown
				if a.Shape.Known() && a.Shape.Rank() > 0 {
					dims[0] = a.Shape.Dim(0)
				}
				var t *tensor.Tensor
				t, err = tensor.FromSlice(dims, int64(len(dims)))
				out[2] = tensor.ValueOf(t)
			}
			done(err)
		})
	}), nil
}
