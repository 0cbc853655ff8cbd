package elementwise

import (
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A Broadcast is how the elements of two operands meet: a list of runs, all of
// the same length and kind, in the order of the result.
type Broadcast struct {
	Dims  []int64 // of the result; not to be written
	rows  int     // runs, or 0 if the result is empty
	inner span
	// The spans around the inner one, innermost first: outer of few, or, where
	// there are more than fit, all of many.
	outer int
	few   [6]span
	many  []span
}

// A span is adjacent dimensions that behave alike, seen as one of size n. x
// and y are how far a step along it moves in the operands: 0 where it is repeated.
type span struct{ n, x, y int }

// NewBroadcast aligns two shapes. It fails with "Incompatible shapes" if a
// dimension differs and neither is 1.
func NewBroadcast(x, y []int64) (*Broadcast, error) {
	b := &Broadcast{rows: 1}
	if err := b.align(x, y); err != nil {
		return nil, err
	}
	return b, nil
}

func (b *Broadcast) align(x, y []int64) error {
	dims, err := BroadcastDims(x, y)
	if err != nil {
		return err
	}
	b.Dims = dims
	// From the last dimension to the first, merging with the span before.
	spans := 0
	xn, yn := 1, 1 // elements of x and y behind the dimension
	for i := 1; i <= len(dims); i++ {
		n, xd, yd := int(dims[len(dims)-i]), back(x, i), back(y, i)
		if n == 0 {
			b.rows = 0
			return nil
		}
		if n == 1 {
			continue
		}
		s := span{n: n}
		if xd > 1 {
			s.x = xn
		}
		if yd > 1 {
			s.y = yn
		}
		xn, yn = xn*int(xd), yn*int(yd)
		switch last := b.last(); {
		case spans == 0:
			b.inner = s
			spans++
		case last.alike(s):
			last.n *= n
		default:
			b.push(s)
			spans++
		}
	}
	if spans == 0 {
		b.inner = span{1, 1, 1}
	}
	for _, s := range b.spans() {
		b.rows *= s.n
	}
	return nil
}

func (s *span) alike(t span) bool { return (s.x == 0) == (t.x == 0) && (s.y == 0) == (t.y == 0) }

// spans returns the spans around the inner one, innermost first.
func (b *Broadcast) spans() []span {
	if b.many != nil {
		return b.many
	}
	return b.few[:b.outer]
}

// last returns the outermost span so far.
func (b *Broadcast) last() *span {
	if s := b.spans(); len(s) > 0 {
		return &s[len(s)-1]
	}
	return &b.inner
}

func (b *Broadcast) push(s span) {
	if b.many == nil && b.outer < len(b.few) {
		b.few[b.outer] = s
		b.outer++
		return
	}
	if b.many == nil {
		b.many = append([]span(nil), b.few[:]...) // a copy, so that b may live on the stack
	}
	b.many = append(b.many, s)
}

// BroadcastDims returns the shape that two operands give together: one of x and y
// itself if it can be.
func BroadcastDims(x, y []int64) ([]int64, error) {
	isX, isY := len(x) >= len(y), len(y) >= len(x)
	for i := 1; i <= max(len(x), len(y)); i++ {
		xd, yd := back(x, i), back(y, i)
		switch {
		case xd == yd:
		case xd == 1:
			isX = false
		case yd == 1:
			isY = false
		default:
			return nil, status.Invalid("Incompatible shapes: %s vs. %s", tensor.FormatDims(x), tensor.FormatDims(y))
		}
	}
	if isX {
		return x, nil
	}
	if isY {
		return y, nil
	}
	dims := make([]int64, max(len(x), len(y)))
	for i := 1; i <= len(dims); i++ {
		xd, yd := back(x, i), back(y, i)
		if xd == 1 {
			xd = yd
		}
		dims[len(dims)-i] = xd
	}
	return dims, nil
}

// back returns the ith dimension from the back, 1 if there is none.
func back(dims []int64, i int) int64 {
	if i > len(dims) {
		return 1
	}
	return dims[len(dims)-i]
}

// each calls f for runs lo to hi-1 with the place of the run's first element
// in either operand.
func (b *Broadcast) each(lo, hi int, f func(row, x, y int)) {
	spans := b.spans()
	var small [len(b.few)]int
	pos := small[:]
	if len(spans) > len(pos) {
		pos = make([]int, len(spans))
	}
	x, y, r := 0, 0, lo
	for i, s := range spans {
		pos[i] = r % s.n
		r /= s.n
		x += pos[i] * s.x
		y += pos[i] * s.y
	}
	for row := lo; row < hi; row++ {
		f(row, x, y)
		for i := range spans {
			s := &spans[i]
			x, y = x+s.x, y+s.y
			if pos[i]++; pos[i] < s.n {
				break
			}
			x, y, pos[i] = x-s.n*s.x, y-s.n*s.y, 0
		}
	}
}

// Pairs calls f for elements lo to hi-1 of the result, in order, with the
// places of the operands' elements that meet there.
func (b *Broadcast) Pairs(lo, hi int, f func(i, x, y int)) {
	n := b.inner.n
	for lo < hi {
		row, first := lo/n, lo%n
		last := min(n, first+hi-lo)
		b.each(row, row+1, func(_, x, y int) {
			for j := first; j < last; j++ {
				f(row*n+j, x+j*b.inner.x, y+j*b.inner.y)
			}
		})
		lo += last - first
	}
}
