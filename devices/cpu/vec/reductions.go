package vec

import "math"

// partial is how many partial results a reduction has: element i goes to number
// i mod partial, so that every instruction set adds in the same order.
const partial = 64

var infinity = float32(math.Inf(1))

// Sum adds up x in a fixed order: element i to partial sum i mod 64, and then
// the upper half of the partial sums to the lower one until a single one is left.
func Sum(x []float32) float32 {
	switch isa {
	case avx512:
		return sumOfAVX512(x, 0)
	case avx2:
		return sumOfAVX2(x, 0)
	default:
		return sumOfPortable(x)
	}
}

// Largest returns the largest element of x: NaN if one is, and +0 is larger than -0,
// as for Go's max; -Inf if x is empty.
func Largest(x []float32) float32 {
	switch isa {
	case avx512:
		return maxOfAVX512(x, -infinity)
	case avx2:
		return maxOfAVX2(x, -infinity)
	default:
		return maxOfPortable(x)
	}
}

// Smallest returns the smallest element of x: NaN if one is, and -0 is smaller than
// +0, as for Go's min; Inf if x is empty.
func Smallest(x []float32) float32 {
	switch isa {
	case avx512:
		return minOfAVX512(x, infinity)
	case avx2:
		return minOfAVX2(x, infinity)
	default:
		return minOfPortable(x)
	}
}

// LargestNumber returns the largest element of x that is not NaN; -Inf if there is
// none. Whether a zero has a sign is open. It takes less time than [Largest].
func LargestNumber(x []float32) float32 {
	switch isa {
	case avx512:
		return greatestOfAVX512(x, -infinity)
	case avx2:
		return greatestOfAVX2(x, -infinity)
	default:
		return greatestOfPortable(x)
	}
}

// Index returns the place of the first element of x that equals s, -1 if there is
// none. Zeros are equal, NaN equals nothing.
func Index(x []float32, s float32) int {
	var i int
	switch isa {
	case avx512:
		i = indexAVX512(x, s)
	case avx2:
		i = indexAVX2(x, s)
	default:
		i = indexPortable(x, s)
	}
	if i == len(x) {
		return -1
	}
	return i
}
