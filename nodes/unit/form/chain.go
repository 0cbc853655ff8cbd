package form

import (
	"github.com/troupe-go/troupe/kernel"
)

// longestChain bounds the calls of a chain.
const longestChain = 64

// chained reports whether an instruction may be one of a chain's. What is known to
// be a scalar is not: islands have better.
func (f *Form) chained(in *Instr) bool {
	if in.Op != Call || len(in.Out) == 0 {
		return false
	}
	k, ok := f.Flow.Nodes[in.Node].Kernel.(kernel.Preparer)
	if !ok || !f.Pure(in) {
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
		if f.Flow.output(Source{in.Node, int32(k)}).Shape().NumDimensions() == 0 {
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
func (f *Form) chains(c *Credit) {
	if len(f.Loops) == 0 {
		return
	}
	s := &chainer{form: f, credit: c, made: make([]int32, len(f.Values)), scalar: make([]bool, len(f.Values))}
	for v := range f.Values {
		x := &f.Values[v]
		if x.Const >= 0 {
			s.scalar[v] = f.Flow.Consts[x.Const].Plain()
		} else {
			s.scalar[v] = f.Flow.output(x.Source).Shape().NumDimensions() == 0
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
	credit *Credit
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
	s.credit.Spend(len(b.Code))
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
		if in := &code[n]; in.Pick != 0 && len(in.Before) == n {
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
		if in.Op != Call || !s.form.Pure(in) {
			return false
		}
		for _, u := range in.In {
			if u.Read || s.made[u.Value] == s.number {
				return false
			}
		}
		for _, from := range s.form.Flow.In[in.Node] {
			s.credit.Spend(1)
			for _, node := range s.nodes {
				if from.Node == node { // an order
					return false
				}
			}
		}
	}
	return true
}
