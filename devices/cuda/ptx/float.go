package ptx

import (
	"math"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/tensor"
)

// rounding is how an instruction rounds: n, z, m or p (to the nearest, towards zero,
// down, up), and what it does before and after.
type rounding struct {
	mode       byte
	approx     bool
	flush, sat bool
	ok         bool
}

func roundingOf(mods []string) rounding {
	r := rounding{mode: 'n', ok: true}
	for _, m := range mods {
		switch m {
		case "rn", "rz", "rm", "rp":
			r.mode = m[1]
		case "approx", "full":
			r.approx = true
		case "ftz":
			r.flush = true
		case "sat":
			r.sat = true
		default:
			r.ok = false
		}
	}
	return r
}

func f32(a uint64) float32     { return math.Float32frombits(uint32(a)) }
func bits32(f float32) uint64  { return uint64(math.Float32bits(f)) }
func f64(a uint64) float64     { return math.Float64frombits(a) }
func bits64(f float64) uint64  { return math.Float64bits(f) }
func tiny(f float32) bool      { return f != 0 && f > -0x1p-126 && f < 0x1p-126 }
func zeroed(a uint64) uint64   { return a & (1 << 31) }
func flushed(a uint64) uint64  { return uint64(uint32(a)) }
func isFloat(kind string) bool { return strings.HasPrefix(kind, "f") }

// float32s returns the lane of an operation on floats; nil if it is not known.
func float32s(name string, mods []string) lane {
	r := roundingOf(mods)
	if !r.ok {
		return nil
	}
	var do lane
	switch name {
	case "add":
		do = func(a, b, _ uint64) uint64 { return bits32(f32(a) + f32(b)) }
	case "sub":
		do = func(a, b, _ uint64) uint64 { return bits32(f32(a) - f32(b)) }
	case "mul":
		do = func(a, b, _ uint64) uint64 { return bits32(f32(a) * f32(b)) }
	case "fma", "mad":
		do = func(a, b, c uint64) uint64 { return bits32(fused(f32(a), f32(b), f32(c), 'n')) }
	case "div":
		do = func(a, b, _ uint64) uint64 { return bits32(f32(a) / f32(b)) }
	case "rcp":
		do = func(a, _, _ uint64) uint64 { return bits32(1 / f32(a)) }
	case "sqrt":
		do = through(math.Sqrt)
	case "min":
		do = func(a, b, _ uint64) uint64 { return bits32(float32(smaller(float64(f32(a)), float64(f32(b))))) }
	case "max":
		do = func(a, b, _ uint64) uint64 { return bits32(float32(-smaller(-float64(f32(a)), -float64(f32(b))))) }
	case "abs":
		do = func(a, _, _ uint64) uint64 { return a & math.MaxInt32 }
	case "neg":
		do = func(a, _, _ uint64) uint64 { return a&math.MaxUint32 ^ 1<<31 }
	case "copysign": // of the first operand, to the second
		do = func(a, b, _ uint64) uint64 { return b&math.MaxInt32 | a&(1<<31) }
	}
	if do == nil && r.approx {
		switch name {
		case "rsqrt":
			do = through(func(x float64) float64 { return 1 / math.Sqrt(x) })
		case "ex2":
			do = through(math.Exp2)
		case "lg2":
			do = through(math.Log2)
		case "sin":
			do = through(math.Sin)
		case "cos":
			do = through(math.Cos)
		case "tanh":
			do = through(math.Tanh)
		}
	}
	if r.mode != 'n' {
		mode := r.mode
		switch name {
		case "add":
			do = func(a, b, _ uint64) uint64 { return bits32(fused(1, f32(a), f32(b), mode)) }
		case "sub":
			do = func(a, b, _ uint64) uint64 { return bits32(fused(1, f32(a), -f32(b), mode)) }
		case "mul":
			do = func(a, b, _ uint64) uint64 { return bits32(rounded(float64(f32(a))*float64(f32(b)), 0, mode)) }
		case "fma":
			do = func(a, b, c uint64) uint64 { return bits32(fused(f32(a), f32(b), f32(c), mode)) }
		default:
			return nil
		}
	}
	if do != nil && r.flush {
		inner := do
		flush := func(a uint64) uint64 {
			if tiny(f32(a)) {
				return zeroed(a)
			}
			return a
		}
		do = func(a, b, c uint64) uint64 { return flush(inner(flush(a), flush(b), flush(c))) }
	}
	if do != nil && r.sat {
		inner := do
		do = func(a, b, c uint64) uint64 { return bits32(saturated(f32(inner(a, b, c)))) }
	}
	return do
}

