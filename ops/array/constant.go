package array

import (
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/kernel/variant"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("Const").
		Output("output: dtype").
		Attr("value: tensor").
		Attr("dtype: type").
		Doc(`Puts out the tensor that the node holds.

value: The tensor.`)
	registry.Define("Fill").
		Input("dims: index_type").Input("value: T").Output("output: T").
		Attr("T: type").
		Attr("index_type: {int32, int64} = DT_INT32").
		Doc(`Makes a tensor whose elements all have one value.

dims: Its shape, a vector.
value: The value, a scalar.`)
	registry.Define("ZerosLike").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total).
		Attr("T: type").
		Doc("Makes a tensor of zeros of the input's shape.")
	registry.Define("OnesLike").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total).
		Attr("T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64, complex64, complex128, bool}").
		Doc("Makes a tensor of ones of the input's shape.")
	registry.Define("Empty").
		Input("shape: int32").Output("output: dtype").
		Traits(registry.Impure).
		Attr("dtype: type").
		Attr("init: bool = false").
		Stateful().
		Doc(`Makes a tensor of the given shape.

shape: The shape, a vector.
init: Whether elements are zero; else they may be anything.`)

	kernel.ForAll(newConst, "Const")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(fill), nil }, "Fill")
	kernel.Register(kernel.Registration{Op: "ZerosLike", Holders: true,
		New: func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(zerosLike), nil }})
	kernel.ForTypes("OnesLike", "T", newOnesLike, append(elementwise.Numbers[:len(elementwise.Numbers):len(elementwise.Numbers)], tensor.Bool)...)
	kernel.ForAll(newEmpty, "Empty")

	gradient.None("Const", "ZerosLike", "OnesLike")
	gradient.Register(func(c *gradient.Context) {
		if c.Has(0) {
			c.Set(1, c.Apply("Sum", c.Dy(0), c.Range(c.Rank(c.Output(0)))))
		}
	}, "Fill")
}

func newConst(c *kernel.Construction) (kernel.Kernel, error) {
	t := c.Tensor("value")
	if t == nil {
		return nil, c.Errorf("Const has no value")
	}
	if dt := c.Type("dtype"); t.DType() != dt {
		return nil, c.Errorf("Type mismatch between value (%v) and dtype (%v)", t.DType(), dt)
	}
	v := tensor.ValueOf(t)
	return kernel.Func(func(_ *kernel.Context, _, out []tensor.Value) error {
		out[0] = v
		return nil
	}), nil
}

func fill(ctx *kernel.Context, in, out []tensor.Value) error {
	var buf [8]int64
	shape := in[0]
	if shape.Rank() == 0 { // it is taken for a vector
		var err error
		if shape, err = ctx.View(shape, 0, 1, []int64{1}); err != nil {
			return err
		}
		defer ctx.Free(shape)
	}
	dims, err := kernel.AppendDims(buf[:0], &shape, "dims")
	if err != nil {
		return err
	}
	if in[1].NumElements() != 1 || in[1].Rank() > 1 {
		return status.Invalid("value must be a scalar, got shape %s", tensor.FormatDims(in[1].Dims()))
	}
	if out[0], err = ctx.Alloc(in[1].DType(), dims); err != nil {
		return err
	}
	return strided.Fill(ctx, &out[0], &in[1], 0)
}

func newEmpty(c *kernel.Construction) (kernel.Kernel, error) {
	dt := c.Type("dtype")
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		var buf [8]int64
		dims, err := kernel.AppendDims(buf[:0], &in[0], "shape")
		if err != nil {
			return err
		}
		out[0], err = ctx.AllocZeroed(dt, dims)
		return err
	}), nil
}

func zerosLike(ctx *kernel.Context, in, out []tensor.Value) (err error) {
	dt := in[0].DType()
	if dt == tensor.Variant {
		out[0], err = variant.Zero(ctx, &in[0], 0)
		return err
	}
	out[0], err = ctx.AllocZeroed(dt, in[0].Dims())
	return err
}

func newOnesLike(dt tensor.DType) kernel.Kernel {
	one := one(dt)
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) (err error) {
		if out[0], err = ctx.Alloc(dt, in[0].Dims()); err != nil {
			return err
		}
		one := one
		return strided.Fill(ctx, &out[0], &one, 0)
	})
}

// one returns the number 1, or true.
func one(dt tensor.DType) tensor.Value {
	switch dt {
	case tensor.Bool:
		return tensor.Scalar(true)
	case tensor.Float:
		return tensor.Scalar(float32(1))
	case tensor.Double:
		return tensor.Scalar(float64(1))
	case tensor.Half:
		return tensor.Scalar(tensor.ToFloat16(1))
	case tensor.Bfloat16:
		return tensor.Scalar(tensor.ToBFloat16(1))
	case tensor.Complex64:
		return tensor.Scalar(complex64(1))
	case tensor.Complex128:
		return tensor.Scalar(complex128(1))
	}
	switch dt.Size() {
	case 1:
		return tensor.ScalarOf(dt, uint8(1))
	case 2:
		return tensor.ScalarOf(dt, uint16(1))
	case 4:
		return tensor.ScalarOf(dt, uint32(1))
	}
	return tensor.ScalarOf(dt, uint64(1))
}
