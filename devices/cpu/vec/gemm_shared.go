package vec

import (
	"sync"
	"time"
	"unsafe"

	"github.com/troupe-go/troupe/kernel"
)

const (
	// worthSharing is how many multiplications it takes until other cores are
	// asked to help: 10 µs of work.
	worthSharing = 512 << 10
	// rowWorthSharing is the same for a single row, which waits for B.
	rowWorthSharing = 192 << 10
	// shareWork and mostWork are how many of them a part is made of at least
	// and at most: 2 µs, which it takes a core that is awake to join, to 1.2 ms.
	shareWork = 128 << 10
	mostWork  = 128 << 20
	// partsEach is how many parts there are for each worker, within these limits.
	partsEach = 4
	// leastStrips is how many strips pass by a panel of B at least where parts are
	// groups of strips.
	leastStrips = 4
	// keptBytes is how much of A a worker packs at a time, and keeps for its next
	// part, at most.
	keptBytes = 6 << 20
)

// work is how many multiplications a product of these sizes takes.
func work(m, n, k int) float64 { return float64(m) * float64(n) * float64(k) }

// worth says whether a product is large enough for other cores.
func worth(m, n, k int) bool {
	return work(m, n, k) >= worthSharing || m == 1 && work(m, n, k) >= rowWorthSharing
}

// Expect tells a pool that as many multiplications are about to be shared out as a
// product of these sizes takes.
func Expect[T Number](p kernel.Pool, m, n, k int) {
	var z T
	each := 100.0 // in a nanosecond, on one core
	switch {
	case !inAssembly[T]():
		each = 1
	case unsafe.Sizeof(z) == 8:
		each = 50
	}
	p.Expect(time.Duration(min(work(m, n, k)/each, float64(time.Hour))))
}

// grain is how many pieces of work each make up enough.
func grain(enough, each float64) int { return max(1, int(enough/each)) }

// A shared product is computed by several goroutines. How it is cut into parts
// has no influence on the bits of the result.
//
// Nobody reads what another one packed: that is in the caches of another core, which
// may be far away. What only one part needs is packed with it; strips of A that several
// parts need are packed once by each worker.
type shared[T Number] struct {
	product[T]
	g              *geometry
	groups, chunks int  // of strips, and of panels as wide as tiles
	first, last    int  // the products that are summed up, a slab
	keeps          bool // workers keep what they pack of A
	halves         bool // two chunks are cut into halves; see chunk

	mu          sync.Mutex
	kept, spare []*desk[T] // of workers that are between parts, and empty ones

	// What the pool calls; made once, for all products that the memory serves.
	rows, parts func(lo, hi int)
}

// A desk is where a worker keeps strips of A that it has packed.
type desk[T Number] struct {
	a    *Scratch[T]
	done []bool // strips
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

// spread cuts C into groups of strips, or chunks of panels, or both: several parts for
// each worker if there is so much work.
func (s *shared[T]) spread(p kernel.Pool) {
	strips, panels := s.strips(s.g), s.across()
	packsA, packsB := s.packsA(s.g), s.packedB.s == nil && s.packsB(s.g)
	total := work(s.m, s.n, s.k)
	parts := max(1, int(total/min(max(total/float64(partsEach*p.Workers()), shareWork), mostWork)))
	if strips >= leastStrips*parts && (packsA && !packsB || s.m > 6*s.n) {
		s.groups, s.chunks = parts, 1
	} else {
		s.chunks = min(parts, panels)
		s.groups = min(parts/s.chunks, strips)
	}
	if s.halves = s.groups == 1 && s.chunks >= 4 && panels >= 2*s.chunks; s.halves {
		s.chunks += 2
	}

	depth := s.k
	if s.keeps = packsA && s.chunks > 1; s.keeps {
		depth = min(s.k, keptBytes/(strips*s.g.strip*int(s.g.size))/GemmBlock*GemmBlock)
		if depth == 0 {
			s.keeps, depth = false, s.k
		}
	}
	for s.first = 0; s.first < s.k; s.first = s.last {
		s.last = min(s.first+depth, s.k)
		p.Parallel(s.chunks*s.groups, 1, s.parts)
		for _, d := range s.kept {
			d.a.GiveBack()
			d.a = nil
		}
		s.spare, s.kept = append(s.spare, s.kept...), s.kept[:0]
	}
}

// chunk is the panels of a chunk: all are about as wide, but the two in the middle may
// be cut into halves. Those are what is left when workers from both ends meet, and what
// one may have to wait for the other to finish.
func (s *shared[T]) chunk(i int) (left, right int) {
	panels := s.across()
	if !s.halves {
		return cut(panels, s.chunks, i), cut(panels, s.chunks, i+1)
	}
	equal := s.chunks - 2
	half := i - (equal/2 - 1) // 0 to 3
	switch {
	case half < 0:
		return cut(panels, equal, i), cut(panels, equal, i+1)
	case half > 3:
		return cut(panels, equal, i-2), cut(panels, equal, i-1)
	}
	at := equal/2 - 1 + half/2
	left, right = cut(panels, equal, at), cut(panels, equal, at+1)
	if middle := (left + right) / 2; half%2 == 0 {
		return left, middle
	} else {
		return middle, right
	}
}

// across is how many panels C is wide.
func (s *shared[T]) across() int { return (s.n-1)/s.width(s.g) + 1 }

func (s *shared[T]) computeParts(lo, hi int) {
	strips, width := s.strips(s.g), s.width(s.g)
	q := s.product
	var d *desk[T]
	if s.keeps {
		d = s.take()
		q.packedA = packed[T]{d.a.s, s.g.strip, s.first, s.last - s.first}
	}
	for i := lo; i < hi; i++ {
		group := i / s.chunks
		left, right := s.chunk(i % s.chunks)
		p := part{
			cut(strips, s.groups, group), cut(strips, s.groups, group+1),
			left * width, min(right*width, s.n),
			s.first, s.last,
		}
		if d != nil {
			d.pack(&q, s.g, p)
		}
		q.compute(s.g, p)
	}
	if d != nil {
		s.mu.Lock()
		s.kept = append(s.kept, d)
		s.mu.Unlock()
	}
}

// take is the desk that this worker left, unless another one was faster, or an empty
// one.
func (s *shared[T]) take() *desk[T] {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.kept); n > 0 {
		d := s.kept[n-1]
		s.kept = s.kept[:n-1]
		return d
	}
	d := &desk[T]{}
	if n := len(s.spare); n > 0 {
		d = s.spare[n-1]
		s.spare = s.spare[:n-1]
	}
	strips := s.strips(s.g)
	d.a = Borrow[T](strips * s.g.strip * (s.last - s.first))
	if cap(d.done) < strips {
		d.done = make([]bool, strips)
	}
	d.done = d.done[:strips]
	clear(d.done)
	return d
}

// pack packs the strips of a part that are not packed yet.
func (d *desk[T]) pack(q *product[T], g *geometry, p part) {
	each := q.packedA.wide * q.packedA.depth
	for i := p.top; i < p.bottom; i++ {
		if !d.done[i] {
			q.packStrip(g, d.a.s[i*each:], i, p.first, p.last)
			d.done[i] = true
		}
	}
}
