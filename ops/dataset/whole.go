package dataset

import (
	"context"

	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("ReduceDataset").
		Input("input_dataset: variant").Input("initial_state: Tstate").Input("other_arguments: Targuments").
		Output("components: output_types").
		Attr("f: func").
		Attr("Tstate: list(type) >= 1").
		Attr("Targuments: list(type) >= 0").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("use_inter_op_parallelism: bool = true").
		Attr("metadata: string = ''").
		Stateful().
		Doc(`Calls a function for a state and each element of a dataset, and returns the last state.

input_dataset: The dataset.
initial_state: The state before the first call.
other_arguments: What the function takes after the state and the element.
components: The last state.
f: A function that returns the next state.
output_types: The types of the state.
output_shapes: Their shapes, as far as they are known.
use_inter_op_parallelism: Ignored.
metadata: Ignored.`)
	registry.Define("DatasetCardinality").
		Input("input_dataset: variant").Output("cardinality: int64").
		Attr("cardinality_options: string = ''").
		Doc(`Returns the number of elements of a dataset.

input_dataset: The dataset.
cardinality: The number; -1 if there are infinitely many, -2 if it is not known.
cardinality_options: A serialized message; ignored.`)
	registry.Define("DatasetToSingleElement").
		Input("dataset: variant").Output("components: output_types").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("metadata: string = ''").
		Stateful().
		Doc(`Gives the only element of a dataset.

dataset: The dataset.
components: The element.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.
metadata: Ignored.`)
	kernel.ForAll(newReduce, "ReduceDataset")
	kernel.ForAll(kernel.ChargeOutputs(newSingleElement), "DatasetToSingleElement")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) {
		return kernel.Func(func(_ *kernel.Context, in, out []tensor.Value) error {
			d, err := datasetOf(&in[0])
			if err == nil {
				out[0] = tensor.Scalar(d.size)
			}
			return err
		}), nil
	}, "DatasetCardinality")

	gradient.None("ReduceDataset")
}

// through iterates over the dataset of an input within the step, until the function
// that it calls with the iterator returns.
func through(ctx *kernel.Context, v *tensor.Value, f func(ctx context.Context, p *pass, it iterator) error) error {
	d, err := datasetOf(v)
	if err != nil {
		return err
	}
	p := newPass(ctx.Step.Context, ctx.Step)
	defer p.close()
	it, err := d.begin(p.ctx, p)
	if err != nil {
		return err
	}
	return f(p.ctx, p, it)
}

// newReduce makes the kernel of ReduceDataset.
func newReduce(c *kernel.Construction) (kernel.Kernel, error) {
	states := len(c.Types("Tstate"))
	like := &Dataset{types: c.Types("output_types"), shapes: c.Shapes("output_shapes")}
	if len(like.types) != len(like.shapes) {
		return nil, c.Errorf("output_types and output_shapes must be same length, got:\noutput_types: %d\noutput_shapes: %d", len(like.types), len(like.shapes))
	}
	return kernel.BlockingFunc(func(ctx *kernel.Context, in, out []tensor.Value) error {
		state, err := share(ctx, in[1:1+states])
		if err != nil {
			return err
		}
		captured, err := capture(c, ctx, "f", in[1+states:])
		if err != nil {
			return err
		}
		initial, held := state, false // the first is the step's
		return through(ctx, &in[0], func(ctx context.Context, p *pass, it iterator) error {
			f, err := captured.bind(ctx, p)
			if err != nil {
				return err
			}
			for {
				e, err := it(ctx)
				if err == nil {
					e, err = f(ctx, append(state[:states:states], e...)...)
				}
				if err != nil && status.CodeOf(err) == status.OutOfRange && stopped(ctx) == nil { // the function may say so
					break
				}
				if err == nil {
					err = sameTypes(e, initial)
				}
				if err == nil {
					err = p.hold(e)
				}
				if err != nil {
					return err
				}
				if held {
					p.drop(state)
				}
				state, held = e, true
			}
			copy(out, state)
			return like.check(state)
		})
	}), nil
}

// newSingleElement makes the kernel of DatasetToSingleElement.
func newSingleElement(c *kernel.Construction) (kernel.Kernel, error) {
	like := &Dataset{types: c.Types("output_types"), shapes: c.Shapes("output_shapes")}
	if len(like.types) != len(like.shapes) {
		return nil, c.Errorf("output_types and output_shapes must be same length, got:\noutput_types: %d\noutput_shapes: %d", len(like.types), len(like.shapes))
	}
	return kernel.BlockingFunc(func(ctx *kernel.Context, in, out []tensor.Value) error {
		return through(ctx, &in[0], func(ctx context.Context, _ *pass, it iterator) error {
			e, err := it(ctx)
			switch {
			case err == errEnd:
				return status.Invalid("Dataset was empty.")
			case err != nil:
				return err
			}
			switch _, err := it(ctx); {
			case err == nil:
				return status.Invalid("Dataset had more than one element.")
			case err != errEnd:
				return err
			}
			copy(out, e)
			return like.check(e)
		})
	}), nil
}
