package vec

import "math"

// partial is how many partial results a reduction has: element i goes to number
// i mod partial, so that every instruction set adds in the same order.
const partial = 64

var infinity = float32(math.Inf(1))

// Sum adds up x in a fixed order: element i to partial sum i mod 64, and then
// the upper half of the partial sums to the lower one until a single one is left.
func Sum(x []float32) float32 {
	var l [partial]float32
	switch isa {
	case avx512:
		sumLanesAVX512(l[:], x)
	case avx2:
		sumLanesAVX2(l[:], x)
	default:
		sumLanesPortable(l[:], x)
	}
	for n := partial / 2; n > 0; n /= 2 {
		for i := range n {
			l[i] += l[i+n]
		}
	}
	return l[0]
}

// Largest is the largest element of x: NaN if one is, and +0 is larger than -0,
// as for Go's max; -Inf if x is empty.
func Largest(x []float32) float32 {
	l := identities(-infinity)
	switch isa {
	case avx512:
		maxLanesAVX512(l[:], x)
	case avx2:
		maxLanesAVX2(l[:], x)
	default:
		maxLanesPortable(l[:], x)
	}
	most := l[0]
	for _, v := range l[1:] {
		most = max(most, v)
	}
	return most
}

// Smallest is the smallest element of x: NaN if one is, and -0 is smaller than
// +0, as for Go's min; Inf if x is empty.
func Smallest(x []float32) float32 {
	l := identities(infinity)
	switch isa {
	case avx512:
		minLanesAVX512(l[:], x)
	case avx2:
		minLanesAVX2(l[:], x)
	default:
		minLanesPortable(l[:], x)
	}
	least := l[0]
	for _, v := range l[1:] {
		least = min(least, v)
	}
	return least
}

// LargestNumber is the largest element of x that is not NaN; -Inf if there is
// none. Whether a zero has a sign is open. It takes less time than [Largest].
func LargestNumber(x []float32) float32 {
	l := identities(-infinity)
	switch isa {
	case avx512:
		greatestLanesAVX512(l[:], x)
	case avx2:
		greatestLanesAVX2(l[:], x)
	default:
		greatestLanesPortable(l[:], x)
	}
	most := l[0]
	for _, v := range l[1:] {
		if v > most {
			most = v
		}
	}
	return most
}

// Index is the place of the first element of x that equals s, -1 if there is
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

func identities(v float32) (l [partial]float32) {
	for i := range l {
		l[i] = v
	}
	return l
}
