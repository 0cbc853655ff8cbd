package jpeg

import "github.com/troupe-go/troupe/devices/cpu/vec"

// Inverse cosine transforms. Each sets size by size samples at to, stride apart, from
// the coefficients of a block, in natural order, and its divisors. Samples out of range
// are the nearest in range.

// A scale is what the coefficients of a component are multiplied with.
type scale [64]int16

// aan is the factors that the transform of Arai, Agui and Nakajima leaves to the
// divisors, by row and by column, with 14 bits after the point.
var aan = func() (t [64]int32) {
	// 1, then cos(kπ/16)·√2 for k from 1.
	c := [8]float64{1, 1.387039845, 1.306562965, 1.175875602, 1, 0.785694958, 0.541196100, 0.275899379}
	for i := range t {
		t[i] = int32(c[i/8]*c[i%8]*(1<<14) + 0.5)
	}
	return t
}()

// fastScale returns the factors of fast: two bits after the point are left.
func fastScale(divisors *[64]uint16) (s scale) {
	for i, d := range divisors {
		s[i] = int16((int32(d)*aan[i] + 1<<11) >> 12)
	}
	return s
}

// plainScale returns the factors of the other transforms.
func plainScale(divisors *[64]uint16) (s scale) {
	for i, d := range divisors {
		s[i] = int16(d)
	}
	return s
}

func limit(x int32) uint8 {
	if x += 128; uint32(x) > 255 {
		return uint8(^(x >> 31))
	}
	return uint8(x)
}

// fast is the transform of Arai, Agui and Nakajima, 8 by 8.
func fast(b *[64]int16, s *scale, to []uint8, stride int) {
	vec.Cosines(to, stride, b, (*[64]int16)(s))
}

// flat sets a block whose coefficients are zero but for the first: that is what the
// transforms of 8 by 8 make of it.
func flat(v uint8, to []uint8, stride int) {
	for y := range 8 {
		row := to[y*stride:][:8:8]
		row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7] = v, v, v, v, v, v, v, v
	}
}

// round shifts to the right by n bits and rounds to the nearest number.
func round(x int32, n int) int32 { return (x + 1<<(n-1)) >> n }

// saturated is x, or the nearest number of 16 bits.
func saturated(x int32) int32 { return min(max(x, -1<<15), 1<<15-1) }

// times16 returns a product of which 16 bits count.
func times16(x, s int16) int32 { return int32(x * s) }

// cosines returns the transform of Loeffler, Ligtenberg and Moschytz of eight numbers of 16
// bits, with 13 more bits after the point; some sums have 16 bits, too.
func cosines(a0, a1, a2, a3, a4, a5, a6, a7 int32) (e0, e1, e2, e3, o0, o1, o2, o3 int32) {
	z := (a2 + a6) * 4433
	t2, t3 := z-a6*15137, z+a2*6270
	t0, t1 := int32(int16(a0+a4))<<13, int32(int16(a0-a4))<<13
	e0, e3, e1, e2 = t0+t3, t0-t3, t1+t2, t1-t2
	z1, z2, z3, z4 := a7+a1, a5+a3, int32(int16(a7+a3)), int32(int16(a5+a1))
	z5 := (z3 + z4) * 9633
	z1, z2, z3, z4 = -z1*7373, -z2*20995, z5-z3*16069, z5-z4*3196
	return e0, e1, e2, e3, a1*12299 + z1 + z4, a3*25172 + z2 + z3, a5*16819 + z2 + z4, a7*2446 + z1 + z3
}

