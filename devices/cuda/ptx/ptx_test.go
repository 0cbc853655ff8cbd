package ptx

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"
)

// module wraps the body of a kernel whose parameters are addresses p0 to p3 and a number n.
func module(body string) string {
	return `.version 8.0
.target sm_90
.address_size 64
.visible .entry f(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3, .param .u32 n)
{
	.reg .pred %p<8>;
	.reg .b16 %rs<8>;
	.reg .b32 %r<16>;
	.reg .f32 %f<8>;
	.reg .b64 %rd<16>;
	.reg .f64 %fd<8>;
` + body + "\n\tret;\n}\n"
}

// machine is memory in windows.
type machine [][]byte

func (m machine) memory(window uint64, _ bool) []byte {
	if window < FirstWindow || window >= uint64(FirstWindow+len(m)) {
		return nil
	}
	return m[window-FirstWindow]
}

// run executes a kernel on memory in the first windows.
func run(t *testing.T, body string, grid, block [3]uint32, n uint32, m machine) error {
	t.Helper()
	mod, err := Parse(module(body))
	if err != nil {
		t.Fatalf("%v\n%s", err, body)
	}
	var params []byte
	for i := range 4 {
		params = binary.LittleEndian.AppendUint64(params, Address(FirstWindow+uint64(i)))
	}
	params = binary.LittleEndian.AppendUint32(params, n)
	return mod.Entries["f"].Run(&Launch{Grid: grid, Block: block, Params: params, Memory: m.memory, Workers: 2})
}

// each loads a, b and c of a thread, has them in registers of a type, and stores d.
func each(kind, instruction string) string {
	letters := map[string]string{"32": "r", "64": "rd", "16": "rs"}
	class := letters[kind[1:]]
	if kind[0] == 'f' {
		class = map[string]string{"32": "f", "64": "fd"}[kind[1:]]
	}
	for i, name := range []string{"D", "A", "B", "C"} {
		instruction = strings.ReplaceAll(instruction, "$"+name, fmt.Sprintf("%%%s%d", class, i+1))
	}
	var b strings.Builder
	b.WriteString("ld.param.u64 %rd11, [p0]; ld.param.u64 %rd12, [p1]; ld.param.u64 %rd13, [p2]; ld.param.u64 %rd14, [p3];\n")
	b.WriteString("mov.u32 %r11, %ctaid.x; mov.u32 %r12, %ntid.x; mov.u32 %r13, %tid.x; mad.lo.s32 %r11, %r11, %r12, %r13;\nmul.wide.u32 %rd10, %r11, 8;\n")
	for i, at := range []string{"12", "13", "14"} {
		fmt.Fprintf(&b, "add.s64 %%rd%s, %%rd%s, %%rd10; ld.global.%s %%%s%d, [%%rd%s];\n", at, at, kind, class, i+2, at)
	}
	fmt.Fprintf(&b, "mov.b64 %%rd1, 0; mov.b64 %%fd1, 0d0000000000000000; %s\nadd.s64 %%rd11, %%rd11, %%rd10; st.global.%s [%%rd11], %%%s1;\n", instruction, kind, class)
	return b.String()
}

func samples(kind string, rng *rand.Rand) uint64 {
	if kind[0] == 'f' {
		special := []float64{0, math.Copysign(0, -1), 1, -1, 0.5, math.Inf(1), math.Inf(-1), math.NaN(), 1e-40, 3e38, 2, 1.5, -2.5}
		x := rng.NormFloat64() * math.Exp2(float64(rng.IntN(60)-30))
		if rng.IntN(4) == 0 {
			x = special[rng.IntN(len(special))]
		}
		if kind == "f32" {
			return uint64(math.Float32bits(float32(x)))
		}
		return math.Float64bits(x)
	}
	x := rng.Uint64() >> rng.IntN(64)
	if rng.IntN(2) == 0 {
		x = -x
	}
	return x
}

