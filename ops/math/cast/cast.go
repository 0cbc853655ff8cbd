// Package cast holds the operation that converts elements to another type, Cast, for
// operations that convert as it does.
package cast

import (
	"math"
	"sync"

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

	kernel.ForAll(New, "Cast")

	gradient.Unary(func(c *gradient.Context, x, y, dy graph.Output) graph.Output {
		if !gradient.Differentiable(x.DataType()) || !gradient.Differentiable(y.DataType()) {
			return graph.Output{}
		}
		return c.Cast(dy, x.DataType().Base())
	}, "Cast")
}

// New returns the kernel of Cast.
func New(c *kernel.Construction) (kernel.Kernel, error) {
	from, to := c.Type("SrcT"), c.Type("DstT")
	if from == to {
		return kernel.Func(func(_ *kernel.Context, in, out []tensor.Value) error {
			out[0] = in[0]
			return nil
		}), nil
	}
	if c.Bool("Truncate") {
		if set := truncation(from, to); set != nil {
			return &cast{from, to, set}, nil
		}
	}
	set := Elements(from, to)
	if set == nil {
		return nil, status.Errorf(status.Unimplemented, "Cast %v to %v is not supported", from, to)
	}
	return withScalars(cast{from, to, set}), nil
}

// A cast is the kernel of Cast.
type cast struct {
	from, to tensor.DType
	set      elementwise.Each
}

func (k *cast) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	return elementwise.Unary(ctx, in, out, k.to, k.set)
}

// Prepare makes a cast ready.
func (k *cast) Prepare(in []tensor.Value, _ uint64) (kernel.Prepared, bool) {
	return elementwise.PrepareUnary(in, k.to, k.set)
}

// A castScalars is a cast that converts scalars at once.
type castScalars struct {
	cast
	scalar func(o, x *tensor.Value, to tensor.DType)
}

func (k *castScalars) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	if in[0].Inside(k.from) {
		k.scalar(&out[0], &in[0], k.to)
		return nil
	}
	return k.cast.Run(ctx, in, out)
}

// withScalars is c, or a castScalars if loops count or compute with both types.
func withScalars(c cast) kernel.Kernel {
	var f func(o, x *tensor.Value, to tensor.DType)
	switch c.from {
	case tensor.Float:
		f = scalarOf[float32](c.to)
	case tensor.Double:
		f = scalarOf[float64](c.to)
	case tensor.Int32:
		f = scalarOf[int32](c.to)
	case tensor.Int64:
		f = scalarOf[int64](c.to)
	}
	if f == nil {
		return &c
	}
	return &castScalars{c, f}
}

func scalarOf[S elementwise.Real](to tensor.DType) func(o, x *tensor.Value, to tensor.DType) {
	switch to {
	case tensor.Float:
		return castScalar[S, float32]
	case tensor.Double:
		return castScalar[S, float64]
	case tensor.Int32:
		return castScalar[S, int32]
	case tensor.Int64:
		return castScalar[S, int64]
	}
	return nil
}

func castScalar[S, T elementwise.Real](o, x *tensor.Value, to tensor.DType) {
	tensor.SetScalar(o, to, T(tensor.Inner[S](x)))
}

// Elements returns what converts elements; it is nil if there is no such conversion. Real numbers of
// Go's types are converted at once, others by way of those: bits become a number, the
// number one of the other type, and that the bits of the result.
func Elements(from, to tensor.DType) elementwise.Each {
	switch {
	case from == tensor.Bool && to == tensor.Uint8:
		return elementwise.EachOf(castV[uint8, uint8])
	case from == tensor.Complex64 && to == tensor.Complex128:
		return apply(func(x complex64) complex128 { return complex128(x) })
	case from == tensor.Complex128 && to == tensor.Complex64:
		return apply(func(x complex128) complex64 { return complex64(x) })
	}
	read, number := reading(from)
	write, result := writing(from, to)
	var convert elementwise.Each
	if number != result {
		if convert = betweenReals(number, result); convert == nil {
			return nil
		}
	}
	return inTurn(inTurn(read, convert), write)
}

// reading makes numbers of Go's real types of elements that are none, where there is
// something to do, and says which.
func reading(from tensor.DType) (elementwise.Each, tensor.DType) {
	switch from {
	case tensor.Bool: // 0 or 1 in memory
		return nil, tensor.Uint8
	case tensor.Half:
		return elementwise.EachOf(vec.WidenHalf), tensor.Float
	case tensor.Bfloat16:
		return elementwise.EachOf(vec.WidenBfloat), tensor.Float
	case tensor.Float8e5m2, tensor.Float8e4m3fn:
		return apply(func(x uint8) float32 { return tensor.Float8Value(from, x) }), tensor.Float
	case tensor.Complex64:
		return apply(func(x complex64) float32 { return real(x) }), tensor.Float
	case tensor.Complex128:
		return apply(func(x complex128) float64 { return real(x) }), tensor.Double
	}
	return nil, from
}

