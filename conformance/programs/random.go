package programs

// A Source draws numbers: rapid's in tests that shrink, or a seeded one.
type Source interface {
	// Int draws from lo to hi, both included.
	Int(label string, lo, hi int) int
}

// Random makes a program of blocks nested to at most depth.
func Random(src Source, depth, parallel int) *Program {
	m := &maker{src: src, parallel: parallel}
	p := &Program{Inputs: src.Int("inputs", 1, 3)}
	m.next = Var(p.Inputs)
	seen := make([]Var, p.Inputs)
	for i := range seen {
		seen[i] = Var(i)
	}
	m.turns = 1
	p.Body, seen = m.block(seen, depth)
	for range src.Int("results", 1, 3) {
		p.Results = append(p.Results, m.pick(seen))
	}
	return p
}

type maker struct {
	src      Source
	next     Var
	parallel int
	turns    int // how often the block being made may run
}

// maxTurns bounds how often the innermost block of a program may run.
const maxTurns = 300

// inLoop makes the body of a loop of at most trips turns.
func (m *maker) inLoop(trips int, seen []Var, depth int) (Block, []Var) {
	m.turns *= trips
	defer func() { m.turns /= trips }()
	return m.block(seen, depth)
}

func (m *maker) fresh() Var {
	m.next++
	return m.next - 1
}

func (m *maker) pick(seen []Var) Var {
	// The latest are the likeliest, so that statements build on each other.
	i := m.src.Int("back", 0, len(seen)-1)
	if m.src.Int("near", 0, 1) == 0 {
		i = min(i, 2)
	}
	return seen[len(seen)-1-i]
}

func (m *maker) picks(seen []Var, n int) []Var {
	vs := make([]Var, n)
	for i := range vs {
		vs[i] = m.pick(seen)
	}
	return vs
}

func (m *maker) freshes(n int) []Var {
	vs := make([]Var, n)
	for i := range vs {
		vs[i] = m.fresh()
	}
	return vs
}

// block makes statements that see the given variables, and answers what is
// seen after them.
func (m *maker) block(seen []Var, depth int) (Block, []Var) {
	seen = append([]Var(nil), seen...)
	var b Block
	for range m.src.Int("statements", 1, 3) {
		kind := m.src.Int("statement", 0, 9)
		switch {
		case depth == 0:
			kind %= 4
		case m.turns*maxTrips > maxTurns:
			kind %= 7
		}
		switch {
		case kind == 0:
			s := &Literal{To: m.fresh(), Value: int32(m.src.Int("value", -4, 8))}
			b, seen = append(b, s), append(seen, s.To)
		case kind < 4:
			s := &Assign{Op: OpKind(m.src.Int("op", 0, int(opKinds)-1)), A: m.pick(seen), B: m.pick(seen)}
			s.To = m.fresh()
			b, seen = append(b, s), append(seen, s.To)
		case kind < 7:
			s := m.branch(seen, depth)
			b, seen = append(b, s), append(seen, s.To...)
		case kind < 9:
			s := m.loop(seen, depth)
			b, seen = append(b, s), append(seen, s.To...)
		default:
			s := m.collect(seen, depth)
			b, seen = append(b, s), append(seen, s.To)
		}
	}
	return b, seen
}

func (m *maker) branch(seen []Var, depth int) *Branch {
	s := &Branch{A: m.pick(seen), B: m.pick(seen)}
	n := m.src.Int("values", 1, 2)
	yes, seenYes := m.block(seen, depth-1)
	no, seenNo := m.block(seen, depth-1)
	s.Then, s.ThenOut = yes, m.picks(seenYes, n)
	s.Else, s.ElseOut = no, m.picks(seenNo, n)
	s.To = m.freshes(n)
	return s
}

func (m *maker) loop(seen []Var, depth int) *Loop {
	n := m.src.Int("carried", 1, 2)
	s := &Loop{Trips: m.pick(seen), Init: m.picks(seen, n), Parallel: m.parallel}
	if m.src.Int("stop", 0, 2) == 0 {
		stop := m.pick(seen)
		s.Stop = &stop
	}
	s.Counter, s.Carried = m.fresh(), m.freshes(n)
	inside := append(append(append([]Var(nil), seen...), s.Counter), s.Carried...)
	body, after := m.inLoop(maxTrips, inside, depth-1)
	s.Body, s.Next = body, m.picks(after, n)
	s.To = m.freshes(n)
	return s
}

func (m *maker) collect(seen []Var, depth int) *Collect {
	s := &Collect{Size: m.src.Int("size", 1, 4), At: m.pick(seen), Counter: m.fresh()}
	inside := append(append([]Var(nil), seen...), s.Counter)
	body, after := m.inLoop(s.Size, inside, depth-1)
	s.Body, s.Item, s.To = body, m.pick(after), m.fresh()
	return s
}
