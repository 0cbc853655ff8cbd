package ptx

import (
	"math"
	"math/bits"
	"slices"
)

type integral interface {
	~uint8 | ~uint16 | ~uint32 | ~uint64 | ~int8 | ~int16 | ~int32 | ~int64
}

// arithmetic returns the lane of an operation on numbers of a type; nil if it is not known.
func arithmetic(name, kind string, mods []string) lane {
	switch kind {
	case "u8", "b8":
		return integer[uint8](name, mods)
	case "s8":
		return integer[int8](name, mods)
	case "u16", "b16":
		return integer[uint16](name, mods)
	case "s16":
		return integer[int16](name, mods)
	case "u32", "b32":
		return integer[uint32](name, mods)
	case "s32":
		return integer[int32](name, mods)
	case "u64", "b64":
		return integer[uint64](name, mods)
	case "s64":
		return integer[int64](name, mods)
	case "pred":
		switch name {
		case "not":
			return func(a, _, _ uint64) uint64 { return a ^ 1 }
		case "and", "or", "xor":
			return integer[uint64](name, mods)
		}
	case "f32":
		return float32s(name, mods)
	case "f64":
		return float64s(name, mods)
	}
	return nil
}

// widthOf returns the bits of a type.
func widthOf[T integral]() uint64 {
	n := uint64(0)
	for x := T(1); x != 0; x <<= 1 {
		n++
	}
	return n
}

func integer[T integral](name string, mods []string) lane {
	width := widthOf[T]()
	mask := ^uint64(0) >> (64 - width)
	only := func(allowed ...string) bool {
		return !slices.ContainsFunc(mods, func(m string) bool { return !slices.Contains(allowed, m) })
	}
	switch name {
	case "mul", "mad":
		return product[T](name == "mad", mods)
	}
	if !only() {
		return nil
	}
	switch name {
	case "add":
		return func(a, b, _ uint64) uint64 { return uint64(T(a) + T(b)) }
	case "sub":
		return func(a, b, _ uint64) uint64 { return uint64(T(a) - T(b)) }
	case "div": // by zero: anything
		return func(a, b, _ uint64) uint64 {
			if T(b) == 0 {
				return ^uint64(0)
			}
			return uint64(T(a) / T(b))
		}
	case "rem":
		return func(a, b, _ uint64) uint64 {
			if T(b) == 0 {
				return ^uint64(0)
			}
			return uint64(T(a) % T(b))
		}
	case "min":
		return func(a, b, _ uint64) uint64 { return uint64(min(T(a), T(b))) }
	case "max":
		return func(a, b, _ uint64) uint64 { return uint64(max(T(a), T(b))) }
	case "neg":
		return func(a, _, _ uint64) uint64 { return uint64(-T(a)) }
	case "abs":
		return func(a, _, _ uint64) uint64 { return uint64(max(T(a), -T(a))) }
	case "and":
		return func(a, b, _ uint64) uint64 { return a & b }
	case "or":
		return func(a, b, _ uint64) uint64 { return a | b }
	case "xor":
		return func(a, b, _ uint64) uint64 { return a ^ b }
	case "not":
		return func(a, _, _ uint64) uint64 { return ^a }
	case "cnot":
		return func(a, _, _ uint64) uint64 {
			if T(a) == 0 {
				return 1
			}
			return 0
		}
	case "shl":
		return func(a, b, _ uint64) uint64 { return uint64(T(a) << uint32(b)) }
	case "shr":
		return func(a, b, _ uint64) uint64 { return uint64(T(a) >> uint32(b)) }
	case "popc":
		return func(a, _, _ uint64) uint64 { return uint64(bits.OnesCount64(a & mask)) }
	case "clz":
		return func(a, _, _ uint64) uint64 { return uint64(bits.LeadingZeros64(a&mask)) - (64 - width) }
	case "brev":
		return func(a, _, _ uint64) uint64 { return bits.Reverse64(a) >> (64 - width) }
	case "bfe":
		return func(a, b, c uint64) uint64 {
			at, n := b&255, c&255
			if n == 0 || at >= width {
				if n > 0 && T(a) < 0 {
					return ^uint64(0)
				}
				return 0
			}
			n = min(n, width-at) // beyond, there is the sign, or zero
			return uint64(T(a) << (width - at - n) >> (width - n))
		}
	}
	return nil
}

