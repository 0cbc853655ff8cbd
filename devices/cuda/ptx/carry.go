package ptx

import (
	"math/bits"
	"slices"
	"strings"
)

// carry decodes the instructions that set or take the carry of a sum: add.cc, addc, sub.cc,
// subc, mad.lo.cc, madc.hi and so on. It reports whether word is one.
func (p *parser) carry(word, name, kind string, mods []string, o []operand) bool {
	takes := name == "addc" || name == "subc" || name == "madc"
	sets := slices.Contains(mods, "cc")
	if !takes && !sets {
		return false
	}
	base := strings.TrimSuffix(name, "c")
	width := 8 * sizes[kind]
	product := base == "mad"
	if base != "add" && base != "sub" && !product || width != 32 && width != 64 || product && len(o) != 4 || !product && len(o) != 3 {
		p.fail("the instruction %s is not known", word)
	}
	e := p.entry
	flag := int32(e.register("%cc"))
	emit := func(do lane, d, a, b, c int32) { e.code = append(e.code, instruction{do: do, d: d, a: a, b: b, c: c}) }
	x, y := int32(o[1].register), int32(o[2].register)
	if product {
		half := arithmetic("mul", kind, mods[:1])
		if half == nil {
			p.fail("the instruction %s is not known", word)
		}
		t := int32(e.register("%product"))
		emit(half, t, x, y, 0)
		x, y = t, int32(o[3].register)
	}
	in := flag
	if !takes {
		in = int32(e.constant(constant{}))
	}
	sum := bits.Add64
	if base == "sub" {
		sum = bits.Sub64
	}
	mask := ^uint64(0) >> (64 - width)
	add := func(a, b, c uint64) (value, carry uint64) {
		value, carry = sum(a&mask, b&mask, c)
		return value & mask, carry | value>>(width-1)>>1&1
	}
	result := int32(e.register("%sum"))
	emit(func(a, b, c uint64) uint64 { v, _ := add(a, b, c); return v }, result, x, y, in)
	if sets {
		emit(func(a, b, c uint64) uint64 { _, v := add(a, b, c); return v }, flag, x, y, in)
	}
	emit(func(a, _, _ uint64) uint64 { return a }, int32(o[0].register), result, 0, 0)
	return true
}
