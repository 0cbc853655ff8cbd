package unit

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/tensor"
)

// A chain is calls that follow each other in a loop, or one, of kernels that can be
// prepared ([kernel.Preparer]): elementwise arithmetic, small products, what joins
// and divides tensors. It is one instruction. While its inputs have the types and
// shapes that they had before, what Run of each kernel does is done in buffers of
// the chain's own, of which nobody counts who holds them; only what outlives the
// chain is made a tensor like others. Parts of a buffer are used where they lie.
//
// Where something does not fit, a shape that no kernel takes among it, the calls
// that follow the instruction are played one by one. So all errors are theirs.
type chain struct {
	end    int32 // the instruction after its calls
	calls  []int32
	inputs []int32        // slots of what it has from outside
	consts []tensor.Value // likewise
	steps  []chainStep
	values int     // inputs, constants, and what the steps make, in this order
	gives  []int32 // slots of inputs that are given up
	leaves []leaving
}

// A chainStep is a call. Values are numbered.
type chainStep struct {
	kernel   kernel.Preparer
	in, out  []int32
	constant uint64 // inputs that are constants
	sum      int32  // the step whose output it adds to its first input, plus 1: see sums
	summed   bool   // another step does
}

// A leaving is a value that is there after the chain.
type leaving struct {
	value, slot, home int32
	sum               int32 // of a sum in place: the slot of what it was before; else -1
}

// longestChain bounds the calls of a chain.
const longestChain = 64

// chained reports whether an instruction may be one of a chain's. What is known to
// be a scalar is not: islands have better.
func (f *Form) chained(in *Instr) bool {
	if in.Op != Call || len(in.Out) == 0 {
		return false
	}
	k, ok := f.flow.Nodes[in.Node].Kernel.(kernel.Preparer)
	if !ok || !f.pure(in) {
		return false
	}
	if k, ok := k.(kernel.Fixer); ok {
		for i, fixed := 0, k.Fixed(len(in.In)); i < len(in.In); i++ {
			if fixed&(1<<uint(i)) != 0 && f.Values[in.In[i].Value].Const < 0 {
				return false
			}
		}
	}
	for k := range in.Out {
		if f.flow.output(Source{in.Node, int32(k)}).Shape().NumDimensions() == 0 {
			return false
		}
	}
	for _, u := range in.In {
		if u.Read {
			return false
		}
	}
	return true
}

// chains brings together, in the bodies of loops, what may be a chain: calls
// without side effects that stand between two of its instructions, and need none
// of them, go in front of it.
func (f *Form) chains(c *credit) {
	if len(f.Loops) == 0 {
		return
	}
	s := &chainer{form: f, credit: c, made: make([]int32, len(f.Values)), scalar: make([]bool, len(f.Values))}
	for v := range f.Values {
		x := &f.Values[v]
		if x.Const >= 0 {
			s.scalar[v] = f.flow.Consts[x.Const].Plain()
		} else {
			s.scalar[v] = f.flow.output(x.Source).Shape().NumDimensions() == 0
		}
	}
	for _, w := range f.Loops { // outer ones first
		for _, x := range w.Vars {
			s.scalar[x.Value] = s.scalar[x.Value] || s.scalar[x.Init.Value]
		}
		s.block(w.Body)
	}
}

type chainer struct {
	form   *Form
	credit *credit
	scalar []bool  // by value: it is, or will be found to be, a scalar
	made   []int32 // by value: the number of the chain that makes it
	number int32   // of the chain that is open
	nodes  []int32 // its nodes
}

// member reports whether an instruction is for a chain. Where no shape is known,
// what is made of scalars is taken for one.
func (s *chainer) member(in *Instr) bool {
	if !s.form.chained(in) {
		return false
	}
	for _, u := range in.In {
		if !s.scalar[u.Value] {
			return true
		}
	}
	if len(in.Out) == 1 && scalarOp(s.form, in) != 0 {
		s.scalar[in.Out[0]] = true
		return false
	}
	return true
}

func (s *chainer) block(b *Block) {
	members := 0
	for i := range b.Code {
		in := &b.Code[i]
		if in.Op == If {
			s.block(in.Then)
			if in.Else != nil {
				s.block(in.Else)
			}
		} else if s.member(in) {
			members++
		}
	}
	s.credit.spend(len(b.Code))
	if members == 0 {
		return
	}
	code := make([]Instr, 0, len(b.Code))
	var open, behind []Instr // the chain; what comes after it, if no more of it does
	flush := func() {
		code = append(append(code, open...), behind...)
		open, behind, s.nodes = open[:0], behind[:0], s.nodes[:0]
		s.number++
	}
	s.number++
	for i := 0; i < len(b.Code); {
		n := 1
		switch in := &b.Code[i]; {
		case s.member(in):
			code = append(code, behind...)
			behind = behind[:0]
			open = append(open, *in)
			open[len(open)-1].Chain = s.number
			s.nodes = append(s.nodes, in.Node)
			for _, v := range in.Out {
				s.made[v] = s.number
			}
			if len(open) == longestChain {
				flush()
			}
		default:
			n = together(b.Code[i:])
			if len(open) == 0 {
				code = append(code, b.Code[i:i+n]...)
			} else if s.before(b.Code[i : i+n]) {
				behind = append(behind, b.Code[i:i+n]...)
			} else {
				flush()
				code = append(code, b.Code[i:i+n]...)
			}
		}
		i += n
	}
	flush()
	b.Code = code
}

