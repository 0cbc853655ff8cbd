package random

import (
	"math"
	"math/bits"
	"slices"

	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/philox"
	"github.com/troupe-go/troupe/tensor"
)

// A distribution draws elements in groups: what one value of the generator's
// counter gives, or, where draws may be rejected, what the next 64 numbers for
// each element give at most.
type distribution[T any] struct {
	group int // elements, at most 4
	draw  func(g *philox.Generator, o *[4]T)
	// many, if it is not nil, draws many groups at a time. What it draws may differ from draw's
	// in the last bits, so a distribution that has it is filled by it alone.
	many func(g *philox.Generator, o []T)
	// reject, if it is not nil, takes draw's place.
	reject func(s *philox.Single, o *[4]T)
}

// reserved is how many numbers TensorFlow keeps for an element.
const reserved = 256

// grain is the number of groups that a worker draws at a time.
const grain = 1 << 12

// fill draws the elements of o; the generator begins at g.
func (d *distribution[T]) fill(ctx *kernel.Context, o []T, g philox.Generator) error {
	groups := (len(o) + d.group - 1) / d.group
	ctx.Parallel(groups, grain, func(lo, hi int) {
		if ctx.Err() == nil {
			d.groups(lo, o[lo*d.group:min(hi*d.group, len(o))], g)
		}
	})
	return ctx.Err()
}

// groups draws consecutive groups, from group first on.
func (d *distribution[T]) groups(first int, o []T, g philox.Generator) {
	var drawn [4]T
	g.Skip(uint64(first) * d.step())
	if whole := len(o) / d.group * d.group; d.many != nil {
		d.many(&g, o[:whole])
		if o = o[whole:]; len(o) > 0 {
			d.many(&g, drawn[:])
			copy(o, drawn[:])
		}
		return
	}
	for len(o) > 0 {
		if d.reject != nil {
			d.reject(philox.NewSingle(g), &drawn)
			g.Skip(d.step())
		} else {
			d.draw(&g, &drawn)
		}
		n := min(d.group, len(o))
		copy(o[:n], drawn[:])
		o = o[n:]
	}
}

// step returns how far the counters of two groups are apart.
func (d *distribution[T]) step() uint64 {
	if d.reject != nil {
		return uint64(d.group) * reserved / 4
	}
	return 1
}

// The conversions below put random bits into the mantissa of a number in
// [1, 2) and subtract 1.

func unit32(x uint32) float32 { return math.Float32frombits(127<<23|x&0x7fffff) - 1 }

func unit64(x0, x1 uint32) float64 {
	return math.Float64frombits(1023<<52|uint64(x0&0xfffff)<<32|uint64(x1)) - 1
}

func unitHalf(x uint32) tensor.Float16 {
	return tensor.ToFloat16(tensor.Float16(15<<10|x&0x3ff).Float32() - 1)
}

func unitBfloat(x uint32) tensor.BFloat16 {
	return tensor.ToBFloat16(tensor.BFloat16(127<<7|x&0x7f).Float32() - 1)
}

// least is what the logarithms of the normal distribution see at least.
const least = 1.0e-7

// boxMuller32 makes two normal numbers of two uniform ones (G. Box and
// M. Muller, 1958).
func boxMuller32(x0, x1 uint32) (float32, float32) {
	u := max(unit32(x0), least)
	v := float32(2*math.Pi) * unit32(x1)
	r := float32(math.Sqrt(float64(-2 * float32(math.Log(float64(u))))))
	sin, cos := math.Sincos(float64(v))
	return float32(sin) * r, float32(cos) * r
}

func boxMuller64(x0, x1, x2, x3 uint32) (float64, float64) {
	u := max(unit64(x0, x1), least)
	sin, cos := math.Sincos(2 * math.Pi * unit64(x2, x3))
	r := math.Sqrt(-2 * vec.LogFloat64(u))
	return sin * r, cos * r
}

// numbers are some of a generator's, a multiple of four.
type numbers [512]uint32

