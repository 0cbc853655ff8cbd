package nn

import "github.com/troupe-go/troupe/tensor"

// Eigen's matrix product of half and bfloat16, which TensorFlow's CPU kernels
// use, works on vectors of vectorSize columns, two at a time, for rowGroup rows
// together. Which steps it rounds, and in which order it adds, depends on the
// place of an element in the result.
const (
	vectorSize = 8
	rowGroup   = 4
	peeled     = 8   // steps of its unrolled loop
	maxDepth   = 816 // of a sum: what a first cache of 32 KiB has room for on one thread
)

// A rounding rounds a float32 to what a narrower type can hold.
type rounding func(float32) float32

func roundingTo(dt tensor.DType) rounding {
	if dt == tensor.Half {
		return func(x float32) float32 { return tensor.ToFloat16(x).Float32() }
	}
	return func(x float32) float32 { return tensor.ToBFloat16(x).Float32() }
}

// narrowDepth returns the number of steps after which sums of n steps are added to
// the result and begin again.
func narrowDepth(n int) int {
	rest := n % maxDepth
	if n <= maxDepth || rest == 0 {
		return min(n, maxDepth)
	}
	return maxDepth - peeled*((maxDepth-1-rest)/(peeled*(n/maxDepth+1)))
}

// addRow adds to dst, a row of a product, that of a[0], a[step], ... and the
// matrix b, whose rows are as long as dst. Grouped says that the row is one of a
// whole group. Sums is memory, as long as dst.
//
// Columns in a whole vector round each product and each sum. A vector without a
// second one has, in a grouped row, two sums, of the even and of the odd steps
// of the unrolled loop. Columns that fill no vector round the sum alone.
func (round rounding) addRow(dst, a []float32, step int, b []float32, grouped bool, sums []float32) {
	n := len(dst)
	depth := len(b) / n
	pairs, vectors := n/(2*vectorSize)*(2*vectorSize), n/vectorSize*vectorSize
	unrolled := 0
	if grouped {
		unrolled = depth / peeled * peeled
	}
	clear(sums)
	var odd [vectorSize]float32
	single := sums[pairs:vectors]
	for t := range depth {
		x, row := a[t*step], b[t*n:][:n]
		if t == unrolled {
			for j := range single {
				single[j] = round(single[j] + odd[j])
			}
		}
		round.addProducts(sums[:pairs], x, row)
		if t < unrolled && t%2 == 1 {
			round.addProducts(odd[:len(single)], x, row[pairs:])
		} else {
			round.addProducts(single, x, row[pairs:])
		}
		for j := vectors; j < n; j++ {
			sums[j] = round(sums[j] + x*row[j]) // a float32 holds the product
		}
	}
	if unrolled == depth {
		for j := range single {
			single[j] = round(single[j] + odd[j])
		}
	}
	for j, v := range sums {
		dst[j] = round(dst[j] + v)
	}
}

// addProducts adds x·row to sums, and rounds each product and each sum.
func (round rounding) addProducts(sums []float32, x float32, row []float32) {
	for j, y := range row[:len(sums)] {
		sums[j] = round(sums[j] + round(x*y))
	}
}