// together returns how many of the instructions that code begins with are not to be
// separated: a slice that is a pick, and its packing.
func together(code []Instr) int {
	for n := range min(len(code), 3) {
		if in := &code[n]; in.Pick != 0 && len(in.before) == n {
			return n + 1
		} else if in.Op != Call {
			break
		}
	}
	return 1
}

// before reports whether instructions may go in front of the chain that is open.
func (s *chainer) before(code []Instr) bool {
	for i := range code {
		in := &code[i]
		if in.Op != Call || !s.form.pure(in) {
			return false
		}
		for _, u := range in.In {
			if u.Read || s.made[u.Value] == s.number {
				return false
			}
		}
		for _, from := range s.form.flow.In[in.Node] {
			s.credit.spend(1)
			for _, node := range s.nodes {
				if from.Node == node { // an order
					return false
				}
			}
		}
	}
	return true
}

// chainAt returns how many of the instructions that code begins with make a chain
// here, where some of them may make scalars.
func (e *emitter) chainAt(code []Instr) int {
	chain := code[0].Chain
	for n := range code {
		in := &code[n]
		if chain == 0 || in.Chain != chain {
			return n
		}
		for _, v := range in.Out {
			if v >= 0 && e.isScalar(v) {
				return n
			}
		}
	}
	return len(code)
}

// chain writes a chain: an instruction that plays all of it, and the calls that
// are played one after another otherwise.
func (e *emitter) chain(code []Instr) {
	at := len(e.u.chains)
	e.u.chains = append(e.u.chains, e.describe(code))
	e.add(instr{op: opChain, x: int32(at)})
	first := int32(len(e.u.calls))
	e.here()
	for rest := code; len(rest) > 0; {
		rest = rest[e.next(rest):]
	}
	c := &e.u.chains[at]
	for k := range code {
		c.calls = append(c.calls, first+int32(k))
	}
	c.end = e.here()
}

// describe returns the chain of instructions, without where it ends. It follows what
// they do one after another: what one of them makes and another gives up is there
// in between alone.
func (e *emitter) describe(code []Instr) chain {
	var c chain
	const outside, constant, inside = 0, 1, 2
	type value struct {
		sort, number int
		gone         bool
	}
	values := map[int32]*value{}
	var fixed, made []int32
	for i := range code {
		for _, u := range code[i].In {
			if values[u.Value] != nil {
				continue
			}
			x := &value{}
			if k := e.form.Values[u.Value].Const; k >= 0 {
				x.sort, x.number = constant, len(fixed)
				fixed = append(fixed, u.Value)
				c.consts = append(c.consts, e.form.flow.Consts[k])
			} else {
				x.number = len(c.inputs)
				c.inputs = append(c.inputs, e.at(u.Value))
			}
			values[u.Value] = x
		}
		for _, v := range code[i].Out {
			if v >= 0 {
				values[v] = &value{sort: inside, number: len(made)}
			}
			made = append(made, v)
		}
	}
	number := func(v int32) int32 {
		x := values[v]
		return int32(x.number + []int{0, len(c.inputs), len(c.inputs) + len(c.consts)}[x.sort])
	}
	gone := func(v int32) {
		x := values[v]
		if x == nil { // not of this chain
			x = &value{}
			values[v] = x
		}
		if x.gone = true; x.sort == outside && !e.isScalar(v) {
			c.gives = append(c.gives, e.home(v))
		}
	}
	next := int32(len(c.inputs) + len(c.consts))
	for i := range code {
		in := &code[i]
		s := chainStep{kernel: e.form.flow.Nodes[in.Node].Kernel.(kernel.Preparer)}
		for k, u := range in.In {
			s.in = append(s.in, number(u.Value))
			if values[u.Value].sort == constant && k < 64 {
				s.constant |= 1 << k
			}
			if u.Mode == Move {
				gone(u.Value)
			}
		}
		for range in.Out {
			s.out = append(s.out, next)
			next++
		}
		for _, v := range in.Drop {
			gone(v)
		}
		c.steps = append(c.steps, s)
	}
	for _, v := range made {
		if v >= 0 && !values[v].gone {
			c.leaves = append(c.leaves, leaving{number(v), e.home(v), e.u.homes, -1})
			e.u.homes++
		}
	}
	c.values = int(next)
	e.sums(&c, code)
	return c
}