// exact is a·b + c rounded to a float, by numbers of any precision.
func exact(a, b, c float32, mode big.RoundingMode) float32 {
	if s := float64(a)*float64(b) + float64(c); s-s != 0 || s == 0 {
		return float32(s)
	}
	wide := func(x float32) *big.Float { return new(big.Float).SetPrec(600).SetFloat64(float64(x)) }
	s := new(big.Float).SetPrec(600).Mul(wide(a), wide(b))
	s.Add(s, wide(c))
	if s.Sign() == 0 {
		return 0
	}
	f, acc := s.Float32() // to the nearest, subnormals and infinities as well
	above := acc == big.Above
	switch {
	case mode == big.ToZero && acc != big.Exact && above == (f > 0):
		return math.Nextafter32(f, 0)
	case mode == big.ToNegativeInf && acc != big.Exact && above:
		return math.Nextafter32(f, float32(math.Inf(-1)))
	}
	return f
}

func of32(f func(a, b, c float32) float32) func(a, b, c uint64) uint64 {
	return func(a, b, c uint64) uint64 {
		x := func(u uint64) float32 { return math.Float32frombits(uint32(u)) }
		return uint64(math.Float32bits(f(x(a), x(b), x(c))))
	}
}

func of64(f func(a, b, c float64) float64) func(a, b, c uint64) uint64 {
	return func(a, b, c uint64) uint64 {
		return math.Float64bits(f(math.Float64frombits(a), math.Float64frombits(b), math.Float64frombits(c)))
	}
}

