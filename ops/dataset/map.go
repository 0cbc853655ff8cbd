package dataset

import (
	"context"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("MapDataset").
		Input("input_dataset: variant").Input("other_arguments: Targuments").Output("handle: variant").
		Attr("f: func").
		Attr("Targuments: list(type) >= 0").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("use_inter_op_parallelism: bool = true").
		Attr("preserve_cardinality: bool = false").
		Attr("force_synchronous: bool = false").
		Attr("metadata: string = ''").
		Doc(`Makes a dataset of what a function returns for each element of another.

input_dataset: The other dataset.
other_arguments: What the function takes after the element.
f: The function.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.
use_inter_op_parallelism: Whether the function may run on several threads.
preserve_cardinality: Whether the function's end of range is an error.
force_synchronous: Whether the function runs on the thread that asks for the element.
metadata: Ignored.`)
	registry.Define("ParallelMapDataset").
		Input("input_dataset: variant").Input("other_arguments: Targuments").Input("num_parallel_calls: int32").
		Output("handle: variant").
		Attr("f: func").
		Attr("Targuments: list(type) >= 0").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("use_inter_op_parallelism: bool = true").
		Attr("sloppy: bool = false").
		Attr("preserve_cardinality: bool = false").
		Attr("metadata: string = ''").
		Doc(`Makes a dataset of what a function returns for each element of another, calling it for several at a time.

input_dataset: The other dataset.
other_arguments: What the function takes after the element.
num_parallel_calls: The most calls at one time; -1 leaves it to the runtime.
f: The function.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.
use_inter_op_parallelism: Ignored.
sloppy: Ignored: elements always come in order.
preserve_cardinality: Whether the function's end of range is an error.
metadata: Ignored.`)
	registry.Define("ParallelMapDatasetV2").
		Input("input_dataset: variant").Input("other_arguments: Targuments").Input("num_parallel_calls: int64").
		Output("handle: variant").
		Attr("f: func").
		Attr("Targuments: list(type) >= 0").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("use_inter_op_parallelism: bool = true").
		Attr("deterministic: string = 'default'").
		Attr("preserve_cardinality: bool = false").
		Attr("use_unbounded_threadpool: bool = false").
		Attr("metadata: string = ''").
		Doc(`Makes a dataset of what a function returns for each element of another, calling it for several at a time.

input_dataset: The other dataset.
other_arguments: What the function takes after the element.
num_parallel_calls: The most calls at one time; -1 leaves it to the runtime.
f: The function.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.
use_inter_op_parallelism: Ignored.
deterministic: Ignored: elements always come in order.
preserve_cardinality: Whether the function's end of range is an error.
use_unbounded_threadpool: Ignored.
metadata: Ignored.`)
	registry.Define("MapAndBatchDataset").
		Input("input_dataset: variant").Input("other_arguments: Targuments").Input("batch_size: int64").
		Input("num_parallel_calls: int64").Input("drop_remainder: bool").Output("handle: variant").
		Attr("f: func").
		Attr("Targuments: list(type) >= 0").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("preserve_cardinality: bool = false").
		Attr("metadata: string = ''").
		Doc(`Makes a dataset of batches of what a function returns for each element of another.

input_dataset: The other dataset.
other_arguments: What the function takes after the element.
batch_size: How many results a batch has.
num_parallel_calls: The most calls at one time; -1 leaves it to the runtime.
drop_remainder: Whether elements that do not fill the last one are left out.
f: The function.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.
preserve_cardinality: Whether the function's end of range is an error.
metadata: Ignored.`)
	registry.Define("FilterDataset").
		Input("input_dataset: variant").Input("other_arguments: Targuments").Output("handle: variant").
		Attr("predicate: func").
		Attr("Targuments: list(type) >= 0").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("metadata: string = ''").
		Doc(`Makes a dataset of the elements of another for which a function holds.

input_dataset: The other dataset.
other_arguments: What the function takes after the element.
predicate: The function, which returns a bool.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.
metadata: Ignored.`)
	registry.Define("ParallelFilterDataset").
		Input("input_dataset: variant").Input("other_arguments: Targuments").Input("num_parallel_calls: int64").
		Output("handle: variant").
		Attr("predicate: func").
		Attr("deterministic: string = 'default'").
		Attr("Targuments: list(type) >= 0").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("metadata: string = ''").
		Doc(`Makes a dataset of the elements of another for which a function holds, calling it for several at a time.

input_dataset: The other dataset.
other_arguments: What the function takes after the element.
num_parallel_calls: The most calls at one time; -1 leaves it to the runtime.
predicate: The function, which returns a bool.
deterministic: Ignored: elements always come in order.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.
metadata: Ignored.`)
	registry.Define("TakeWhileDataset").
		Input("input_dataset: variant").Input("other_arguments: Targuments").Output("handle: variant").
		Attr("predicate: func").
		Attr("Targuments: list(type) >= 0").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("metadata: string = ''").
		Doc(`Makes a dataset of the elements of another up to the first for which a function does not hold.

input_dataset: The other dataset.
other_arguments: What the function takes after the element.
predicate: The function, which returns a bool.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.
metadata: Ignored.`)
	registry.Define("ScanDataset").
		Input("input_dataset: variant").Input("initial_state: Tstate").Input("other_arguments: Targuments").
		Output("handle: variant").
		Attr("f: func").
		Attr("Tstate: list(type) >= 1").
		Attr("Targuments: list(type) >= 0").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("preserve_cardinality: bool = false").
		Attr("use_default_device: bool = true").
		Attr("metadata: string = ''").
		Doc(`Makes a dataset of what a function returns for each element of another, and for a state that it passes on.

input_dataset: The other dataset.
initial_state: The state before the first call.
other_arguments: What the function takes after the state and the element.
f: A function that returns the next state and an element.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.
preserve_cardinality: Whether the function's end of range is an error.
use_default_device: Ignored.
metadata: Ignored.`)
	register(newMap, "MapDataset", "ParallelMapDataset", "ParallelMapDatasetV2")
	register(newMapAndBatch, "MapAndBatchDataset")
	register(newFilter, "FilterDataset", "ParallelFilterDataset")
	register(newTakeWhile, "TakeWhileDataset")
	register(newScan, "ScanDataset")
}

