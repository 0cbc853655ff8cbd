package unit

import (
	"github.com/troupe-go/troupe/tensor"
)

// scalars finds the values that are certainly scalars of a machine type if some
// that come from outside are: then they need no ownership, and arithmetic on
// them no kernel. It looks at each outermost loop by itself, and at a program
// without loops as a whole; what it takes for granted (island.assume) is checked
// when the island is entered. Where it does not hold, the same instructions are
// played without the assumption.
func (f *Form) scalars(c *credit) []*island {
	if len(f.Loops) == 0 {
		s := newIsland(f, c, f.Body, nil)
		if s == nil {
			return nil
		}
		return []*island{s}
	}
	var list []*island
	for _, w := range f.Loops {
		if w.Outer == nil {
			if s := newIsland(f, c, nil, w); s != nil {
				list = append(list, s)
			}
		}
	}
	return list
}

// An island is a part of a form in which scalars are known.
type island struct {
	form   *Form
	loop   *Loop          // an outermost loop, or
	block  *Block         // the whole program
	assume []int32        // values from outside that must be scalars
	taken  map[int32]bool // those in assume
	work   int            // instructions that need no kernel
}

// inside says whether a value is made in the island.
func (s *island) inside(v int32) bool {
	return s.form.Values[v].Role != roleShared && (s.loop == nil || v >= s.loop.from && v < s.loop.to)
}

// machine says whether scalars of a type have instructions of their own.
func machine(dt tensor.DType) bool {
	switch dt {
	case tensor.Bool, tensor.Int32, tensor.Int64, tensor.Float, tensor.Double:
		return true
	}
	return false
}

// closed lists operations whose result is a scalar if their inputs are. Those
// that scalarOps knows are closed as well.
var closed = map[string]bool{
	"Acos": true, "Acosh": true, "Asin": true, "Asinh": true, "Atan": true, "Atan2": true, "Atanh": true,
	"Ceil": true, "Cos": true, "Cosh": true, "Digamma": true, "DivNoNan": true, "Erf": true, "Erfc": true,
	"Exp": true, "Expm1": true, "Floor": true, "Inv": true, "IsFinite": true, "IsInf": true, "IsNan": true,
	"Lgamma": true, "Log": true, "Log1p": true, "MulNoNan": true, "Pow": true, "Reciprocal": true, "Rint": true,
	"Round": true, "Rsqrt": true, "Sigmoid": true, "Sign": true, "Sin": true, "Sinh": true, "Sqrt": true,
	"SquaredDifference": true, "Tan": true, "Tanh": true, "Xdivy": true, "Xlogy": true, "ZerosLike": true,
	"OnesLike": true, "Relu": true, "Relu6": true, "Elu": true, "Selu": true, "Softplus": true, "Softsign": true,
	"BitwiseAnd": true, "BitwiseOr": true, "BitwiseXor": true, "LeftShift": true, "RightShift": true, "Invert": true,
	"Cast": true, "StopGradient": true, "PreventGradient": true, "CheckNumerics": true, "Snapshot": true,
}

// counts lists operations that put out a scalar whatever they are given.
var counts = map[string]bool{"Size": true, "Rank": true, "TensorArraySizeV3": true, "TensorListLength": true}

