package math

import (
	"math"

	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("Cast").
		Input("x: SrcT").Output("y: DstT").
		Traits(registry.Elementwise | registry.Total | registry.Cheap).
		Attr("SrcT: type").
		Attr("DstT: type").
		Attr("Truncate: bool = false").
		Doc(`Converts elements to another type.

Floating-point numbers become integers by rounding toward 0; what the integer type cannot hold, NaN included, becomes what the processor makes of it. Complex numbers lose their imaginary part. A number becomes the bool that says whether it is not 0.

DstT: The type to convert to.
Truncate: Whether a shorter floating-point type gets the bits that fit, rather than the nearest number.`)

	kernel.ForAll(newCast, "Cast")

	gradient.Unary(func(c *gradient.Context, x, y, dy graph.Output) graph.Output {
		if !gradient.Differentiable(x.DataType()) || !gradient.Differentiable(y.DataType()) {
			return graph.Output{}
		}
		return c.Cast(dy, x.DataType().Base())
	}, "Cast")
}

func newCast(c *kernel.Construction) (kernel.Kernel, error) {
	from, to := c.Type("SrcT"), c.Type("DstT")
	if from == to {
		return kernel.Func(passOn), nil
	}
	if to == tensor.Float8e5m2 || to == tensor.Float8e4m3fn {
		return castFloat8(from, to)
	}
	var k kernel.Kernel
	switch from {
	case tensor.Float8e5m2, tensor.Float8e4m3fn:
		k = castVia(from, to, func(x uint8) float32 { return tensor.Float8Value(from, x) })
	case tensor.Float:
		k = castFloat(to, c.Bool("Truncate"))
	case tensor.Double:
		k = castDouble(to, c.Bool("Truncate"))
	case tensor.Half:
		if k = castVia(from, to, tensor.Float16.Float32); to == tensor.Float {
			k.(*elementwise.Map[tensor.Float16, float32]).Vector = vec.WidenHalf
		}
	case tensor.Bfloat16:
		if k = castVia(from, to, tensor.BFloat16.Float32); to == tensor.Float {
			k.(*elementwise.Map[tensor.BFloat16, float32]).Vector = vec.WidenBfloat
		}
	case tensor.Int8:
		k = castReal[int8](from, to)
	case tensor.Int16:
		k = castReal[int16](from, to)
	case tensor.Int32:
		k = castReal[int32](from, to)
	case tensor.Int64:
		k = castReal[int64](from, to)
	case tensor.Uint8:
		k = castReal[uint8](from, to)
	case tensor.Uint16:
		k = castReal[uint16](from, to)
	case tensor.Uint32:
		k = castReal[uint32](from, to)
	case tensor.Uint64:
		k = castReal[uint64](from, to)
	case tensor.Bool:
		k = castBool(from, to)
	case tensor.Complex64:
		k = castVia(from, to, func(x complex64) float32 { return real(x) })
		if to == tensor.Complex128 {
			k = castTo(from, to, func(x complex64) complex128 { return complex128(x) })
		}
	case tensor.Complex128:
		k = castVia(from, to, func(x complex128) float64 { return real(x) })
		if to == tensor.Complex64 {
			k = castTo(from, to, func(x complex128) complex64 { return complex64(x) })
		}
	}
	if k == nil {
		return nil, status.Errorf(status.Unimplemented, "Cast %v to %v is not supported", from, to)
	}
	return k, nil
}

// castFloat8 makes 8-bit floating-point numbers, of which the dtype says what
// the bits mean, of longer ones or of the other kind.
func castFloat8(from, to tensor.DType) (kernel.Kernel, error) {
	switch from {
	case tensor.Float8e5m2, tensor.Float8e4m3fn:
		return castTo(from, to, func(x uint8) uint8 { return tensor.ToFloat8(to, tensor.Float8Value(from, x)) }), nil
	case tensor.Half:
		return castTo(from, to, func(x tensor.Float16) uint8 { return tensor.ToFloat8(to, x.Float32()) }), nil
	case tensor.Bfloat16:
		return castTo(from, to, func(x tensor.BFloat16) uint8 { return tensor.ToFloat8(to, x.Float32()) }), nil
	case tensor.Float:
		return castTo(from, to, func(x float32) uint8 { return tensor.ToFloat8(to, x) }), nil
	case tensor.Double:
		return castTo(from, to, func(x float64) uint8 { return tensor.ToFloat8(to, toOdd(x)) }), nil
	}
	return nil, status.Errorf(status.Unimplemented, "Cast %v to %v is not supported", from, to)
}

