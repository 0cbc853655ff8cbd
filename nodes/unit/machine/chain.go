package machine

import (
	"math/bits"
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes/unit/code"
	"github.com/troupe-go/troupe/tensor"
)

const (
	// preparedBytes bounds what a step of a prepared chain makes: so much is in
	// the nearest cache when the next step reads it.
	preparedBytes = 16 << 10
	// scratchBytes bounds the memory that the chains of a machine share for what
	// is not there between them.
	scratchBytes = 256 << 10
	// seldom is how often a chain must have found the same shapes, at most, until
	// it is prepared for them. It begins with once, and doubles each time that
	// the shapes have changed.
	seldom = 1 << 10
)

// A chainState is what a machine knows of a chain.
type chainState struct {
	shapes []shapeOf // of its inputs, when they were looked at last
	wait   int       // times that they must be the same until it is prepared
	left   int       // of these
	unfit  bool      // it cannot be prepared for them
	steps  []ready   // nil: it is not prepared
	args   []tensor.Value
	loads  []load
	leaves []made
	used   bool    // args may hold what belongs to a run
	nodes  []int32 // of its calls, once a meter has asked
	outs   [][]tensor.Value
	plays  int64 // in this run, where there is a meter
	told   int64 // of these, those that the meter knows of
}

// A shapeOf is the type and shape of a value.
type shapeOf struct {
	dtype tensor.DType
	rank  int8 // -1: of more dimensions than fit
	dims  [4]int64
}

// A ready is a call that was prepared. It is made with in and out, or, where there
// is floats, with o, x and y, which are their elements.
type ready struct {
	run     func(ctx *kernel.Context, in, out []tensor.Value)
	in, out []tensor.Value // parts of args
	floats  func(o, x, y []float32)
	o, x, y []float32
	call    *code.Call

	split, end int // in args: how many inputs, and where its outputs end
}

// A place is where a step reads or makes a value.
type place struct {
	step, arg int32      // arg: in args
	floats    *[]float32 // of the step: its elements; nil if it does not want them
}

// A load is a value that a chain has from outside.
type load struct {
	slot int32
	place
}

// A made is a value that is there after the chain.
type made struct {
	dtype  tensor.DType
	dims   []int64
	places []place
	value  tensor.Value
	kept   bool // of a sum: value is what it was before, and nobody else holds that
}

// put brings a value to its place.
func (s *chainState) put(p *place, v tensor.Value) {
	a := &s.args[p.arg]
	*a = v
	if p.floats != nil {
		*p.floats = elements(a)
	}
}

func elements(v *tensor.Value) []float32 {
	if v.IsZero() {
		return nil
	}
	return tensor.Of[float32](v)
}

// note keeps v's type and shape.
func (s *shapeOf) note(v *tensor.Value) {
	s.dtype, s.rank = v.DType(), int8(min(v.Rank(), 127))
	if v.Rank() > len(s.dims) {
		s.rank = -1
	}
	copy(s.dims[:], v.Dims())
}

// is reports whether v has that type and shape.
func (s *shapeOf) is(v *tensor.Value) bool {
	dims := v.Dims()
	if len(dims) != int(s.rank) || v.DType() != s.dtype {
		return false
	}
	for i, d := range dims {
		if s.dims[i&3] != d {
			return false
		}
	}
	return true
}

// chain plays a chain if it is prepared for what its inputs are. Otherwise nothing
// happens, and its calls, which come next, are played one after another.
func (m *Machine) chain(at int32, pc int) int {
	c, s := &m.code.Chains[at], &m.chains[at]
	if m.env.Run != nil || !m.fits(c, s) {
		return pc
	}
	ctx := m.env.Ctx
	for i := range s.leaves {
		x := &s.leaves[i]
		v, err := m.leave(&c.Leaves[i], x)
		if err != nil { // that of the call which needs the memory
			m.sweep(c, s.leaves[:i])
			return pc
		}
		x.value = v
		for k := range x.places {
			s.put(&x.places[k], v)
		}
	}
	s.used = true
	for i := range s.loads {
		l := &s.loads[i]
		s.put(&l.place, m.slab[l.slot])
	}
	m.busy = false
	for i := range s.steps {
		x := &s.steps[i]
		if !m.ask() {
			m.sweep(c, s.leaves)
			return halt
		}
		m.at = x.call
		if x.floats != nil {
			x.floats(x.o, x.x, x.y)
		} else {
			x.run(ctx, x.in, x.out)
		}
	}
	for _, slot := range c.Gives {
		m.free(slot)
	}
	for i := range s.leaves {
		l, v := &c.Leaves[i], s.leaves[i].value
		if l.Sum >= 0 && s.leaves[i].kept {
			m.slab[l.Sum] = tensor.Value{} // first, as both may be one slot
		} else {
			if l.Sum >= 0 {
				m.free(l.Sum)
			}
			v.Hold(1)
		}
		m.slab[l.Slot] = v
	}
	return int(c.End)
}