// writing makes elements that are none of Go's real types of numbers that are, where
// there is something to do, and says of which. 8-bit floating-point numbers, of which
// the dtype says what the bits mean, are made of longer ones and of each other.
func writing(from, to tensor.DType) (elementwise.Each, tensor.DType) {
	switch to {
	case tensor.Half:
		return elementwise.EachOf(vec.NarrowHalf), tensor.Float
	case tensor.Bfloat16:
		return elementwise.EachOf(vec.NarrowBfloat), tensor.Float
	case tensor.Float8e5m2, tensor.Float8e4m3fn:
		switch from {
		case tensor.Double:
			return apply(func(x float64) uint8 { return tensor.ToFloat8(to, toOdd(x)) }), tensor.Double
		case tensor.Float, tensor.Half, tensor.Bfloat16, tensor.Float8e5m2, tensor.Float8e4m3fn:
			return apply(func(x float32) uint8 { return tensor.ToFloat8(to, x) }), tensor.Float
		}
		return nil, tensor.Invalid
	case tensor.Complex64:
		return apply(func(x float32) complex64 { return complex(x, 0) }), tensor.Float
	case tensor.Complex128:
		return apply(func(x float64) complex128 { return complex(x, 0) }), tensor.Double
	}
	return nil, to
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

// truncation cuts the bits of the mantissa off that the result has no room for, where
// Cast does so instead of rounding. As in TensorFlow, bfloat16 made of float64 is always
// rounded.
func truncation(from, to tensor.DType) elementwise.Each {
	cut := func(bits int) func(float32) float32 {
		return func(x float32) float32 { return math.Float32frombits(math.Float32bits(x) >> bits << bits) }
	}
	cutLong := func(bits int) elementwise.Each {
		return apply(func(x float64) float32 {
			return float32(math.Float64frombits(math.Float64bits(x) >> bits << bits))
		})
	}
	half, bfloat := elementwise.EachOf(vec.NarrowHalf), elementwise.EachOf(vec.NarrowBfloat)
	switch [2]tensor.DType{from, to} {
	case [2]tensor.DType{tensor.Float, tensor.Half}:
		return inTurn(apply(cut(13)), half)
	case [2]tensor.DType{tensor.Float, tensor.Bfloat16}:
		return inTurn(apply(cut(16)), bfloat)
	case [2]tensor.DType{tensor.Double, tensor.Float}:
		return cutLong(29)
	case [2]tensor.DType{tensor.Double, tensor.Half}:
		return inTurn(cutLong(42), half)
	}
	return nil
}

// betweenReals converts between Go's real types, and bools as results; it is nil for other
// types and where there is nothing to do. Where the result has no room for a number it
// is what the processor's conversion gives, as in TensorFlow.
func betweenReals(from, to tensor.DType) elementwise.Each {
	switch from {
	case tensor.Float:
		return fromReal[float32](to)
	case tensor.Double:
		return fromReal[float64](to)
	case tensor.Int32:
		return fromReal[int32](to)
	case tensor.Int64:
		return fromReal[int64](to)
	case tensor.Uint8:
		return fromRare[uint8](to)
	case tensor.Int8:
		return fromRare[int8](to)
	case tensor.Int16:
		return fromRare[int16](to)
	case tensor.Uint16:
		return fromRare[uint16](to)
	case tensor.Uint32:
		return fromRare[uint32](to)
	case tensor.Uint64:
		return fromRare[uint64](to)
	}
	return nil
}

// fromReal converts to every type.
func fromReal[S elementwise.Real](to tensor.DType) elementwise.Each {
	switch to {
	case tensor.Int8:
		return elementwise.EachOf(castV[S, int8])
	case tensor.Int16:
		return elementwise.EachOf(castV[S, int16])
	case tensor.Uint8:
		return elementwise.EachOf(castV[S, uint8])
	case tensor.Uint16:
		return elementwise.EachOf(castV[S, uint16])
	case tensor.Uint32:
		return elementwise.EachOf(castV[S, uint32])
	case tensor.Uint64:
		return elementwise.EachOf(castV[S, uint64])
	}
	return toUsual[S](to)
}

// fromRare converts integers to other integers that programs seldom use by way of
// int64, whose low bits are theirs.
func fromRare[S elementwise.Integer](to tensor.DType) elementwise.Each {
	switch to {
	case tensor.Int8, tensor.Int16, tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64:
		return inTurn(elementwise.EachOf(castV[S, int64]), fromReal[int64](to))
	}
	return toUsual[S](to)
}

// toUsual converts to bools, which say what is not 0, and to the numbers that programs
// mostly compute with.
func toUsual[S elementwise.Real](to tensor.DType) elementwise.Each {
	switch to {
	case tensor.Bool:
		return apply(func(x S) bool { return x != 0 })
	case tensor.Float:
		return elementwise.EachOf(castV[S, float32])
	case tensor.Double:
		return elementwise.EachOf(castV[S, float64])
	case tensor.Int32:
		return elementwise.EachOf(castV[S, int32])
	case tensor.Int64:
		return elementwise.EachOf(castV[S, int64])
	}
	return nil
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

// apply returns the loop of a function.
func apply[S, T tensor.Element](f func(S) T) elementwise.Each {
	return elementwise.EachFunc(func(o, x tensor.Memory, to, from, n int) {
		results := tensor.Elements[T](o)[to : to+n]
		for i, x := range tensor.Elements[S](x)[from:][:len(results)] {
			results[i] = f(x)
		}
	})
}

// inTurn returns one loop after another, either of which may be nil.
func inTurn(first, second elementwise.Each) elementwise.Each {
	switch {
	case first == nil:
		return second
	case second == nil:
		return first
	}
	return &turns{first, second}
}

// turns are two loops, which run block by block over elements that stay in the nearest
// cache.
type turns struct{ first, second elementwise.Each }

// A desk has room for what is between two loops, of whatever type.
type desk [512]float64

var desks = sync.Pool{New: func() any { return new(desk) }}

// Each runs both loops.
func (t *turns) Each(o, x tensor.Memory, to, from, n int) {
	d := desks.Get().(*desk)
	between := tensor.MemoryOf(d[:])
	for done := 0; done < n; done += len(d) {
		some := min(n-done, len(d))
		t.first.Each(between, x, 0, from+done, some)
		t.second.Each(o, between, to+done, 0, some)
	}
	desks.Put(d)
}
