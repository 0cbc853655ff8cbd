package strided

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/tensor"
)

// Grain is the number of elements that one worker copies at a time, roughly.
const Grain = 1 << 15

// Copy sets the elements of dst's view to those of src's, one by one; the
// views have the same dimensions, the values the same dtype. They must not
// overlap. It fails only if the step has ended.
func Copy(ctx *kernel.Context, dst *tensor.Value, to View, src *tensor.Value, from View) error {
	var few [6]loop
	p, ok := newPlan(few[:0], to, from)
	if !ok {
		return nil
	}
	switch dt := dst.DType().Base(); dt {
	case tensor.String:
		return run(ctx, &p, tensor.Of[string](dst), tensor.Of[string](src))
	case tensor.Resource:
		return run(ctx, &p, tensor.Of[*tensor.Handle](dst), tensor.Of[*tensor.Handle](src))
	case tensor.Variant:
		return run(ctx, &p, tensor.Of[*tensor.Object](dst), tensor.Of[*tensor.Object](src))
	default:
		switch dt.Size() {
		case 1:
			return run(ctx, &p, tensor.Words[uint8](dst), tensor.Words[uint8](src))
		case 2:
			return run(ctx, &p, tensor.Words[uint16](dst), tensor.Words[uint16](src))
		case 4:
			return run(ctx, &p, tensor.Words[uint32](dst), tensor.Words[uint32](src))
		case 8:
			return run(ctx, &p, tensor.Words[uint64](dst), tensor.Words[uint64](src))
		default:
			return run(ctx, &p, tensor.Words[complex128](dst), tensor.Words[complex128](src))
		}
	}
}

// A loop walks one dimension: n steps of d elements in the destination and s
// in the source.
type loop struct{ n, d, s int }

// A plan is a copy as nested loops, the innermost apart.
type plan struct {
	d, s  int    // offsets
	outer []loop // outermost first
	inner loop
	// tile is the loop around inner, taken out of outer, if inner is
	// contiguous in the destination and tile is in the source.
	tile  loop
	tiled bool
}

// newPlan plans a copy: loops of one step vanish, loops that continue each other
// in both views become one. It is false if there is nothing to copy. The loops
// are in outer if they fit there.
func newPlan(outer []loop, to, from View) (plan, bool) {
	p := plan{d: to.Offset, s: from.Offset, outer: outer}
	for i, n := range to.Dims {
		l := loop{n, to.Strides[i], from.Strides[i]}
		switch k := len(p.outer) - 1; {
		case n == 0:
			return p, false
		case n == 1:
		case k >= 0 && p.outer[k].d == n*l.d && p.outer[k].s == n*l.s:
			p.outer[k] = loop{p.outer[k].n * n, l.d, l.s}
		default:
			p.outer = append(p.outer, l)
		}
	}
	if len(p.outer) == 0 {
		p.inner = loop{1, 1, 1}
		return p, true
	}
	last := len(p.outer) - 1
	p.inner, p.outer = p.outer[last], p.outer[:last]
	if p.inner.d == 1 && p.inner.s != 1 && p.inner.s != 0 {
		for i := len(p.outer) - 1; i >= 0; i-- {
			if p.outer[i].s == 1 && p.outer[i].n > 1 {
				p.tile, p.tiled = p.outer[i], true
				p.outer = append(p.outer[:i], p.outer[i+1:]...)
				break
			}
		}
	}
	return p, true
}

// run shares out the copy along its outermost loops, or along the inner one if
// there are no others worth it.
func run[T tensor.Element](ctx *kernel.Context, p *plan, dst, src []T) error {
	total := p.inner.n
	if p.tiled {
		total *= p.tile.n
	}
	for _, l := range p.outer {
		total *= l.n
	}
	if total <= Grain {
		walk(p, p.outer, p.d, p.s, dst, src)
		return nil
	}
	return share(ctx, p, total, dst, src)
}

func share[T tensor.Element](ctx *kernel.Context, p *plan, total int, dst, src []T) error {
	q := plan{d: p.d, s: p.s, inner: p.inner, tile: p.tile, tiled: p.tiled}
	q.outer = append(q.outer, p.outer...)
	by := &q.inner
	if q.tiled && q.tile.n > by.n {
		by = &q.tile
	}
	const enough = 16
	front, count := 0, 1
	for front < len(q.outer) && count < enough {
		count *= q.outer[front].n
		front++
	}
	if count >= enough || count > by.n {
		ctx.Parallel(count, max(1, Grain/(total/count)), func(lo, hi int) {
			q.runs(lo, hi, front, func(loops []loop, d, s int) bool {
				walk(&q, loops, d, s, dst, src)
				return ctx.Err() == nil
			})
		})
		return ctx.Err()
	}
	whole := *by
	ctx.Parallel(whole.n, max(1, Grain/(total/whole.n)), func(lo, hi int) {
		part := q
		if l := (loop{hi - lo, whole.d, whole.s}); by == &q.inner {
			part.inner = l
		} else {
			part.tile = l
		}
		if ctx.Err() == nil {
			walk(&part, q.outer, q.d+lo*whole.d, q.s+lo*whole.s, dst, src)
		}
	})
	return ctx.Err()
}