// TestInstructions compares instructions with Go's arithmetic on random and special numbers.
func TestInstructions(t *testing.T) {
	if1 := func(b bool) uint64 {
		if b {
			return 1
		}
		return 0
	}
	for _, c := range []struct {
		kind, text string
		want       func(a, b, c uint64) uint64
	}{
		{"u32", "add.s32 $D, $A, $B;", func(a, b, _ uint64) uint64 { return uint64(uint32(a) + uint32(b)) }},
		{"u64", "sub.s64 $D, $A, $B;", func(a, b, _ uint64) uint64 { return a - b }},
		{"u32", "mul.lo.s32 $D, $A, $B;", func(a, b, _ uint64) uint64 { return uint64(uint32(a) * uint32(b)) }},
		{"u32", "mul.hi.u32 $D, $A, $B;", func(a, b, _ uint64) uint64 { return uint64(uint32(a)) * uint64(uint32(b)) >> 32 }},
		{"u32", "mul.hi.s32 $D, $A, $B;", func(a, b, _ uint64) uint64 { return uint64(uint32(int64(int32(a)) * int64(int32(b)) >> 32)) }},
		{"u64", "mul.hi.u64 $D, $A, $B;", func(a, b, _ uint64) uint64 { h, _ := bits.Mul64(a, b); return h }},
		{"u64", "mul.hi.s64 $D, $A, $B;", func(a, b, _ uint64) uint64 {
			p := new(big.Int).Mul(big.NewInt(int64(a)), big.NewInt(int64(b)))
			return uint64(p.Rsh(p, 64).Int64())
		}},
		{"u32", "mad.lo.s32 $D, $A, $B, $C;", func(a, b, c uint64) uint64 { return uint64(uint32(a)*uint32(b) + uint32(c)) }},
		{"u64", "cvt.u32.u64 %r1, $A; cvt.u32.u64 %r2, $B; mul.wide.s32 $D, %r1, %r2;", func(a, b, _ uint64) uint64 { return uint64(int64(int32(a)) * int64(int32(b))) }},
		{"u64", "cvt.u32.u64 %r1, $A; cvt.u32.u64 %r2, $B; mad.wide.u32 $D, %r1, %r2, $C;", func(a, b, c uint64) uint64 { return uint64(uint32(a))*uint64(uint32(b)) + c }},
		{"u32", "or.b32 $B, $B, 1; div.s32 $D, $A, $B;", func(a, b, _ uint64) uint64 { return uint64(uint32(int32(a) / int32(b|1))) }},
		{"u64", "or.b64 $B, $B, 1; div.u64 $D, $A, $B;", func(a, b, _ uint64) uint64 { return a / (b | 1) }},
		{"u64", "or.b64 $B, $B, 1; rem.s64 $D, $A, $B;", func(a, b, _ uint64) uint64 { return uint64(int64(a) % int64(b|1)) }},
		{"u32", "rem.u32 $D, $A, 10;", func(a, _, _ uint64) uint64 { return uint64(uint32(a) % 10) }},
		{"u32", "min.s32 $D, $A, $B;", func(a, b, _ uint64) uint64 { return uint64(uint32(min(int32(a), int32(b)))) }},
		{"u64", "max.u64 $D, $A, $B;", func(a, b, _ uint64) uint64 { return max(a, b) }},
		{"u32", "abs.s32 $D, $A;", func(a, _, _ uint64) uint64 { return uint64(uint32(max(int32(a), -int32(a)))) }},
		{"u64", "neg.s64 $D, $A;", func(a, _, _ uint64) uint64 { return -a }},
		{"u32", "and.b32 $D, $A, $B; xor.b32 $D, $D, $C; not.b32 $D, $D;", func(a, b, c uint64) uint64 { return uint64(^(uint32(a&b) ^ uint32(c))) }},
		{"u32", "and.b32 $B, $B, 63; shl.b32 $D, $A, $B;", func(a, b, _ uint64) uint64 { return uint64(uint32(a) << (b & 63)) }},
		{"u32", "and.b32 $B, $B, 63; shr.s32 $D, $A, $B;", func(a, b, _ uint64) uint64 { return uint64(uint32(int32(a) >> (b & 63))) }},
		{"u64", "cvt.u32.u64 %r1, $B; and.b32 %r1, %r1, 127; shr.u64 $D, $A, %r1;", func(a, b, _ uint64) uint64 { return a >> (b & 127) }},
		{"u32", "bfe.u32 $D, $A, 5, 7;", func(a, _, _ uint64) uint64 { return a >> 5 & 127 }},
		{"u32", "bfe.s32 $D, $A, 28, 7;", func(a, _, _ uint64) uint64 { return uint64(uint32(int32(a) >> 28)) }},
		{"u32", "bfi.b32 $D, $A, $B, 3, 5;", func(a, b, _ uint64) uint64 { return uint64(uint32(b)&^(31<<3) | uint32(a)&31<<3) }},
		{"u64", "bfi.b64 $D, $A, $B, 32, 32;", func(a, b, _ uint64) uint64 { return b&math.MaxUint32 | a<<32 }},
		{"u32", "popc.b32 $D, $A;", func(a, _, _ uint64) uint64 { return uint64(bits.OnesCount32(uint32(a))) }},
		{"u32", "clz.b32 $D, $A;", func(a, _, _ uint64) uint64 { return uint64(bits.LeadingZeros32(uint32(a))) }},
		{"u64", "brev.b64 $D, $A;", func(a, _, _ uint64) uint64 { return bits.Reverse64(a) }},
		{"u32", "prmt.b32 $D, $A, $B, 0x3716;", func(a, b, _ uint64) uint64 {
			x := func(i int) uint64 { return (a&math.MaxUint32 | b<<32) >> (8 * i) & 255 }
			return x(6) | x(1)<<8 | x(7)<<16 | x(3)<<24
		}},
		{"u32", "lop3.b32 $D, $A, $B, $C, 0xe8;", func(a, b, c uint64) uint64 { return uint64(uint32(a&b | a&c | b&c)) }},
		{"u32", "shf.l.wrap.b32 $D, $A, $B, 9;", func(a, b, _ uint64) uint64 { return uint64(uint32(b)<<9 | uint32(a)>>23) }},
		{"u32", "add.cc.u32 %r6, $A, $B; addc.u32 $D, $A, $C;", func(a, b, c uint64) uint64 {
			return uint64(uint32(a) + uint32(c) + uint32((a&math.MaxUint32+b&math.MaxUint32)>>32))
		}},
		{"u64", "sub.cc.u64 %rd7, $A, $B; subc.u64 $D, $C, 0;", func(a, b, c uint64) uint64 { return c - if1(a < b) }},
		{"u64", "mov.b64 {%r1, %r2}, $A; mov.b64 {%r3, %r4}, $B; mov.b64 {%r5, %r6}, $C; mad.lo.cc.u32 %r5, %r1, %r3, %r5; madc.hi.u32 %r6, %r1, %r3, %r6; mov.b64 $D, {%r5, %r6};", func(a, b, c uint64) uint64 {
			return a&math.MaxUint32*(b&math.MaxUint32) + c
		}},
		{"u64", "mov.b64 {%r1, %r2}, $A; mov.b64 $D, {%r2, %r1};", func(a, _, _ uint64) uint64 { return a<<32 | a>>32 }},
		{"u32", "setp.lt.s32 %p1, $A, $B; selp.b32 $D, $C, $A, %p1;", func(a, b, c uint64) uint64 {
			if int32(a) < int32(b) {
				return uint64(uint32(c))
			}
			return uint64(uint32(a))
		}},
		{"u64", "setp.hi.u64 %p1|%p2, $A, $B; selp.u64 $D, 1, 0, %p1; @%p2 add.s64 $D, $D, 2;", func(a, b, _ uint64) uint64 { return if1(a > b) + 2*if1(a <= b) }},
		{"u64", "cvt.u16.u64 %rs1, $A; cvt.s64.s16 $D, %rs1;", func(a, _, _ uint64) uint64 { return uint64(int16(a)) }},
		{"u64", "cvt.u32.u64 %r1, $A; cvt.s64.s32 $D, %r1;", func(a, _, _ uint64) uint64 { return uint64(int32(a)) }},
		{"f32", "add.f32 $D, $A, $B;", of32(func(a, b, _ float32) float32 { return a + b })},
		{"f32", "div.rn.f32 $D, $A, $B;", of32(func(a, b, _ float32) float32 { return a / b })},
		{"f32", "sqrt.rn.f32 $D, $A;", of32(func(a, _, _ float32) float32 { return float32(math.Sqrt(float64(a))) })},
		{"f32", "fma.rn.f32 $D, $A, $B, $C;", of32(func(a, b, c float32) float32 { return exact(a, b, c, big.ToNearestEven) })},
		{"f32", "fma.rz.f32 $D, $A, $B, $C;", of32(func(a, b, c float32) float32 { return exact(a, b, c, big.ToZero) })},
		{"f32", "fma.rm.f32 $D, $A, $B, $C;", of32(func(a, b, c float32) float32 { return exact(a, b, c, big.ToNegativeInf) })},
		{"f32", "mul.rz.f32 $D, $A, $B;", of32(func(a, b, _ float32) float32 { return exact(a, b, float32(math.Copysign(0, -1)), big.ToZero) })},
		{"f32", "add.rz.f32 $D, $A, $B;", of32(func(a, b, _ float32) float32 { return exact(1, a, b, big.ToZero) })},
		{"f32", "max.f32 $D, $A, $B;", of32(func(a, b, _ float32) float32 {
			if a != a {
				return b
			}
			if b != b {
				return a
			}
			return max(a, b)
		})},
		{"f32", "neg.f32 $D, $A; abs.f32 $D, $D;", of32(func(a, _, _ float32) float32 { return float32(math.Abs(float64(a))) })},
		{"f32", "setp.ltu.f32 %p1, $A, $B; selp.f32 $D, $A, $C, %p1;", of32(func(a, b, c float32) float32 {
			if a < b || a != a || b != b {
				return a
			}
			return c
		})},
		{"f32", "setp.ne.f32 %p1, $A, $A; selp.f32 $D, $B, $C, %p1;", of32(func(_, _, c float32) float32 { return c })},
		{"f32", "setp.nan.f32 %p1, $A, $A; selp.f32 $D, $B, $C, %p1;", of32(func(a, b, c float32) float32 {
			if a != a {
				return b
			}
			return c
		})},
		{"f32", "cvt.sat.f32.f32 $D, $A;", of32(func(a, _, _ float32) float32 {
			if a != a {
				return 0
			}
			return max(0, min(1, a))
		})},
		{"f32", "cvt.rmi.f32.f32 $D, $A;", of32(func(a, _, _ float32) float32 { return float32(math.Floor(float64(a))) })},
		{"f32", "cvt.rzi.f32.f32 $D, $A;", of32(func(a, _, _ float32) float32 { return float32(math.Trunc(float64(a))) })},
		{"f32", "cvt.rzi.s32.f32 %r1, $A; cvt.rn.f32.s32 $D, %r1;", of32(func(a, _, _ float32) float32 {
			switch x := math.Trunc(float64(a)); {
			case x != x:
				return 0
			case x >= math.MaxInt32:
				return float32(math.MaxInt32)
			case x < math.MinInt32:
				return float32(math.MinInt32)
			default:
				return float32(int32(x))
			}
		})},
		{"f32", "cvt.rn.f16.f32 %rs1, $A; cvt.f32.f16 $D, %rs1;", of32(func(a, _, _ float32) float32 {
			x := math.Abs(float64(a))
			unit := math.Ldexp(1, max(math.Ilogb(x), -14)-10) // of a half that is as large
			if x != x || x == 0 || math.IsInf(x, 0) {
				return a
			}
			if x = math.RoundToEven(x/unit) * unit; x > 65504 {
				x = math.Inf(1)
			}
			return float32(math.Copysign(x, float64(a)))
		})},
		{"f64", "mul.f64 $D, $A, $B; add.f64 $D, $D, $C;", of64(func(a, b, c float64) float64 { return float64(a*b) + c })},
		{"f64", "fma.rn.f64 $D, $A, $B, $C;", of64(math.FMA)},
		{"f64", "cvt.rn.f32.f64 %f1, $A; cvt.f64.f32 $D, %f1;", of64(func(a, _, _ float64) float64 { return float64(float32(a)) })},
		{"f64", "cvt.rzi.s64.f64 %rd2, $A; cvt.rn.f64.s64 $D, %rd2;", of64(func(a, _, _ float64) float64 {
			switch {
			case a != a || a < math.MinInt64:
				return math.MinInt64
			case a >= math.MaxInt64:
				return math.MaxInt64
			}
			return float64(int64(a))
		})},
		{"f32", "ex2.approx.ftz.f32 $D, $A;", of32(func(a, _, _ float32) float32 {
			if f := float32(math.Exp2(float64(a))); f >= 0x1p-126 || f != f {
				return f
			}
			return 0
		})},
	} {
		const n = 3*64 + 0
		rng := rand.New(rand.NewPCG(7, uint64(len(c.text))))
		m := machine{make([]byte, 8*n), make([]byte, 8*n), make([]byte, 8*n), make([]byte, 8*n)}
		for i := range n {
			for k := 1; k < 4; k++ {
				binary.LittleEndian.PutUint64(m[k][8*i:], samples(c.kind, rng))
			}
		}
		if err := run(t, each(c.kind, c.text), [3]uint32{3, 1, 1}, [3]uint32{64, 1, 1}, n, m); err != nil {
			t.Error(err)
			continue
		}
		width := sizes[c.kind]
		cut := func(b []byte) uint64 {
			if width == 4 {
				return uint64(binary.LittleEndian.Uint32(b))
			}
			return binary.LittleEndian.Uint64(b)
		}
		for i := range n {
			a, b, x := cut(m[1][8*i:]), cut(m[2][8*i:]), cut(m[3][8*i:])
			got, want := cut(m[0][8*i:]), c.want(a, b, x)
			if width == 4 {
				want = uint64(uint32(want))
			}
			bad := c.kind == "f32" && math.IsNaN(float64(math.Float32frombits(uint32(got)))) && math.IsNaN(float64(math.Float32frombits(uint32(want)))) ||
				c.kind == "f64" && math.IsNaN(math.Float64frombits(got)) && math.IsNaN(math.Float64frombits(want))
			if got != want && !bad {
				t.Errorf("%s of %#x, %#x, %#x is %#x, not %#x", c.text, a, b, x, got, want)
				break
			}
		}
	}
}