var uniform32 = distribution[float32]{group: 4, draw: func(g *philox.Generator, o *[4]float32) {
	x := g.Next()
	o[0], o[1], o[2], o[3] = unit32(x[0]), unit32(x[1]), unit32(x[2]), unit32(x[3])
}, many: func(g *philox.Generator, o []float32) {
	var x numbers
	for len(o) > 0 {
		n := min(len(o), len(x))
		g.Fill(x[:n])
		for i, x := range x[:n] {
			o[i] = unit32(x)
		}
		o = o[n:]
	}
}}

var uniform64 = distribution[float64]{group: 2, draw: func(g *philox.Generator, o *[4]float64) {
	x := g.Next()
	o[0], o[1] = unit64(x[0], x[1]), unit64(x[2], x[3])
}, many: func(g *philox.Generator, o []float64) { eachPair(g, o, unit64) }}

// eachPair sets the elements of o to f of two numbers each.
func eachPair[T any](g *philox.Generator, o []T, f func(x0, x1 uint32) T) {
	var x numbers
	for len(o) > 0 {
		n := min(len(o), len(x)/2)
		g.Fill(x[:2*n])
		for i := range o[:n] {
			o[i] = f(x[2*i], x[2*i+1])
		}
		o = o[n:]
	}
}

var uniformHalf = distribution[tensor.Float16]{group: 4, draw: func(g *philox.Generator, o *[4]tensor.Float16) {
	for i, x := range g.Next() {
		o[i] = unitHalf(x)
	}
}}

var uniformBfloat = distribution[tensor.BFloat16]{group: 4, draw: func(g *philox.Generator, o *[4]tensor.BFloat16) {
	for i, x := range g.Next() {
		o[i] = unitBfloat(x)
	}
}}

var normal32 = distribution[float32]{group: 4, draw: func(g *philox.Generator, o *[4]float32) {
	x := g.Next()
	o[0], o[1] = boxMuller32(x[0], x[1])
	o[2], o[3] = boxMuller32(x[2], x[3])
}, many: manyNormal32}

// manyNormal32 is boxMuller32 by vectors.
func manyNormal32(g *philox.Generator, o []float32) {
	var p polar
	var x numbers
	for len(o) > 0 {
		n := min(len(o), len(x))
		g.Fill(x[:n])
		for i := 0; i < n/2; i += 2 {
			p.set(i, [4]uint32(x[2*i:]))
		}
		p.normal(o[:n])
		o = o[n:]
	}
}

// A polar has pairs of uniform numbers, of which normal ones are made.
type polar struct{ radius, angle, sin [256]float32 }

// set sets pairs i and i+1.
func (p *polar) set(i int, x [4]uint32) {
	p.radius[i], p.angle[i], p.radius[i+1], p.angle[i+1] = unit32(x[0]), unit32(x[1]), unit32(x[2]), unit32(x[3])
}

// normal sets o to two numbers of each of the first pairs.
func (p *polar) normal(o []float32) {
	n := len(o) / 2
	r, a, s := p.radius[:n], p.angle[:n], p.sin[:n]
	vec.MaxScalar(r, r, least)
	vec.Log(r, r)
	vec.MulScalar(r, r, -2)
	vec.Sqrt(r, r)
	vec.MulScalar(a, a, 2*math.Pi)
	vec.Sin(s, a)
	vec.Cos(a, a)
	for i, r := range r {
		o[2*i], o[2*i+1] = s[i]*r, a[i]*r
	}
}

var normal64 = distribution[float64]{group: 2, draw: func(g *philox.Generator, o *[4]float64) {
	x := g.Next()
	o[0], o[1] = boxMuller64(x[0], x[1], x[2], x[3])
}, many: manyNormal64}

// manyNormal64 is boxMuller64 by vectors, with the same bits.
func manyNormal64(g *philox.Generator, o []float64) {
	var x numbers
	var radius [len(x) / 4]float64
	for len(o) > 0 {
		n := min(len(o), len(x)/2)
		g.Fill(x[:2*n])
		r := radius[:n/2]
		for i := range r {
			r[i] = max(unit64(x[4*i], x[4*i+1]), least)
		}
		vec.LogFloat64s(r, r)
		for i, log := range r {
			sin, cos := math.Sincos(2 * math.Pi * unit64(x[4*i+2], x[4*i+3]))
			r := math.Sqrt(-2 * log)
			o[2*i], o[2*i+1] = sin*r, cos*r
		}
		o = o[n:]
	}
}

