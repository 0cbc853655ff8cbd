package vec

import (
	"math"

	"github.com/troupe-go/troupe/kernel"
)

const (
	// worthSharing is how many multiplications it takes until other cores are
	// asked to help: 10 µs of work.
	worthSharing = 512 << 10
	// shareWork and mostWork are how many of them a part is made of at least
	// and at most: 2 µs, which it takes a core that is awake to join, to 0.6 ms.
	shareWork = 128 << 10
	mostWork  = 32 << 20
)

// work is how many multiplications a product of these sizes takes.
func work(m, n, k int) float64 { return float64(m) * float64(n) * float64(k) }

// grain is how many pieces of work each make up enough.
func grain(enough, each float64) int { return max(1, int(enough/each)) }

// A shared product is computed by several goroutines. How it is cut into parts
// has no influence on the bits of the result.
type shared[T Number] struct {
	product[T]
	g            *geometry
	groups       int // of rows
	chunks, wide int // of columns: their number, and the columns in one

	// What the pool calls; made once, for all products that the memory serves.
	rows, parts func(lo, hi int)
}

var shareds reserve

// share readies a product for a pool.
func share[T Number](q *product[T], g *geometry) *shared[T] {
	s, _ := of[T](&shareds).Get().(*shared[T])
	if s == nil {
		s = &shared[T]{}
		s.rows, s.parts = s.portable, s.computeParts
	}
	s.product, s.g = *q, g
	return s
}

// end lets go of the matrices.
func (s *shared[T]) end() {
	s.product = product[T]{}
	of[T](&shareds).Put(s)
}

// spread cuts C into chunks of columns and groups of rows, about as long as
// wide: several parts for each worker if there is so much work, but not so
// small that packing, which each part does for itself, would take long.
func (s *shared[T]) spread(p kernel.Pool) {
	enough := work(s.m, s.n, s.k) / float64(4*p.Workers())
	enough = min(max(enough, shareWork), mostWork) / float64(s.k) // elements of C

	width := s.width(s.g, s.m)
	columns := int(max(math.Sqrt(enough), enough/float64(s.m)))
	s.wide = min(((columns-1)/width+1)*width, s.n)
	s.chunks = (s.n-1)/s.wide + 1
	height := max(s.g.rows, int(enough/float64(s.wide)))
	s.groups = (s.m-1)/height + 1
	p.Parallel(s.chunks*s.groups, 1, s.parts)
}

func (s *shared[T]) computeParts(lo, hi int) {
	for i := lo; i < hi; i++ {
		chunk, group := i%s.chunks, i/s.chunks
		left := chunk * s.wide
		s.compute(s.g, cut(s.m, s.groups, group), cut(s.m, s.groups, group+1), left, min(left+s.wide, s.n))
	}
}
