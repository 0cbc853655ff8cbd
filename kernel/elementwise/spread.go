package elementwise

import (
	"math/bits"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/tensor"
)

// A spread operand of a [Chain] is repeated along dimensions of the result that are not its
// first ones, as [n, 1, 17] is in [n, 6, 17]. Tile by tile it is written out in the tile's
// memory, and the loops take it as an operand of full length: they see the pairs of
// elements that they see in [Binary].

// spreadRank is how many dimensions a result with spread operands has at most.
const spreadRank = 16

// A reach is which dimensions of a result an operand has, and is not repeated along.
type reach uint64

func reachOf(own, dims []int64) (r reach) {
	for i := 1; i <= len(own); i++ {
		if own[len(own)-i] > 1 {
			r |= 1 << (len(dims) - i)
		}
	}
	return r
}

// elements returns how many elements of a result the dimensions have.
func (r reach) elements(dims []int64) int {
	n := 1
	for ; r != 0; r &= r - 1 {
		n *= int(dims[bits.TrailingZeros64(uint64(r))])
	}
	return n
}

// runSpread is Run for operands that are repeated in any way; done is false if they are
// better run apart, or refuse it.
func (f *Fused[T]) runSpread(ctx *kernel.Context, in, out []tensor.Value) (done bool, err error) {
	if f.alike != nil || f.chain.hasPlaced() || len(in)+len(f.parts) > 64 {
		return false, nil
	}
	dims := in[0].Dims()
	for i := range in[1:] {
		if dims, err = BroadcastDims(dims, in[i+1].Dims()); err != nil {
			return false, nil // Separately says where
		}
	}
	n, err := tensor.NumElements(f.dt, dims)
	if err != nil || n == 0 || len(dims) > spreadRank || !f.worthSpreading(in, dims, n) {
		return false, nil
	}
	p := f.chain.pass()
	defer p.Close()
	for i := range in {
		x, ok := OperandOf[T](&in[i], dims)
		if !ok {
			x = tensor.Of[T](&in[i])
			b := Broadcast{rows: 1}
			if err := b.align(dims, in[i].Dims()); err != nil {
				return false, nil
			}
			p.spread = append(p.spread, spread{i, b})
		}
		p.operands = append(p.operands, x)
	}
	if !f.chain.fits(n, p.operands, p.spread) {
		return false, nil
	}
	v, err := f.result(ctx, in, dims)
	if err != nil {
		return true, err
	}
	out[0] = v
	p.o = tensor.Of[T](&out[0])
	p.repeat()
	return true, p.Compute(ctx)
}

// worthSpreading reports whether most of the operations have the result's shape by
// themselves: in one pass they all compute as many elements as it has. A function costs
// several times what arithmetic does.
func (f *Fused[T]) worthSpreading(in []tensor.Value, dims []int64, n int) bool {
	const function = 4
	var reaches [64]reach
	for i := range in {
		reaches[i] = reachOf(in[i].Dims(), dims)
	}
	apart, together := 0, 0
	for i := range f.parts {
		p := &f.parts[i]
		var r reach
		for _, from := range p.In {
			r |= reaches[from]
		}
		reaches[len(in)+i] = r
		cost := 1
		if len(p.In) == 1 {
			cost = function
		}
		apart, together = apart+cost*r.elements(dims), together+cost*n
	}
	return 2*apart >= together
}

// hasPlaced reports whether it matters to a link where elements are.
func (c *Chain[T]) hasPlaced() bool {
	for _, p := range c.placed {
		if p != nil {
			return true
		}
	}
	return false
}

// A spread is an operand and how its elements lie in the result: x of the Broadcast is the
// result, and y the operand.
type spread struct {
	operand int
	in      Broadcast
}

// spreadOf returns how operand i is spread; nil if it is not.
func spreadOf(all []spread, i int) *Broadcast {
	for k := range all {
		if all[k].operand == i {
			return &all[k].in
		}
	}
	return nil
}

// writeOut sets o to the elements of the spread operand x that belong to those of the
// result from lo on.
func writeOut[T Float](b *Broadcast, o, x []T, lo int) {
	n := b.inner.n
	row, pos := lo/n, lo%n
	b.each(row, (lo+len(o)-1)/n+1, func(_, _, y int) {
		part := o[:min(n-pos, len(o))]
		if b.inner.y == 0 {
			v := x[y]
			for i := range part {
				part[i] = v
			}
		} else {
			copy(part, x[y+pos:])
		}
		o, pos = o[len(part):], 0
	})
}
