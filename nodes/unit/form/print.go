package form

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
		w.line("loop %s", f.Flow.Frames[f.Frame].Name)
	}
	w.indent++
	for _, p := range f.Params {
		w.line("%s = %s", w.def(p.Value), f.Flow.Name(p.Node))
	}
	w.block(f.Body)
	for _, r := range f.Results {
		w.line("%s = %s", f.Flow.Name(r.Node), w.use(r.Use))
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
	if c := f.Flow.Consts[x.Const]; !c.IsZero() && c.NumElements() <= small {
		return fmt.Sprint(c.Tensor().Value())
	}
	return f.Flow.Name(x.Node)
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
	flow := w.form.Flow
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
		if in.Tile > 0 {
			chain += fmt.Sprintf(", tiles %d", in.Tile)
		}
		starts := ""
		if in.Starts {
			starts = "start "
		}
		w.line("%s%s%s(%s)  # %s%s", to, starts, flow.Op(in.Node), args, flow.Name(in.Node), chain)
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
	case Await:
		w.line("await")
	}
	w.drop(in.Drop)
}

func (w *printer) loop(l *Loop) {
	w.line("loop %s", w.form.Flow.Frames[l.Frame].Name)
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

// Islands lists a form's islands: the loop, or the program; the values from
// outside that must be scalars; the values that are then known to be scalars.
func (f *Form) Islands() string {
	c := &Credit{left: 1 << 30}
	var w strings.Builder
	tell := func(what string, s *Island) {
		if s == nil {
			return
		}
		fmt.Fprintf(&w, "%s:", what)
		for v := s.From; v < s.To; v++ {
			if s.Has[v-s.From] {
				fmt.Fprintf(&w, " %%%d", v)
			}
		}
		w.WriteString(", if")
		for _, v := range s.Assume {
			fmt.Fprintf(&w, " %%%d", v)
		}
		w.WriteByte('\n')
	}
	if len(f.Loops) == 0 {
		tell("program", NewIsland(f, c, nil, nil))
	}
	found := map[*Loop]*Island{}
	for _, l := range f.Loops { // outer ones first
		outer := found[l.Outer]
		s := NewIsland(f, c, l, outer)
		tell("loop "+f.Flow.Frames[l.Frame].Name, s)
		if found[l] = s; s == nil {
			found[l] = outer
		}
	}
	if w.Len() == 0 {
		return "none\n"
	}
	return w.String()
}
