package data

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("ConditionalAccumulator").
		Output("handle: Ref(string)").
		Attr("dtype: numbertype").
		Attr("shape: shape").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Attr("reduction_type: {'MEAN', 'SUM'} = 'MEAN'").
		Stateful().
		Doc(`Makes an accumulator, which gathers gradients until enough have come, behind a reference.

shape: The shape of the gradients.
reduction_type: Whether it returns the mean or the sum.`)
	registry.Define("AccumulatorApplyGradient").
		Input("handle: Ref(string)").Input("local_step: int64").Input("gradient: dtype").
		AddsTo("handle").
		Attr("dtype: numbertype").
		Doc(`Adds a gradient to an accumulator behind a reference, unless it is stale.

local_step: The step the gradient was computed at; below the accumulator's step it is stale.
gradient: The gradient, of the accumulator's shape.`)
	registry.Define("AccumulatorTakeGradient").
		Input("handle: Ref(string)").Input("num_required: int32").Output("average: dtype").
		Takes("handle").Traits(registry.Synchronizes).
		Attr("dtype: numbertype").
		Doc(`Takes what an accumulator behind a reference has gathered, waiting until there is enough, and starts the next step.

num_required: How many gradients to wait for.
average: The mean of the gradients, or their sum, as the accumulator has it.`)
	registry.Define("AccumulatorNumAccumulated").
		Input("handle: Ref(string)").Output("num_accumulated: int32").
		Reads("handle").
		Doc("Returns how many gradients an accumulator behind a reference has.")
	registry.Define("AccumulatorSetGlobalStep").
		Input("handle: Ref(string)").Input("new_global_step: int64").
		Writes("handle").
		Doc(`Sets the step of an accumulator behind a reference.

new_global_step: The step; gradients computed before it are stale.`)
	registry.Define("ResourceConditionalAccumulator").
		Output("handle: resource").
		Attr("dtype: numbertype").
		Attr("shape: shape").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Attr("reduction_type: {'MEAN', 'SUM'} = 'MEAN'").
		Stateful().
		Doc(`Makes an accumulator, which gathers gradients until enough have come.

shape: The shape of the gradients.
reduction_type: Whether it returns the mean or the sum.`)
	registry.Define("ResourceAccumulatorApplyGradient").
		Input("handle: resource").Input("local_step: int64").Input("gradient: dtype").
		AddsTo("handle").
		Attr("dtype: numbertype").
		Stateful().
		Doc(`Adds a gradient to an accumulator, unless it is stale.

local_step: The step the gradient was computed at; below the accumulator's step it is stale.
gradient: The gradient, of the accumulator's shape.`)
	registry.Define("ResourceAccumulatorTakeGradient").
		Input("handle: resource").Input("num_required: int32").Output("average: dtype").
		Takes("handle").Traits(registry.Synchronizes).
		Attr("dtype: numbertype").
		Stateful().
		Doc(`Takes what an accumulator has gathered, waiting until there is enough, and starts the next step.

num_required: How many gradients to wait for.
average: The mean of the gradients, or their sum, as the accumulator has it.`)
	registry.Define("ResourceAccumulatorNumAccumulated").
		Input("handle: resource").Output("num_accumulated: int32").
		Reads("handle").
		Stateful().
		Doc("Returns how many gradients an accumulator has.")
	registry.Define("ResourceAccumulatorSetGlobalStep").
		Input("handle: resource").Input("new_global_step: int64").
		Writes("handle").
		Stateful().
		Doc(`Sets the step of an accumulator.

new_global_step: The step; gradients computed before it are stale.`)

	gradients := map[string][]tensor.DType{"dtype": {tensor.Half, tensor.Float, tensor.Double}}
	for _, op := range []string{"ConditionalAccumulator", "ResourceConditionalAccumulator"} {
		kernel.Register(kernel.Registration{Op: op, Types: gradients, New: newAccumulator})
	}
	for _, prefix := range []string{"Accumulator", "ResourceAccumulator"} {
		kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(applyGradient), nil }, prefix+"ApplyGradient")
		kernel.ForAll(kernel.ChargeOutputs(newTakeGradient), prefix+"TakeGradient")
		kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(numAccumulated), nil }, prefix+"NumAccumulated")
		kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(setGlobalStep), nil }, prefix+"SetGlobalStep")
	}
}

// An accumulator puts out the handle of its accumulator.
type accumulator struct {
	options resource.AccumulatorOptions
	label   label
	old     bool
	device  string
	found   resource.Cache[accumulatorHandle]
}

// An accumulatorHandle is an accumulator in the session's resources, and its
// token.
type accumulatorHandle struct {
	*resource.Accumulator
	token tensor.Value
}

