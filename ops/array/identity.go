package array

import (
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("Identity").
		Input("input: T").Output("output: T").
		Attr("T: type").
		Doc("Passes its input on, without a copy.")
	registry.Define("IdentityN").
		Input("input: T").Output("output: T").
		Attr("T: list(type) >= 1").
		Doc("Passes its inputs on, without a copy.")
	registry.Define("StopGradient").
		Input("input: T").Output("output: T").
		Traits(registry.Elementwise | registry.Total | registry.Forwards).
		Attr("T: type").
		Doc("Passes its input on; gradients end here, as if it were a constant.")
	registry.Define("PreventGradient").
		Input("input: T").Output("output: T").
		Traits(registry.Elementwise | registry.Total | registry.Forwards).
		Attr("T: type").
		Attr("message: string = ''").
		Doc(`Passes its input on; to ask for a gradient through it is an error.

message: What the error says.`)
	registry.Define("Snapshot").
		Input("input: T").Output("output: T").
		Traits(registry.Elementwise | registry.Total).
		Attr("T: type").
		Doc("Passes its input on.")
	registry.Define("GuaranteeConst").
		Input("input: T").Output("output: T").
		Attr("T: type").
		Stateful().
		Doc("Passes its input on, with the promise that it is the same in every step.")
	registry.Define("DeepCopy").
		Input("x: T").Output("y: T").
		Attr("T: type").
		Stateful().
		Doc("Copies its input into memory of its own.")
	registry.Define("EnsureShape").
		Input("input: T").Output("output: T").
		Attr("shape: shape").
		Attr("T: type").
		Doc(`Passes its input on if it has a certain shape, else fails.

shape: The shape, in which dimensions may be unknown.`)

	for _, op := range []string{"Identity", "IdentityN", "StopGradient", "PreventGradient", "Snapshot", "GuaranteeConst"} {
		kernel.Register(kernel.Registration{Op: op, New: newPass, Holders: true})
	}
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(deepCopy), nil }, "DeepCopy")
	kernel.ForAll(newEnsureShape, "EnsureShape")

	gradient.Register(func(c *gradient.Context) {
		for i := range c.NumInputs() {
			c.Pass(i, i)
		}
	}, "Identity", "IdentityN")
	gradient.None("StopGradient")
	gradient.Register(func(c *gradient.Context) { c.Pass(0, 0) }, "EnsureShape")
	gradient.Register(func(c *gradient.Context) {
		c.Fail(status.Errorf(status.NotFound, "Gradient explicitly disabled. Reason: %s", c.Str("message")))
	}, "PreventGradient")
}

// pass makes every input the output of its place.
type pass struct{}

func newPass(*kernel.Construction) (kernel.Kernel, error) { return pass{}, nil }

func (pass) Run(_ *kernel.Context, in, out []tensor.Value) error {
	copy(out, in)
	return nil
}

func deepCopy(ctx *kernel.Context, in, out []tensor.Value) (err error) {
	if out[0], err = ctx.Alloc(in[0].DType(), in[0].Dims()); err != nil {
		return err
	}
	strided.Move(&out[0], 0, &in[0], 0, in[0].NumElements())
	return nil
}

func newEnsureShape(c *kernel.Construction) (kernel.Kernel, error) {
	want := shape.FromAttr(c.Shape("shape"))
	return kernel.Func(func(_ *kernel.Context, in, out []tensor.Value) error {
		if !shape.Compatible(want, shape.Of(in[0].Dims()...)) {
			return status.Invalid("Shape of tensor %s is not compatible with expected shape %v", tensor.FormatDims(in[0].Dims()), want)
		}
		out[0] = in[0]
		return nil
	}), nil
}