// float64s returns the same of doubles.
func float64s(name string, mods []string) lane {
	r := roundingOf(mods)
	if !r.ok || r.mode != 'n' || r.sat {
		return nil
	}
	switch name {
	case "add":
		return func(a, b, _ uint64) uint64 { return bits64(f64(a) + f64(b)) }
	case "sub":
		return func(a, b, _ uint64) uint64 { return bits64(f64(a) - f64(b)) }
	case "mul":
		return func(a, b, _ uint64) uint64 { return bits64(f64(a) * f64(b)) }
	case "fma", "mad":
		return func(a, b, c uint64) uint64 { return bits64(math.FMA(f64(a), f64(b), f64(c))) }
	case "div":
		return func(a, b, _ uint64) uint64 { return bits64(f64(a) / f64(b)) }
	case "sqrt":
		return func(a, _, _ uint64) uint64 { return bits64(math.Sqrt(f64(a))) }
	case "rcp":
		if r.approx { // 20 bits are promised
			return func(a, _, _ uint64) uint64 { return bits64(1/f64(a)) &^ math.MaxUint32 }
		}
		return func(a, _, _ uint64) uint64 { return bits64(1 / f64(a)) }
	case "rsqrt":
		return func(a, _, _ uint64) uint64 { return bits64(1/math.Sqrt(f64(a))) &^ math.MaxUint32 }
	case "min":
		return func(a, b, _ uint64) uint64 { return bits64(smaller(f64(a), f64(b))) }
	case "max":
		return func(a, b, _ uint64) uint64 { return bits64(-smaller(-f64(a), -f64(b))) }
	case "abs":
		return func(a, _, _ uint64) uint64 { return a & math.MaxInt64 }
	case "neg":
		return func(a, _, _ uint64) uint64 { return a ^ 1<<63 }
	case "copysign":
		return func(a, b, _ uint64) uint64 { return b&math.MaxInt64 | a&(1<<63) }
	}
	return nil
}

// through computes in double.
func through(f func(float64) float64) lane {
	return func(a, _, _ uint64) uint64 { return bits32(float32(f(float64(f32(a))))) }
}

// smaller returns the smaller of two numbers; one that is no number does not count.
func smaller(a, b float64) float64 {
	switch {
	case a != a:
		return b
	case b != b:
		return a
	}
	return math.Min(a, b)
}

func saturated(f float32) float32 {
	switch {
	case f >= 1:
		return 1
	case f > 0:
		return f
	}
	return 0 // also of what is no number
}

// fused is a·b + c, rounded once. The product is exact in double; the sum's error is
// found, and the sum made odd where it is not exact, so that rounding it again rounds
// the exact sum.
func fused(a, b, c float32, mode byte) float32 {
	p, q := float64(a)*float64(b), float64(c)
	s := p + q
	if s-s != 0 {
		return float32(s)
	}
	back := s - p
	err := (p - (s - back)) + (q - back)
	return rounded(s, err, mode)
}

// rounded is s + err as a float, where s is the sum to the nearest double.
func rounded(s, err float64, mode byte) float32 {
	if mode == 'n' {
		if err != 0 {
			if b := math.Float64bits(s); b&1 == 0 {
				if err > 0 == (s > 0) {
					s = math.Float64frombits(b + 1)
				} else {
					s = math.Float64frombits(b - 1)
				}
			}
		}
		return float32(s)
	}
	f := float32(s)
	if s != s || math.IsInf(s, 0) {
		return f
	}
	above := float64(f) - s // sign of f minus the exact sum
	if above == 0 {
		above = -err
	}
	switch {
	case above > 0 && (mode == 'm' || mode == 'z' && f > 0):
		return math.Nextafter32(f, float32(math.Inf(-1)))
	case above < 0 && (mode == 'p' || mode == 'z' && f < 0):
		return math.Nextafter32(f, float32(math.Inf(1)))
	}
	return f
}

