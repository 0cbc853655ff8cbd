package dataset

import (
	"context"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("BatchDataset").
		Input("input_dataset: variant").Input("batch_size: int64").Output("handle: variant").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("metadata: string = ''").
		Doc(`Makes a dataset of batches of elements of another.

input_dataset: The other dataset.
batch_size: How many elements a batch has; the last may have fewer.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.
metadata: Ignored.`)
	registry.Define("BatchDatasetV2").
		Input("input_dataset: variant").Input("batch_size: int64").Input("drop_remainder: bool").
		Output("handle: variant").
		Attr("parallel_copy: bool = false").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("metadata: string = ''").
		Doc(`Makes a dataset of batches of elements of another.

input_dataset: The other dataset.
batch_size: How many elements a batch has.
drop_remainder: Whether elements that do not fill the last one are left out.
parallel_copy: Ignored.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.
metadata: Ignored.`)
	registry.Define("ParallelBatchDataset").
		Input("input_dataset: variant").Input("batch_size: int64").Input("num_parallel_calls: int64").
		Input("drop_remainder: bool").Output("handle: variant").
		Attr("parallel_copy: bool = false").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("deterministic: string = 'default'").
		Attr("metadata: string = ''").
		Doc(`Makes a dataset of batches of elements of another, several of which are made ahead.

input_dataset: The other dataset.
batch_size: How many elements a batch has.
num_parallel_calls: How many batches are made ahead; -1 leaves it to the runtime.
drop_remainder: Whether elements that do not fill the last one are left out.
parallel_copy: Ignored.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.
deterministic: Ignored: elements always come in order.
metadata: Ignored.`)
	registry.Define("UnbatchDataset").
		Input("input_dataset: variant").Output("handle: variant").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("metadata: string = ''").
		Doc(`Makes a dataset of the slices of the elements of another along their first dimension.

input_dataset: The other dataset.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.
metadata: Ignored.`)
	registry.Define("WindowDataset").
		Input("input_dataset: variant").Input("size: int64").Input("shift: int64").
		Input("stride: int64").Input("drop_remainder: bool").Output("handle: variant").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("metadata: string = ''").
		Doc(`Makes a dataset whose elements are datasets, one for each component, of successive elements of another.

input_dataset: The other dataset.
size: How many elements a window has.
shift: How far a window is from the one before.
stride: How far an element of a window is from the one before.
drop_remainder: Whether a last window of fewer elements is left out.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.
metadata: Ignored.`)
	onto(newBatch, "BatchDataset", "BatchDatasetV2")
	onto(newBatch, "ParallelBatchDataset")
	onto(newUnbatch, "UnbatchDataset")
	onto(newWindow, "WindowDataset")
}

// askAfter is how many elements are taken without asking whether anybody waits.
const askAfter = 1 << 10

// A batching says how elements become batches.
type batching struct {
	n    int64
	drop bool // a last batch of fewer is left out
	// stack makes one component of a batch.
	stack func(p *pass, component int, r *rows) (tensor.Value, error)
}

// batchesOf reads the size of batches, and what becomes of the last; drop may be
// nil.
func batchesOf(size, drop *tensor.Value) (b batching, err error) {
	b.stack = stack
	if b.n, err = scalar[int64](size, "batch_size"); err != nil {
		return b, err
	}
	if b.n <= 0 {
		return b, status.Invalid("Batch size must be greater than zero.")
	}
	if drop != nil {
		b.drop, err = scalar[bool](drop, "drop_remainder")
	}
	return b, err
}

// of returns the batches of d.
//
//go:noinline
func (b batching) of(d, like *Dataset) *Dataset {
	size := d.size
	if size >= 0 {
		size /= b.n
		if d.size%b.n > 0 && !b.drop {
			size++
		}
	}
	return like.like(size, func(ctx context.Context, p *pass) (iterator, error) {
		it, err := d.begin(ctx, p)
		over := false
		return func(ctx context.Context) (element, error) {
			if over {
				return nil, errEnd
			}
			var r rows
			defer func() {
				for _, e := range r.all() {
					p.drop(e)
				}
			}()
			for int64(r.n) < b.n {
				if r.n%askAfter == askAfter-1 {
					if err := stopped(ctx); err != nil {
						return nil, err
					}
				}
				e, err := it(ctx)
				if err == errEnd {
					over = true
					break
				}
				if err == nil {
					err = p.hold(e)
				}
				if err != nil {
					return nil, err
				}
				r.add(e)
			}
			if r.n == 0 || over && b.drop {
				return nil, errEnd
			}
			batch := make(element, len(*r.at(0)))
			for i := range batch {
				var err error
				if batch[i], err = b.stack(p, i, &r); err != nil {
					return nil, err
				}
			}
			return batch, like.check(batch)
		}, err
	})
}

// stack makes one tensor of components of one shape.
func stack(p *pass, component int, r *rows) (tensor.Value, error) {
	first := (*r.at(0))[component]
	batch, err := p.alloc(first.DType(), append([]int64{int64(r.n)}, first.Dims()...))
	if err != nil {
		return batch, err
	}
	for i, e := range r.all() {
		v := e[component]
		if !tensor.SameShape(v, first) {
			return batch, status.Invalid("Cannot batch tensors with different shapes in component %d. First element had shape %s and element %d had shape %s.",
				component, tensor.FormatDims(first.Dims()), i, tensor.FormatDims(v.Dims()))
		}
		batch.SetRow(i, v)
	}
	return batch, nil
}

