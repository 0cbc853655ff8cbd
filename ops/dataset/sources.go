package dataset

import (
	"context"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("RangeDataset").
		Input("start: int64").Input("stop: int64").Input("step: int64").Output("handle: variant").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("metadata: string = ''").
		Attr("replicate_on_split: bool = false").
		Stateful().
		Doc(`Makes a dataset of the numbers of a range.

start: The first number.
stop: Where the range ends; it is not part of it.
step: The step, not zero.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.
metadata: Ignored.
replicate_on_split: Whether every worker gets the whole range.`)
	registry.Define("TensorDataset").
		Input("components: Toutput_types").Output("handle: variant").
		Attr("Toutput_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("metadata: string = ''").
		Stateful().
		Doc(`Makes a dataset of one element.

components: The element.
output_shapes: The components' shapes.`)
	registry.Define("SparseTensorSliceDataset").
		Input("indices: int64").Input("values: Tvalues").Input("dense_shape: int64").
		Output("handle: variant").
		Attr("Tvalues: type").
		Stateful().
		Doc(`Makes a dataset of the slices of a sparse tensor along its first dimension.

indices: Indices of the entries, one a row, in row-major order.
values: The entries.
dense_shape: The shape.`)
	registry.Define("TensorSliceDataset").
		Input("components: Toutput_types").Output("handle: variant").
		Attr("Toutput_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("is_files: bool = false").
		Attr("metadata: string = ''").
		Attr("replicate_on_split: bool = false").
		Stateful().
		Doc(`Makes a dataset of the slices of tensors along their first dimension.

components: The tensors, of equal first dimension.
output_shapes: Shapes of the slices, as far as they are known.
is_files: Ignored.
metadata: Ignored.
replicate_on_split: Ignored.`)
	register(newRange, "RangeDataset")
	register(newTensor, "TensorDataset")
	register(newTensorSlice, "TensorSliceDataset")
	register(newSparseTensorSlice, "SparseTensorSliceDataset")
}

// newRange makes the kernel of RangeDataset.
func newRange(c *kernel.Construction, like *Dataset) (maker, error) {
	if len(like.types) != 1 {
		return nil, c.Errorf("a range has one component, not %d", len(like.types))
	}
	dt := like.types[0]
	if _, ok := number(dt, 0); !ok {
		return nil, c.Errorf("Unsupported data type %v for a range", dt)
	}
	return func(_ *kernel.Context, in []tensor.Value) (*Dataset, error) {
		var bounds [3]int64
		for i, name := range [...]string{"start", "stop", "step"} {
			var err error
			if bounds[i], err = scalar[int64](&in[i], name); err != nil {
				return nil, err
			}
		}
		start, step := bounds[0], bounds[2]
		if step == 0 {
			return nil, status.Invalid("step must be a non-zero integer.")
		}
		n := lengthOf(start, bounds[1], step)
		return like.like(n, func(context.Context, *pass) (iterator, error) {
			left, at := uint64(n), start
			return func(context.Context) (element, error) {
				if left == 0 {
					return nil, errEnd
				}
				v, _ := number(dt, at)
				left--
				at += step
				return element{v}, nil
			}, nil
		}), nil
	}, nil
}

// lengthOf returns how many numbers a range has, at most as many as an int64 tells.
func lengthOf(start, stop, step int64) int64 {
	var far, by uint64
	switch {
	case step > 0 && start < stop:
		far, by = uint64(stop)-uint64(start), uint64(step)
	case step < 0 && start > stop:
		far, by = uint64(start)-uint64(stop), -uint64(step)
	default:
		return 0
	}
	return int64(min((far-1)/by+1, 1<<63-1))
}

// number returns a scalar of a type that has integers; false for others.
func number(dt tensor.DType, x int64) (tensor.Value, bool) {
	switch dt {
	case tensor.Int64:
		return tensor.Scalar(x), true
	case tensor.Int32:
		return tensor.Scalar(int32(x)), true
	case tensor.Int16:
		return tensor.Scalar(int16(x)), true
	case tensor.Int8:
		return tensor.Scalar(int8(x)), true
	case tensor.Uint8:
		return tensor.Scalar(uint8(x)), true
	case tensor.Uint16:
		return tensor.Scalar(uint16(x)), true
	case tensor.Uint32:
		return tensor.Scalar(uint32(x)), true
	case tensor.Uint64:
		return tensor.Scalar(uint64(x)), true
	case tensor.Float:
		return tensor.Scalar(float32(x)), true
	case tensor.Double:
		return tensor.Scalar(float64(x)), true
	}
	return tensor.Value{}, false
}

// newTensor makes the kernel of TensorDataset.
func newTensor(_ *kernel.Construction, like *Dataset) (maker, error) {
	return func(ctx *kernel.Context, in []tensor.Value) (*Dataset, error) {
		e, err := share(ctx, in)
		if err != nil {
			return nil, err
		}
		return like.like(1, func(context.Context, *pass) (iterator, error) {
			given := false
			return func(context.Context) (element, error) {
				if given {
					return nil, errEnd
				}
				given = true
				return e, nil
			}, nil
		}), like.check(e)
	}, nil
}

// newTensorSlice makes the kernel of TensorSliceDataset.
func newTensorSlice(_ *kernel.Construction, like *Dataset) (maker, error) {
	return func(ctx *kernel.Context, in []tensor.Value) (*Dataset, error) {
		for _, v := range in {
			switch {
			case v.Rank() == 0:
				return nil, status.Invalid("All components must be at least 1-dimensional")
			case v.Dims()[0] != in[0].Dims()[0]:
				return nil, status.Invalid("All components must have the same size in the 0th dimension")
			}
		}
		e, err := share(ctx, in)
		if err != nil {
			return nil, err
		}
		n := in[0].Dim(0)
		return like.like(int64(n), func(context.Context, *pass) (iterator, error) { return rowsOf(e, n), nil }), nil
	}, nil
}

// rowsOf returns the n slices of components along their first dimension.
func rowsOf(e element, n int) iterator {
	i := 0
	return func(context.Context) (element, error) {
		if i == n {
			return nil, errEnd
		}
		row := make(element, len(e))
		for k, v := range e {
			row[k] = v.Row(i)
		}
		i++
		return row, nil
	}
}

// newSparseTensorSlice makes the kernel of SparseTensorSliceDataset. Its elements
// are indices, values and shape of sparse tensors.
func newSparseTensorSlice(c *kernel.Construction, _ *Dataset) (maker, error) {
	unknownRank := registry.Shape{Unknown: true}
	like := &Dataset{types: []tensor.DType{tensor.Int64, c.Type("Tvalues"), tensor.Int64}, shapes: []registry.Shape{unknownRank, unknownRank, unknownRank}}
	return func(ctx *kernel.Context, in []tensor.Value) (*Dataset, error) {
		kept, err := share(ctx, in)
		if err != nil {
			return nil, err
		}
		t, err := sparseOf(kept)
		if err != nil {
			return nil, err
		}
		return like.like(t.shape[0], t.begin), nil
	}, nil
}

// A sparse tensor, with the entries of each slice one after the other.
type sparse struct {
	indices []int64
	values  tensor.Value
	shape   []int64
	rank    int
}

func sparseOf(in element) (*sparse, error) {
	indices, values, shape := in[0], in[1], in[2]
	switch {
	case indices.Rank() != 2:
		return nil, status.Invalid("Input indices must be a matrix. Got: %s", tensor.FormatDims(indices.Dims()))
	case values.Rank() != 1:
		return nil, status.Invalid("Input values must be a vector. Got: %s", tensor.FormatDims(values.Dims()))
	case shape.Rank() != 1:
		return nil, status.Invalid("Input shape must be a vector. Got: %s", tensor.FormatDims(shape.Dims()))
	case values.Dim(0) != indices.Dim(0):
		return nil, status.Invalid("Number of values must match first dimension of indices. Got %d values, indices shape: %s", values.Dim(0), tensor.FormatDims(indices.Dims()))
	case shape.Dim(0) != indices.Dim(1):
		return nil, status.Invalid("Number of dimensions must match second dimension of indices. Got %d dimensions, indices shape: %s", shape.Dim(0), tensor.FormatDims(indices.Dims()))
	case shape.Dim(0) == 0:
		return nil, status.Invalid("The shape argument requires at least one element.")
	}
	t := &sparse{indices: tensor.Of[int64](&indices), values: values, shape: tensor.Of[int64](&shape), rank: shape.Dim(0)}
	for i, d := range t.shape {
		if d < 0 {
			return nil, status.Invalid("dimension %d of the dense shape is %d", i, d)
		}
	}
	last := int64(0)
	for i := 0; i < len(t.indices); i += t.rank {
		switch at := t.indices[i]; {
		case at < last:
			return nil, status.Errorf(status.Unimplemented, "The SparseTensor must be ordered in the batch dimension; handling arbitrarily ordered input is not currently supported.")
		case at >= t.shape[0]:
			return nil, status.Invalid("entry %d is in slice %d of %d", i/t.rank, at, t.shape[0])
		default:
			last = at
		}
	}
	return t, nil
}

// begin goes through the slices, of which many may be empty.
func (t *sparse) begin(_ context.Context, p *pass) (iterator, error) {
	slice, from := int64(0), 0
	return func(context.Context) (element, error) {
		if slice == t.shape[0] {
			return nil, errEnd
		}
		to := from
		for to < t.values.Dim(0) && t.indices[to*t.rank] == slice {
			to++
		}
		indices, err := p.alloc(tensor.Int64, []int64{int64(to - from), int64(t.rank - 1)})
		if err != nil {
			return nil, err
		}
		values, err := p.alloc(t.values.DType(), []int64{int64(to - from)})
		if err != nil {
			return nil, err
		}
		shape, err := tensor.FromSlice(t.shape[1:], int64(t.rank-1))
		if err != nil {
			return nil, err
		}
		into := tensor.Of[int64](&indices)
		for i := from; i < to; i++ {
			copy(into[(i-from)*(t.rank-1):], t.indices[i*t.rank+1:(i+1)*t.rank])
		}
		values.CopyFrom(t.values.Borrow(from, to-from, []int64{int64(to - from)}))
		slice, from = slice+1, to
		return element{indices, values, tensor.ValueOf(shape).Share()}, nil
	}, nil
}