// A mapping calls a function for the elements of a dataset.
type mapping struct {
	*Dataset // of what it returns
	from     *Dataset
	f        captured
	keeps    bool // as many elements as from has
	parallel int  // the most calls at one time
}

// begin calls the function for one element after the other, or, if there may be
// several calls at one time, ahead.
func (m *mapping) begin(ctx context.Context, p *pass) (iterator, error) {
	it, err := m.from.begin(ctx, p)
	if err != nil {
		return nil, err
	}
	f, err := m.f.bind(ctx, p)
	if err != nil {
		return nil, err
	}
	apply := func(ctx context.Context, e element) (element, error) {
		made, err := f(ctx, e...)
		switch {
		case err == nil:
			return made, m.check(made)
		case status.CodeOf(err) != status.OutOfRange || stopped(ctx) != nil:
			return nil, err
		case m.keeps:
			return nil, status.Invalid("Function invocation produced OutOfRangeError: %s", status.From(err).Message)
		default: // the function says that there is no more
			return nil, errEnd
		}
	}
	if m.parallel > 1 {
		return parallel(p, m.parallel, it, apply), nil
	}
	return func(ctx context.Context) (element, error) {
		e, err := it(ctx)
		if err != nil {
			return nil, err
		}
		return apply(ctx, e)
	}, nil
}

// size returns how many elements there are, if the function does not say.
func (m *mapping) size() int64 {
	if m.keeps {
		return m.from.size
	}
	return unknown
}

// newMap makes the kernels of MapDataset and its parallel forms.
func newMap(c *kernel.Construction, like *Dataset) (maker, error) {
	captures := len(c.Types("Targuments"))
	return func(ctx *kernel.Context, in []tensor.Value) (*Dataset, error) {
		d, err := datasetOf(&in[0])
		if err != nil {
			return nil, err
		}
		m := &mapping{Dataset: like, from: d, keeps: c.Bool("preserve_cardinality"), parallel: 1}
		if m.f, err = capture(c, ctx, "f", in[1:1+captures]); err != nil {
			return nil, err
		}
		if len(in) > 1+captures {
			if m.parallel, err = calls(ctx, &in[1+captures]); err != nil {
				return nil, err
			}
		}
		return like.like(m.size(), m.begin), nil
	}, nil
}

// mostAhead bounds how many calls of a function, or iterations, go on at one time.
const mostAhead = 1024

// calls returns how many calls an input allows at one time.
func calls(ctx *kernel.Context, v *tensor.Value) (int, error) {
	if v.Rank() != 0 {
		return 0, status.Invalid("num_parallel_calls must be a scalar")
	}
	n := int64(0)
	if v.DType() == tensor.Int32 {
		n = int64(tensor.At0[int32](v))
	} else {
		n = tensor.At0[int64](v)
	}
	switch {
	case n == -1:
		return max(ctx.Step.Pool.Workers(), 1), nil
	case n <= 0:
		return 0, status.Invalid("num_parallel_calls must be greater than zero.")
	}
	return int(min(n, mostAhead)), nil
}

// newMapAndBatch makes the kernel of MapAndBatchDataset.
func newMapAndBatch(c *kernel.Construction, like *Dataset) (maker, error) {
	captures := len(c.Types("Targuments"))
	rows := &Dataset{types: like.types, shapes: make([]registry.Shape, len(like.shapes))}
	for i, s := range like.shapes {
		rows.shapes[i] = registry.Shape{Unknown: true}
		if !s.Unknown && len(s.Dims) > 0 {
			rows.shapes[i] = registry.Shape{Dims: s.Dims[1:]}
		}
	}
	return func(ctx *kernel.Context, in []tensor.Value) (*Dataset, error) {
		d, err := datasetOf(&in[0])
		if err != nil {
			return nil, err
		}
		m := &mapping{Dataset: rows, from: d, keeps: c.Bool("preserve_cardinality")}
		if m.f, err = capture(c, ctx, "f", in[1:1+captures]); err != nil {
			return nil, err
		}
		rest := in[1+captures:]
		if m.parallel, err = calls(ctx, &rest[1]); err != nil {
			return nil, err
		}
		b, err := batchesOf(&rest[0], &rest[2])
		if err != nil {
			return nil, err
		}
		return b.of(rows.like(m.size(), m.begin), like), nil
	}, nil
}

