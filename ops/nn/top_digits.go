package nn

import (
	"math"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
)

// fewestByDigits is how many numbers are sorted faster by digits than by comparisons.
const fewestByDigits = 500

// A digit has so many bits.
const (
	digitBits = 11
	digitMask = 1<<digitBits - 1
)

// A keyed is an element's key and its place.
type keyed struct {
	key uint64
	at  int
}

// byDigits appends the k greatest of x, none of which is NaN, to best: it sorts all by
// their keys, from the lowest digits to the highest, which leaves equal ones in order. desk has
// room for twice as many. The result is empty if the step ends.
func byDigits[T elementwise.Real](ctx *kernel.Context, best []ranked[T], x []T, k int, key func(T) uint64, desk []keyed) []ranked[T] {
	from, to := desk[:len(x)], desk[len(x):2*len(x)]
	varied, first := uint64(0), key(x[0])
	for lo, hi := range ctx.Ranges(len(x), 1<<14) {
		for i, v := range x[lo:hi] {
			key := key(v)
			from[lo+i] = keyed{key, lo + i}
			varied |= key ^ first
		}
	}
	for shift := 0; shift < 64 && ctx.Err() == nil; shift += digitBits {
		if varied>>shift&digitMask == 0 { // all have the same digit
			continue
		}
		var next [1 << digitBits]int // first how many have a digit, then where those go
		for lo, hi := range ctx.Ranges(len(from), 1<<14) {
			for _, e := range from[lo:hi] {
				next[e.key>>shift&digitMask]++
			}
		}
		below := 0
		for i, n := range next {
			next[i] = below
			below += n
		}
		for lo, hi := range ctx.Ranges(len(from), 1<<14) {
			for _, e := range from[lo:hi] {
				at := &next[e.key>>shift&digitMask]
				to[*at] = e
				*at++
			}
		}
		from, to = to, from
	}
	if ctx.Err() != nil {
		return nil
	}
	for _, e := range from[:k] {
		best = append(best, ranked[T]{x[e.at], e.at})
	}
	return best
}

// Keys order numbers from the greatest to the least; both zeros have one.

func keyOfFloat32(x float32) uint64 {
	b := math.Float32bits(x)
	switch {
	case x == 0:
		b = 0
	case b>>31 != 0:
		return uint64(b)
	}
	return uint64(^b &^ (1 << 31))
}

func keyOfFloat64(x float64) uint64 {
	b := math.Float64bits(x)
	switch {
	case x == 0:
		b = 0
	case b>>63 != 0:
		return b
	}
	return ^b &^ (1 << 63)
}

func keyOfInt64(x int64) uint64 { return ^uint64(x) ^ 1<<63 }

func keyOfUint64(x uint64) uint64 { return ^x }
