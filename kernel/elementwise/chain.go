package elementwise

import (
	"slices"
	"sync"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/tensor"
)

// A Link is one operation of a [Chain]: One on operand X, or Two on X and Y, or else
// Four on X, which is as long as the result, and Rows, which are rows of one length
// among the chain's own operands. Operands are counted from those of the chain on; then
// come the links before.
type Link[T Float] struct {
	One  Loop[T, T]
	Two  Loops[T, T]
	Four func(o, x, a, b, c []T)
	X, Y int
	Rows [3]int
}

// A Chain applies several operations one after another, in one pass over tiles of the
// result that stay in the first cache. What each computes has the bits that it
// would have alone: loops see the same pairs of elements, and tiles begin where the
// blocks of [Binary] and [Unary] may.
type Chain[T Float] struct {
	operands int
	links    []Link[T]
	slot     []int // by link: where in a tile's memory the result goes; 0 is the result's own
	slots    int
	lastUse  []int       // by operand: the last link that takes it
	first    int         // the first link that writes to slot 0
	placed   []Placed[T] // by link; nil: it does not matter where elements are
	rows     []int       // operands that links take as Rows
	pool     sync.Pool
}

// TileSize is how many elements a tile of a [Chain] has.
const TileSize = 2048

// NewChain makes a chain of links, the last of which makes the result.
func NewChain[T Float](operands int, links []Link[T]) *Chain[T] {
	return newChain(operands, links, -1)
}

// NewChainOver is [NewChain] for a result that may lie where operand over lies.
func NewChainOver[T Float](operands int, links []Link[T], over int) *Chain[T] {
	return newChain(operands, links, over)
}

func newChain[T Float](operands int, links []Link[T], over int) *Chain[T] {
	c := &Chain[T]{operands: operands, links: links, slot: make([]int, len(links)), lastUse: make([]int, operands+len(links)), slots: 1}
	for i := range c.lastUse {
		c.lastUse[i] = -1
	}
	c.placed = make([]Placed[T], len(links))
	for i, l := range links {
		c.placed[i], _ = l.One.(Placed[T])
		c.lastUse[l.X] = i
		switch {
		case l.Two != nil:
			c.lastUse[l.Y] = i
		case l.Four != nil:
			for _, r := range l.Rows {
				c.lastUse[r] = i
			}
			c.rows = append(c.rows, l.Rows[:]...)
		}
	}
	// A slot is taken by a link whose result is still to be used. A link may
	// write over what it is the last to take.
	busy := []int{-1} // by slot: the last link that takes what lies there
	if over >= 0 {
		busy[0] = c.lastUse[over]
	}
	c.first = len(links) - 1
	for i := range links {
		s := 0
		if i < len(links)-1 {
			for s = 0; s < len(busy) && busy[s] > i; s++ {
			}
			if s == len(busy) {
				busy = append(busy, 0)
			}
			busy[s] = c.lastUse[operands+i]
		}
		c.slot[i] = s
		if s == 0 {
			c.first = min(c.first, i)
		}
	}
	c.slots = len(busy)
	return c
}

// Overwrites reports whether the result may lie where operand i lies: no link takes it
// after the result's memory is written for the first time.
func (c *Chain[T]) Overwrites(i int) bool { return c.lastUse[i] <= c.first }

// An Operand is what a chain takes: one element, a row that is repeated, or as many
// elements as the result has.
type Operand[T Float] []T

// OperandOf is v as an operand of a result of shape dims; ok is false if it is to be
// repeated in another way, or does not fit.
func OperandOf[T Float](v *tensor.Value, dims []int64) (x Operand[T], ok bool) {
	own := v.Dims()
	if len(own) > len(dims) {
		return nil, false
	}
	x = tensor.Of[T](v)
	for len(own) > 0 && own[0] == 1 && len(x) > 1 {
		own = own[1:]
	}
	return x, len(x) == 1 || isSuffix(own, dims)
}