// TestDivergence: lanes that go round a loop a different number of times, and come together
// at barriers, in which they hand sums on by shared memory.
func TestDivergence(t *testing.T) {
	const body = `
	.shared .align 4 .b8 parts[512];
	ld.param.u64 %rd1, [p0]; mov.u32 %r1, %tid.x; mov.u64 %rd5, parts; mul.wide.u32 %rd6, %r1, 4; add.s64 %rd5, %rd5, %rd6;
	mov.u32 %r2, 0; mov.u32 %r3, %r1;
	mov.u32 %r4, %ctaid.x; mov.u32 %r5, %ntid.x; mad.lo.s32 %r5, %r4, %r5, %r1;
LOOP:
	setp.eq.s32 %p1, %r3, 0;
	@%p1 bra DONE;
	add.s32 %r2, %r2, %r3; add.s32 %r3, %r3, -1;
	and.b32 %r6, %r3, 3; setp.ne.s32 %p2, %r6, 1; @%p2 bra LOOP;
	add.s32 %r2, %r2, 1000;
	bra.uni LOOP;
DONE:
	st.shared.u32 [%rd5], %r2;
	bar.sync 0;
	mov.u64 %rd7, parts; sub.s64 %rd7, %rd7, %rd6;
	ld.shared.u32 %r7, [%rd7+508];
	mul.wide.u32 %rd8, %r5, 4; add.s64 %rd1, %rd1, %rd8; st.global.u32 [%rd1], %r7;
	bar.sync 0;`
	m := machine{make([]byte, 4*128*5)}
	if err := run(t, body, [3]uint32{5, 1, 1}, [3]uint32{128, 1, 1}, 0, m); err != nil {
		t.Fatal(err)
	}
	for i := range 5 * 128 {
		want := uint32(0)
		for k := uint32(127 - i%128); k > 0; {
			want += k
			if k--; k&3 == 1 {
				want += 1000
			}
		}
		if got := binary.LittleEndian.Uint32(m[0][4*i:]); got != want {
			t.Fatalf("thread %d has %d, not %d", i, got, want)
		}
	}
}

