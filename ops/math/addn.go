package math

import (
	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/kernel/variant"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("AddN").
		Input("inputs: N * T").Output("sum: T").
		Traits(registry.Addition).
		Attr("N: int >= 1").
		Attr("T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64, variant}").
		Commutative().
		Aggregate().
		Doc("Adds up tensors of one shape and type.")
	registry.Define("AccumulateNV2").
		Input("inputs: N * T").Output("sum: T").
		Attr("N: int >= 1").
		Attr("T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}").
		Attr("shape: shape").
		Commutative().
		Aggregate().
		Doc(`Adds up tensors of one shape and type.

shape: Their shape.`)

	for _, op := range []string{"AddN", "AccumulateNV2"} {
		kernel.ForTypes(op, "T", newAddN, elementwise.Numbers...)
	}
	kernel.Register(kernel.Registration{Op: "AddN", Types: map[string][]tensor.DType{"T": {tensor.Variant}}, Holders: true,
		New: func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(addVariants), nil }})

	gradient.Register(func(c *gradient.Context) {
		for i := range c.NumInputs() {
			c.Pass(0, i)
		}
	}, "AddN", "AccumulateNV2")
}

func newAddN(dt tensor.DType) kernel.Kernel {
	switch dt {
	case tensor.Float:
		return &addN[float32]{dt}
	case tensor.Double:
		return &addN[float64]{dt}
	case tensor.Half, tensor.Bfloat16:
		return elementwise.Widen(dt, &addN[float32]{tensor.Float})
	case tensor.Int8:
		return &addN[int8]{dt}
	case tensor.Int16:
		return &addN[int16]{dt}
	case tensor.Int32:
		return &addN[int32]{dt}
	case tensor.Int64:
		return &addN[int64]{dt}
	case tensor.Uint8:
		return &addN[uint8]{dt}
	case tensor.Uint16:
		return &addN[uint16]{dt}
	case tensor.Uint32:
		return &addN[uint32]{dt}
	case tensor.Uint64:
		return &addN[uint64]{dt}
	case tensor.Complex64:
		return &addN[complex64]{dt}
	case tensor.Complex128:
		return &addN[complex128]{dt}
	}
	return nil
}

// An addN adds its inputs in their order.
type addN[T elementwise.Number] struct{ dt tensor.DType }

func (k *addN[T]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	if len(in) == 0 {
		return status.Invalid("AddN needs at least one input")
	}
	for i := range in {
		if !tensor.SameShape(in[0], in[i]) {
			return status.Invalid("Inputs to operation AddN must have the same size and shape.  Input 0: %s != input %d: %s",
				tensor.FormatDims(in[0].Dims()), i, tensor.FormatDims(in[i].Dims()))
		}
	}
	if len(in) == 1 {
		out[0] = in[0]
		return nil
	}
	if len(in) == 2 {
		return k.two(ctx, in, out)
	}
	x := make([][]T, len(in))
	for i := range in {
		x[i] = tensor.Of[T](&in[i])
	}
	v, err := ctx.ReuseOrAlloc(in, 0, k.dt, in[0].Dims())
	if err != nil {
		return err
	}
	out[0] = v
	o := tensor.Of[T](&out[0])
	ctx.Parallel(len(o), elementwise.Grain, func(lo, hi int) {
		if ctx.Err() != nil {
			return
		}
		o := o[lo:hi]
		for i, y := range x[1][lo:hi] {
			o[i] = x[0][lo+i] + y
		}
		for _, x := range x[2:] {
			addInto(o, x[lo:hi])
		}
	})
	return ctx.Err()
}

// two adds two tensors, as most sums do, and leaves nothing to the collector.
func (k *addN[T]) two(ctx *kernel.Context, in, out []tensor.Value) (err error) {
	a, b := in[0], in[1]
	if out[0], err = ctx.ReuseOrAlloc(in, 0, k.dt, a.Dims()); err != nil {
		return err
	}
	if a.NumElements() > elementwise.Grain {
		x, y, o := tensor.Of[T](&a), tensor.Of[T](&b), tensor.Of[T](&out[0])
		ctx.Parallel(len(o), elementwise.Grain, func(lo, hi int) {
			if ctx.Err() == nil {
				addTwo(o[lo:hi], x[lo:hi], y[lo:hi])
			}
		})
		return ctx.Err()
	}
	addTwo(tensor.Of[T](&out[0]), tensor.Of[T](&a), tensor.Of[T](&b))
	return nil
}

func addTwo[T elementwise.Number](o, x, y []T) {
	if o, ok := any(o).([]float32); ok {
		vec.Add(o, any(x).([]float32), any(y).([]float32))
		return
	}
	for i := range o {
		o[i] = x[i] + y[i]
	}
}

// Prepare makes a sum of small tensors ready.
func (k *addN[T]) Prepare(in []tensor.Value, _ uint64) (kernel.Prepared, bool) {
	for i := range in {
		if !tensor.SameShape(in[0], in[i]) {
			return kernel.Prepared{}, false
		}
	}
	if len(in) < 2 {
		return kernel.Prepared{}, false
	}
	dims := in[0].Dims()
	if len(in) == 2 {
		if add, ok := any(vec.Add).(func(o, x, y []T)); ok {
			return elementwise.Prepared(k.dt, dims, add)
		}
	}
	return kernel.OneOut(k.dt, dims, func(_ *kernel.Context, in, out []tensor.Value) {
		o := tensor.Of[T](&out[0])
		copy(o, tensor.Of[T](&in[0]))
		for i := 1; i < len(in); i++ {
			addInto(o, tensor.Of[T](&in[i]))
		}
	})
}

func addVariants(ctx *kernel.Context, in, out []tensor.Value) error {
	var sum tensor.Value
	for i := range in {
		if !in[i].IsScalar() {
			return status.Invalid("AddN of non-scalar tensor with dtype=variant is not supported: input %d has shape %s", i, tensor.FormatDims(in[i].Dims()))
		}
		if i == 0 {
			sum = in[i]
			continue
		}
		z, err := variant.Add(ctx, &sum, &in[i], 0)
		if err != nil {
			return err
		}
		if i > 1 {
			ctx.Free(sum)
		}
		sum = z
	}
	out[0] = sum
	return nil
}
