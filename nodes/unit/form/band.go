package form

// gather puts calls together that can be a band: in loops, arithmetic that may
// turn out to be on scalars goes in front of the calls beside it that it does not
// need. Whatever can fail, or has an effect, stays where it is.
func (f *Form) gather(c *Credit) {
	late := make([]bool, len(f.Values)) // made by what stays
	for _, w := range f.Loops {
		for _, b := range []*Block{w.Head, w.Body, w.Tail} {
			f.gatherIn(b, late, c)
		}
	}
}

func (f *Form) gatherIn(b *Block, late []bool, c *Credit) {
	if b == nil {
		return
	}
	c.Spend(2 * len(b.Code))
	for at := 0; at < len(b.Code); at++ {
		f.gatherIn(b.Code[at].Then, late, c)
		f.gatherIn(b.Code[at].Else, late, c)
		end, kernels := at, 0
		for end < len(b.Code) && b.Code[end].Op == Call && f.Pure(&b.Code[end]) {
			if f.ScalarOf(&b.Code[end]).Op == 0 {
				kernels++
			}
			end++
		}
		if kernels > 1 {
			f.part(b.Code[at:end], late)
		}
		at = max(at, end-1)
	}
}

// part is gather for calls in a row.
func (f *Form) part(code []Instr, late []bool) {
	var rest []Instr
	front := 0
	for i := range code {
		in := &code[i]
		op := f.ScalarOf(in).Op
		stays := op == 0 || op.Asks() || in.Pick != 0
		for _, u := range in.In {
			stays = stays || late[u.Value]
		}
		switch {
		case stays:
			for _, v := range in.Out {
				late[v] = true
			}
			rest = append(rest, *in)
		default:
			code[front] = *in
			front++
		}
	}
	copy(code[front:], rest)
	for i := range rest {
		for _, v := range rest[i].Out {
			late[v] = false
		}
	}
}

// pure reports whether it does not matter when a kernel runs. What takes or reads a
// reference has its place among those that do, though its operation may not be
// called stateful, as Assign is not.
func (f *Form) Pure(in *Instr) bool {
	n := f.Flow.Nodes[in.Node].Def
	if n == nil || n.Def().Stateful || f.Waits(in) {
		return false
	}
	for _, u := range in.In {
		if u.Read {
			return false
		}
	}
	for _, dt := range n.InputTypes() {
		if dt.IsRef() {
			return false
		}
	}
	return true
}