// TestFunctions: a function is called twice, and calls another, with parameters, two results
// and memory of its own.
func TestFunctions(t *testing.T) {
	text := strings.Replace(module(`
	mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [p0]; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;
	{
	.param .b32 param0;
	st.param.b32 [param0+0], %r1;
	.param .align 8 .b8 retval0[16];
	call.uni (retval0), g, (param0);
	ld.param.b32 %r2, [retval0+0];
	ld.param.b32 %r3, [retval0+8];
	}
	{
	.param .b32 param0;
	st.param.b32 [param0+0], %r3;
	.param .align 8 .b8 retval0[16];
	call.uni (retval0), g, (param0);
	ld.param.b32 %r4, [retval0+8];
	}
	mad.lo.s32 %r2, %r2, 1000, %r4; st.global.u32 [%rd1], %r2;`), ".visible", `.func (.param .align 8 .b8 out[16]) g(.param .b32 in);
.func (.param .b32 out) half(.param .b32 in)
{
	.reg .b32 %r<3>;
	ld.param.b32 %r1, [in]; shr.u32 %r1, %r1, 1; st.param.b32 [out+0], %r1; ret;
}
.visible`, 1) + `
.func (.param .align 8 .b8 out[16]) g(.param .b32 in)
{
	.reg .pred %p<2>; .reg .b32 %r<5>; .reg .b64 %rd<3>; .local .align 4 .b8 depot[8];
	ld.param.b32 %r1, [in]; mov.u64 %rd1, depot; st.local.u32 [%rd1+4], %r1;
	setp.gt.u32 %p1, %r1, 20; @%p1 bra LARGE;
	add.s32 %r2, %r1, 7; st.param.b32 [out+0], %r2; st.param.b32 [out+8], %r1; ret;
LARGE:
	{ .param .b32 param0; st.param.b32 [param0+0], %r1; .param .b32 retval0; call (retval0), half, (param0); ld.param.b32 %r3, [retval0+0]; }
	ld.local.u32 %r4, [%rd1+4]; st.param.b32 [out+0], %r4; st.param.b32 [out+8], %r3; ret;
}
`
	mod, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	m := machine{make([]byte, 4*64)}
	params := make([]byte, 36)
	binary.LittleEndian.PutUint64(params, Address(FirstWindow))
	if err := mod.Entries["f"].Run(&Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{64, 1, 1}, Params: params, Memory: m.memory}); err != nil {
		t.Fatal(err)
	}
	g := func(x uint32) (uint32, uint32) {
		if x > 20 {
			return x, x / 2
		}
		return x + 7, x
	}
	for i := range uint32(64) {
		a, b := g(i)
		_, c := g(b)
		if got := binary.LittleEndian.Uint32(m[0][4*i:]); got != a*1000+c {
			t.Errorf("thread %d has %d, not %d", i, got, a*1000+c)
		}
	}
}

