package elementwise

import (
	"sync"

	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/tensor"
)

// The 16-bit floating-point types compute in float32; a numeric result is rounded.

// Half2 is f on half.
func Half2(f func(x, y float32) float32) func(x, y tensor.Float16) tensor.Float16 {
	return func(x, y tensor.Float16) tensor.Float16 {
		return tensor.ToFloat16(f(x.Float32(), y.Float32()))
	}
}

// Bfloat2 is f on bfloat16.
func Bfloat2(f func(x, y float32) float32) func(x, y tensor.BFloat16) tensor.BFloat16 {
	return func(x, y tensor.BFloat16) tensor.BFloat16 {
		return tensor.ToBFloat16(f(x.Float32(), y.Float32()))
	}
}

type narrow interface {
	tensor.Float16 | tensor.BFloat16
	Float32() float32
}

// Test1 is f on half or bfloat16.
func Test1[T narrow](f func(float32) bool) func(T) bool {
	return func(x T) bool { return f(x.Float32()) }
}

// Test2 is f on half or bfloat16.
func Test2[T narrow](f func(x, y float32) bool) func(x, y T) bool {
	return func(x, y T) bool { return f(x.Float32(), y.Float32()) }
}

// NarrowMap is the kernel on dt, half or bfloat16, that applies f to every element.
// vector, if it is not nil, does the work of f on vectors.
func NarrowMap(dt tensor.DType, f func(float32) float32, vector func(o, x []float32)) kernel.Kernel {
	if dt == tensor.Half {
		return &Map[tensor.Float16, tensor.Float16]{In: dt, Out: dt, Vector: narrowVector[tensor.Float16](vector),
			F: func(x tensor.Float16) tensor.Float16 { return tensor.ToFloat16(f(x.Float32())) }}
	}
	return &Map[tensor.BFloat16, tensor.BFloat16]{In: dt, Out: dt, Vector: narrowVector[tensor.BFloat16](vector),
		F: func(x tensor.BFloat16) tensor.BFloat16 { return tensor.ToBFloat16(f(x.Float32())) }}
}

// NarrowZip is the kernel on dt, half or bfloat16, that applies f to the pairs of
// elements of two operands, with broadcasting. loops, if they are not nil, do the work
// of f on vectors.
func NarrowZip(dt tensor.DType, f func(x, y float32) float32, loops Loops[float32, float32]) kernel.Kernel {
	if dt == tensor.Half {
		z := &Zip[tensor.Float16, tensor.Float16]{In: dt, Out: dt, F: Half2(f)}
		if loops == nil {
			return z
		}
		return &narrowZip[tensor.Float16]{z, loops}
	}
	z := &Zip[tensor.BFloat16, tensor.BFloat16]{In: dt, Out: dt, F: Bfloat2(f)}
	if loops == nil {
		return z
	}
	return &narrowZip[tensor.BFloat16]{z, loops}
}

// A desk has room for a block of elements and what they are computed from, which stays in
// the nearest cache.
type desk struct{ x, y [512]float32 }

var desks = sync.Pool{New: func() any { return new(desk) }}

// narrowVector does the work of vector on half or bfloat16, block by block.
func narrowVector[H narrow](vector func(o, x []float32)) func(o, x []H) {
	if vector == nil {
		return nil
	}
	return func(o, x []H) {
		d := desks.Get().(*desk)
		for len(o) > 0 {
			n := min(len(o), len(d.x))
			w := d.x[:n]
			widen(w, x)
			vector(w, w)
			round(o[:n], w)
			o, x = o[n:], x[n:]
		}
		desks.Put(d)
	}
}

// A narrowZip is a Zip whose loops are those of float32.
type narrowZip[H narrow] struct {
	scalar *Zip[H, H]
	loops  Loops[float32, float32]
}

func (z *narrowZip[H]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	if in[0].Inside(z.scalar.In) && in[1].Inside(z.scalar.In) {
		return z.scalar.Run(ctx, in, out)
	}
	return Binary(ctx, in, out, z.scalar.Out, z, nil)
}

func (z *narrowZip[H]) VV(o, x, y []H) {
	d := desks.Get().(*desk)
	for len(o) > 0 {
		n := min(len(o), len(d.x))
		v, w := d.x[:n], d.y[:n]
		widen(v, x)
		widen(w, y)
		z.loops.VV(v, v, w)
		round(o[:n], v)
		o, x, y = o[n:], x[n:], y[n:]
	}
	desks.Put(d)
}

func (z *narrowZip[H]) VS(o, x []H, y H) {
	d, s := desks.Get().(*desk), y.Float32()
	for len(o) > 0 {
		n := min(len(o), len(d.x))
		v := d.x[:n]
		widen(v, x)
		z.loops.VS(v, v, s)
		round(o[:n], v)
		o, x = o[n:], x[n:]
	}
	desks.Put(d)
}

func (z *narrowZip[H]) SV(o []H, x H, y []H) {
	d, s := desks.Get().(*desk), x.Float32()
	for len(o) > 0 {
		n := min(len(o), len(d.x))
		v := d.x[:n]
		widen(v, y)
		z.loops.SV(v, s, v)
		round(o[:n], v)
		o, y = o[n:], y[n:]
	}
	desks.Put(d)
}

// FromNarrow sets x to as many elements of v, of half or bfloat16, from a place on.
func FromNarrow(x []float32, v *tensor.Value, at int) {
	if v.DType() == tensor.Half {
		vec.WidenHalf(x, tensor.Of[tensor.Float16](v)[at:])
	} else {
		vec.WidenBfloat(x, tensor.Of[tensor.BFloat16](v)[at:])
	}
}

// ToNarrow sets elements of v, of half or bfloat16, from a place on to x, rounded.
func ToNarrow(v *tensor.Value, at int, x []float32) {
	if v.DType() == tensor.Half {
		vec.NarrowHalf(tensor.Of[tensor.Float16](v)[at:][:len(x)], x)
	} else {
		vec.NarrowBfloat(tensor.Of[tensor.BFloat16](v)[at:][:len(x)], x)
	}
}

// widen sets o to as many elements of x.
func widen[H narrow](o []float32, x []H) {
	switch x := any(x).(type) {
	case []tensor.Float16:
		vec.WidenHalf(o, x)
	case []tensor.BFloat16:
		vec.WidenBfloat(o, x)
	}
}

// round sets o to x, rounded.
func round[H narrow](o []H, x []float32) {
	switch o := any(o).(type) {
	case []tensor.Float16:
		vec.NarrowHalf(o, x)
	case []tensor.BFloat16:
		vec.NarrowBfloat(o, x)
	}
}