// sweep gives back what was to leave a chain that is not played.
func (m *Machine) sweep(c *code.Chain, list []made) {
	for i := range list {
		if c.Leaves[i].Sum < 0 || !list[i].kept {
			m.env.Ctx.Arena.Reclaim(list[i].value)
		}
	}
}

// fits reports whether a chain is prepared for its inputs, and prepares it when it
// has found them the same for long enough.
func (m *Machine) fits(c *code.Chain, s *chainState) bool {
	for i, slot := range c.Inputs {
		if !s.shapes[i].is(&m.slab[slot]) {
			for k, slot := range c.Inputs[i:] {
				s.shapes[i+k].note(&m.slab[slot])
			}
			if s.steps != nil || s.unfit {
				s.wait = min(2*s.wait, seldom)
			}
			s.steps, s.unfit, s.left = nil, false, s.wait
			break
		}
	}
	switch {
	case s.steps != nil:
		return true
	case s.unfit:
		return false
	case s.left > 0:
		s.left--
		return false
	}
	s.unfit = !m.prepare(c, s)
	return !s.unfit
}

// prepare makes a chain ready for what its inputs are; false if it cannot be.
func (m *Machine) prepare(c *code.Chain, s *chainState) bool {
	values := make([]tensor.Value, c.Values)
	for i, slot := range c.Inputs {
		values[i] = m.slab[slot]
	}
	copy(values[len(c.Inputs):], c.Consts)
	leaves := make([]made, len(c.Leaves))
	leaving := make([]int, c.Values) // by value: which of leaves it is, plus 1
	for i, l := range c.Leaves {
		leaving[l.Value] = i + 1
	}
	inside := int32(len(c.Inputs) + len(c.Consts)) // the first value that a step makes
	var steps []ready
	var args []tensor.Value
	var loads []load
	used := 0
	for i := range c.Steps {
		x := &c.Steps[i]
		in := make([]tensor.Value, len(x.In))
		for k, v := range x.In {
			in[k] = values[v]
		}
		if x.Summed {
			continue
		}
		if x.Sum > 0 {
			sum, ok := prepareSum(c, i, values, leaves, leaving)
			if !ok {
				return false
			}
			t := &c.Steps[x.Sum-1]
			l := &leaves[leaving[x.Out[0]]-1]
			l.places = append(l.places, place{step: int32(len(steps)), arg: int32(len(args) + len(t.In))})
			for _, v := range t.In {
				if l := leaving[v]; l > 0 {
					leaves[l-1].places = append(leaves[l-1].places, place{step: int32(len(steps)), arg: int32(len(args))})
				} else if v < int32(len(c.Inputs)) {
					loads = append(loads, load{c.Inputs[v], place{step: int32(len(steps)), arg: int32(len(args))}})
				}
				args = append(args, values[v])
			}
			args = append(args, values[x.Out[0]])
			steps = append(steps, ready{run: sum, call: &m.code.Calls[c.Calls[i]], split: len(t.In), end: len(args)})
			continue
		}
		p, ok := x.Kernel.Prepare(in, x.Constant)
		if !ok || len(p.Outs) != len(x.Out) {
			return false
		}
		parts := parts(x, &p, inside, leaving)
		for k, v := range x.Out {
			o := &p.Outs[k]
			n, err := tensor.NumElements(o.DType, o.Dims)
			size := n * o.DType.Size()
			if err != nil || n == 0 || size > preparedBytes || o.DType.HasPointers() || len(o.Dims) == 0 {
				return false
			}
			if parts {
				values[v] = in[o.Of-1].Borrow(o.Start, n, o.Dims)
				continue
			}
			if l := leaving[v]; l > 0 {
				leaves[l-1].dtype, leaves[l-1].dims = o.DType, slices.Clone(o.Dims)
			}
			// What leaves has a buffer as well, so that those who read it see its shape.
			if values[v], ok = m.lay(&used, o.DType, size, o.Dims); !ok {
				return false
			}
		}
		if parts {
			continue
		}
		for _, v := range slices.Concat(x.In, x.Out) {
			at := place{step: int32(len(steps)), arg: int32(len(args))}
			if l := leaving[v]; l > 0 {
				leaves[l-1].places = append(leaves[l-1].places, at)
			} else if v < int32(len(c.Inputs)) {
				loads = append(loads, load{c.Inputs[v], at})
			}
			args = append(args, values[v])
		}
		steps = append(steps, ready{run: p.Run, floats: p.Floats, call: &m.code.Calls[c.Calls[i]], split: len(x.In), end: len(args)})
	}
	at := 0
	for i := range steps { // now that args stay where they are
		x := &steps[i]
		n := at + x.split
		x.in, x.out, at = args[at:n:n], args[n:x.end:x.end], x.end
		for k := range x.in {
			if e := x.elements(k); e != nil {
				*e = elements(&x.in[k])
			}
		}
		if e := x.elements(x.split); e != nil {
			*e = elements(&x.out[0])
		}
	}
	for i := range loads {
		steps[loads[i].step].want(&loads[i].place)
	}
	for i := range leaves {
		for k := range leaves[i].places {
			p := &leaves[i].places[k]
			steps[p.step].want(p)
		}
	}
	s.steps, s.args, s.loads, s.leaves = steps, args, loads, leaves
	return true
}