// product returns the lane of mul or mad: the low half, the high one, or the whole.
func product[T integral](add bool, mods []string) lane {
	if len(mods) != 1 {
		return nil
	}
	var half lane
	switch mods[0] {
	case "lo":
		if add {
			return func(a, b, c uint64) uint64 { return uint64(T(a)*T(b) + T(c)) }
		}
		return func(a, b, _ uint64) uint64 { return uint64(T(a) * T(b)) }
	case "wide": // a conversion to uint64 extends the sign
		if widthOf[T]() == 64 {
			return nil
		}
		if add {
			return func(a, b, c uint64) uint64 { return uint64(T(a))*uint64(T(b)) + c }
		}
		return func(a, b, _ uint64) uint64 { return uint64(T(a)) * uint64(T(b)) }
	case "hi":
		width := widthOf[T]()
		half = func(a, b, _ uint64) uint64 { return uint64(T(a)) * uint64(T(b)) >> width }
		if width == 64 {
			half = func(a, b, _ uint64) uint64 {
				hi, _ := bits.Mul64(a, b)
				if T(a) < 0 {
					hi -= b
				}
				if T(b) < 0 {
					hi -= a
				}
				return hi
			}
		}
	default:
		return nil
	}
	if add {
		return func(a, b, c uint64) uint64 { return uint64(T(half(a, b, 0)) + T(c)) }
	}
	return half
}

// lookup is lop3: any function of three bits.
func lookup(table uint8) lane {
	return func(a, b, c uint64) (r uint64) {
		for i := range 8 {
			if table>>i&1 == 0 {
				continue
			}
			x, y, z := a, b, c
			if i&4 == 0 {
				x = ^x
			}
			if i&2 == 0 {
				y = ^y
			}
			if i&1 == 0 {
				z = ^z
			}
			r |= x & y & z
		}
		return r
	}
}

// permute picks four of the eight bytes of b and a.
func permute(a, b, c uint64) (r uint64) {
	all := a&math.MaxUint32 | b<<32
	for i := range 4 {
		pick := c >> (4 * i) & 15
		x := all >> (8 * (pick & 7)) & 255
		if pick&8 != 0 {
			x = uint64(uint8(int8(x) >> 7))
		}
		r |= x << (8 * i)
	}
	return r
}

// funnel shifts two words as one: shf.l and shf.r, wrap and clamp.
func funnel(mods []string) lane {
	if len(mods) != 3 || mods[2] != "b32" {
		return nil
	}
	left, clamp := mods[0] == "l", mods[1] == "clamp"
	return func(a, b, c uint64) uint64 {
		n := c & 31
		if clamp {
			n = min(c&math.MaxUint32, 32)
		}
		both := a&math.MaxUint32 | b<<32
		if left {
			return both << n >> 32
		}
		return both >> n & math.MaxUint32
	}
}

// comparison returns the lane of setp; nil if it is not known.
func comparison(op, kind string) lane {
	switch kind {
	case "b16", "u16":
		return compared[uint16](op)
	case "s16":
		return compared[int16](op)
	case "b32", "u32":
		return compared[uint32](op)
	case "s32":
		return compared[int32](op)
	case "b64", "u64":
		return compared[uint64](op)
	case "s64":
		return compared[int64](op)
	case "f32":
		return comparedFloats(op, func(a uint64) float64 { return float64(math.Float32frombits(uint32(a))) })
	case "f64":
		return comparedFloats(op, math.Float64frombits)
	}
	return nil
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func compared[T integral](op string) lane {
	switch op {
	case "eq":
		return func(a, b, _ uint64) uint64 { return truth(T(a) == T(b)) }
	case "ne":
		return func(a, b, _ uint64) uint64 { return truth(T(a) != T(b)) }
	case "lt", "lo":
		return func(a, b, _ uint64) uint64 { return truth(T(a) < T(b)) }
	case "le", "ls":
		return func(a, b, _ uint64) uint64 { return truth(T(a) <= T(b)) }
	case "gt", "hi":
		return func(a, b, _ uint64) uint64 { return truth(T(a) > T(b)) }
	case "ge", "hs":
		return func(a, b, _ uint64) uint64 { return truth(T(a) >= T(b)) }
	}
	return nil
}

// comparedFloats has two forms of each relation: of what is no number, one is false, and
// one with a u true.
func comparedFloats(op string, of func(uint64) float64) lane {
	var holds func(a, b float64) bool
	switch op {
	case "eq":
		holds = func(a, b float64) bool { return a == b }
	case "ne":
		holds = func(a, b float64) bool { return a < b || a > b }
	case "lt":
		holds = func(a, b float64) bool { return a < b }
	case "le":
		holds = func(a, b float64) bool { return a <= b }
	case "gt":
		holds = func(a, b float64) bool { return a > b }
	case "ge":
		holds = func(a, b float64) bool { return a >= b }
	case "equ":
		holds = func(a, b float64) bool { return !(a < b || a > b) }
	case "neu":
		holds = func(a, b float64) bool { return a != b }
	case "ltu":
		holds = func(a, b float64) bool { return !(a >= b) }
	case "leu":
		holds = func(a, b float64) bool { return !(a > b) }
	case "gtu":
		holds = func(a, b float64) bool { return !(a <= b) }
	case "geu":
		holds = func(a, b float64) bool { return !(a < b) }
	case "num":
		holds = func(a, b float64) bool { return a == a && b == b }
	case "nan":
		holds = func(a, b float64) bool { return a != a || b != b }
	default:
		return nil
	}
	return func(a, b, _ uint64) uint64 { return truth(holds(of(a), of(b))) }
}