// toOdd is x as a float32 whose last bit says if something was cut off, so that
// rounding it again gives what rounding x does.
func toOdd(x float64) float32 {
	y := float32(x)
	if z := float64(y); z == x || x != x {
		return y
	} else if math.Abs(z) > math.Abs(x) {
		y = math.Nextafter32(y, 0)
	}
	return math.Float32frombits(math.Float32bits(y) | 1)
}

// A cast converts real numbers. Where T has no room for a number the result
// is what the processor's conversion gives, as in TensorFlow.
type cast[S, T elementwise.Real] struct{ from, to tensor.DType }

func (k *cast[S, T]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	if in[0].Inside(k.from) {
		tensor.SetScalar(&out[0], k.to, T(tensor.Inner[S](&in[0])))
		return nil
	}
	if in[0].NumElements() > elementwise.Grain {
		return elementwise.Unary(ctx, in, out, k.to, castV[S, T])
	}
	// A small result costs no closure.
	x := tensor.Of[S](&in[0])
	v, err := ctx.ReuseOrAlloc(in, 0, k.to, in[0].Dims())
	if err != nil {
		return err
	}
	out[0] = v
	castV(tensor.Of[T](&out[0]), x)
	return nil
}

// Prepare makes a cast ready.
func (k *cast[S, T]) Prepare(in []tensor.Value, _ uint64) (kernel.Prepared, bool) {
	return elementwise.PrepareUnary(in, k.to, castV[S, T])
}

func castV[S, T elementwise.Real](o []T, x []S) {
	if x, ok := any(x).([]float32); ok {
		switch o := any(o).(type) {
		case []float64:
			vec.ToFloat64(o, x)
			return
		case []int32:
			vec.ToInt32(o, x)
			return
		}
	}
	for i, x := range x[:len(o)] {
		o[i] = T(x)
	}
}

func castReal[S elementwise.Real](from, to tensor.DType) kernel.Kernel {
	switch to {
	case tensor.Float:
		return &cast[S, float32]{from, to}
	case tensor.Double:
		return &cast[S, float64]{from, to}
	case tensor.Int8:
		return &cast[S, int8]{from, to}
	case tensor.Int16:
		return &cast[S, int16]{from, to}
	case tensor.Int32:
		return &cast[S, int32]{from, to}
	case tensor.Int64:
		return &cast[S, int64]{from, to}
	case tensor.Uint8:
		return &cast[S, uint8]{from, to}
	case tensor.Uint16:
		return &cast[S, uint16]{from, to}
	case tensor.Uint32:
		return &cast[S, uint32]{from, to}
	case tensor.Uint64:
		return &cast[S, uint64]{from, to}
	case tensor.Bool:
		return castTo(from, to, func(x S) bool { return x != 0 })
	case tensor.Half:
		return castTo(from, to, func(x S) tensor.Float16 { return tensor.ToFloat16(float32(x)) })
	case tensor.Bfloat16:
		return castTo(from, to, func(x S) tensor.BFloat16 { return tensor.ToBFloat16(float32(x)) })
	case tensor.Complex64:
		return castTo(from, to, func(x S) complex64 { return complex(float32(x), 0) })
	case tensor.Complex128:
		return castTo(from, to, func(x S) complex128 { return complex(float64(x), 0) })
	}
	return nil
}

func castTo[S, T tensor.Element](from, to tensor.DType, f func(S) T) kernel.Kernel {
	return &elementwise.Map[S, T]{In: from, Out: to, F: f}
}

// castFloat and castDouble are castReal, but they may cut the bits of the
// mantissa off that the result has no room for, instead of rounding. As in
// TensorFlow, bfloat16 made of float64 is always rounded.