func newAccumulator(c *kernel.Construction) (kernel.Kernel, error) {
	s := c.Shape("shape")
	if err := shape.CheckAttr(s); err != nil {
		return nil, err
	}
	dt, declared := c.Type("dtype"), shape.FromAttr(s)
	add, divide := elementwise.Combine(elementwise.UpdateAdd, dt), elementwise.Combine(elementwise.UpdateDiv, dt)
	return &accumulator{
		options: resource.AccumulatorOptions{
			Type: dt, Shape: declared, Mean: c.Str("reduction_type") == "MEAN",
			Check: func(sum, gradient []tensor.Value) error {
				want := declared
				if sum != nil {
					want = shape.Of(sum[0].Dims()...)
				}
				if !shape.Compatible(want, shape.Of(gradient[0].Dims()...)) {
					return status.Invalid("Shape mismatch: expected %s, got %s", resource.FormatShape(want), tensor.FormatDims(gradient[0].Dims()))
				}
				return nil
			},
			Add: func(sum, gradient []tensor.Value, own bool) ([]tensor.Value, error) {
				total := sum[0]
				if !own && !total.Plain() {
					t, err := tensor.New(dt, total.Dims()...)
					if err != nil {
						return nil, err
					}
					total = tensor.ValueOf(t)
					copy(tensor.Bytes(&total), tensor.Bytes(&sum[0]))
				}
				return []tensor.Value{total}, add.Range(&total, &total, 0, &gradient[0], 0, total.NumElements())
			},
			Divide: func(sum []tensor.Value, n int) {
				by := floatOf(dt, n)
				for i := range sum[0].NumElements() {
					_ = divide.Range(&sum[0], &sum[0], i, &by, 0, 1) // cannot fail on floating-point numbers
				}
			},
		},
		label: labelOf(c), old: c.Outputs[0].IsRef(), device: c.Device,
	}, nil
}

// floatOf is n as a scalar of a floating-point type.
func floatOf(dt tensor.DType, n int) tensor.Value {
	switch dt {
	case tensor.Half:
		return tensor.Scalar(tensor.ToFloat16(float32(n)))
	case tensor.Float:
		return tensor.Scalar(float32(n))
	default:
		return tensor.Scalar(float64(n))
	}
}

func (k *accumulator) Run(ctx *kernel.Context, _, out []tensor.Value) error {
	m := k.label.manager(ctx.Step)
	h, err := k.found.Named(m, k.label.container, k.label.name, func() (accumulatorHandle, error) {
		o := k.options
		o.Name = k.label.words(m)
		a := resource.NewAccumulator(m, o)
		return accumulatorHandle{a, k.token(a)}, nil
	})
	if err != nil {
		return err
	}
	if h.Type != k.options.Type || h.Mean != k.options.Mean || h.Rows != k.options.Rows || !shape.Equal(h.Shape, k.options.Shape) {
		return status.Invalid("Shared accumulator '%s' holds %v of shape %s and is declared as %v of shape %s, or the kinds of reduction differ",
			h.Name, h.Type, resource.FormatShape(h.Shape), k.options.Type, resource.FormatShape(k.options.Shape))
	}
	out[0] = h.token
	if h.token.IsRef() != k.old {
		out[0] = k.token(h.Accumulator)
	}
	return nil
}

func (k *accumulator) token(a *resource.Accumulator) tensor.Value {
	if k.old {
		return newOldHandle(k.label.container, a.Name, a)
	}
	return newHandle(k.device, k.label.container, k.label.name, "Accumulator", a)
}

// accumulatorOf returns the accumulator of a handle, whose gradients are of type dt.
func accumulatorOf(v *tensor.Value, dt tensor.DType) (*resource.Accumulator, error) {
	a, err := held[*resource.Accumulator](v)
	if err == nil && a.Rows {
		return nil, status.Invalid("the accumulator '%s' holds rows of gradients", a.Name)
	}
	if err == nil && a.Type != dt {
		return nil, status.Invalid("the accumulator '%s' holds gradients of type %v, not %v", a.Name, a.Type, dt)
	}
	return a, err
}

// step returns the scalar step in v.
func step(v *tensor.Value) (int64, error) {
	if !v.IsScalar() {
		return 0, status.Invalid("Argument local_step must be scalar, but had bad shape %s", tensor.FormatDims(v.Dims()))
	}
	return tensor.At0[int64](v), nil
}

func applyGradient(ctx *kernel.Context, in, _ []tensor.Value) error {
	a, err := accumulatorOf(&in[0], in[2].DType())
	if err != nil {
		return err
	}
	local, err := step(&in[1])
	if err != nil {
		return err
	}
	return a.Apply(local, ctx.UnchargeValue(in[2]))
}

func newTakeGradient(c *kernel.Construction) (kernel.Kernel, error) {
	dt := c.Type("dtype")
	return asyncFunc(func(ctx *kernel.Context, in, out []tensor.Value, done func(error)) {
		a, err := accumulatorOf(&in[0], dt)
		n := int32(0)
		if err == nil {
			n, err = required(&in[1])
		}
		if err != nil {
			done(err)
			return
		}
		a.Take(ctx.Step.Context, int(n), func(v []tensor.Value, err error) {
			copy(out, v)
			done(err)
		})
	}), nil
}

// required returns the scalar number of gradients in v.
func required(v *tensor.Value) (int32, error) {
	if !v.IsScalar() {
		return 0, status.Invalid("Argument num_required must be scalar, but had bad shape %s", tensor.FormatDims(v.Dims()))
	}
	n := tensor.At0[int32](v)
	if n < 1 {
		return 0, status.Invalid("Argument num_required must be positive, but was %d", n)
	}
	return n, nil
}

func numAccumulated(_ *kernel.Context, in, out []tensor.Value) error {
	a, err := held[*resource.Accumulator](&in[0])
	if err == nil {
		out[0] = tensor.Scalar(int32(a.Len()))
	}
	return err
}

func setGlobalStep(_ *kernel.Context, in, _ []tensor.Value) error {
	a, err := held[*resource.Accumulator](&in[0])
	if err != nil {
		return err
	}
	n, err := step(&in[1])
	if err == nil {
		a.SetStep(n)
	}
	return err
}
