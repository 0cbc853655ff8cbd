package vec

import "encoding/binary"

// trianglePortable is Triangle but for the ends and the first n inside of them.
func trianglePortable(dst, row []uint8, n int) {
	last := len(row) - 1
	dst[1] = uint8((3*int(row[0]) + int(row[1]) + 2) >> 2)
	left, at := int(row[n]), int(row[n+1])
	for x := n + 1; x < last; x++ {
		right := int(row[x+1])
		p := dst[2*x:][:2:2]
		p[0], p[1] = uint8((3*at+left+1)>>2), uint8((3*at+right+2)>>2)
		left, at = at, right
	}
	dst[2*last] = uint8((3*at + left + 1) >> 2)
}

// trianglesPortable is Triangles but for the first n after the first.
func trianglesPortable(dst, row, other []uint8, n int) {
	other = other[:len(row)]
	last := len(row) - 1
	sum := func(x int) int { return 3*int(row[x]) + int(other[x]) }
	at, next := sum(0), sum(1)
	dst[0], dst[1] = uint8((4*at+8)>>4), uint8((3*at+next+7)>>4)
	left, at := sum(n), sum(n+1)
	for x := n + 1; x < last; x++ {
		right := 3*int(row[x+1]) + int(other[x+1])
		p := dst[2*x:][:2:2]
		p[0], p[1] = uint8((3*at+left+8)>>4), uint8((3*at+right+7)>>4)
		left, at = at, right
	}
	dst[2*last], dst[2*last+1] = uint8((3*at+left+8)>>4), uint8((4*at+7)>>4)
}

func fixed(x float64) int32 { return int32(x*(1<<16) + 0.5) }

// Of the differences of color, what they add to red and blue, and to green with 16 bits
// after the point.
var redOf, blueOf, greenOfRed, greenOfBlue = func() (r, b, gr, gb [256]int32) {
	for i := range r {
		x := int32(i) - 128
		r[i], b[i] = (fixed(1.40200)*x+1<<15)>>16, (fixed(1.77200)*x+1<<15)>>16
		gr[i], gb[i] = -fixed(0.71414)*x, -fixed(0.34414)*x+1<<15
	}
	return
}()

func clamp(x int32) uint8 {
	if uint32(x) > 255 {
		return uint8(^(x >> 31))
	}
	return uint8(x)
}

func colorsPortable(to, bright, blue, red []uint8) {
	blue, red = blue[:len(bright)], red[:len(bright)]
	for x, v := range bright {
		l, cb, cr := int32(v), blue[x], red[x]
		p := to[3*x:][:3:3]
		p[0] = clamp(l + redOf[cr])
		p[1] = clamp(l + (greenOfBlue[cb]+greenOfRed[cr])>>16)
		p[2] = clamp(l + blueOf[cb])
	}
}

// times is x, of 16 bits, times a constant below 2 with 8 bits after the point, rounded
// down: two more bits of x than that would be lost.
func times(x, c int32) int32 { return int32(int16(x<<2)) * (c << 6) >> 16 }

func cosinesPortable(to []uint8, stride int, b, s *[64]int16) {
	var w [64]int32
	for x := range 8 {
		if b[8+x]|b[16+x]|b[24+x]|b[32+x]|b[40+x]|b[48+x]|b[56+x] == 0 {
			v := int32(b[x]) * int32(s[x])
			w[x], w[8+x], w[16+x], w[24+x] = v, v, v, v
			w[32+x], w[40+x], w[48+x], w[56+x] = v, v, v, v
			continue
		}
		a0, a2, a4, a6 := int32(b[x])*int32(s[x]), int32(b[16+x])*int32(s[16+x]), int32(b[32+x])*int32(s[32+x]), int32(b[48+x])*int32(s[48+x])
		p, m, q := a0+a4, a0-a4, a2+a6
		r := times(a2-a6, 362) - q
		e0, e3, e1, e2 := p+q, p-q, m+r, m-r
		a1, a3, a5, a7 := int32(b[8+x])*int32(s[8+x]), int32(b[24+x])*int32(s[24+x]), int32(b[40+x])*int32(s[40+x]), int32(b[56+x])*int32(s[56+x])
		z13, z10, z11, z12 := a5+a3, a5-a3, a1+a7, a1-a7
		o7 := z11 + z13
		z5 := times(z10+z12, 473)
		o6 := times(z10, -413) - z10 + z5 - o7
		o5 := times(z11-z13, 362) - o6
		o4 := times(z12, 277) - z5 + o5
		w[x], w[56+x], w[8+x], w[48+x] = e0+o7, e0-o7, e1+o6, e1-o6
		w[16+x], w[40+x], w[32+x], w[24+x] = e2+o5, e2-o5, e3+o4, e3-o4
	}
	for y := range 8 {
		a := w[8*y:][:8:8]
		p, m, q := a[0]+a[4], a[0]-a[4], a[2]+a[6]
		r := times(a[2]-a[6], 362) - q
		e0, e3, e1, e2 := p+q, p-q, m+r, m-r
		z13, z10, z11, z12 := a[5]+a[3], a[5]-a[3], a[1]+a[7], a[1]-a[7]
		o7 := z11 + z13
		z5 := times(z10+z12, 473)
		o6 := times(z10, -413) - z10 + z5 - o7
		o5 := times(z11-z13, 362) - o6
		o4 := times(z12, 277) - z5 + o5
		row := to[y*stride:][:8:8]
		row[0], row[7], row[1], row[6] = sample(e0+o7), sample(e0-o7), sample(e1+o6), sample(e1-o6)
		row[2], row[5], row[4], row[3] = sample(e2+o5), sample(e2-o5), sample(e3+o4), sample(e3-o4)
	}
}

