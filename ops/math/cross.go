package math

import (
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("Cross").
		Input("a: T").Input("b: T").Output("product: T").
		Attr("T: realnumbertype").
		Doc("Computes cross products of vectors of three elements, in the last dimension of tensors of one shape.")

	kernel.ForTypes("Cross", "T", newCross, elementwise.Reals...)

	gradient.Register(func(c *gradient.Context) {
		if c.Has(0) {
			c.Set(0, c.Apply("Cross", c.Input(1), c.Dy(0)))
			c.Set(1, c.Apply("Cross", c.Dy(0), c.Input(0)))
		}
	}, "Cross")
}

func newCross(dt tensor.DType) kernel.Kernel {
	switch dt {
	case tensor.Float:
		return crossProduct{crossOf[float32]}
	case tensor.Double:
		return crossProduct{crossOf[float64]}
	case tensor.Half, tensor.Bfloat16:
		return elementwise.Widen(dt, newCross(tensor.Float))
	case tensor.Int32:
		return crossProduct{crossOf[int32]}
	case tensor.Int64, tensor.Uint64: // the same bits
		return crossProduct{crossOf[int64]}
	}
	return elementwise.WidenIntegers(dt, newCross(elementwise.Wider(dt)), 0)
}

// A crossProduct is the kernel of Cross.
type crossProduct struct{ of func(o, x, y tensor.Memory) }

func (k crossProduct) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	dims := in[0].Dims()
	if !tensor.SameShape(in[0], in[1]) {
		return status.Invalid("Both inputs must be of same shape: %s vs. %s", tensor.FormatDims(dims), tensor.FormatDims(in[1].Dims()))
	}
	if len(dims) == 0 {
		return status.Invalid("Input must be at least 1D[]")
	}
	if dims[len(dims)-1] != 3 {
		return status.Errorf(status.FailedPrecondition, "Cross-products are only defined for 3-element vectors, got shape %s", tensor.FormatDims(dims))
	}
	v, err := ctx.Alloc(in[0].DType(), dims)
	if err != nil {
		return err
	}
	out[0] = v
	k.of(out[0].Memory(), in[0].Memory(), in[1].Memory())
	return nil
}

func crossOf[T elementwise.Real](to, a, b tensor.Memory) {
	o, x, y := tensor.Elements[T](to), tensor.Elements[T](a), tensor.Elements[T](b)
	for ; len(o) > 0; o, x, y = o[3:], x[3:], y[3:] {
		o[0] = x[1]*y[2] - x[2]*y[1]
		o[1] = x[2]*y[0] - x[0]*y[2]
		o[2] = x[0]*y[1] - x[1]*y[0]
	}
}