// cut is where the truncated normal distribution ends, in deviations.
const cut = 2

var truncated32 = distribution[float32]{group: 4, reject: rejectTruncated32, many: func(g *philox.Generator, o []float32) {
	var p polar
	const step = 4 * reserved / 4 // of the counter, from group to group
	for len(o) > 0 {
		n := min(len(o), 2*len(p.radius))
		begin := *g
		for i := 0; i < n/2; i += 2 {
			at := *g
			p.set(i, at.Next())
			g.Skip(step)
		}
		p.normal(o[:n])
		for i := 0; i < n; i += 4 {
			if group := (*[4]float32)(o[i:]); slices.ContainsFunc(group[:], func(x float32) bool { return !(x > -cut && x < cut) }) {
				at := begin
				at.Skip(uint64(i) / 4 * step)
				rejectTruncated32(philox.NewSingle(at), group)
			}
		}
		o = o[n:]
	}
}}

// rejectTruncated32 draws until four numbers are within the cut.
func rejectTruncated32(s *philox.Single, o *[4]float32) {
	for i := 0; ; {
		x0, x1 := s.One(), s.One()
		y0, y1 := boxMuller32(x0, x1)
		for _, y := range [2]float32{y0, y1} {
			if y > -cut && y < cut {
				o[i] = y
				if i++; i == 4 {
					return
				}
			}
		}
	}
}

var truncated64 = distribution[float64]{group: 2, reject: func(s *philox.Single, o *[4]float64) {
	for i := 0; ; {
		x0, x1, x2, x3 := s.One(), s.One(), s.One(), s.One()
		y0, y1 := boxMuller64(x0, x1, x2, x3)
		for _, y := range [2]float64{y0, y1} {
			if y > -cut && y < cut {
				o[i] = y
				if i++; i == 2 {
					return
				}
			}
		}
	}
}}

// narrowed rounds the elements that d draws.
//
//go:noinline
func narrowed[T any](d distribution[float32], round func(float32) T) distribution[T] {
	n := distribution[T]{group: d.group}
	convert := func(wide [4]float32, o *[4]T) {
		for i := range d.group {
			o[i] = round(wide[i])
		}
	}
	if d.reject != nil {
		n.reject = func(s *philox.Single, o *[4]T) {
			var wide [4]float32
			d.reject(s, &wide)
			convert(wide, o)
		}
		return n
	}
	n.draw = func(g *philox.Generator, o *[4]T) {
		var wide [4]float32
		d.draw(g, &wide)
		convert(wide, o)
	}
	return n
}

// between draws integers from lo on; span is how many, 0 for all.
//
//go:noinline
func between[T int32 | uint32](lo T, span uint32) distribution[T] {
	var fraction uint64
	if span != 0 {
		fraction = math.MaxUint64/uint64(span) + 1
	}
	return distribution[T]{group: 4, many: func(g *philox.Generator, o []T) {
		var x numbers
		for len(o) > 0 {
			n := min(len(o), len(x))
			g.Fill(x[:n])
			for i, x := range x[:n] {
				if span != 0 {
					x = remainder(x, span, fraction)
				}
				o[i] = lo + T(x)
			}
			o = o[n:]
		}
	}}
}

// remainder is x % n, where the fraction is 2⁶⁴/n, rounded up: D. Lemire, O. Kaser and
// N. Kurz, Faster remainder by direct computation, 2019.
func remainder(x, n uint32, fraction uint64) uint32 {
	r, _ := bits.Mul64(fraction*uint64(x), uint64(n))
	return uint32(r)
}

//go:noinline
func between64[T int64 | uint64](lo T, span uint64) distribution[T] {
	return distribution[T]{group: 2, many: func(g *philox.Generator, o []T) {
		eachPair(g, o, func(x0, x1 uint32) T {
			y := uint64(x0) | uint64(x1)<<32
			if span != 0 {
				y %= span
			}
			return lo + T(y)
		})
	}}
}
