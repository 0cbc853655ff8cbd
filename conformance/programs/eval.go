package programs

import (
	"fmt"
	"slices"

	"github.com/troupe-go/troupe/status"
)

// A Fault is an error that a step may end with.
type Fault struct {
	Code    status.Code
	Message string
	Node    string // type and number of the node, as frames have it
	Tag     string // frame and iteration, as frames have them
}

// String returns what an executor says, without the device.
func (f Fault) String() string {
	return fmt.Sprintf("%v: %s [node %s at %q]", f.Code, f.Message, f.Node, f.Tag)
}

// A thrown is panicked with by an operation that fails.
type thrown struct {
	code    status.Code
	message string
	node    string // type of the node
}

// An Outcome is what a step may answer.
type Outcome struct {
	// Values are the results. Nil: the result is on a branch not taken, so
	// that the step fails.
	Values []*Array
	// Faults are the errors of which one must be the step's, if there are any.
	Faults []Fault
	// Turns is how often bodies of loops ran, and Bytes what the arrays took that
	// were made.
	Turns, Bytes int
}

// A Memory is what the variables of a session hold between steps.
type Memory []*Array

// NewMemory returns the session's variables when they have been initialized.
func (p *Program) NewMemory() Memory {
	m := make(Memory, len(p.Variables))
	for i, v := range p.Variables {
		m[i] = v.Init
	}
	return m
}

// An evaluation is one run of a program.
type evaluation struct {
	types []Type
	env   []Value // by variable; nil: not assigned, as on branches not taken
	fed   map[Var]*Array
	out   Outcome
	tag   string
	steps int
	small bool // numbers that are large, or none, are unclear
}

// lost is the value of what an error keeps from being computed.
type lost struct{}

// maxSteps bounds the statements that a program may come to.
const maxSteps = 20000

// Eval runs the program as Go would, on the memory of a session, which is not
// to be used any more if there are faults. The error says that the answer is
// not determined.
func (p *Program) Eval(inputs []*Array, fed map[Var]*Array, memory Memory) (out Outcome, err error) {
	e := &evaluation{types: p.Types, env: make([]Value, len(p.Types)), fed: fed}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case unclear:
			err = fmt.Errorf("unclear: %s", r)
		default:
			panic(r)
		}
	}()
	for i, v := range p.Inputs {
		e.env[v] = inputs[i]
	}
	objects := make([]*Object, len(p.Variables))
	for i, v := range p.Variables {
		objects[i] = &Object{Of: p.Types[v.Handle], now: memory[i]}
		e.env[v.Handle], e.env[v.Flow] = objects[i], flow
	}
	e.block(p.Body)
	for _, v := range p.Results {
		switch x := e.env[v].(type) {
		case nil:
			e.out.Values = append(e.out.Values, nil)
		case lost:
			e.out.Values = append(e.out.Values, nil)
			if len(e.out.Faults) == 0 {
				panic("programs: a result is lost without an error")
			}
		case *Array:
			e.out.Values = append(e.out.Values, x)
		case *Object: // shared: looked at when all is done
			e.out.Values = append(e.out.Values, x.now)
		default:
			panic(fmt.Sprintf("programs: result %v is %T", v, x))
		}
	}
	for i, o := range objects {
		memory[i] = o.now
	}
	return e.out, nil
}

func (e *evaluation) block(b Block) {
	for _, s := range b {
		if e.steps++; e.steps > maxSteps {
			panic(unclear("too long"))
		}
		s.eval(e)
	}
}

// lose makes variables lost.
func (e *evaluation) lose(vars ...[]Var) {
	for _, l := range vars {
		for _, v := range l {
			e.env[v] = lost{}
		}
	}
}

func (e *evaluation) lost(v Var) bool {
	_, is := e.env[v].(lost)
	return is
}

func (e *evaluation) array(v Var) *Array { return e.env[v].(*Array) }

func (e *evaluation) all(vars []Var) []Value {
	list := make([]Value, len(vars))
	for i, v := range vars {
		if list[i] = e.env[v]; list[i] == nil {
			panic(fmt.Sprintf("programs: %v is read where it is not assigned", v))
		}
	}
	return list
}

