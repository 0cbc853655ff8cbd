package vec

// Triangle doubles row, of at least 2 samples: three quarters of each are of the nearer
// one. dst has twice as many.
func Triangle(dst, row []uint8) {
	last := len(row) - 1
	dst = dst[:2*len(row)]
	n := 0
	if isa != portable && last > 16 {
		n = (last - 1) &^ 15
		triangleAVX2(dst[2:], row, n)
	}
	trianglePortable(dst, row, n)
	dst[0], dst[2*last+1] = row[0], row[last]
}

// Triangles doubles row, of at least 2 samples, for a line between it and another one, to
// which row is nearer: three quarters are of the nearer row, and of the nearer sample in
// it. dst has twice as many.
func Triangles(dst, row, other []uint8) {
	last := len(row) - 1
	dst, other = dst[:2*len(row)], other[:len(row)]
	n := 0
	if isa != portable && last > 16 {
		n = (last - 1) &^ 15
		trianglesAVX2(dst[2:], row, other, n)
	}
	trianglesPortable(dst, row, other, n)
}

// Colors makes red, green and blue, side by side, of brightness and differences of color
// to blue and to red, as ITU-T T.871 has it, with factors of 5 digits and 16 bits after
// the point.
func Colors(dst, y, cb, cr []uint8) {
	dst, cb, cr = dst[:3*len(y)], cb[:len(y)], cr[:len(y)]
	n := 0
	if isa != portable {
		n = len(y) &^ 15
		colorsAVX2(dst, y, cb, cr, n)
	}
	colorsPortable(dst[3*n:], y[n:], cb[n:], cr[n:])
}

// Cosines is the inverse cosine transform of Arai, Agui and Nakajima (Trans. IEICE E71,
// 1988) of 8 by 8 coefficients times scale, whose products have 5 bits after the point.
// It sets 8 rows, stride apart; samples out of range are the nearest in range. Constants
// have 8 bits after the point, products are rounded down, and of all numbers the lowest
// 16 bits count.
func Cosines(to []uint8, stride int, block, scale *[64]int16) {
	_ = to[7*stride : 7*stride+8]
	if isa != portable {
		cosinesAVX2(to, stride, block[:], scale[:])
		return
	}
	cosinesPortable(to, stride, block, scale)
}

// Divisors are numbers up to 2^11 that coefficients of cosine transforms are divided by, in
// natural order.
type Divisors struct {
	floats   [64]float32
	inverses [64]uint64
}

// Set sets one of them. Its inverse is rounded up: a quotient of what is below 2^29 is that of
// the product with 2^40.
func (d *Divisors) Set(i int, by int32) {
	d.floats[i], d.inverses[i] = float32(by), 1<<40/uint64(by)+1
}

// Frequencies sets to to the quotients of the coefficients of 8 rows of 8 samples, stride apart,
// rounded to the nearest, halves away from zero, in the order of a JPEG file, and returns which
// are not 0, by bits: the cosine transform of Loeffler, Ligtenberg and Moschytz (ICASSP 1989) in
// integers, 8 times as large, rounded where libjpeg rounds.
func Frequencies(to *[64]int16, samples []uint8, stride int, divisors *Divisors) (nonzero uint64) {
	_ = samples[7*stride : 7*stride+8]
	if isa != portable {
		return frequenciesAVX2(to[:], samples, stride, divisors.floats[:])
	}
	return frequenciesPortable(to, samples, stride, divisors)
}
