package programs

import (
	"fmt"
	"strings"
)

// A Program computes Results from its inputs, which are variables 0 to
// Inputs-1.
type Program struct {
	Inputs  int
	Body    Block
	Results []Var
}

// A Var numbers a variable. Every variable is assigned once in the block that
// declares it and seen in the blocks inside.
type Var int

// A Block is statements in order.
type Block []Stmt

// A Stmt declares one or more variables.
type Stmt interface {
	print(w *strings.Builder, indent string)
	eval(env map[Var]int32)
}

// An OpKind is a binary operation on int32.
type OpKind uint8

// The operations; arithmetic wraps around.
const (
	Add OpKind = iota
	Sub
	Mul
	Max
	Min
	opKinds
)

var opNames = [...]string{"AddV2", "Sub", "Mul", "Maximum", "Minimum"}

func (o OpKind) apply(a, b int32) int32 {
	switch o {
	case Add:
		return a + b
	case Sub:
		return a - b
	case Mul:
		return a * b
	case Max:
		return max(a, b)
	}
	return min(a, b)
}

// An Assign is To = A op B.
type Assign struct {
	To   Var
	Op   OpKind
	A, B Var
}

// A Literal is To = Value.
type Literal struct {
	To    Var
	Value int32
}

// A Branch takes Then if A < B, else Else; To[i] becomes ThenOut[i] or ElseOut[i].
type Branch struct {
	A, B             Var
	Then, Else       Block
	To               []Var
	ThenOut, ElseOut []Var
}

// A Loop runs Body for a counter from 0 while it is below Trips mod 6 (never
// for a negative one) and, if Stop is set, while Carried[0] < Stop. In the body
// the counter is Counter and the carried values are Carried, which begin as
// Init and become Next; at the end To are their last values.
type Loop struct {
	Trips    Var
	Stop     *Var
	Counter  Var
	Init     []Var
	Carried  []Var
	Body     Block
	Next     []Var
	To       []Var
	Parallel int
}

// A Collect runs Body for a counter from 0 to Size-1 and keeps Item of every
// turn in an array; To is the item at the place that At says, mod Size.
type Collect struct {
	Size    int
	Counter Var
	Body    Block
	Item    Var
	At      Var
	To      Var
}

// maxTrips bounds the turns of one loop, so that nested loops stay short.
const maxTrips = 6

// Eval runs the program as Go would.
func (p *Program) Eval(inputs []int32) []int32 {
	env := map[Var]int32{}
	for i, x := range inputs {
		env[Var(i)] = x
	}
	p.Body.eval(env)
	out := make([]int32, len(p.Results))
	for i, v := range p.Results {
		out[i] = env[v]
	}
	return out
}

func (b Block) eval(env map[Var]int32) {
	for _, s := range b {
		s.eval(env)
	}
}

func (s *Assign) eval(env map[Var]int32)  { env[s.To] = s.Op.apply(env[s.A], env[s.B]) }
func (s *Literal) eval(env map[Var]int32) { env[s.To] = s.Value }

func (s *Branch) eval(env map[Var]int32) {
	block, out := s.Else, s.ElseOut
	if env[s.A] < env[s.B] {
		block, out = s.Then, s.ThenOut
	}
	block.eval(env)
	for i, to := range s.To {
		env[to] = env[out[i]]
	}
}

func (s *Loop) eval(env map[Var]int32) {
	trips := env[s.Trips] % maxTrips
	cur := make([]int32, len(s.Init))
	for i, v := range s.Init {
		cur[i] = env[v]
	}
	for i := int32(0); i < trips && (s.Stop == nil || cur[0] < env[*s.Stop]); i++ {
		env[s.Counter] = i
		for k, v := range s.Carried {
			env[v] = cur[k]
		}
		s.Body.eval(env)
		for k, v := range s.Next {
			cur[k] = env[v]
		}
	}
	for k, to := range s.To {
		env[to] = cur[k]
	}
}

func (s *Collect) eval(env map[Var]int32) {
	items := make([]int32, s.Size)
	for i := range items {
		env[s.Counter] = int32(i)
		s.Body.eval(env)
		items[i] = env[s.Item]
	}
	at := int(env[s.At]) % s.Size
	if at < 0 {
		at += s.Size
	}
	env[s.To] = items[at]
}

// String is the program as text.
func (p *Program) String() string {
	var w strings.Builder
	fmt.Fprintf(&w, "program(v0..v%d)\n", p.Inputs-1)
	p.Body.print(&w, "\t")
	fmt.Fprintf(&w, "\treturn %v\n", p.Results)
	return w.String()
}

func (b Block) print(w *strings.Builder, indent string) {
	for _, s := range b {
		s.print(w, indent)
	}
}

// String is "v3".
func (v Var) String() string { return fmt.Sprintf("v%d", int(v)) }

func (s *Assign) print(w *strings.Builder, indent string) {
	fmt.Fprintf(w, "%s%v = %s(%v, %v)\n", indent, s.To, opNames[s.Op], s.A, s.B)
}

func (s *Literal) print(w *strings.Builder, indent string) {
	fmt.Fprintf(w, "%s%v = %d\n", indent, s.To, s.Value)
}

func (s *Branch) print(w *strings.Builder, indent string) {
	fmt.Fprintf(w, "%sif %v < %v {\n", indent, s.A, s.B)
	s.Then.print(w, indent+"\t")
	fmt.Fprintf(w, "%s\t%v = %v\n%s} else {\n", indent, s.To, s.ThenOut, indent)
	s.Else.print(w, indent+"\t")
	fmt.Fprintf(w, "%s\t%v = %v\n%s}\n", indent, s.To, s.ElseOut, indent)
}

func (s *Loop) print(w *strings.Builder, indent string) {
	stop := ""
	if s.Stop != nil {
		stop = fmt.Sprintf(" && %v < %v", s.Carried[0], *s.Stop)
	}
	fmt.Fprintf(w, "%s%v = %v\n%sfor %v = 0; %v < %v %% %d%s { // parallel_iterations %d\n", indent, s.Carried, s.Init, indent, s.Counter, s.Counter, s.Trips, maxTrips, stop, s.Parallel)
	s.Body.print(w, indent+"\t")
	fmt.Fprintf(w, "%s\t%v = %v\n%s}\n%s%v = %v\n", indent, s.Carried, s.Next, indent, indent, s.To, s.Carried)
}

func (s *Collect) print(w *strings.Builder, indent string) {
	fmt.Fprintf(w, "%sitems = for %v = 0; %v < %d {\n", indent, s.Counter, s.Counter, s.Size)
	s.Body.print(w, indent+"\t")
	fmt.Fprintf(w, "%s\titem %v\n%s}\n%s%v = items[%v mod %d]\n", indent, s.Item, indent, indent, s.To, s.At, s.Size)
}
