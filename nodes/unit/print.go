package unit

import (
	"fmt"
	"strings"
)

// String returns the form as text: an instruction a line, blocks indented. Values are
// numbered; "move %3" gives it up, "copy %3" makes one more hold it, "→ %5" that a value is written to
// the register of another.
func (f *Form) String() string {
	w := &printer{form: f}
	if f.Frame == 0 {
		w.line("program")
	} else {
		w.line("loop %s", f.flow.Frames[f.Frame].Name)
	}
	w.indent++
	for _, p := range f.Params {
		w.line("%s = %s", w.def(p.Value), f.flow.Name(p.Node))
	}
	w.block(f.Body)
	for _, r := range f.Results {
		w.line("%s = %s", f.flow.Name(r.Node), w.use(r.Use))
	}
	return w.String()
}

type printer struct {
	strings.Builder
	form   *Form
	indent int
}

func (w *printer) line(format string, args ...any) {
	for range w.indent {
		w.WriteByte('\t')
	}
	fmt.Fprintf(w, format, args...)
	w.WriteByte('\n')
}

func (w *printer) def(v int32) string {
	if v < 0 {
		return "_"
	}
	x := &w.form.Values[v]
	s := fmt.Sprintf("%%%d %v", v, x.DType)
	if x.Into >= 0 {
		s += fmt.Sprintf(" → %%%d", x.Into)
	}
	return s
}

func (w *printer) use(u Use) string {
	s := fmt.Sprintf("%%%d", u.Value)
	if x := &w.form.Values[u.Value]; x.Const >= 0 {
		s = constant(w.form, x)
	}
	if u.Read {
		s = "*" + s
	}
	return [...]string{"", "move ", "copy "}[u.Mode] + s
}

// constant returns a small constant's value, or the name of a large one's node.
func constant(f *Form, x *Value) string {
	const small = 4
	if c := f.flow.Consts[x.Const]; !c.IsZero() && c.NumElements() <= small {
		return fmt.Sprint(c.Tensor().Value())
	}
	return f.flow.Name(x.Node)
}

func (w *printer) drop(list []int32) {
	for _, v := range list {
		w.line("drop %%%d", v)
	}
}

func (w *printer) block(b *Block) {
	w.drop(b.Drop)
	for i := range b.Code {
		w.instr(&b.Code[i])
	}
}

func (w *printer) inner(b *Block) {
	w.indent++
	w.block(b)
	w.indent--
}

func (w *printer) instr(in *Instr) {
	flow := w.form.flow
	uses := make([]string, len(in.In))
	for i, u := range in.In {
		uses[i] = w.use(u)
	}
	args := strings.Join(uses, ", ")
	outs := make([]string, len(in.Out))
	for i, v := range in.Out {
		outs[i] = w.def(v)
	}
	to := strings.Join(outs, ", ")
	if to != "" {
		to += " = "
	}
	switch in.Op {
	case Call:
		chain := ""
		if in.Chain > 0 {
			chain = fmt.Sprintf(", chain %d", in.Chain)
		}
		w.line("%s%s(%s)  # %s%s", to, flow.Op(in.Node), args, flow.Name(in.Node), chain)
	case Read:
		w.line("%sread %s", to, args)
	case Join:
		w.line("%s%s", to, args)
	case Index:
		w.line("%s%d", to, in.Side)
	case Fetch:
		w.line("fetch %s = %s", flow.Name(in.Node), args)
	case If:
		w.line("if %s is %d", args, in.Side)
		w.inner(in.Then)
		if in.Else != nil {
			w.line("else")
			w.inner(in.Else)
		}
	case While:
		w.loop(in.Loop)
	}
	w.drop(in.Drop)
}

func (w *printer) loop(l *Loop) {
	w.line("loop %s", w.form.flow.Frames[l.Frame].Name)
	w.indent++
	for _, x := range l.Vars {
		w.line("%s ← %s", w.def(x.Value), w.use(x.Init))
	}
	w.block(l.Head)
	w.line("while %s", w.use(l.Test))
	w.indent++
	w.block(l.Body)
	for _, x := range l.Vars {
		if x.Next.Value != x.Value {
			w.line("%%%d ← %s", x.Value, w.use(x.Next))
		}
	}
	w.indent--
	if len(l.Tail.Drop)+len(l.Tail.Code) > 0 {
		w.line("end")
		w.inner(l.Tail)
	}
	w.indent--
}

// String returns the unit's instructions as text.
func (u *Unit) String() string {
	var w strings.Builder
	for i, in := range u.instrs {
		fmt.Fprintf(&w, "%3d\t%v", i, in.op)
		switch in.op {
		case opEnd:
		case opCall:
			c := &u.calls[in.x]
			fmt.Fprintf(&w, " %d", c.node)
			for _, g := range c.gathers {
				fmt.Fprintf(&w, " s%d←s%d", g.to, g.from)
			}
			fmt.Fprintf(&w, " in s%d+%d out s%d+%d keep %b", c.in, c.nin, c.out, c.nout, c.keep)
		case opMove, opCopy, opPlain:
			fmt.Fprintf(&w, " s%d ← s%d", u.moves[in.x].to, u.moves[in.x].from)
		case opTest:
			t := &u.tests[in.x]
			fmt.Fprintf(&w, " s%d is %d, else %d", t.slot, t.side, t.target)
		case opChain:
			c := &u.chains[in.x]
			fmt.Fprintf(&w, " of %d, to %d, gives up", len(c.steps), c.end)
			for _, s := range c.gives {
				fmt.Fprintf(&w, " s%d", s)
			}
			w.WriteString(", leaves")
			for _, l := range c.leaves {
				fmt.Fprintf(&w, " s%d", l.slot)
			}
		case opLatch:
			fmt.Fprintf(&w, " to %d", u.latches[in.x].target)
		case opEnter:
			e := &u.entries[in.x]
			for _, c := range e.checks {
				fmt.Fprintf(&w, " s%d is %v", c.slot, c.zero.DType())
			}
			for _, l := range e.loads {
				fmt.Fprintf(&w, ", s%d ← s%d", l.to, l.from)
			}
			fmt.Fprintf(&w, ", else %d", e.otherwise)
		default:
			fmt.Fprintf(&w, " %d %d %d %d", in.d, in.a, in.b, in.x)
		}
		w.WriteByte('\n')
	}
	return w.String()
}
