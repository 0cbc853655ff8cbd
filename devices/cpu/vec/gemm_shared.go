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
	// passedBytes is how much of B stays in a core's second cache from one product to the next.
	passedBytes = 1 << 19
	// keptBytes is how much of A a worker packs at a time, and keeps for its next part:
	// it passes by for each part, so what comes from the second cache or from near
	// memory counts more than meeting the others once for each slab. Where not even a
	// block has room, it may be as much as mostKeptBytes.
	keptBytes     = 3 << 19
	mostKeptBytes = 6 << 20
)

// work returns how many multiplications a product of these sizes takes.
func work(m, n, k int) float64 { return float64(m) * float64(n) * float64(k) }

// worth reports whether a product is large enough for other cores.
func worth(m, n, k int) bool {
	return work(m, n, k) >= worthSharing || m == 1 && work(m, n, k) >= rowWorthSharing
}

// PoolOf returns the pool for a product of these sizes: one that skips the work of a step
// that has ended ([kernel.Context.Pool]), unless the product takes only a millisecond or two.
// After large products the caller checks ctx.
func PoolOf(ctx *kernel.Context, m, n, k int) kernel.Pool {
	if work(m, n, k) > mostWork {
		return ctx.Pool()
	}
	return ctx.Step.Pool
}

// Expect announces to a pool as much work as a product of these sizes takes.
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

// grain returns how many pieces of work each make up enough.
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
	finer          bool // two chunks are cut into smaller ones; see chunk

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

// end releases the matrices.
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
	tall := strips >= leastStrips*parts && (packsA && !packsB || s.m > 6*s.n)
	if tall || strips >= parts && !packsA && !packsB && s.passesOn() {
		most := parts
		if !packsB { // which each group would do for itself
			most = max(parts, int(total/shareWork))
		}
		s.groups, s.chunks = s.evenGroups(strips, parts, p.Workers(), most), 1
	} else {
		s.chunks = min(parts, panels)
		s.groups = min(parts/s.chunks, strips)
	}
	if s.finer = s.groups == 1 && s.chunks >= 4 && panels >= 2*s.chunks; s.finer {
		s.chunks += len(middle) - 1 - 2
	}

	depth := s.k
	if s.keeps = packsA && s.chunks > 1; s.keeps {
		column := strips * s.g.strip * int(s.g.size)
		depth = min(s.k, max(keptBytes/column/GemmBlock, 1)*GemmBlock)
		if depth*column > mostKeptBytes {
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

// passesOn reports whether parts should be rows of C rather than columns. In a network the core
// that computes some rows has most likely computed the same rows of A, and will read those of C,
// which are in its cache. With columns each core has only its part of B in its cache. So rows are
// better unless B is larger than A and C, or does not stay in the cache.
func (s *shared[T]) passesOn() bool {
	return s.k*s.n < s.m*(s.k+s.n) && uintptr(s.k*s.n)*s.g.size <= passedBytes
}

// evenGroups returns how many groups the rows are cut into, from parts to most: a multiple of
// the workers, all of the same number of strips, for which the rows are cut into a few more strips
// than necessary. If that were half as many more, groups are as many as parts and differ.
func (s *shared[T]) evenGroups(strips, parts, workers, most int) int {
	groups, least := parts, strips+strips/2
	for each := strips / parts; each > 0; each-- {
		n := ((strips-1)/(each*workers) + 1) * workers
		if n <= most && n*each < least {
			groups, least, s.least = n, n*each, n*each
		}
		if least <= strips+strips/16 { // good enough: more strips pass by a panel of B together
			break
		}
	}
	return groups
}

// middle is where the smaller chunks begin that stand for the two in the middle, in
// quarters of one.
var middle = [...]int{0, 2, 3, 4, 5, 6, 8}

// chunk returns the panels of a chunk. All are about as wide, but those in the middle may be
// smaller: they are what is left when workers from both ends meet, and what one may
// have to wait for the other to finish.
func (s *shared[T]) chunk(i int) (left, right int) {
	return s.begin(i), s.begin(i + 1)
}

// begin returns the first panel of a chunk.
func (s *shared[T]) begin(i int) int {
	panels := s.across()
	if !s.finer {
		return cut(panels, s.chunks, i)
	}
	smaller := len(middle) - 1
	equal := s.chunks - smaller + 2
	before := equal/2 - 1 // chunks
	switch {
	case i <= before:
		return cut(panels, equal, i)
	case i >= before+smaller:
		return cut(panels, equal, i-smaller+2)
	}
	left, right := cut(panels, equal, before), cut(panels, equal, before+2)
	return left + (right-left)*middle[i-before]/8
}

// across returns how many panels C is wide.
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

// take returns the desk that this worker left, unless another one was faster, or an empty
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