func castFloat(to tensor.DType, truncate bool) kernel.Kernel {
	cut := func(bits int) func(float32) float32 {
		return func(x float32) float32 { return math.Float32frombits(math.Float32bits(x) >> bits << bits) }
	}
	switch {
	case truncate && to == tensor.Half:
		f := cut(13)
		return castTo(tensor.Float, to, func(x float32) tensor.Float16 { return tensor.ToFloat16(f(x)) })
	case truncate && to == tensor.Bfloat16:
		f := cut(16)
		return castTo(tensor.Float, to, func(x float32) tensor.BFloat16 { return tensor.ToBFloat16(f(x)) })
	}
	k := castReal[float32](tensor.Float, to)
	switch m := k.(type) {
	case *elementwise.Map[float32, tensor.Float16]:
		m.Vector = vec.NarrowHalf
	case *elementwise.Map[float32, tensor.BFloat16]:
		m.Vector = vec.NarrowBfloat
	}
	return k
}

func castDouble(to tensor.DType, truncate bool) kernel.Kernel {
	cut := func(bits int) func(float64) float64 {
		return func(x float64) float64 { return math.Float64frombits(math.Float64bits(x) >> bits << bits) }
	}
	switch {
	case truncate && to == tensor.Float:
		f := cut(29)
		return castTo(tensor.Double, to, func(x float64) float32 { return float32(f(x)) })
	case truncate && to == tensor.Half:
		f := cut(42)
		return castTo(tensor.Double, to, func(x float64) tensor.Float16 { return tensor.ToFloat16(float32(f(x))) })
	}
	return castReal[float64](tensor.Double, to)
}

// castVia is castReal for elements that are real numbers by way of W.
func castVia[S tensor.Element, W elementwise.Float](from, to tensor.DType, wide func(S) W) kernel.Kernel {
	switch to {
	case tensor.Float:
		return castTo(from, to, func(x S) float32 { return float32(wide(x)) })
	case tensor.Double:
		return castTo(from, to, func(x S) float64 { return float64(wide(x)) })
	case tensor.Half:
		return castTo(from, to, func(x S) tensor.Float16 { return tensor.ToFloat16(float32(wide(x))) })
	case tensor.Bfloat16:
		return castTo(from, to, func(x S) tensor.BFloat16 { return tensor.ToBFloat16(float32(wide(x))) })
	case tensor.Int8:
		return castTo(from, to, func(x S) int8 { return int8(wide(x)) })
	case tensor.Int16:
		return castTo(from, to, func(x S) int16 { return int16(wide(x)) })
	case tensor.Int32:
		return castTo(from, to, func(x S) int32 { return int32(wide(x)) })
	case tensor.Int64:
		return castTo(from, to, func(x S) int64 { return int64(wide(x)) })
	case tensor.Uint8:
		return castTo(from, to, func(x S) uint8 { return uint8(wide(x)) })
	case tensor.Uint16:
		return castTo(from, to, func(x S) uint16 { return uint16(wide(x)) })
	case tensor.Uint32:
		return castTo(from, to, func(x S) uint32 { return uint32(wide(x)) })
	case tensor.Uint64:
		return castTo(from, to, func(x S) uint64 { return uint64(wide(x)) })
	case tensor.Bool:
		return castTo(from, to, func(x S) bool { return wide(x) != 0 })
	case tensor.Complex64:
		return castTo(from, to, func(x S) complex64 { return complex(float32(wide(x)), 0) })
	case tensor.Complex128:
		return castTo(from, to, func(x S) complex128 { return complex(float64(wide(x)), 0) })
	}
	return nil
}

// castBool reads true as 1.
func castBool(from, to tensor.DType) kernel.Kernel {
	k := castVia(from, to, func(x bool) float32 { return float32(bit(x)) })
	switch k := k.(type) {
	case *elementwise.Map[bool, float32]:
		k.Vector = zerosAndOnes[float32]
	case *elementwise.Map[bool, float64]:
		k.Vector = zerosAndOnes[float64]
	case *elementwise.Map[bool, int32]:
		k.Vector = zerosAndOnes[int32]
	case *elementwise.Map[bool, int64]:
		k.Vector = zerosAndOnes[int64]
	case *elementwise.Map[bool, uint8]:
		k.Vector = zerosAndOnes[uint8]
	}
	return k
}

// bit is 1 for true, without a branch.
func bit(x bool) (b uint8) {
	if x {
		b = 1
	}
	return b
}

func zerosAndOnes[T elementwise.Real](o []T, x []bool) {
	for i, x := range x[:len(o)] {
		o[i] = T(bit(x))
	}
}