// elements returns where the elements of a step's kth argument belong; nil if it does
// not want them.
func (x *ready) elements(k int) *[]float32 {
	switch {
	case x.floats == nil:
		return nil
	case k == x.split:
		return &x.o
	case k == 0:
		return &x.x
	case k == x.split-1:
		return &x.y
	}
	return nil
}

// want notes in place of one of a step's arguments where its elements belong.
func (x *ready) want(p *place) {
	p.floats = x.elements(int(p.arg) - x.end + x.split + len(x.out))
}

// parts reports whether all that a step makes lies in what another has made, and
// neither is there after the chain: then there is nothing to do.
func parts(x *code.ChainStep, p *kernel.Prepared, inside int32, leaving []int) bool {
	for k, v := range x.Out {
		of := p.Outs[k].Of
		if of == 0 || leaving[v] > 0 || x.In[of-1] < inside || leaving[x.In[of-1]] > 0 {
			return false
		}
	}
	return true
}

// lay returns a value in the scratch memory behind what is used of it.
func (m *Machine) lay(used *int, dt tensor.DType, size int, dims []int64) (tensor.Value, bool) {
	const line, least = 64, 4 << 10
	from := *used
	*used += (size + line - 1) &^ (line - 1)
	if *used > scratchBytes {
		return tensor.Value{}, false
	}
	if m.scratch.IsZero() || m.scratch.SizeBytes() < *used {
		t, err := tensor.New(tensor.Uint8, int64(max(least, 1<<bits.Len(uint(*used-1)))))
		if err != nil {
			return tensor.Value{}, false
		}
		m.scratch = tensor.ValueOf(t)
	}
	return m.scratch.Within(dt, from, dims), true
}

// release releases what belongs to the run that ends. failed says that it may
// have ended in the middle of the chain.
func (s *chainState) release(m *Machine, c *code.Chain, failed bool) {
	if !s.used {
		return
	}
	s.used = false
	if failed {
		m.sweep(c, s.leaves)
	}
	for i := range s.loads {
		s.put(&s.loads[i].place, tensor.Value{})
	}
	for i := range s.leaves {
		x := &s.leaves[i]
		x.value = tensor.Value{}
		for k := range x.places {
			s.put(&x.places[k], tensor.Value{})
		}
	}
}