// runs calls f, until it returns false, for steps lo to hi-1 of the first front
// outer loops, seen as one: with the loops to walk, of which the first is the
// innermost of those, shortened, and where they begin.
func (p *plan) runs(lo, hi, front int, f func(loops []loop, d, s int) bool) {
	loops := append([]loop(nil), p.outer[front-1:]...)
	n := loops[0].n
	for lo < hi {
		d, s, step := p.d, p.s, lo
		for i := front - 1; i >= 0; i-- {
			l := p.outer[i]
			d, s, step = d+step%l.n*l.d, s+step%l.n*l.s, step/l.n
		}
		loops[0].n = min(n-lo%n, hi-lo)
		if !f(loops, d, s) {
			return
		}
		lo += loops[0].n
	}
}

// walk copies what the outer loops enclose, from those places on.
func walk[T tensor.Element](p *plan, outer []loop, d, s int, dst, src []T) {
	if len(outer) > 0 {
		l := outer[0]
		if n := p.inner.n; len(outer) == 1 && !p.tiled && p.inner.d == 1 && p.inner.s == 1 {
			for range l.n { // rows
				copy(dst[d:d+n], src[s:s+n])
				d, s = d+l.d, s+l.s
			}
			return
		}
		for range l.n {
			walk(p, outer[1:], d, s, dst, src)
			d, s = d+l.d, s+l.s
		}
		return
	}
	if p.tiled {
		tiles(p.tile, p.inner, d, s, dst, src)
		return
	}
	line(p.inner, d, s, dst, src)
}

// line copies one loop.
func line[T tensor.Element](l loop, d, s int, dst, src []T) {
	switch {
	case l.d == 1 && l.s == 1:
		copy(dst[d:d+l.n], src[s:s+l.n])
	case l.d == 1 && l.s == 0:
		x := src[s]
		dst := dst[d : d+l.n]
		for i := range dst {
			dst[i] = x
		}
	case l.d == 1:
		dst := dst[d : d+l.n]
		for i := range dst {
			dst[i] = src[s]
			s += l.s
		}
	default:
		for range l.n {
			dst[d] = src[s]
			d, s = d+l.d, s+l.s
		}
	}
}

// tiles copies two nested loops in squares whose lines stay in the cache.
func tiles[T tensor.Element](outer, inner loop, d, s int, dst, src []T) {
	const edge = 32
	for i := 0; i < outer.n; i += edge {
		rows := min(edge, outer.n-i)
		for j := 0; j < inner.n; j += edge {
			l := loop{min(edge, inner.n-j), inner.d, inner.s}
			td, ts := d+i*outer.d+j*inner.d, s+i*outer.s+j*inner.s
			for range rows {
				line(l, td, ts, dst, src)
				td, ts = td+outer.d, ts+outer.s
			}
		}
	}
}

// Move sets n elements of dst, from element d on, to those of src from s on.
// The values have the same dtype and the ranges are inside them.
func Move(dst *tensor.Value, d int, src *tensor.Value, s, n int) {
	dt := dst.DType()
	if size := dt.Size(); size > 0 {
		copy(tensor.Bytes(dst)[d*size:(d+n)*size], tensor.Bytes(src)[s*size:(s+n)*size])
		return
	}
	switch dt.Base() {
	case tensor.String:
		copy(tensor.Of[string](dst)[d:d+n], tensor.Of[string](src)[s:s+n])
	case tensor.Resource:
		copy(tensor.Of[*tensor.Handle](dst)[d:d+n], tensor.Of[*tensor.Handle](src)[s:s+n])
	case tensor.Variant:
		copy(tensor.Of[*tensor.Object](dst)[d:d+n], tensor.Of[*tensor.Object](src)[s:s+n])
	}
}

// Rows are equally long runs of elements of a tensor, the first at Offset, each
// Width elements behind the one before.
type Rows struct{ Offset, Width int }

// CopyRows sets count rows of n elements of dst to as many of src. It is Copy for
// such views.
func CopyRows(ctx *kernel.Context, dst *tensor.Value, to Rows, src *tensor.Value, from Rows, count, n int) error {
	if dt := dst.DType(); count*n <= Grain && !dt.HasPointers() {
		size := dt.Size()
		d, s := tensor.Bytes(dst), tensor.Bytes(src)
		for range count {
			copy(d[to.Offset*size:(to.Offset+n)*size], s[from.Offset*size:(from.Offset+n)*size])
			to.Offset += to.Width
			from.Offset += from.Width
		}
		return nil
	}
	dims := []int{count, n}
	return Copy(ctx, dst, View{Offset: to.Offset, Dims: dims, Strides: []int{to.Width, 1}},
		src, View{Offset: from.Offset, Dims: dims, Strides: []int{from.Width, 1}})
}

// Fill sets every element of dst to element i of src, which has its dtype.
func Fill(ctx *kernel.Context, dst *tensor.Value, src *tensor.Value, i int) error {
	if dt := dst.DType(); dst.NumElements() <= Grain && !dt.HasPointers() {
		if dst.NumElements() > 0 {
			repeat(tensor.Bytes(dst), tensor.Bytes(src)[i*dt.Size():(i+1)*dt.Size()])
		}
		return nil
	}
	n := []int{dst.NumElements()}
	return Copy(ctx, dst, View{Dims: n, Strides: []int{1}}, src, View{Offset: i, Dims: n, Strides: []int{0}})
}

// repeat fills dst with x, over and over: doubling what is there.
func repeat(dst, x []byte) {
	for n := copy(dst, x); n < len(dst); n *= 2 {
		copy(dst[n:], dst[:n])
	}
}
