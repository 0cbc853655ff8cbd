package unit

import (
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// sums finds, in a chain, additions to what an iteration before has left, of what a
// kernel makes that can add it to a sum ([kernel.Summed]) and that nobody else reads.
// The two are played as one step, in the memory of the sum where nobody else holds it.
// So the gradient of a matrix is added up without making what is added.
func (e *emitter) sums(c *chain, code []Instr) {
	made := map[int32]int{} // by value: the step that makes it
	uses := map[int32]int{}
	for i := range c.steps {
		for _, v := range c.steps[i].out {
			made[v] = i
		}
		for _, v := range c.steps[i].in {
			uses[v]++
		}
	}
	for i := range c.steps {
		s := &c.steps[i]
		if !e.form.flow.Nodes[code[i].Node].Def.Def().Is(registry.Addition) || len(s.in) != 2 || code[i].In[0].Mode != Move {
			continue
		}
		sum, part := s.in[0], s.in[1]
		t, ok := made[part]
		leaves := slices.IndexFunc(c.leaves, func(l leaving) bool { return l.value == s.out[0] })
		if !ok || uses[part] != 1 || slices.Contains(c.steps[t].in, sum) || int(sum) >= len(c.inputs) || leaves < 0 || len(c.steps[t].out) != 1 ||
			slices.ContainsFunc(c.leaves, func(l leaving) bool { return l.value == part }) {
			continue
		}
		if _, ok := c.steps[t].kernel.(kernel.Summed); !ok {
			continue
		}
		gives := slices.Index(c.gives, c.inputs[sum])
		if gives < 0 {
			continue
		}
		c.gives = slices.Delete(c.gives, gives, gives+1)
		c.leaves[leaves].sum = c.inputs[sum]
		s.sum, c.steps[t].summed = int32(t)+1, true
	}
}

// prepareSum makes step i ready, an addition in place, and what it adds.
func (c *chain) prepareSum(i int, values []tensor.Value, leaves []made, leaving []int) (run func(*kernel.Context, []tensor.Value, []tensor.Value), ok bool) {
	x := &c.steps[i]
	t := &c.steps[x.sum-1]
	in := make([]tensor.Value, len(t.in))
	for k, v := range t.in {
		in[k] = values[v]
	}
	p, ok := t.kernel.(kernel.Summed).PrepareSum(in, t.constant)
	before := values[x.in[0]]
	if !ok || before.DType() != p.DType || !slices.Equal(before.Dims(), p.Dims) {
		return nil, false
	}
	l := &leaves[leaving[x.out[0]]-1]
	l.dtype, l.dims = p.DType, p.Dims
	values[x.out[0]] = before // so that those who read it see its shape
	return func(_ *kernel.Context, in, out []tensor.Value) { p.Run(in, &out[0]) }, true
}

// leave returns the memory of a value that leaves a chain: of a sum in place, what it was
// before or a copy of that.
func (m *Machine) leave(l *leaving, x *made) (v tensor.Value, err error) {
	home := &m.homes[l.home]
	if l.sum < 0 {
		return home.Take(m.env.Ctx.Arena, x.dtype, x.dims)
	}
	before := m.slab[l.sum]
	if x.kept = before.Sole(); x.kept {
		return before, nil
	}
	if v, err = home.Take(m.env.Ctx.Arena, x.dtype, x.dims); err == nil {
		v.CopyFrom(before)
	}
	return v, err
}