// TestPlace: each thread of a grid of three dimensions knows where it is.
func TestPlace(t *testing.T) {
	const body = `
	mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z; mov.u32 %r4, %ntid.x; mov.u32 %r5, %ntid.y; mov.u32 %r6, %ntid.z;
	mov.u32 %r7, %ctaid.x; mov.u32 %r8, %ctaid.y; mov.u32 %r9, %ctaid.z; mov.u32 %r10, %nctaid.x; mov.u32 %r11, %nctaid.y;
	mad.lo.s32 %r8, %r9, %r11, %r8; mad.lo.s32 %r7, %r8, %r10, %r7;
	mad.lo.s32 %r7, %r7, %r6, %r3; mad.lo.s32 %r7, %r7, %r5, %r2; mad.lo.s32 %r7, %r7, %r4, %r1;
	ld.param.u64 %rd1, [p0]; cvt.u64.u32 %rd2, %r7; add.s64 %rd1, %rd1, %rd2; ld.global.u8 %rs1, [%rd1]; add.s16 %rs1, %rs1, 1; st.global.u8 [%rd1], %rs1;`
	m := machine{make([]byte, 3*4*5*7*3*2)}
	if err := run(t, body, [3]uint32{3, 4, 5}, [3]uint32{7, 3, 2}, 0, m); err != nil {
		t.Fatal(err)
	}
	for i, n := range m[0] {
		if n != 1 {
			t.Fatalf("%d threads say that they are number %d", n, i)
		}
	}
}

