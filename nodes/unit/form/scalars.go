package form

import (
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// An island is a part of a form, a loop or a program without loops, in which
// values are certainly scalars of machine types if some that come from outside
// are. Such scalars need no ownership, and arithmetic on them no kernel. What is
// taken for granted is checked when the island is entered; where it does not
// hold the same instructions are played without it.
//
// Islands may lie in one another: an outer loop over tensors may hold one over
// scalars.
type Island struct {
	form     *Form
	loop     *Loop          // or, where that is nil,
	block    *Block         // the whole program
	Outer    *Island        // nil for the outermost
	From, To int32          // the values made in it
	Has      []bool         // those of them that are scalars, and are not in outer
	Assume   []int32        // values from outside that must be scalars
	taken    map[int32]bool // those in assume
	Vectors  []int32        // values from outside that must be vectors
	work     int            // instructions that need no kernel here, and do outside
}

// inside reports whether a value is made in the island.
func (s *Island) Inside(v int32) bool {
	return v >= s.From && v < s.To && s.form.Values[v].Role != RoleShared
}

// knows reports whether a value is a scalar here.
func (s *Island) Knows(v int32) bool {
	x := &s.form.Values[v]
	if x.Const >= 0 {
		c := s.form.Flow.Consts[x.Const]
		return machine(x.DType) && c.Inside(x.DType)
	}
	for ; s != nil; s = s.Outer {
		if s.Inside(v) && s.Has[v-s.From] || s.taken[v] {
			return true
		}
	}
	return false
}

// machineTypes is how many types have scalars with instructions of their own.
const MachineTypes = 5

// machineType numbers those types; -1 is another.
func MachineType(dt tensor.DType) int {
	switch dt {
	case tensor.Bool:
		return 0
	case tensor.Int32:
		return 1
	case tensor.Int64:
		return 2
	case tensor.Float:
		return 3
	case tensor.Double:
		return 4
	}
	return -1
}

// machine reports whether scalars of a type have instructions of their own.
func machine(dt tensor.DType) bool { return MachineType(dt) >= 0 }

// newIsland finds the scalars of a loop, or of the whole program if that is
// nil, beyond those that outer knows; nil if that saves no kernel.
func NewIsland(f *Form, c *Credit, loop *Loop, outer *Island) *Island {
	if f.Off.Has(Islands) {
		return nil
	}
	s := &Island{form: f, loop: loop, block: f.Body, Outer: outer, To: int32(len(f.Values))}
	if loop != nil {
		s.block, s.From, s.To = nil, loop.From, loop.To
	}
	s.Has = make([]bool, s.To-s.From)
	for v := s.From; v < s.To; v++ {
		if c.Spend(1); c.Spent() {
			return nil
		}
		x := &f.Values[v]
		s.Has[v-s.From] = s.Inside(v) && machine(x.DType) && (outer == nil || !outer.Knows(v))
	}
	// What is inside is believed to be a scalar until something says otherwise.
	for again := true; again; {
		again = false
		refute := func(v int32) {
			if s.Inside(v) && s.Has[v-s.From] {
				s.Has[v-s.From], again = false, true
			}
		}
		s.each(func(in *Instr) {
			c.Spend(1 + len(in.In))
			if len(in.Out) > 0 && !s.makes(in) {
				for _, o := range in.Out {
					if o >= 0 {
						refute(o)
					}
				}
			}
		}, func(w *Loop) {
			for i := range w.Vars {
				if x := &w.Vars[i]; !s.believes(x.Init) || !s.believes(x.Next) {
					refute(x.Value)
				}
			}
		})
		if c.Spent() {
			return nil
		}
	}
	// Only those from outside are taken for granted of which a scalar is made.
	need := func(u Use) {
		if !s.Inside(u.Value) && !s.Knows(u.Value) {
			if s.taken == nil {
				s.taken = map[int32]bool{}
			}
			s.taken[u.Value] = true
			s.Assume = append(s.Assume, u.Value)
		}
	}
	made := func(v int32) bool { return v >= 0 && s.Inside(v) && s.Has[v-s.From] }
	s.each(func(in *Instr) {
		if len(in.Out) != 1 || !made(in.Out[0]) {
			return
		}
		if in.Pick != 0 {
			s.work++
			need(Use{Value: in.Pick - 1})
			c.Spend(len(s.Vectors))
			if x := in.In[0].Value; !s.Vector(x) {
				s.Vectors = append(s.Vectors, x)
			}
			return
		}
		if in.Op == Call && f.ScalarOf(in).Op != 0 {
			s.work++
		}
		if in.Op != Call || !f.ScalarOf(in).counts && !f.Guarded(in) {
			for _, u := range in.In {
				need(u)
			}
		}
	}, func(w *Loop) {
		for i := range w.Vars {
			if x := &w.Vars[i]; made(x.Value) {
				need(x.Init)
				need(x.Next)
			}
		}
	})
	if s.work == 0 {
		return nil
	}
	return s
}

// each calls do for every instruction of the island and loops for every loop.
func (s *Island) each(do func(*Instr), loops func(*Loop)) {
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

// believes reports whether a use is of a scalar, as far as is known.
func (s *Island) believes(u Use) bool {
	x := &s.form.Values[u.Value]
	switch {
	case u.Read || !machine(x.DType):
		return false
	case s.Knows(u.Value):
		return true
	case x.Const >= 0 || s.Inside(u.Value):
		return false
	}
	return s.form.Flow.output(x.Source).Shape().NumDimensions() <= 0 // -1: not known
}

// picks reports whether a slice is x[i] of what can be a vector from outside.
func (s *Island) picks(in *Instr) bool {
	x := in.In[0]
	v := &s.form.Values[x.Value]
	if x.Read || s.Inside(x.Value) || !machine(v.DType) || !s.believes(Use{Value: in.Pick - 1}) {
		return false
	}
	rank := s.form.Flow.output(v.Source).Shape().NumDimensions()
	return rank == 1 || rank < 0
}

// vector reports whether a value was found to be a vector when the island, or one
// around it, was entered.
func (s *Island) Vector(v int32) bool {
	for ; s != nil; s = s.Outer {
		for _, x := range s.Vectors {
			if x == v {
				return true
			}
		}
	}
	return false
}

// makes reports whether what an instruction makes is a scalar, as far as is known.
func (s *Island) makes(in *Instr) bool {
	switch in.Op {
	case Index:
		return true
	case Join:
		return s.believes(in.In[0])
	case Call:
		is := s.form.ScalarOf(in)
		if is.counts {
			return true
		}
		if in.Pick != 0 {
			return s.picks(in)
		}
		if s.form.Guarded(in) {
			return true
		}
		if len(in.Out) != 1 || len(in.In) == 0 || !is.closed && is.Op == 0 {
			return false
		}
		for _, u := range in.In {
			if !s.believes(u) {
				return false
			}
		}
		return true
	}
	return false
}

// A scalar says what a call is for scalars.
type scalar struct {
	known  bool
	counts bool // its result is a scalar
	closed bool // its result is a scalar if its inputs are
	Op     ScalarOp
}

// scalarOf returns what a call is for scalars, which is looked up once.
func (f *Form) ScalarOf(in *Instr) *scalar {
	if !in.scalar.known {
		op := f.Flow.Nodes[in.Node].Def.Def()
		in.scalar = scalar{known: true, counts: op.Is(registry.Scalar), closed: op.Is(registry.Elementwise), Op: scalarOp(f, in)}
	}
	return &in.scalar
}

// scalarOp returns what a call is for scalars; 0 if there is nothing.
func scalarOp(f *Form, in *Instr) ScalarOp {
	if len(in.In) == 0 || len(in.In) > 3 || len(in.Out) != 1 {
		return 0
	}
	n := f.Flow.Nodes[in.Node].Def
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
			return ScalarMove
		}
	case "Select", "SelectV2":
		if machine(types[1]) {
			return ScalarSelect
		}
		return 0
	}
	return scalarOps[opOf{op, types[0]}]
}

// A ScalarOp is an operation on scalars of a machine type, for which units have an
// instruction; 0 is none.
type ScalarOp uint8

// String returns the operation's name.
func (o ScalarOp) String() string { return scalarNames[o] }

// asks reports whether an operation calls its kernel for some operands.
func (o ScalarOp) Asks() bool {
	switch o {
	case ScalarQuotientInt32, ScalarQuotientInt64, ScalarRemainderInt32, ScalarRemainderInt64,
		ScalarFloorQuotientInt32, ScalarFloorQuotientInt64, ScalarFloorRemainderInt32, ScalarFloorRemainderInt64:
		return true
	}
	return false
}

// An opOf is an operation for an element type.
type opOf struct {
	op string
	dt tensor.DType
}
