package xla

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("XlaPad").
		Input("input: T").Input("padding_value: T").Input("padding_low: Tindices").
		Input("padding_high: Tindices").Input("padding_interior: Tindices").Output("output: T").
		Attr("T: type").
		Attr("Tindices: {int32, int64}").
		Doc(`Puts padding around a tensor and between its elements.

padding_value: What to fill in, a scalar.
padding_low: How much in front of each dimension; negative takes away.
padding_high: How much behind each dimension; negative takes away.
padding_interior: How much between neighbours along each dimension.`)

	shape.Register(padShape, "XlaPad")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(pad), nil }, "XlaPad")
}

// A margin is the padding of one dimension.
type margin struct{ low, high, interior int64 }

// farthest bounds paddings, so that sums of them fit.
const farthest = 1 << 40

// size returns how large a dimension of n elements becomes.
func (m margin) size(n int64) (int64, error) {
	switch {
	case m.interior < 0:
		return 0, status.Invalid("interior padding must not be negative, got %d", m.interior)
	case max(m.low, m.high, m.interior, n) > farthest || min(m.low, m.high) < -farthest:
		return 0, status.Invalid("paddings %d, %d and %d of a dimension of %d are too large", m.low, m.high, m.interior, n)
	}
	all := m.low + m.high + n
	if n > 1 && m.interior > 0 {
		if m.interior > farthest/(n-1) {
			return 0, status.Invalid("interior padding %d of a dimension of %d is too large", m.interior, n)
		}
		all += (n - 1) * m.interior
	}
	if all < 0 {
		return 0, status.Invalid("Padding result in negative size for a dimension of %d: %d, %d and %d", n, m.low, m.high, m.interior)
	}
	return all, nil
}

// padShape is known if the paddings are.
func padShape(c *shape.Context) error {
	in := c.Input(0)
	c.Try(c.Input(1).WithRank(0))
	for i := 2; i < 5; i++ {
		p := c.Try(c.Input(i).WithRank(1))
		if in.Known() {
			c.TryDim(shape.WithValue(p.Dim(0), int64(in.Rank())))
		}
	}
	if c.Err() != nil || !in.Known() {
		return c.Err()
	}
	out := make([]int64, in.Rank())
	low, ok1 := c.ConstInts(2)
	high, ok2 := c.ConstInts(3)
	interior, ok3 := c.ConstInts(4)
	for i := range out {
		out[i] = shape.Unknown
		if d := in.Dim(i); ok1 && ok2 && ok3 && d != shape.Unknown {
			out[i] = c.TryDim(margin{low[i], high[i], interior[i]}.size(d))
		}
	}
	c.SetOutput(0, shape.Of(out...))
	return c.Err()
}

func pad(ctx *kernel.Context, in, out []tensor.Value) error {
	x := in[0].Dims()
	if in[1].Rank() != 0 {
		return status.Invalid("padding_value must be a scalar, got shape %s", tensor.FormatDims(in[1].Dims()))
	}
	var paddings [3][]int64
	for i, what := range []string{"padding_low", "padding_high", "padding_interior"} {
		p, err := kernel.AppendIntVector(nil, &in[2+i], what)
		if err != nil {
			return err
		}
		if len(p) != len(x) {
			return status.Invalid("%s must have %d elements, one for each dimension of input, got %d", what, len(x), len(p))
		}
		paddings[i] = p
	}
	dims := make([]int64, len(x))
	from, to := strided.Of(x), make([]margin, len(x))
	for i, n := range x {
		m := margin{paddings[0][i], paddings[1][i], paddings[2][i]}
		var err error
		if dims[i], err = m.size(n); err != nil {
			return err
		}
		to[i] = m
	}
	var err error
	if out[0], err = ctx.Alloc(in[0].DType(), dims); err != nil || out[0].NumElements() == 0 {
		return err
	}
	if err := strided.Fill(ctx, &out[0], &in[1], 0); err != nil {
		return err
	}
	view := strided.Of(dims)
	for i, m := range to {
		// Element k goes to m.low + k·step, if that is inside.
		step := m.interior + 1
		first := max(0, (-m.low+step-1)/step)
		if m.low > 0 {
			first = 0
		}
		last := min(x[i], (dims[i]-m.low+step-1)/step)
		if dims[i] <= m.low || first >= last {
			return nil // nothing of the input is left
		}
		from.Slice(i, int(first), 1, int(last-first))
		view.Slice(i, int(m.low+first*step), int(step), int(last-first))
	}
	return strided.Copy(ctx, &out[0], view, &in[0], from)
}