// newFilter makes the kernels of FilterDataset and its parallel form.
func newFilter(c *kernel.Construction, like *Dataset) (maker, error) {
	return newPredicate(c, func(it iterator, holds func(context.Context, element) (bool, error)) iterator {
		return func(ctx context.Context) (element, error) {
			for {
				e, err := it(ctx)
				if err != nil {
					return nil, err
				}
				if ok, err := holds(ctx, e); ok || err != nil {
					return e, err
				}
			}
		}
	}, like)
}

// newTakeWhile makes the kernel of TakeWhileDataset.
func newTakeWhile(c *kernel.Construction, like *Dataset) (maker, error) {
	return newPredicate(c, func(it iterator, holds func(context.Context, element) (bool, error)) iterator {
		over := false
		return func(ctx context.Context) (element, error) {
			if over {
				return nil, errEnd
			}
			e, err := it(ctx)
			if err != nil {
				return nil, err
			}
			ok, err := holds(ctx, e)
			if err == nil && !ok {
				over = true
				return nil, errEnd
			}
			return e, err
		}
	}, like)
}

// newPredicate makes a kernel with a function that says which elements are taken.
func newPredicate(c *kernel.Construction, choose func(iterator, func(context.Context, element) (bool, error)) iterator, like *Dataset) (maker, error) {
	captures := len(c.Types("Targuments"))
	return func(ctx *kernel.Context, in []tensor.Value) (*Dataset, error) {
		d, err := datasetOf(&in[0])
		if err != nil {
			return nil, err
		}
		predicate, err := capture(c, ctx, "predicate", in[1:1+captures])
		if err != nil {
			return nil, err
		}
		if len(in) > 1+captures {
			if _, err := calls(ctx, &in[1+captures]); err != nil {
				return nil, err
			}
		}
		return like.like(unknown, func(ctx context.Context, p *pass) (iterator, error) {
			it, err := d.begin(ctx, p)
			if err != nil {
				return nil, err
			}
			f, err := predicate.bind(ctx, p)
			return choose(it, func(ctx context.Context, e element) (bool, error) {
				got, err := f(ctx, e...)
				switch {
				case err == nil && (len(got) != 1 || got[0].DType() != tensor.Bool || got[0].NumElements() != 1):
					return false, status.Invalid("`predicate` must returns a scalar bool tensor.")
				case err == nil:
					return tensor.At0[bool](&got[0]), nil
				case status.CodeOf(err) == status.OutOfRange && stopped(ctx) == nil:
					return false, errEnd
				}
				return false, err
			}), err
		}), nil
	}, nil
}

// newScan makes the kernel of ScanDataset.
func newScan(c *kernel.Construction, like *Dataset) (maker, error) {
	states, keeps := len(c.Types("Tstate")), c.Bool("preserve_cardinality")
	return func(ctx *kernel.Context, in []tensor.Value) (*Dataset, error) {
		d, err := datasetOf(&in[0])
		if err != nil {
			return nil, err
		}
		initial, err := share(ctx, in[1:1+states])
		if err != nil {
			return nil, err
		}
		captured, err := capture(c, ctx, "f", in[1+states:])
		if err != nil {
			return nil, err
		}
		size := int64(unknown)
		if keeps {
			size = d.size
		}
		return like.like(size, func(ctx context.Context, p *pass) (iterator, error) {
			it, err := d.begin(ctx, p)
			if err != nil {
				return nil, err
			}
			f, err := captured.bind(ctx, p)
			state, held := initial, false // the first is the dataset's
			return func(ctx context.Context) (element, error) {
				e, err := it(ctx)
				if err != nil {
					return nil, err
				}
				got, err := f(ctx, append(state[:states:states], e...)...)
				switch {
				case err != nil && (keeps || status.CodeOf(err) != status.OutOfRange || stopped(ctx) != nil):
					return nil, err
				case err != nil:
					return nil, errEnd
				case len(got) < states:
					return nil, status.Invalid("the function of a scan returns %d values, not even the %d of the state", len(got), states)
				}
				if err := sameTypes(got[:states], initial); err != nil {
					return nil, err
				}
				if err := p.hold(got[:states:states]); err != nil {
					return nil, err
				}
				if held {
					p.drop(state)
				}
				state, held = got[:states:states], true
				return got[states:], like.check(got[states:])
			}, err
		}), nil
	}, nil
}

// sameTypes reports whether a function that returns a state keeps its types.
func sameTypes(got, want element) error {
	if len(got) != len(want) {
		return status.Invalid("the function returns %d values, not %d", len(got), len(want))
	}
	for i := range got {
		if got[i].DType() != want[i].DType() {
			return status.Invalid("the function returns %v for component %d of the state, not %v", got[i].DType(), i, want[i].DType())
		}
	}
	return nil
}