func (e *evaluation) assign(to []Var, values []Value) {
	for i, v := range to {
		if a, ok := values[i].(*Array); ok {
			if t := e.types[v]; t.Kind == Tensor && !tensorType(a.Type, a.Dims...).fits(t) {
				panic(fmt.Sprintf("programs: %v of type %v is %v", v, t, a))
			}
			if e.small {
				a.checkSmall()
			}
		}
		e.env[v] = values[i]
	}
}

func (s *Apply) eval(e *evaluation) {
	in := e.all(s.Args)
	if slices.ContainsFunc(s.Args, e.lost) {
		e.lose(s.To)
		return
	}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case thrown:
			e.out.Faults = append(e.out.Faults, Fault{r.code, r.message, fmt.Sprintf("%s_%d", r.node, int(s.To[0])), e.tag})
			e.lose(s.To)
		default:
			panic(r)
		}
	}()
	out := s.Op.eval(s, in)
	for _, v := range out {
		if a, ok := v.(*Array); ok {
			if len(a.elems) > 4096 {
				panic(unclear("too large"))
			}
			e.out.Bytes += int(a.Bytes())
		}
	}
	e.assign(s.To, out)
}

func (s *Literal) eval(e *evaluation) { e.env[s.To] = s.Value }
func (s *Fed) eval(e *evaluation)     { e.env[s.To] = e.fed[s.To] }

func (s *Choice) eval(e *evaluation) {
	if e.lost(s.Index) {
		e.lose(s.To)
		if s.Which != nil {
			e.lose([]Var{*s.Which})
		}
		return
	}
	i := e.array(s.Index).Int()
	if i < 0 || i >= len(s.Blocks) {
		i = len(s.Blocks) - 1
	}
	for j, b := range s.Blocks {
		if j != i { // nothing of it is assigned, whatever an earlier turn left
			b.declares(func(v Var) { e.env[v] = nil })
		}
	}
	e.block(s.Blocks[i])
	e.assign(s.To, e.all(s.Outs[i]))
	if s.Which != nil {
		e.env[*s.Which] = scalarInt(i)
		if len(s.To) > 0 && e.lost(s.To[0]) {
			e.env[*s.Which] = lost{}
		}
	}
}

func (s *Loop) eval(e *evaluation) {
	outer := e.tag
	defer func() { e.tag = outer }()
	now := e.all(s.Init)
	for turn := 0; ; turn++ {
		e.tag = fmt.Sprintf("%s[%d]", s.frame(), turn)
		if outer != "" {
			e.tag = outer + "/" + e.tag
		}
		e.assign(s.Carried, now)
		e.block(s.Test)
		if e.lost(s.Going) {
			e.lose(s.To)
			return
		}
		if !e.array(s.Going).True() {
			break
		}
		e.out.Turns++
		e.block(s.Body)
		now = e.all(s.Next)
	}
	e.assign(s.To, now)
}

// frame returns the name of the loop's frame.
func (s *Loop) frame() string { return fmt.Sprintf("loop_%d", int(s.Carried[0])) }

func (s *Call) eval(e *evaluation) {
	e.block(s.Body)
	e.assign(s.To, e.all(s.Outs))
}

func (s *Recursion) eval(e *evaluation) {
	if slices.ContainsFunc(s.Args, e.lost) {
		e.lose(s.To)
		return
	}
	e.assign(s.To, s.call(e, e.all(s.Args), 0))
}

func (s *Recursion) call(e *evaluation, args []Value, depth int) []Value {
	e.assign(s.Params, args)
	if e.array(s.Params[0]).Int() <= 0 {
		e.block(s.Base)
		return e.all(s.BaseOuts)
	}
	e.block(s.Before)
	again := e.all(s.Again)
	if slices.ContainsFunc(s.Again, e.lost) || depth > 20 {
		panic(unclear("an error, or too deep, within a recursion"))
	}
	saved := slices.Clone(e.env)
	inner := s.call(e, again, depth+1)
	copy(e.env, saved)
	e.assign(s.Inner, inner)
	e.block(s.After)
	return e.all(s.AfterOuts)
}
