package vec

import "github.com/troupe-go/troupe/kernel"

// worthSharing is how many multiplications it takes until other cores are
// asked to help; shareWork is how many of them a range is made of, at least.
const (
	worthSharing = 512 << 10
	shareWork    = 128 << 10
)

// work is how many multiplications a product of these sizes takes.
func work(m, n, k int) float64 { return float64(m) * float64(n) * float64(k) }

// grain is how many pieces of work each make up enough.
func grain(enough, each float64) int { return max(1, int(enough/each)) }

// A shared product is computed by several goroutines. How it is cut into
// ranges has no influence on the bits of the result.
type shared[T Number] struct {
	product[T]
	g geometry

	panels, groups int // of a thin product

	// The part of a thick product that is being computed: columns left to
	// right of rows first to last of op(B), packed.
	left, right int
	first, last int
	packed      *scratch[T]

	// What the pool calls; made once, for all products that the memory serves.
	rows, thinParts, packPanels, thickStrips func(lo, hi int)
}

var shareds reserve

// share readies a product for a pool.
func share[T Number](q *product[T], g geometry) *shared[T] {
	s, _ := of[T](&shareds).Get().(*shared[T])
	if s == nil {
		s = &shared[T]{}
		s.rows, s.thinParts, s.packPanels, s.thickStrips = s.portable, s.computeThin, s.pack, s.computeThick
	}
	s.product, s.g = *q, g
	return s
}

// end lets go of the matrices.
func (s *shared[T]) end() {
	s.product, s.packed = product[T]{}, nil
	of[T](&shareds).Put(s)
}

// thinly cuts the product into panels of columns, and those into groups of
// rows where there are few of them.
func (s *shared[T]) thinly(p kernel.Pool) {
	width, least := s.thinWidth(s.g, s.m), s.g.rows
	if s.transB {
		least *= 4 // each group packs B once more
	}
	s.panels = (s.n-1)/width + 1
	each := work(s.m, min(width, s.n), s.k)
	s.groups = min(grain(each, shareWork), (s.m-1)/least+1)
	p.Parallel(s.panels*s.groups, grain(shareWork, each/float64(s.groups)), s.thinParts)
}

func (s *shared[T]) computeThin(lo, hi int) {
	width := s.thinWidth(s.g, s.m)
	for i := lo; i < hi; i++ {
		panel, group := i%s.panels, i/s.panels
		left := panel * width
		s.thin(s.g, cut(s.m, s.groups, group), cut(s.m, s.groups, group+1), left, min(left+width, s.n))
	}
}

// cut is where part i of n begins when it is cut into parts that differ by one
// at most.
func cut(n, parts, i int) int { return n/parts*i + min(i, n%parts) }