// Compute computes o of the operands. Every link must take one that has as many
// elements as o has, or the result of a link before: see Fits.
func (c *Chain[T]) Compute(ctx *kernel.Context, o []T, operands []Operand[T]) error {
	if len(o) <= TileSize && c.slots == 1 {
		c.tile(o, 0, len(o), 0, len(o), operands, nil, nil)
		return nil
	}
	r := c.Open(o, operands)
	defer r.Close()
	return r.Compute(ctx)
}

// Open is [Chain.Compute] for who computes parts of o when they are there to be
// computed, and closes it in the end.
func (c *Chain[T]) Open(o []T, operands []Operand[T]) *Pass[T] {
	return c.OpenPart(o, 0, len(o), operands)
}

// OpenPart is [Chain.Open] for o that is part of a result of so many elements, from element
// at on: of operands that are as long as the result, the part that belongs to o is given, and
// rows that are repeated begin with o.
func (c *Chain[T]) OpenPart(o []T, at, whole int, operands []Operand[T]) *Pass[T] {
	r := c.pass()
	r.o, r.at, r.whole, r.operands = o, at, whole, append(r.operands, operands...)
	r.repeat()
	return r
}

// pass returns a pass without operands.
func (c *Chain[T]) pass() *Pass[T] {
	r, _ := c.pool.Get().(*Pass[T])
	if r == nil {
		r = &Pass[T]{chain: c}
	}
	r.operands, r.spread, r.at, r.whole = r.operands[:0], r.spread[:0], 0, 0
	return r
}

// A Pass is one use of a chain.
type Pass[T Float] struct {
	chain    *Chain[T]
	o        []T
	at       int // of o in the result
	whole    int // elements of the result; 0: those of o
	operands []Operand[T]
	spread   []spread
	rows     []T // short rows, repeated
}

// Close ends the use.
func (r *Pass[T]) Close() {
	clear(r.operands)
	r.o = nil
	r.chain.pool.Put(r)
}

// Fits reports whether every link has an operand as long as the result, of n elements.
func (c *Chain[T]) Fits(n int, operands []Operand[T]) bool { return c.fits(n, operands, nil) }

func (c *Chain[T]) fits(n int, operands []Operand[T], spread []spread) bool {
	for i := range c.links {
		l := &c.links[i]
		if !c.long(l.X, n, operands, spread) && (l.Two == nil || !c.long(l.Y, n, operands, spread)) {
			return false
		}
	}
	return true
}

// Compute computes all elements.
func (r *Pass[T]) Compute(ctx *kernel.Context) error {
	grain := max(TileSize, Grain/len(r.chain.links)/TileSize*TileSize)
	if len(r.o) <= grain {
		r.Part(0, len(r.o))
		return nil
	}
	return r.share(ctx, grain)
}

func (r *Pass[T]) share(ctx *kernel.Context, grain int) error {
	ctx.Parallel(len(r.o), grain, func(lo, hi int) {
		if ctx.Err() == nil {
			r.Part(lo, hi)
		}
	})
	return ctx.Err()
}

// shortRow is the length below which rows are repeated, so that the loops have
// something to do.
const shortRow = 256

// repeat makes short rows longer.
func (r *Pass[T]) repeat() {
	r.rows = r.rows[:0]
	need := 0
	for i, x := range r.operands {
		if n := len(x); r.short(i) {
			need += n * (min(2*shortRow, len(r.o)) / n)
		}
	}
	if cap(r.rows) < need {
		r.rows = make([]T, 0, need)
	}
	for i, x := range r.operands {
		if n := len(x); r.short(i) {
			at := len(r.rows)
			end := at + n*(min(2*shortRow, len(r.o))/n)
			r.rows = append(r.rows, x...)
			for len(r.rows) < end { // what is there, again
				r.rows = append(r.rows, r.rows[at:min(len(r.rows), at+end-len(r.rows))]...)
			}
			r.operands[i] = r.rows[at:end:end]
		}
	}
}

// short reports whether an operand is a short row, and not one element that stands for
// itself.
func (r *Pass[T]) short(i int) bool {
	n := len(r.operands[i])
	return n < shortRow && n < len(r.o) && spreadOf(r.spread, i) == nil && (n > 1 || n == 1 && slices.Contains(r.chain.rows, i))
}

