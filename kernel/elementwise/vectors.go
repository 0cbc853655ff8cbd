package elementwise

import "sync"

// Vectors are loops by a function of vectors alone, of which o may be x or y.
type Vectors func(o, x, y []float32)

// VV is the function.
func (f Vectors) VV(o, x, y []float32) { f(o, x, y) }

// VS repeats the number in blocks.
func (f Vectors) VS(o, x []float32, y float32) {
	d := desks.Get().(*desk)
	s := d.fill(y, len(o))
	for len(o) > 0 {
		n := min(len(o), len(s))
		f(o[:n], x[:n], s[:n])
		o, x = o[n:], x[n:]
	}
	desks.Put(d)
}

// SV repeats the number in blocks.
func (f Vectors) SV(o []float32, x float32, y []float32) {
	d := desks.Get().(*desk)
	s := d.fill(x, len(o))
	for len(o) > 0 {
		n := min(len(o), len(s))
		f(o[:n], s[:n], y[:n])
		o, y = o[n:], y[n:]
	}
	desks.Put(d)
}

// By are loops that apply f, of which o may be x, to the second operand in blocks before
// g combines both; g's o may be x or y.
func By(f func(o, x []float32), g func(o, x, y []float32)) Vectors {
	return func(o, x, y []float32) {
		d := desks.Get().(*desk)
		for len(o) > 0 {
			n := min(len(o), len(d.x))
			w := d.x[:n]
			f(w, y[:n])
			g(o[:n], x[:n], w)
			o, x, y = o[n:], x[n:], y[n:]
		}
		desks.Put(d)
	}
}

// A desk has room for a block of elements of two operands, which stays in the nearest
// cache.
type desk struct{ x, y [512]float32 }

var desks = sync.Pool{New: func() any { return new(desk) }}

// fill is as many times v as there is room for and need of.
func (d *desk) fill(v float32, need int) []float32 {
	s := d.x[:min(need, len(d.x))]
	for i := range s {
		s[i] = v
	}
	return s
}
