package programs

import "github.com/troupe-go/troupe/tensor"

// Inner is variables of the program's blocks that may be fetched or fed: those
// of branches in the root frame, and tensors that single operations make there.
func (p *Program) Inner() (branches, root []Var) {
	tensors := func(v Var) bool { return p.Types[v].Kind == Tensor }
	for _, s := range p.Body {
		switch s := s.(type) {
		case *Choice:
			for _, b := range s.Blocks {
				for _, s := range b {
					if a, ok := s.(*Apply); ok && tensors(a.To[0]) {
						branches = append(branches, a.To[0])
					}
				}
			}
		case *Apply:
			if len(s.To) == 1 && tensors(s.To[0]) {
				root = append(root, s.To[0])
			}
		}
	}
	return branches, root
}

// Draw makes a value of a type whose dimensions are known.
func Draw(src Source, t Type) *Array {
	m := &maker{src: src}
	a := m.array(t)
	if t.is(tensor.Int32) {
		a.elems[0].i = int64(src.Int("input", -6, 16))
	}
	return a
}

// Bytes returns what variables charge for holding the array: scalars are free.
func (a *Array) Bytes() int64 {
	if len(a.Dims) == 0 && a.Type.Size() <= 8 {
		return 0
	}
	return int64(len(a.elems) * a.Type.Size())
}

// Dead reports whether a result is on a branch not taken.
func (o Outcome) Dead() bool {
	for _, v := range o.Values {
		if v == nil {
			return true
		}
	}
	return false
}

// Fails reports whether a step must end with an error.
func (o Outcome) Fails() bool { return len(o.Faults) > 0 || o.Dead() }