// newIsland finds the scalars of a part of a form; nil if it has none that save
// a kernel.
func newIsland(f *Form, c *credit, block *Block, loop *Loop) *island {
	s := &island{form: f, loop: loop, block: block}
	from, to := int32(0), int32(len(f.Values))
	if loop != nil {
		from, to = loop.from, loop.to
	}
	for v := from; v < to; v++ {
		x := &f.Values[v]
		x.Scalar = x.Const < 0 && x.Role != roleShared && machine(x.DType)
	}
	// What is inside an island is believed to be a scalar until something says
	// otherwise.
	for again := true; again; {
		again = false
		s.each(func(in *Instr) {
			c.spend(1 + len(in.In))
			for _, o := range in.Out {
				if o >= 0 && f.Values[o].Scalar && !s.makes(in) {
					f.Values[o].Scalar, again = false, true
				}
			}
		}, func(w *Loop) {
			for i := range w.Vars {
				x := &w.Vars[i]
				if v := &f.Values[x.Value]; v.Scalar && !(s.scalar(x.Init) && s.scalar(x.Next)) {
					v.Scalar, again = false, true
				}
			}
		})
		if c.spent() {
			for v := from; v < to; v++ {
				f.Values[v].Scalar = false
			}
			return nil
		}
	}
	// Only those from outside are taken for granted of which a scalar is made.
	s.taken = map[int32]bool{}
	need := func(u Use) {
		if !s.inside(u.Value) && f.Values[u.Value].Const < 0 && !s.taken[u.Value] {
			s.taken[u.Value] = true
			s.assume = append(s.assume, u.Value)
		}
	}
	s.each(func(in *Instr) {
		if in.Op == Call && scalarOp(f, in) != 0 && in.Out[0] >= 0 && s.scalar(Use{Value: in.Out[0]}) {
			s.work++
		}
		for _, o := range in.Out {
			if o >= 0 && f.Values[o].Scalar && !(in.Op == Call && counts[f.flow.Op(in.Node)]) {
				for _, u := range in.In {
					need(u)
				}
			}
		}
	}, func(w *Loop) {
		for i := range w.Vars {
			if x := &w.Vars[i]; f.Values[x.Value].Scalar {
				need(x.Init)
				need(x.Next)
			}
		}
	})
	if s.work == 0 {
		for v := from; v < to; v++ {
			f.Values[v].Scalar = false
		}
		return nil
	}
	return s
}

// each calls do for every instruction of the island and loops for every loop.
func (s *island) each(do func(*Instr), loops func(*Loop)) {
	var block func(b *Block)
	var loop func(w *Loop)
	block = func(b *Block) {
		if b == nil {
			return
		}
		for i := range b.Code {
			in := &b.Code[i]
			switch in.Op {
			case If:
				block(in.Then)
				block(in.Else)
			case While:
				loop(in.Loop)
			default:
				do(in)
			}
		}
	}
	loop = func(w *Loop) {
		loops(w)
		block(w.Head)
		block(w.Body)
		block(w.Tail)
	}
	if s.loop != nil {
		loop(s.loop)
	} else {
		block(s.block)
	}
}

// scalar says whether a use is of a scalar, as far as is known.
func (s *island) scalar(u Use) bool {
	x := &s.form.Values[u.Value]
	switch {
	case u.Read || !machine(x.DType):
		return false
	case x.Const >= 0:
		c := s.form.flow.Consts[x.Const]
		return c.Inside(x.DType)
	case !s.inside(u.Value):
		shape := s.form.flow.output(x.Source).Shape()
		return shape.NumDimensions() <= 0 // -1: not known
	}
	return x.Scalar
}

// makes says whether what an instruction makes is a scalar, as far as is known.
func (s *island) makes(in *Instr) bool {
	switch in.Op {
	case Index:
		return true
	case Join:
		return s.scalar(in.In[0])
	case Call:
		op := s.form.flow.Op(in.Node)
		if counts[op] {
			return true
		}
		if len(in.Out) != 1 || len(in.In) == 0 || !closed[op] && scalarOp(s.form, in) == 0 {
			return false
		}
		for _, u := range in.In {
			if !s.scalar(u) {
				return false
			}
		}
		return true
	}
	return false
}

// scalarOp is the opcode of a kernel on scalars; 0 if there is none.
func scalarOp(f *Form, in *Instr) opcode {
	if len(in.In) == 0 || len(in.In) > 3 || len(in.Out) != 1 {
		return 0
	}
	n := f.flow.Nodes[in.Node].Def
	types := n.InputTypes()
	op := n.Type()
	switch op {
	case "Cast":
		if t := n.Attrs().Find("Truncate"); t != nil && t.B {
			return 0
		}
		return casts[[2]tensor.DType{types[0], n.OutputTypes()[0]}]
	case "ToBool":
		if types[0] == tensor.Bool {
			return opMoveScalar
		}
	case "Select", "SelectV2":
		if machine(types[1]) {
			return opSelect
		}
		return 0
	}
	return scalarOps[opOf{op, types[0]}]
}

// An opOf is an operation for an element type.
type opOf struct {
	op string
	dt tensor.DType
}
