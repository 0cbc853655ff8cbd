package programs

import (
	"fmt"
	"strings"
)

// A Program computes Results from its inputs.
type Program struct {
	Inputs    []Var
	Variables []Session // what lives from step to step
	Body      Block
	Results   []Var
	Types     []Type // by Var
	// Strict says that an error or an effect may happen anywhere, so that
	// nothing may be done where the program does not come.
	Strict bool
	// Loose says that functions do not return what orders their effects.
	Loose bool
	// Shares says that what variables hold is shared, as only frames can say it.
	Shares bool
}

// A Session is a variable of the session: its handle is in sight from the
// beginning, and its first value is Init.
type Session struct {
	Handle, Flow Var
	Init         *Array
}

// A Var numbers a variable of a program. Every one is assigned at one place, in
// the block that declares it, and seen in the blocks inside.
type Var int

// String is "v3".
func (v Var) String() string { return fmt.Sprintf("v%d", int(v)) }

// A Block is statements in order.
type Block []Stmt

// A Stmt declares variables.
type Stmt interface {
	print(w *printer)
	eval(e *evaluation)
	lower(s *scope)
	// live is what is left of the statement if only the variables that want
	// tells are wanted, nil if nothing is; want learns what that needs. Whole
	// says that functions are done as wholes, as executors do them.
	live(want set, whole bool) Stmt
	// uses tells what the statement reads, what it declares itself included.
	uses(see func(Var))
	// declares tells what the statement declares, its blocks included.
	declares(see func(Var))
}

// An Apply applies an operation. Params are what the operation says of them.
type Apply struct {
	Op     *Op
	Args   []Var
	To     []Var
	Params []int
}

// An Op is an operation: what it means and what nodes it is.
type Op struct {
	Name string
	// eval gives the results. It panics with a [thrown] for an error of the
	// operation, and with an [unclear].
	eval func(a *Apply, in []Value) []Value
	// lower writes the nodes, the main one by [scope.apply].
	lower func(s *scope, a *Apply) []output
}

// A Literal is To = Value.
type Literal struct {
	To    Var
	Value *Array
}

// A Fed variable is given by whoever runs the step.
type Fed struct{ To Var }

// A Choice runs one of its blocks: for a bool the first if Index is false, else
// the second; for an int32 that of the number, the last if there is none. To[i]
// becomes what Outs of the block say. Which, if it is set, becomes the number of
// the block.
type Choice struct {
	Index  Var
	Multi  bool // by number
	Blocks []Block
	Outs   [][]Var // by block
	To     []Var
	Which  *Var
}

// A Loop runs Body as long as Going, which Test computes, is true. Both see the
// carried variables, Carried, which begin as Init and become Next; To are their
// last values. Carried[0] counts the turns, of which Test allows a few only.
type Loop struct {
	Init, Carried, Next, To []Var
	Test                    Block
	Going                   Var
	Body                    Block
	Parallel                int
}

// A Call is a block as a function of its own.
type Call struct {
	Body Block
	Outs []Var
	To   []Var
}

// A Recursion is a function that calls itself: with Params, which begin as Args,
// it gives Outs of Base if the int32 Params[0] is not positive; else it does
// Before, calls itself with Again, whose results are Inner, and gives Outs of
// After. Before makes Again[0] one less than Params[0].
type Recursion struct {
	Args, Params        []Var
	Base, Before, After Block
	BaseOuts            []Var
	Again, Inner        []Var
	AfterOuts           []Var
	To                  []Var
}

// A printer writes programs.
type printer struct {
	strings.Builder
	types  []Type
	indent string
}

func (w *printer) line(format string, args ...any) {
	w.WriteString(w.indent)
	fmt.Fprintf(w, format, args...)
	w.WriteByte('\n')
}

func (w *printer) block(b Block) {
	outer := w.indent
	w.indent += "\t"
	for _, s := range b {
		s.print(w)
	}
	w.indent = outer
}

// typed lists variables with their types.
func (w *printer) typed(vars []Var) string {
	parts := make([]string, len(vars))
	for i, v := range vars {
		parts[i] = fmt.Sprintf("%v %v", v, w.types[v])
	}
	return strings.Join(parts, ", ")
}

func names(vars []Var) string {
	parts := make([]string, len(vars))
	for i, v := range vars {
		parts[i] = v.String()
	}
	return strings.Join(parts, ", ")
}

// String returns the program as text.
func (p *Program) String() string {
	w := &printer{types: p.Types}
	for _, v := range p.Variables {
		w.line("%s = variable(%v)", w.typed([]Var{v.Handle, v.Flow}), v.Init)
	}
	w.line("program(%s)", w.typed(p.Inputs))
	w.block(p.Body)
	w.line("\treturn %s", names(p.Results))
	return w.String()
}

func (s *Apply) print(w *printer) {
	params := ""
	if len(s.Params) > 0 {
		params = fmt.Sprint(s.Params)
	}
	w.line("%s = %s%s(%s)", w.typed(s.To), s.Op.Name, params, names(s.Args))
}

func (s *Literal) print(w *printer) { w.line("%v = %v", s.To, s.Value) }

func (s *Fed) print(w *printer) { w.line("%s = fed", w.typed([]Var{s.To})) }

func (s *Choice) print(w *printer) {
	which := ""
	if s.Which != nil {
		which = fmt.Sprintf(", %v = which", *s.Which)
	}
	w.line("%s%s = choose %v {", w.typed(s.To), which, s.Index)
	for i, b := range s.Blocks {
		w.line("%d:", i)
		w.block(b)
		w.line("\tgive %s", names(s.Outs[i]))
	}
	w.line("}")
}

func (s *Loop) print(w *printer) {
	w.line("%s = %s", w.typed(s.Carried), names(s.Init))
	w.line("for { // parallel_iterations %d", s.Parallel)
	w.block(s.Test)
	w.line("\twhile %v", s.Going)
	w.block(s.Body)
	w.line("\t%s = %s", names(s.Carried), names(s.Next))
	w.line("}")
	w.line("%s = %s", names(s.To), names(s.Carried))
}

func (s *Call) print(w *printer) {
	w.line("%s = call {", w.typed(s.To))
	w.block(s.Body)
	w.line("\tgive %s", names(s.Outs))
	w.line("}")
}

func (s *Recursion) print(w *printer) {
	w.line("%s = f(%s) where f(%s) {", w.typed(s.To), names(s.Args), w.typed(s.Params))
	w.line("\tif %v <= 0 {", s.Params[0])
	outer := w.indent
	w.indent += "\t"
	w.block(s.Base)
	w.line("\tgive %s", names(s.BaseOuts))
	w.indent = outer
	w.line("\t}")
	w.block(s.Before)
	w.line("\t%s = f(%s)", w.typed(s.Inner), names(s.Again))
	w.block(s.After)
	w.line("\tgive %s", names(s.AfterOuts))
	w.line("}")
}