// conversion returns the lane of cvt; nil if it is not known.
func conversion(to, from string, mods []string) lane {
	mode, integers, sat := byte('n'), false, false
	for _, m := range mods {
		switch m {
		case "rn", "rz", "rm", "rp":
			mode = m[1]
		case "rni", "rzi", "rmi", "rpi":
			mode, integers = m[1], true
		case "sat":
			sat = true
		case "ftz":
		default:
			return nil
		}
	}
	whole := func(x float64) float64 {
		switch mode {
		case 'z':
			return math.Trunc(x)
		case 'm':
			return math.Floor(x)
		case 'p':
			return math.Ceil(x)
		}
		return math.RoundToEven(x)
	}
	of := f64
	if from == "f32" {
		of = func(a uint64) float64 { return float64(f32(a)) }
	}
	switch {
	case isFloat(from) && isFloat(to):
		if from == "f16" && to == "f32" && len(mods) == 0 {
			return func(a, _, _ uint64) uint64 { return bits32(tensor.Float16(a).Float32()) }
		}
		if from == "f32" && to == "f16" && slices.Equal(mods, []string{"rn"}) {
			return func(a, _, _ uint64) uint64 {
				x := f32(a)
				if x != x {
					return 0x7fff
				}
				return uint64(tensor.ToFloat16(x))
			}
		}
		if from == "f16" || to == "f16" {
			return nil
		}
		return func(a, _, _ uint64) uint64 {
			x := of(a)
			if integers {
				x = whole(x)
			}
			if to == "f64" {
				return bits64(x)
			}
			f := rounded(x, 0, mode)
			if sat {
				f = saturated(f)
			}
			return bits32(f)
		}
	case isFloat(from):
		width := uint(8 * sizes[to])
		signed := strings.HasPrefix(to, "s")
		wide := from == "f64" || width == 64
		return func(a, _, _ uint64) uint64 { return clamped(whole(of(a)), width, signed, wide) }
	case isFloat(to):
		source := extended(from)
		signed := strings.HasPrefix(from, "s")
		if mode != 'n' {
			return nil
		}
		return func(a, _, _ uint64) uint64 {
			x := source(a, 0, 0)
			switch {
			case to == "f32" && signed:
				return bits32(float32(int64(x)))
			case to == "f32":
				return bits32(float32(x))
			case signed:
				return bits64(float64(int64(x)))
			}
			return bits64(float64(x))
		}
	case sat:
		return nil
	}
	return extended(from)
}

// extended returns an integer of a type as one of 64 bits.
func extended(from string) lane {
	switch from {
	case "s8":
		return func(a, _, _ uint64) uint64 { return uint64(int8(a)) }
	case "s16":
		return func(a, _, _ uint64) uint64 { return uint64(int16(a)) }
	case "s32":
		return func(a, _, _ uint64) uint64 { return uint64(int32(a)) }
	case "u8", "b8":
		return func(a, _, _ uint64) uint64 { return uint64(uint8(a)) }
	case "u16", "b16":
		return func(a, _, _ uint64) uint64 { return uint64(uint16(a)) }
	case "u32", "b32":
		return flushed32
	}
	return func(a, _, _ uint64) uint64 { return a }
}

func flushed32(a, _, _ uint64) uint64 { return flushed(a) }

// clamped returns a whole number as an integer, or the next that there is.
func clamped(x float64, width uint, signed, wide bool) uint64 {
	if x != x {
		if wide {
			return 1 << (width - 1)
		}
		return 0
	}
	low, high := 0.0, math.Ldexp(1, int(width))
	if signed {
		low, high = -math.Ldexp(1, int(width)-1), math.Ldexp(1, int(width)-1)
	}
	switch {
	case x < low:
		if signed {
			return ^uint64(0) << (width - 1)
		}
		return 0
	case x >= high:
		if signed {
			return 1<<(width-1) - 1
		}
		return ^uint64(0) >> (64 - width)
	case signed:
		return uint64(int64(x))
	}
	return uint64(x)
}
