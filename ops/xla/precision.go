package xla

import (
	"math"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("XlaReducePrecision").
		Input("operand: T").Output("output: T").
		Attr("T: {bfloat16, half, float, double}").
		Attr("exponent_bits: int").
		Attr("mantissa_bits: int").
		Doc(`Rounds numbers to a format of fewer bits, and keeps them in their type.

exponent_bits: The bits of that format's exponent, at least 1.
mantissa_bits: The bits of its fraction.`)

	shape.Register(shape.Unchanged, "XlaReducePrecision")
	kernel.Register(kernel.Registration{Op: "XlaReducePrecision", Types: map[string][]tensor.DType{"T": elementwise.Floats}, New: newReducePrecision})
}

func newReducePrecision(c *kernel.Construction) (kernel.Kernel, error) {
	e, m := c.Int("exponent_bits"), c.Int("mantissa_bits")
	if e < 1 || e > math.MaxInt32 {
		return nil, c.Errorf("exponent_bits must be at least 1, got %d", e)
	}
	if m < 0 || m > math.MaxInt32 {
		return nil, c.Errorf("mantissa_bits must not be negative, got %d", m)
	}
	f := func(own format) func(float64) float64 {
		to := format{min(int(e), own.exponent), min(int(m), own.mantissa)}
		return func(x float64) float64 { return to.round(x, own) }
	}
	dt := c.Type("T")
	narrow := func(own format) func(float32) float32 {
		g := f(own)
		return func(x float32) float32 { return float32(g(float64(x))) }
	}
	switch dt {
	case tensor.Half:
		return elementwise.NarrowMap(dt, narrow(format{5, 10}), nil), nil
	case tensor.Bfloat16:
		return elementwise.NarrowMap(dt, narrow(format{8, 7}), nil), nil
	case tensor.Float:
		return &elementwise.Map[float32, float32]{In: dt, Out: dt, F: narrow(format{8, 23})}, nil
	default:
		return &elementwise.Map[float64, float64]{In: dt, Out: dt, F: f(format{11, 52})}, nil
	}
}

// A format is how many bits exponents and fractions of numbers have.
type format struct{ exponent, mantissa int }

// round is x, a number of format own, rounded to even in format f: numbers below
// its smallest normal one become zeros, those above its largest infinite. Without a
// fraction, even is the last bit of the exponent as own stores it.
func (f format) round(x float64, own format) float64 {
	if x == 0 || x-x != 0 {
		return x
	}
	fraction, exponent := math.Frexp(x)
	// A number with f's fraction has f.mantissa+1 digits. Subnormal numbers of x's
	// own format are rounded in the digits of the format, not from their first one.
	lowest := 2 - 1<<(own.exponent-1) // exponent of own's smallest normal number
	unit := max(exponent-1, lowest) - f.mantissa
	if exponent-1 < lowest || f.mantissa < own.mantissa {
		fraction = math.Ldexp(fraction, exponent-unit)
		if stored := exponent - 1 + 1<<(own.exponent-1) - 1; f.mantissa == 0 && math.Abs(fraction) == 1.5 && stored&1 == 0 {
			fraction = math.Copysign(1, fraction)
		} else {
			fraction = math.RoundToEven(fraction)
		}
		x = math.Ldexp(fraction, unit)
	}
	if f.exponent < own.exponent {
		bias := 1<<(f.exponent-1) - 1
		switch _, e := math.Frexp(x); {
		case x != 0 && e-1 > bias:
			return math.Copysign(math.Inf(1), x)
		case x == 0 || e-1 < 1-bias:
			return math.Copysign(0, x)
		}
	}
	return x
}
