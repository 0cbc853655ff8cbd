package programs

// A set is a set of variables.
type set map[Var]bool

func (s set) add(vars ...Var) {
	for _, v := range vars {
		s[v] = true
	}
}

func (s set) any(vars []Var) bool {
	for _, v := range vars {
		if s[v] {
			return true
		}
	}
	return false
}

// Part returns the program that computes only the given variables, of which targets
// are no results, and in which those that are fed are given: what an executor
// prunes a graph to.
func (p *Program) Part(results, targets, fed []Var) *Program {
	want := set{}
	want.add(results...)
	want.add(targets...)
	q := *p
	q.Results = results
	q.Body = replaceFed(p.Body, fed).live(want, true)
	return &q
}

// replaceFed puts Fed in place of the statements that make the variables.
func replaceFed(b Block, fed []Var) Block {
	if len(fed) == 0 {
		return b
	}
	given := set{}
	given.add(fed...)
	out := make(Block, len(b))
	for i, s := range b {
		out[i] = s
		if a, ok := s.(*Apply); ok && given[a.To[0]] {
			out[i] = &Fed{a.To[0]}
		}
	}
	return out
}

func (b Block) live(want set, whole bool) Block {
	var out Block
	for i := len(b) - 1; i >= 0; i-- {
		if s := b[i].live(want, whole); s != nil {
			out = append(out, s)
		}
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}

func (s *Apply) live(want set, whole bool) Stmt {
	if !want.any(s.To) {
		return nil
	}
	want.add(s.Args...)
	return s
}

func (s *Literal) live(want set, whole bool) Stmt {
	if !want[s.To] {
		return nil
	}
	return s
}

func (s *Fed) live(want set, whole bool) Stmt {
	if !want[s.To] {
		return nil
	}
	return s
}

// keep returns the variables of list at which keep is true.
func keep(list []Var, keep []bool) []Var {
	var out []Var
	for i, v := range list {
		if keep[i] {
			out = append(out, v)
		}
	}
	return out
}

func wanted(vars []Var, want set) []bool {
	w := make([]bool, len(vars))
	for i, v := range vars {
		w[i] = want[v]
	}
	return w
}

func (s *Choice) live(want set, whole bool) Stmt {
	if s.Which != nil && want[*s.Which] && len(s.To) > 0 { // it comes with the first value
		want.add(s.To[0])
	}
	k := wanted(s.To, want)
	t := &Choice{Index: s.Index, Multi: s.Multi, To: keep(s.To, k)}
	if s.Which != nil && want[*s.Which] {
		t.Which = s.Which
	}
	left := len(t.To) > 0 || t.Which != nil
	for i, b := range s.Blocks {
		outs := keep(s.Outs[i], k)
		want.add(outs...)
		b = b.live(want, whole)
		left = left || len(b) > 0
		t.Blocks, t.Outs = append(t.Blocks, b), append(t.Outs, outs)
	}
	if !left {
		return nil
	}
	want.add(s.Index)
	return t
}

func (s *Loop) live(want set, whole bool) Stmt {
	if !want.any(s.To) {
		return nil
	}
	k := wanted(s.To, want)
	for {
		inside := set{}
		inside.add(keep(s.Next, k)...)
		body := s.Body.live(inside, whole)
		inside.add(s.Going)
		test := s.Test.live(inside, whole)
		grown := false
		for i, c := range s.Carried {
			if !k[i] && inside[c] {
				k[i], grown = true, true
			}
		}
		if grown {
			continue
		}
		for v := range inside {
			want.add(v)
		}
		t := &Loop{Init: keep(s.Init, k), Carried: keep(s.Carried, k), Next: keep(s.Next, k), To: keep(s.To, k),
			Test: test, Going: s.Going, Body: body, Parallel: s.Parallel}
		want.add(t.Init...)
		return t
	}
}

func (s *Call) live(want set, whole bool) Stmt {
	if whole && want.any(s.To) {
		s.uses(func(v Var) { want.add(v) })
		return s
	}
	k := wanted(s.To, want)
	t := &Call{Outs: keep(s.Outs, k), To: keep(s.To, k)}
	if len(t.To) == 0 {
		return nil
	}
	want.add(t.Outs...)
	t.Body = s.Body.live(want, whole)
	return t
}

// A Recursion is wanted as a whole.
func (s *Recursion) live(want set, whole bool) Stmt {
	if !want.any(s.To) {
		return nil
	}
	s.uses(func(v Var) { want.add(v) })
	return s
}

func (b Block) uses(see func(Var)) {
	for _, s := range b {
		s.uses(see)
	}
}

func each(see func(Var), lists ...[]Var) {
	for _, l := range lists {
		for _, v := range l {
			see(v)
		}
	}
}

func (s *Apply) uses(see func(Var))   { each(see, s.Args) }
func (s *Literal) uses(see func(Var)) {}
func (s *Fed) uses(see func(Var))     {}

func (s *Choice) uses(see func(Var)) {
	see(s.Index)
	for i, b := range s.Blocks {
		b.uses(see)
		each(see, s.Outs[i])
	}
}

func (s *Loop) uses(see func(Var)) {
	see(s.Going)
	each(see, s.Init, s.Next)
	s.Test.uses(see)
	s.Body.uses(see)
}

func (s *Call) uses(see func(Var)) {
	s.Body.uses(see)
	each(see, s.Outs)
}

func (s *Recursion) uses(see func(Var)) {
	each(see, s.Args, s.BaseOuts, s.Again, s.AfterOuts)
	for _, b := range []Block{s.Base, s.Before, s.After} {
		b.uses(see)
	}
}

func (b Block) declares(see func(Var)) {
	for _, s := range b {
		s.declares(see)
	}
}

func (s *Apply) declares(see func(Var))   { each(see, s.To) }
func (s *Literal) declares(see func(Var)) { see(s.To) }
func (s *Fed) declares(see func(Var))     { see(s.To) }

func (s *Choice) declares(see func(Var)) {
	each(see, s.To)
	if s.Which != nil {
		see(*s.Which)
	}
	for _, b := range s.Blocks {
		b.declares(see)
	}
}

func (s *Loop) declares(see func(Var)) {
	each(see, s.Carried, s.To)
	s.Test.declares(see)
	s.Body.declares(see)
}

func (s *Call) declares(see func(Var)) {
	each(see, s.To)
	s.Body.declares(see)
}

func (s *Recursion) declares(see func(Var)) {
	each(see, s.Params, s.Inner, s.To)
	for _, b := range []Block{s.Base, s.Before, s.After} {
		b.declares(see)
	}
}

// captures returns what statements read that they do not declare, in order of use.
// Extra is read as well, and bound is declared.
func captures(extra, bound []Var, blocks ...Block) []Var {
	own := set{}
	own.add(bound...)
	for _, b := range blocks {
		b.declares(func(v Var) { own[v] = true })
	}
	var list []Var
	see := func(v Var) {
		if !own[v] {
			own[v] = true
			list = append(list, v)
		}
	}
	for _, b := range blocks {
		b.uses(see)
	}
	each(see, extra)
	return list
}