// TestFaults: what a GPU may let pass is an error that says where.
func TestFaults(t *testing.T) {
	const thread = "ld.param.u64 %rd1, [p0]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;\n"
	for name, c := range map[string]struct{ body, want string }{
		"beyond the end":        {thread + "st.global.u32 [%rd1+4], %r1;", "st.global.u32, block [0 0 0], thread [63 0 0]: 4 bytes at 0x100, of memory that has 256"},
		"before the start":      {thread + "ld.global.u32 %r1, [%rd1+-4];", "thread [0 0 0]"},
		"nowhere":               {"mov.u64 %rd1, 0; ld.global.u32 %r1, [%rd1];", "of memory that has 0"},
		"not aligned":           {thread + "ld.global.u64 %rd3, [%rd1];", "thread [1 0 0]: 8 bytes at 0x4, which is no multiple"},
		"beyond shared memory":  {".shared .align 4 .b8 s[128];\nmov.u64 %rd3, s; add.s64 %rd3, %rd3, %rd2; " + "mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; mov.u64 %rd3, s; add.s64 %rd3, %rd3, %rd2; st.shared.u32 [%rd3], %r1;", "thread [32 0 0]"},
		"a barrier for some":    {thread + "setp.lt.u32 %p1, %r1, 5; @%p1 bra SKIP; bar.sync 0;\nSKIP:\nadd.s32 %r1, %r1, 1;", "not all threads of the warp"},
		"a barrier for a warp":  {thread + "setp.lt.u32 %p1, %r1, 32; @%p1 bra SKIP; bar.sync 0; bra.uni END;\nSKIP:\nbar.sync 0;\nEND:\nadd.s32 %r1, %r1, 1;", "not all threads of the block"},
		"and no fault if ended": {thread + "setp.lt.u32 %p1, %r1, 5; @%p1 bra END; bar.sync 0;\nEND:", ""},
	} {
		err := run(t, c.body, [3]uint32{1, 1, 1}, [3]uint32{64, 1, 1}, 0, machine{make([]byte, 256)})
		var fault *Fault
		switch {
		case c.want == "":
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		case !errors.As(err, &fault) || !strings.Contains(err.Error(), c.want):
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestParse: what is not known is an error that names it and its line.
func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		module("wmma.load.a.sync %r1, [%rd1];"):                           "line 12: the instruction wmma.load.a.sync is not known",
		module("bra NOWHERE;"):                                            "there is no label NOWHERE",
		module("add.q32 %r1, %r1, %r1;"):                                  "the instruction add.q32 is not known",
		module("ld.param.u64 %rd1, [p9];"):                                "there is no parameter p9",
		module("mov.u64 %rd1, nothing;"):                                  "there is no variable nothing",
		".version 8.0\n.texref g;":                                        "line 2: \".texref\" is not known",
		".version 8.0\n.entry f() { ret;":                                 "braces do not end",
		module("call.uni g;"):                                             "there is no function g of 0 parameters",
		".func g() { call g, (); ret; }\n.entry f() { call g, (); ret; }": "there is no function g",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, not %s", err, want)
		}
	}
}

func BenchmarkInstructions(b *testing.B) {
	mod, err := Parse(module(`mov.u32 %r1, 0; mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f3F000000;
LOOP:
	fma.rn.f32 %f1, %f1, %f2, %f2; add.s64 %rd1, %rd1, 4; add.s32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 10000; @%p1 bra LOOP;`))
	if err != nil {
		b.Fatal(err)
	}
	l := Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{256, 1, 1}, Params: make([]byte, 36), Memory: machine{}.memory}
	for b.Loop() {
		if err := mod.Entries["f"].Run(&l); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*5*10000*256/b.Elapsed().Seconds()/1e6, "Minstr/s")
}
