package vec

import (
	"github.com/troupe-go/troupe/kernel"
)

const (
	// worthSharing is how many multiplications it takes until other cores are
	// asked to help: 10 µs of work.
	worthSharing = 512 << 10
	// rowWorthSharing is the same for a single row, which waits for B.
	rowWorthSharing = 192 << 10
	// shareWork and mostWork are how many of them a part is made of at least
	// and at most: 2 µs, which it takes a core that is awake to join, to 0.3 ms.
	shareWork = 128 << 10
	mostWork  = 32 << 20
	// aheadBytes is how much memory operands that several parts need are packed into
	// at a time, unless it takes more for a single block.
	aheadBytes = 12 << 20
	// packElements is how many elements are packed by one worker at least: some
	// microseconds' work.
	packElements = 32 << 10
)

// work is how many multiplications a product of these sizes takes.
func work(m, n, k int) float64 { return float64(m) * float64(n) * float64(k) }

// worth says whether a product is large enough for other cores.
func worth(m, n, k int) bool {
	return work(m, n, k) >= worthSharing || m == 1 && work(m, n, k) >= rowWorthSharing
}

// grain is how many pieces of work each make up enough.
func grain(enough, each float64) int { return max(1, int(enough/each)) }

// A shared product is computed by several goroutines. How it is cut into parts
// has no influence on the bits of the result.
type shared[T Number] struct {
	product[T]
	g              *geometry
	groups, chunks int // of strips, and of panels as wide as tiles
	first, last    int // the products that are summed up, a slab
	early          int // strips of A that are packed for all parts

	// What the pool calls; made once, for all products that the memory serves.
	rows, pack, parts func(lo, hi int)
}

var shareds reserve

// share readies a product for a pool.
func share[T Number](q *product[T], g *geometry) *shared[T] {
	s, _ := of[T](&shareds).Get().(*shared[T])
	if s == nil {
		s = &shared[T]{}
		s.rows, s.pack, s.parts = s.portable, s.packParts, s.computeParts
	}
	s.product, s.g = *q, g
	return s
}

// end lets go of the matrices.
func (s *shared[T]) end() {
	s.product = product[T]{}
	of[T](&shareds).Put(s)
}

// spread cuts C into groups of strips, as many as compute takes together, and chunks
// of panels: several parts for each worker if there is so much work. What more than
// one part would pack is packed before, by all together, for as many products of an
// element as there is memory.
func (s *shared[T]) spread(p kernel.Pool) {
	strips, width := s.strips(s.g), s.width(s.g)
	panels := (s.n-1)/width + 1
	total := work(s.m, s.n, s.k)
	parts := int(total / min(max(total/float64(4*p.Workers()), shareWork), mostWork))
	s.groups = (strips-1)/s.together(s.g) + 1
	s.chunks = min(max((parts-1)/s.groups+1, 1), panels)
	if s.groups*s.chunks < parts {
		s.groups = min((parts-1)/s.chunks+1, strips)
	}

	var a, b *scratch[T]
	each := 0 // elements that are packed for a product of each element
	earlyA := s.packedA.s == nil && s.packsA(s.g) && s.chunks > 1
	earlyB := s.packedB.s == nil && s.packsB(s.g) && s.groups > 1
	if earlyA {
		each += strips * s.g.strip
	}
	if earlyB {
		each += panels * width
	}
	depth := s.k
	if each > 0 {
		depth = min(s.k, aheadBytes/(each*int(s.g.size))/GemmBlock*GemmBlock)
	}
	if depth == 0 { // each part packs for itself
		earlyA, earlyB, depth = false, false, s.k
	}
	s.early = 0
	if earlyA {
		a, s.early = borrow[T](strips*s.g.strip*depth), strips
	}
	if earlyB {
		b = borrow[T](panels * width * depth)
	}
	for s.first = 0; s.first < s.k; s.first = s.last {
		s.last = min(s.first+depth, s.k)
		if a != nil {
			s.packedA = packed[T]{a.s, s.g.strip, s.first, s.last - s.first}
		}
		if b != nil {
			s.packedB = packed[T]{b.s, width, s.first, s.last - s.first}
		}
		if count := s.early; a != nil || b != nil {
			if b != nil {
				count += panels
			}
			p.Parallel(count, grain(packElements, float64((s.last-s.first)*s.g.panel)), s.pack)
		}
		p.Parallel(s.chunks*s.groups, 1, s.parts)
	}
	if a != nil {
		a.giveBack()
	}
	if b != nil {
		b.giveBack()
	}
}

// packParts packs what is packed ahead: strips of A, and then panels of B.
func (s *shared[T]) packParts(lo, hi int) {
	for i := lo; i < hi; i++ {
		if i < s.early {
			s.packStrip(s.g, s.packedA.s[i*s.packedA.wide*s.packedA.depth:], i, s.first, s.last)
			continue
		}
		b := &s.packedB
		left := (i - s.early) * b.wide
		s.packPanel(s.g, b.s[left*b.depth:], b.wide, left, min(left+b.wide, s.n), s.first, s.last)
	}
}

func (s *shared[T]) computeParts(lo, hi int) {
	strips, width := s.strips(s.g), s.width(s.g)
	panels := (s.n-1)/width + 1
	for i := lo; i < hi; i++ {
		chunk, group := i%s.chunks, i/s.chunks
		s.compute(s.g, part{
			cut(strips, s.groups, group), cut(strips, s.groups, group+1),
			cut(panels, s.chunks, chunk) * width, min(cut(panels, s.chunks, chunk+1)*width, s.n),
			s.first, s.last,
		})
	}
}