// A tileMemory is the slots of a tile but the first.
type tileMemory[T Float] struct{ slots [][TileSize]T }

// Part computes elements lo to hi. Parts may be computed at the same time.
func (r *Pass[T]) Part(lo, hi int) {
	c := r.chain
	var memory *tileMemory[T]
	slots := c.slots - 1
	if len(r.spread) > 0 {
		slots += 2 // for either operand of a link
	}
	if slots > 0 {
		memory = takeTile[T](slots)
		defer giveTile(memory)
	}
	for ; lo < hi; lo += TileSize {
		r.tile(lo, min(lo+TileSize, hi), memory)
	}
}

func (r *Pass[T]) tile(lo, hi int, memory *tileMemory[T]) {
	r.chain.tile(r.o[lo:hi], lo, len(r.o), r.at+lo, max(r.whole, len(r.o)), r.operands, r.spread, memory)
}

// tile computes the part o of so many elements, from element lo on, which are in their turn
// some of a result: there o begins with element begin of so many in all.
func (c *Chain[T]) tile(o []T, lo, whole, begin, all int, operands []Operand[T], spread []spread, memory *tileMemory[T]) {
	for i := range c.links {
		l := &c.links[i]
		to := place(c.slot[i], o, memory)
		x := c.operand(l.X, 0, o, lo, whole, operands, spread, memory)
		switch {
		case c.placed[i] != nil:
			c.placed[i].At(to, x, begin, all)
			continue
		case l.One != nil:
			l.One.V(to, x)
			continue
		case l.Four != nil:
			a, b, c := operands[l.Rows[0]], operands[l.Rows[1]], operands[l.Rows[2]]
			for at, pos := 0, lo%len(a); at < len(to); pos = 0 {
				k := min(len(a)-pos, len(to)-at)
				l.Four(to[at:at+k], x[at:at+k], a[pos:pos+k], b[pos:pos+k], c[pos:pos+k])
				at += k
			}
			continue
		}
		y := c.operand(l.Y, 1, o, lo, whole, operands, spread, memory)
		switch {
		case len(x) == len(o) && len(y) == len(o) && c.long(l.X, whole, operands, spread) && c.long(l.Y, whole, operands, spread):
			l.Two.VV(to, x, y)
		case len(y) == 1 && !c.long(l.Y, whole, operands, spread):
			l.Two.VS(to, x, y[0])
		case len(x) == 1 && !c.long(l.X, whole, operands, spread):
			l.Two.SV(to, x[0], y)
		case !c.long(l.Y, whole, operands, spread):
			for at, pos := 0, lo%len(y); at < len(to); pos = 0 {
				k := min(len(y)-pos, len(to)-at)
				l.Two.VV(to[at:at+k], x[at:at+k], y[pos:pos+k])
				at += k
			}
		default:
			for at, pos := 0, lo%len(x); at < len(to); pos = 0 {
				k := min(len(x)-pos, len(to)-at)
				l.Two.VV(to[at:at+k], x[pos:pos+k], y[at:at+k])
				at += k
			}
		}
	}
}

// long reports whether the loops take as many elements of an operand as the result has.
func (c *Chain[T]) long(i, whole int, operands []Operand[T], spread []spread) bool {
	return i >= c.operands || len(operands[i]) == whole || spreadOf(spread, i) != nil
}

// operand returns the part of an operand for a tile; all of a row or of one element. side is
// 0 for the first operand of a link, 1 for the second.
func (c *Chain[T]) operand(i, side int, o []T, lo, whole int, operands []Operand[T], spread []spread, memory *tileMemory[T]) []T {
	if i >= c.operands {
		return place(c.slot[i-c.operands], o, memory)
	}
	if len(operands[i]) < whole {
		if b := spreadOf(spread, i); b != nil {
			to := place(c.slots+side, o, memory)
			writeOut(b, to, operands[i], lo)
			return to
		}
		return operands[i]
	}
	return operands[i][lo : lo+len(o)]
}

// place returns where in a tile the result of a link lies.
func place[T Float](slot int, o []T, memory *tileMemory[T]) []T {
	if slot == 0 {
		return o
	}
	return memory.slots[slot-1][:len(o)]
}