// sample returns what it makes of a number of 16 bits with 5 after the point.
func sample(x int32) uint8 { return clamp(int32(int16(x))>>5 + 128) }

// natural is the place in the order of a JPEG file of the coefficients in natural order.
var natural = [64]uint8{
	0, 1, 5, 6, 14, 15, 27, 28, 2, 4, 7, 13, 16, 26, 29, 42,
	3, 8, 12, 17, 25, 30, 41, 43, 9, 11, 18, 24, 31, 40, 44, 53,
	10, 19, 23, 32, 39, 45, 52, 54, 20, 22, 33, 38, 46, 51, 55, 60,
	21, 34, 37, 47, 50, 56, 59, 61, 35, 36, 48, 49, 57, 58, 62, 63,
}

func frequenciesPortable(to *[64]int16, samples []uint8, stride int, divisors *Divisors) (nonzero uint64) {
	var rows [8][8]int32
	const half1, half2 = 1 << 10, 1 << 14
	for y := range rows {
		v := binary.LittleEndian.Uint64(samples[y*stride:])
		c0, c1, c2, c3, c4, c5, c6, c7 := forwardPortable(int32(v&0xff), int32(v>>8&0xff), int32(v>>16&0xff), int32(v>>24&0xff),
			int32(v>>32&0xff), int32(v>>40&0xff), int32(v>>48&0xff), int32(v>>56))
		rows[y] = [8]int32{(c0 - 8*128) << 2, (c1 + half1) >> 11, (c2 + half1) >> 11, (c3 + half1) >> 11,
			c4 << 2, (c5 + half1) >> 11, (c6 + half1) >> 11, (c7 + half1) >> 11}
	}
	for x := range 8 {
		c0, c1, c2, c3, c4, c5, c6, c7 := forwardPortable(rows[0][x], rows[1][x], rows[2][x], rows[3][x], rows[4][x], rows[5][x], rows[6][x], rows[7][x])
		nonzero |= divisors.divide(to, x, (c0+2)>>2) | divisors.divide(to, 8+x, (c1+half2)>>15) |
			divisors.divide(to, 16+x, (c2+half2)>>15) | divisors.divide(to, 24+x, (c3+half2)>>15) |
			divisors.divide(to, 32+x, (c4+2)>>2) | divisors.divide(to, 40+x, (c5+half2)>>15) |
			divisors.divide(to, 48+x, (c6+half2)>>15) | divisors.divide(to, 56+x, (c7+half2)>>15)
	}
	return nonzero
}

// divide divides coefficient i, x, and returns the bit of its place if the quotient is not 0.
// Signs are in no order, so that branches on them would cost more.
func (d *Divisors) divide(to *[64]int16, i int, x int32) uint64 {
	sign, place := x>>31, natural[i]&63
	q := uint64(uint32(x^sign-sign+int32(d.floats[i])>>1)) * d.inverses[i] >> 40
	to[place] = int16(int32(q) ^ sign - sign)
	return -q >> 63 << place
}

// forwardPortable transforms eight numbers. All but the first and the fifth are 2^13 times as large.
func forwardPortable(x0, x1, x2, x3, x4, x5, x6, x7 int32) (c0, c1, c2, c3, c4, c5, c6, c7 int32) {
	s0, s7 := x0+x7, x0-x7
	s1, s6 := x1+x6, x1-x6
	s2, s5 := x2+x5, x2-x5
	s3, s4 := x3+x4, x3-x4
	t0, t3, t1, t2 := s0+s3, s0-s3, s1+s2, s1-s2
	z := (t2 + t3) * 4433
	z1, z2, z3, z4 := s4+s7, s5+s6, s4+s6, s5+s7
	z5 := (z3 + z4) * 9633
	z1, z2, z3, z4 = -z1*7373, -z2*20995, -z3*16069+z5, -z4*3196+z5
	return t0 + t1, s7*12299 + z1 + z4, z + t3*6270, s6*25172 + z2 + z3,
		t0 - t1, s5*16819 + z2 + z4, z - t2*15137, s4*2446 + z1 + z3
}
