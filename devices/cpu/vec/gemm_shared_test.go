package vec

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/troupe-go/troupe/kernel"
)

// counted is a pool that notes how many ranges it is given.
type counted struct {
	kernel.Pool
	workers, ranges int
}

func (c *counted) Workers() int { return c.workers }

func (c *counted) Parallel(n, grain int, f func(lo, hi int)) {
	c.ranges = (n-1)/grain + 1
	c.Pool.Parallel(n, grain, f)
}

// A product is cut into rows rather than columns unless its right operand is larger than the other
// two, and every worker gets as many of them.
func TestRowsShared(t *testing.T) {
	if isa == portable {
		t.Skip("there are no tiles")
	}
	for _, x := range []struct {
		m, n, k, workers int
		rows             bool
	}{
		{225, 256, 256, 2, true},
		{841, 128, 64, 2, true},
		{841, 128, 64, 3, true},
		{196, 112, 672, 2, true},
		{784, 64, 512, 2, true},
		{64, 256, 128, 2, false},
		{112, 256, 256, 2, false}, // it would be in rows but for its right operand
		{49, 1152, 192, 2, false},
		{392, 240, 576, 2, false},  // it would be, but the right operand does not stay in the cache
		{512, 512, 512, 2, false},  // its rows are 2 KiB apart, so it is packed
		{150, 128, 1024, 2, false}, // those of its left operand are 4 KiB apart
		{420, 512, 2048, 2, false}, // what a worker keeps of its left operand has no room for all columns
		{110, 200, 200, 8, false},  // it has too few strips
	} {
		a, b, c := make([]float32, x.m*x.k), make([]float32, x.k*x.n), make([]float32, x.m*x.n)
		for i := range a {
			a[i] = float32(i*7919%1009) - 500
		}
		for i := range b {
			b[i] = float32(i*7919%1013)/1000 - 0.5
		}
		q := &product[float32]{m: x.m, n: x.n, k: x.k, a: a, rowA: x.k, colA: 1, b: b, rowB: x.n, c: c, rowC: x.n}
		s := share(q, geometryOf(unsafe.Sizeof(a[0])))
		p := &counted{Pool: goroutines{}, workers: x.workers}
		s.spread(p)
		if rows := s.chunks == 1; rows != x.rows || p.ranges != s.chunks*s.groups {
			t.Errorf("%+v: %d groups of rows, %d of columns, %d ranges", x, s.groups, s.chunks, p.ranges)
		} else if strips := s.strips(s.g); rows && (s.groups%x.workers != 0 || strips%s.groups != 0 || (x.m-1)/strips+1 > s.g.rows) {
			t.Errorf("%+v: %d strips in %d groups", x, strips, s.groups)
		}
		s.end()
		alone := make([]float32, len(c))
		Gemm(nil, false, false, x.m, x.n, x.k, a, x.k, b, x.n, alone, x.n)
		if !slices.Equal(c, alone) {
			t.Errorf("%+v: another result than alone", x)
		}
	}
}

// TestEvenGroups: groups are all of the same number of strips and as many for each worker, no more
// than allowed, and with fewer than half as many further strips; or else they are as many as parts.
func TestEvenGroups(t *testing.T) {
	for strips := 1; strips < 100; strips++ {
		for parts := 1; parts <= strips; parts++ {
			for workers := 1; workers < 6; workers++ {
				for _, most := range []int{parts, 2 * parts, 200} {
					s := &shared[float32]{}
					groups := s.evenGroups(strips, parts, workers, most)
					even := groups%workers == 0 && groups <= most && s.least%groups == 0 && s.least >= strips && 2*s.least < 3*strips
					if !even && (groups != parts || s.least != 0) {
						t.Fatalf("%d strips, %d parts, %d workers, at most %d groups: %d groups, %d strips", strips, parts, workers, most, groups, s.least)
					}
				}
			}
		}
	}
}
