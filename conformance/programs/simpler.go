package programs

import "slices"

// Simpler is programs that are like p but for one statement, in whose place there
// are constants, or for one result, which is not there: in them a failure may be
// easier to see.
func (p *Program) Simpler() []*Program {
	var list []*Program
	add := func(body Block, results []Var) {
		q := *p
		q.Results, q.Types = results, slices.Clone(p.Types)
		want := set{}
		want.add(results...)
		q.Body = body.live(want, false)
		list = append(list, &q)
	}
	for i := range p.Results {
		if len(p.Results) > 1 {
			add(p.Body, slices.Delete(slices.Clone(p.Results), i, i+1))
		}
	}
	for n := 0; ; n++ {
		left := n
		r := replacement{p, &left, false}
		body := r.block(p.Body)
		if !r.done && left >= 0 {
			return list
		}
		if r.done {
			add(body, p.Results)
		}
	}
}

// A replacement puts constants in place of the left-th statement.
type replacement struct {
	p    *Program
	left *int
	done bool
}

func (r *replacement) block(b Block) Block {
	var out Block
	for _, s := range b {
		if *r.left--; *r.left == -1 {
			if list, ok := r.constants(s); ok {
				out, r.done = append(out, list...), true
				continue
			}
		}
		out = append(out, r.within(s))
	}
	return out
}

func (r *replacement) within(s Stmt) Stmt {
	switch s := s.(type) {
	case *Choice:
		t := *s
		t.Blocks = make([]Block, len(s.Blocks))
		for i, b := range s.Blocks {
			t.Blocks[i] = r.block(b)
		}
		return &t
	case *Loop:
		t := *s
		t.Test, t.Body = r.block(s.Test), r.block(s.Body)
		return &t
	case *Call:
		t := *s
		t.Body = r.block(s.Body)
		return &t
	case *Recursion:
		t := *s
		t.Base, t.Before, t.After = r.block(s.Base), r.block(s.Before), r.block(s.After)
		return &t
	}
	return s
}

// constants returns what may stand in place of a statement.
func (r *replacement) constants(s Stmt) ([]Stmt, bool) {
	var to, flows []Var // flows come from these
	switch s := s.(type) {
	case *Apply:
		to, flows = s.To, slices.Repeat(s.Args[max(0, len(s.Args)-1):], len(s.To))
	case *Loop:
		to, flows = s.To, s.Init
	case *Choice:
		if s.Which != nil {
			return nil, false
		}
		to = s.To
	case *Call:
		to = s.To
	case *Recursion:
		to = s.To
	default:
		return nil, false
	}
	var list []Stmt
	for i, v := range to {
		t := r.p.Types[v]
		switch {
		case t.Kind == Tensor:
			a := &Array{Type: t.DType, Dims: slices.Clone(t.Dims)}
			for k, d := range a.Dims {
				a.Dims[k] = max(d, 1)
			}
			a.elems = make([]number, product(a.Dims))
			for k := range a.elems {
				a.elems[k] = of(t.DType, 1)
			}
			list = append(list, &Literal{v, a})
		case t.Kind == Flow && i < len(flows) && r.p.Types[flows[i]].Kind == Flow:
			list = append(list, &Apply{Op: identity, Args: flows[i : i+1], To: []Var{v}})
		default:
			return nil, false
		}
	}
	return list, true
}
