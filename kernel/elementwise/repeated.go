package elementwise

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/tensor"
)

// Loops over very short rows spend their time between them: where all rows meet the same one
// of an operand, as a bias, it is repeated until it is long.
const (
	veryShortRow = shortRow / 4
	fewElements  = 8 * shortRow // of a result for which that does not pay
)

// common returns the operand whose elements every run meets, each once; -1 if there is none.
func (b *Broadcast) common() int {
	if b.outer != 1 || b.many != nil || b.inner.x == 0 || b.inner.y == 0 {
		return -1
	}
	switch s := &b.few[0]; {
	case s.x == 0 && s.y != 0:
		return 0
	case s.y == 0 && s.x != 0:
		return 1
	}
	return -1
}

// lengths are the dimensions of vectors: lengths[n:n+1] are those of one of n elements.
var lengths = func() (d [shortRow + 1]int64) {
	for i := range d {
		d[i] = int64(i)
	}
	return d
}()

// repeated computes a result whose runs have operand i, of dtype dt, in common.
func repeated(ctx *kernel.Context, b *Broadcast, o, x, y tensor.Memory, l Pairwise, i int, dt tensor.DType) error {
	stretch := shortRow / b.inner.n * b.inner.n
	v, err := ctx.Alloc(dt, lengths[stretch:stretch+1])
	if err != nil {
		return err
	}
	defer ctx.Free(v)
	if i == 0 {
		x = v.Repeat(x)
	} else {
		y = v.Repeat(y)
	}
	all := b.rows * b.inner.n
	if alone(l, all) {
		stretchesWith(l, o, x, y, i, stretch, 0, all)
		return nil
	}
	return blocksWith(ctx, l, o, x, y, i, stretch, all)
}

func blocksWith(ctx *kernel.Context, l Pairwise, o, x, y tensor.Memory, i, stretch, all int) error {
	block := max(1, grainOf(l)/stretch) * stretch
	return blocks(ctx, all, block, func(lo, hi int) { stretchesWith(l, o, x, y, i, stretch, lo, hi) })
}

// stretchesWith computes elements lo to hi in stretches, all with what operand i holds.
func stretchesWith(l Pairwise, o, x, y tensor.Memory, i, stretch, lo, hi int) {
	for ; lo < hi; lo += stretch {
		s := Stretch{O: lo, X: lo, Y: lo, N: min(stretch, hi-lo)}
		if i == 0 {
			s.X = 0
		} else {
			s.Y = 0
		}
		l.Pairs(o, x, y, s)
	}
}