// accurate is that transform, 8 by 8.
func accurate(b *[64]int16, s *scale, to []uint8, stride int) {
	var w [64]int32
	for x := range 8 {
		if b[8+x]|b[16+x]|b[24+x]|b[32+x]|b[40+x]|b[48+x]|b[56+x] == 0 {
			v := saturated(times16(b[x], s[x]) << 2)
			for y := range 8 {
				w[8*y+x] = v
			}
			continue
		}
		e0, e1, e2, e3, o0, o1, o2, o3 := cosines(times16(b[x], s[x]), times16(b[8+x], s[8+x]), times16(b[16+x], s[16+x]), times16(b[24+x], s[24+x]),
			times16(b[32+x], s[32+x]), times16(b[40+x], s[40+x]), times16(b[48+x], s[48+x]), times16(b[56+x], s[56+x]))
		w[x], w[56+x], w[8+x], w[48+x] = saturated(round(e0+o0, 11)), saturated(round(e0-o0, 11)), saturated(round(e1+o1, 11)), saturated(round(e1-o1, 11))
		w[16+x], w[40+x], w[24+x], w[32+x] = saturated(round(e2+o2, 11)), saturated(round(e2-o2, 11)), saturated(round(e3+o3, 11)), saturated(round(e3-o3, 11))
	}
	for y := range 8 {
		a := w[8*y:][:8:8]
		e0, e1, e2, e3, o0, o1, o2, o3 := cosines(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7])
		row := to[y*stride:][:8:8]
		row[0], row[7], row[1], row[6] = limit(round(e0+o0, 18)), limit(round(e0-o0, 18)), limit(round(e1+o1, 18)), limit(round(e1-o1, 18))
		row[2], row[5], row[3], row[4] = limit(round(e2+o2, 18)), limit(round(e2-o2, 18)), limit(round(e3+o3, 18)), limit(round(e3-o3, 18))
	}
}

// four is the transform to 4 by 4 samples. Every fourth coefficient has no part in it.
func four(b *[64]int16, s *scale, to []uint8, stride int) {
	part := func(a0, a1, a2, a3, a5, a6, a7 int32) (e0, e1, o0, o1 int32) {
		t := a2*15137 - a6*6270
		return a0<<14 + t, a0<<14 - t,
			-a7*4176 - a5*4926 + a3*7373 + a1*20995,
			-a7*1730 + a5*11893 - a3*17799 + a1*8697
	}
	var w [32]int32
	for x := range 8 {
		if x == 4 {
			continue
		}
		if b[8+x]|b[16+x]|b[24+x]|b[40+x]|b[48+x]|b[56+x] == 0 {
			v := saturated(times16(b[x], s[x]) << 2)
			w[x], w[8+x], w[16+x], w[24+x] = v, v, v, v
			continue
		}
		e0, e1, o0, o1 := part(times16(b[x], s[x]), times16(b[8+x], s[8+x]), times16(b[16+x], s[16+x]), times16(b[24+x], s[24+x]),
			times16(b[40+x], s[40+x]), times16(b[48+x], s[48+x]), times16(b[56+x], s[56+x]))
		w[x], w[24+x], w[8+x], w[16+x] = saturated(round(e0+o0, 12)), saturated(round(e0-o0, 12)), saturated(round(e1+o1, 12)), saturated(round(e1-o1, 12))
	}
	for y := range 4 {
		a := w[8*y:][:8:8]
		e0, e1, o0, o1 := part(a[0], a[1], a[2], a[3], a[5], a[6], a[7])
		row := to[y*stride:][:4:4]
		row[0], row[3], row[1], row[2] = limit(round(e0+o0, 19)), limit(round(e0-o0, 19)), limit(round(e1+o1, 19)), limit(round(e1-o1, 19))
	}
}

// two is the transform to 2 by 2 samples, of the first and all odd coefficients.
func two(b *[64]int16, s *scale, to []uint8, stride int) {
	odd := func(a1, a3, a5, a7 int32) int32 { return -a7*5906 + a5*6967 - a3*10426 + a1*29692 }
	var w [16]int32
	for x := range 8 {
		if x > 0 && x%2 == 0 {
			continue
		}
		if b[8+x]|b[24+x]|b[40+x]|b[56+x] == 0 {
			v := saturated(times16(b[x], s[x]) << 2)
			w[x], w[8+x] = v, v
			continue
		}
		e, o := times16(b[x], s[x])<<15, odd(times16(b[8+x], s[8+x]), times16(b[24+x], s[24+x]), times16(b[40+x], s[40+x]), times16(b[56+x], s[56+x]))
		w[x], w[8+x] = saturated(round(e+o, 13)), saturated(round(e-o, 13))
	}
	for y := range 2 {
		a := w[8*y:][:8:8]
		e, o := a[0]<<15, odd(a[1], a[3], a[5], a[7])
		to[y*stride], to[y*stride+1] = limit(round(e+o, 20)), limit(round(e-o, 20))
	}
}

// one is the mean of a block. Numbers that are far out of range come round again, as
// they do in libjpeg, which has no vector instructions here.
func one(b *[64]int16, s *scale, to []uint8, _ int) {
	x := round(int32(b[0])*int32(s[0]), 3) & 1023
	to[0] = limit(x << 22 >> 22)
}
