package machine

import (
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes/unit/code"
	"github.com/troupe-go/troupe/tensor"
)

// prepareSum makes step i ready, an addition in place, and what it adds.
func prepareSum(c *code.Chain, i int, values []tensor.Value, leaves []made, leaving []int) (run func(*kernel.Context, []tensor.Value, []tensor.Value), ok bool) {
	x := &c.Steps[i]
	t := &c.Steps[x.Sum-1]
	in := make([]tensor.Value, len(t.In))
	for k, v := range t.In {
		in[k] = values[v]
	}
	p, ok := t.Kernel.(kernel.Summed).PrepareSum(in, t.Constant)
	before := values[x.In[0]]
	if !ok || before.DType() != p.DType || !slices.Equal(before.Dims(), p.Dims) {
		return nil, false
	}
	l := &leaves[leaving[x.Out[0]]-1]
	l.dtype, l.dims = p.DType, p.Dims
	values[x.Out[0]] = before // so that those who read it see its shape
	return func(_ *kernel.Context, in, out []tensor.Value) { p.Run(in, &out[0]) }, true
}

// leave returns the memory of a value that leaves a chain: of a sum in place, what it was
// before or a copy of that.
func (m *Machine) leave(l *code.Leaving, x *made) (v tensor.Value, err error) {
	home := &m.homes[l.Home]
	if l.Sum < 0 {
		return home.Take(m.env.Ctx.Arena, x.dtype, x.dims)
	}
	before := m.slab[l.Sum]
	if x.kept = before.Sole(); x.kept {
		return before, nil
	}
	if v, err = home.Take(m.env.Ctx.Arena, x.dtype, x.dims); err == nil {
		v.CopyFrom(before)
	}
	return v, err
}