// newBatch is BatchDataset and its kin.
func newBatch(c *kernel.Construction, d, like *Dataset, in []tensor.Value) (*Dataset, error) {
	var drop *tensor.Value
	if len(in) > 2 {
		drop = &in[len(in)-1]
	}
	b, err := batchesOf(&in[1], drop)
	if err != nil {
		return nil, err
	}
	made := b.of(d, like)
	if len(in) < 4 {
		return made, nil
	}
	n, err := scalar[int64](&in[2], "num_parallel_calls")
	switch {
	case err != nil:
		return nil, err
	case n == -1:
		n = 2
	case n <= 0:
		return nil, status.Invalid("num_parallel_calls must be greater than zero.")
	}
	return like.like(made.size, func(ctx context.Context, p *pass) (iterator, error) {
		it, err := made.begin(ctx, p)
		if err != nil {
			return nil, err
		}
		return ahead(p, min(n, mostAhead), it), nil
	}), nil
}

// newUnbatch is UnbatchDataset.
func newUnbatch(_ *kernel.Construction, d, like *Dataset, _ []tensor.Value) (*Dataset, error) {
	size := int64(unknown)
	if d.size == infinite || d.size == 0 {
		size = d.size
	} else if d.size > 0 {
		for _, s := range d.shapes {
			if !s.Unknown && len(s.Dims) > 0 && s.Dims[0] >= 0 {
				size = times(d.size, s.Dims[0])
				break
			}
		}
	}
	return like.like(size, func(ctx context.Context, p *pass) (iterator, error) {
		it, err := d.begin(ctx, p)
		rows := iterator(ended)
		return func(ctx context.Context) (element, error) {
			for {
				if e, err := rows(ctx); err != errEnd {
					return e, err
				}
				if err := stopped(ctx); err != nil {
					return nil, err
				}
				e, err := it(ctx)
				if err != nil {
					return nil, err
				}
				for i, v := range e {
					if v.Rank() == 0 {
						return nil, status.Invalid("Input element must have a non-scalar value in each component.")
					}
					if v.Dim(0) != e[0].Dim(0) {
						return nil, status.Invalid("Input element must have the same batch size in each component. Component 0 had size %d but component %d had size %d.", e[0].Dim(0), i, v.Dim(0))
					}
				}
				rows = rowsOf(e, e[0].Dim(0))
			}
		}, err
	}), nil
}

// newWindow is WindowDataset.
func newWindow(_ *kernel.Construction, d, like *Dataset, in []tensor.Value) (*Dataset, error) {
	var n [3]int64
	for i, name := range [...]string{"size", "shift", "stride"} {
		var err error
		if n[i], err = scalar[int64](&in[1+i], name); err != nil {
			return nil, err
		}
		if n[i] <= 0 {
			return nil, status.Invalid("Window %s must be greater than zero.", name)
		}
	}
	size, shift, stride := n[0], n[1], n[2]
	if size > 1 && stride > (1<<63-1)/(size-1) {
		return nil, status.Invalid("A window of %d elements with a stride of %d is too wide.", size, stride)
	}
	span := (size-1)*stride + 1
	drop, err := scalar[bool](&in[4], "drop_remainder")
	if err != nil {
		return nil, err
	}
	count := d.size
	switch {
	case count < 0:
	case !drop:
		count = count/shift + min(count%shift, 1)
	case count < span:
		count = 0
	default:
		count = (count-span)/shift + 1
	}
	return like.like(count, func(ctx context.Context, p *pass) (iterator, error) {
		it, err := d.begin(ctx, p)
		var buffer rows // from the beginning of the next window on
		over := false
		return func(ctx context.Context) (element, error) {
			for !over && int64(buffer.n) < span {
				e, err := it(ctx)
				if err == errEnd {
					over = true
					break
				}
				if err == nil && buffer.n%askAfter == askAfter-1 {
					err = stopped(ctx)
				}
				if err == nil {
					err = p.hold(e)
				}
				if err != nil { // what there is of the window goes with it
					for _, e := range buffer.all() {
						p.drop(e)
					}
					buffer = rows{}
					return nil, err
				}
				buffer.add(e)
			}
			if buffer.n == 0 || drop && int64(buffer.n) < span {
				over = true
				for _, e := range buffer.all() {
					p.drop(e)
				}
				buffer = rows{}
				return nil, errEnd
			}
			var window, rest rows
			for i := int64(0); i < min(span, int64(buffer.n)); i += stride {
				window.add(*buffer.at(int(i)))
			}
			gone := min(shift, int64(buffer.n))
			for i, e := range buffer.all() {
				if int64(i) < gone {
					p.drop(e)
				} else {
					rest.add(e)
				}
			}
			buffer = rest
			for gone < shift && !over { // windows that are apart
				if err := stopped(ctx); err != nil {
					return nil, err
				}
				_, err := it(ctx)
				if err == errEnd {
					over = true
				} else if err != nil {
					return nil, err
				}
				gone++
			}
			return columns(d, window), nil
		}, err
	}), nil
}

// columns is for each component of elements the dataset of its values.
func columns(d *Dataset, window rows) element {
	e := make(element, len(d.types))
	for i := range e {
		c := &Dataset{types: d.types[i : i+1], shapes: d.shapes[i : i+1], size: int64(window.n)}
		c.begin = func(context.Context, *pass) (iterator, error) {
			at := 0
			return func(context.Context) (element, error) {
				if at == window.n {
					return nil, errEnd
				}
				at++
				return (*window.at(at - 1))[i : i+1], nil
			}, nil
		}
		e[i] = variantOf(c)
	}
	return e
}
