package nn

import (
	"math"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A pooling is what the attributes of a pooling say.
type pooling struct {
	m     *motion
	ksize []int64 // by dimension of the format; nil if it is an input
}

func newPooling(c *kernel.Construction, dims int) (*pooling, error) {
	m, err := newMotion(c, dims)
	if err != nil {
		return nil, err
	}
	p := &pooling{m: m}
	turn(m)
	m.op = c.Op.Name
	if ksize := c.Ints("ksize"); len(ksize) > 0 {
		if err := p.window(c.Str("data_format"), ksize, nil); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// window sets the size of the window and, unless they are nil, its strides,
// both in the order of a data format.
func (p *pooling) window(format string, ksize, strides []int64) error {
	f := p.m.format
	if len(ksize) != f.Rank() {
		return status.Invalid("Sliding window ksize field must specify %d dimensions", f.Rank())
	}
	if strides != nil {
		if err := p.m.setStrides(strides); err != nil {
			return err
		}
	}
	p.ksize = ksize
	if len(format) > 1 && format[1] == 'C' {
		p.ksize = last(ksize)
		if strides != nil {
			p.m.strides = last(strides)
		}
	}
	for _, k := range p.ksize {
		if k <= 0 || k > math.MaxInt32 {
			return status.Invalid("Sliding window ksize must be positive, got %d", k)
		}
	}
	if p.ksize[0] != 1 || p.m.strides[0] != 1 {
		return status.Errorf(status.Unimplemented, "Pooling is not yet supported on the batch dimension.")
	}
	return nil
}

// last is x, in the order of a format with channels first, with channels last.
func last(x []int64) []int64 {
	return append(append([]int64{x[0]}, x[2:]...), x[1])
}

// flat reports whether the window keeps channels apart.
func (p *pooling) flat() bool {
	c := p.m.format.Channel
	return p.ksize[c] == 1 && p.m.strides[c] == 1
}

// A plan is how a window moves over tensors of one shape.
type plan struct {
	axes         [3]axis
	batch, depth int
	out          []int64 // the shape of the result
}

// plan checks the shape of an input, with channels last.
func (p *pooling) plan(x []int64) (plan, error) {
	dims := p.m.format.Dims
	if len(x) != dims+2 {
		return plan{}, status.Invalid("tensor_in must be %d-dimensional: %s", dims+2, tensor.FormatDims(x))
	}
	axes, err := p.m.axes(x, p.ksize[1:1+dims])
	if err != nil {
		return plan{}, err
	}
	for i := range dims {
		if p.m.mode == "EXPLICIT" && max(p.m.padding[2+2*i], p.m.padding[3+2*i]) >= p.ksize[1+i] {
			return plan{}, status.Invalid("Top padding %d needs to be smaller than the window size %d", max(p.m.padding[2+2*i], p.m.padding[3+2*i]), p.ksize[1+i])
		}
	}
	return plan{axes: axes, batch: int(x[0]), depth: int(x[dims+1]), out: p.m.output(nil, x, &axes, x[dims+1])}, nil
}

// empty reports whether input or result have no elements.
func (p *plan) empty() bool {
	n := p.batch * p.depth
	for i := range p.axes {
		n *= p.axes[i].out
		if p.axes[i].in == 0 {
			return true
		}
	}
	return n == 0
}

// image returns the number of elements of one example of the input.
func (p *plan) image() int { return p.axes[0].in * p.axes[1].in * p.axes[2].in * p.depth }

// results returns the number of elements of one example of the result.
func (p *plan) results() int { return p.axes[0].out * p.axes[1].out * p.axes[2].out * p.depth }

// taps returns the number of elements of the input that a window may cover, at least 1.
func (p *plan) taps() int {
	n := 1
	for i := range p.axes {
		n *= max(1, min(p.axes[i].size, p.axes[i].in))
	}
	return n
}

// expect fails unless v has that shape.
func expect(v *tensor.Value, what string, dims []int64) error {
	if got := v.Dims(); tensor.FormatDims(got) != tensor.FormatDims(dims) {
		return status.Invalid("Expected %s shape to be %s, but got %s", what, tensor.FormatDims(dims), tensor.FormatDims(got))
	}
	return nil
}

// visit calls f for each pixel in the window at one position, in order: with
// where its channels begin within the example. It asks in windows that are large.
func (p *plan) visit(ctx *kernel.Context, oz, oy, ox int, f func(at int)) {
	z, y, x := &p.axes[0], &p.axes[1], &p.axes[2]
	z0, z1 := z.span(oz)
	y0, y1 := y.span(oy)
	x0, x1 := x.span(ox)
	const most = 1 << 13
	if (z1-z0)*(y1-y0)*(x1-x0) <= most {
		for iz := z0; iz < z1; iz++ {
			for iy := y0; iy < y1; iy++ {
				for ix := x0; ix < x1; ix++ {
					f(((iz*y.in+iy)*x.in + ix) * p.depth)
				}
			}
		}
		return
	}
	for iz := z0; iz < z1; iz++ {
		for iy := y0; iy < y1; iy++ {
			ctx.Ask()
			for lo, hi := range ctx.Ranges(x1-x0, most) {
				for ix := x0 + lo; ix < x0+hi; ix++ {
					f(((iz*y.in+iy)*x.in + ix) * p.depth)
				}
			}
		}
	}
}

// positions calls f for each position of one example, in order, until the step
// is to stop: with where its channels begin within the result.
func (p *plan) positions(ctx *kernel.Context, f func(oz, oy, ox, at int)) {
	at := 0
	var credit kernel.Credit
	work := p.taps() * p.depth
	for oz := range p.axes[0].out {
		for oy := range p.axes[1].out {
			for ox := range p.axes[2].out {
				if !credit.Spend(ctx, work) {
					return
				}
				f(oz, oy, ox, at)
				at += p.depth
			}
		}
	}
}
