package philox

import (
	"math"
	"slices"
	"testing"
)

func TestFill(t *testing.T) {
	for _, begin := range []uint32{0, 5, math.MaxUint32 - 70} {
		one := New(3<<40|7, 5)
		one.Counter = [4]uint32{begin, begin, begin, 9}
		many := one
		for _, n := range []int{0, 1, 16, 33, 100} {
			got := make([]uint32, 4*n)
			many.Fill(got)
			for i := range n {
				if want := one.Next(); !slices.Equal(got[4*i:4*i+4], want[:]) {
					t.Fatalf("block %d of %d from %d is %v, not %v", i, n, begin, got[4*i:4*i+4], want)
				}
			}
		}
		if one != many {
			t.Errorf("generators went on to %v and %v", one, many)
		}
	}
}
