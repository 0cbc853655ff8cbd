package elementwise

import (
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

// NarrowMap returns the kernel on dt, half or bfloat16, that applies f to every element.
// vector, if it is not nil, does the work of f on vectors.
func NarrowMap(dt tensor.DType, f func(float32) float32, vector func(o, x []float32)) kernel.Kernel {
	if dt == tensor.Half {
		return &Map[tensor.Float16, tensor.Float16]{In: dt, Out: dt, Vector: narrowVector[tensor.Float16](vector),
			F: func(x tensor.Float16) tensor.Float16 { return tensor.ToFloat16(f(x.Float32())) }}
	}
	return &Map[tensor.BFloat16, tensor.BFloat16]{In: dt, Out: dt, Vector: narrowVector[tensor.BFloat16](vector),
		F: func(x tensor.BFloat16) tensor.BFloat16 { return tensor.ToBFloat16(f(x.Float32())) }}
}

// NarrowZip returns the kernel on dt, half or bfloat16, that applies f to the pairs of
// elements of two operands, with broadcasting. loops, if they are not nil, do the work
// of f on vectors.
func NarrowZip(dt tensor.DType, f func(x, y float32) float32, loops Loops[float32, float32]) kernel.Kernel {
	if dt == tensor.Half {
		return &Zip[tensor.Float16, tensor.Float16]{In: dt, Out: dt, F: Half2(f), Loops: narrowly[tensor.Float16](loops)}
	}
	return &Zip[tensor.BFloat16, tensor.BFloat16]{In: dt, Out: dt, F: Bfloat2(f), Loops: narrowly[tensor.BFloat16](loops)}
}

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

// narrowly is loops on half or bfloat16 by those on float32; nil stays nil.
func narrowly[H narrow](loops Loops[float32, float32]) Loops[H, H] {
	if loops == nil {
		return nil
	}
	return narrowLoops[H]{loops}
}

type narrowLoops[H narrow] struct{ wide Loops[float32, float32] }

func (l narrowLoops[H]) VV(o, x, y []H) {
	d := desks.Get().(*desk)
	for len(o) > 0 {
		n := min(len(o), len(d.x))
		v, w := d.x[:n], d.y[:n]
		widen(v, x)
		widen(w, y)
		l.wide.VV(v, v, w)
		round(o[:n], v)
		o, x, y = o[n:], x[n:], y[n:]
	}
	desks.Put(d)
}

func (l narrowLoops[H]) VS(o, x []H, y H) {
	d, s := desks.Get().(*desk), y.Float32()
	for len(o) > 0 {
		n := min(len(o), len(d.x))
		v := d.x[:n]
		widen(v, x)
		l.wide.VS(v, v, s)
		round(o[:n], v)
		o, x = o[n:], x[n:]
	}
	desks.Put(d)
}

func (l narrowLoops[H]) SV(o []H, x H, y []H) {
	d, s := desks.Get().(*desk), x.Float32()
	for len(o) > 0 {
		n := min(len(o), len(d.x))
		v := d.x[:n]
		widen(v, y)
		l.wide.SV(v, s, v)
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
