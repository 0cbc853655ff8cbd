package form

import (
	"errors"
	"fmt"
	"math/rand/v2"
)

// Simulate plays a form once with random predicates and keeps books of who holds
// what: the meaning of ownership, independent of how lifetimes decides it and of
// how Verify checks it. It fails where something is used that is not held, where
// a slot is written that holds something, and where something is left. Where an
// endless loop is drawn, it answers nil.
//
// A value is made with a random number, which it keeps where it is forwarded; a
// conditional on it chooses the number modulo its sides.
func (f *Form) Simulate(rng *rand.Rand) error {
	s := &simulation{
		form: f, rng: rng,
		number: make([]int, len(f.Values)), slot: make([]int32, len(f.Values)), holder: make([]int32, len(f.Values)),
	}
	for v := range f.Values {
		s.number[v], s.holder[v] = rng.IntN(1<<30), -1
		s.slot[v] = int32(v)
		for f.Values[s.slot[v]].Into >= 0 {
			s.slot[v] = f.Values[s.slot[v]].Into
		}
	}
	s.lay()
	err := s.all()
	if errors.Is(err, errEndless) {
		return nil
	}
	return err
}

var errEndless = errors.New("endless")

// turns is the most iterations of a loop.
const turns = 4

type simulation struct {
	form   *Form
	rng    *rand.Rand
	number []int   // by value
	slot   []int32 // by value
	holder []int32 // by slot: the value that is in it, -1
	left   int     // instructions that may still be played

	buffer  []*Buffer // by value: where the plan of buffers puts it; nil: nowhere
	memory  []int     // by value: what stands for its memory
	times   int       // how often memory was taken
	fetched []int32   // values that stay to the end
	reading []int32   // what the kernel that runs has been given
}

func (s *simulation) all() error {
	s.left = 100_000
	for _, p := range s.form.Params {
		if s.form.Values[p.Value].Role == RoleParam {
			s.holder[s.slot[p.Value]] = p.Value
		}
	}
	if err := s.block(s.form.Body); err != nil {
		return err
	}
	for _, r := range s.form.Results {
		if err := s.use([]Use{r.Use}, nil, nil); err != nil {
			return fmt.Errorf("a result: %w", err)
		}
	}
	return s.none(0, int32(len(s.form.Values)))
}

// none says that nothing of the values from from to to-1 is left.
func (s *simulation) none(from, to int32) error {
	for _, v := range s.holder {
		if v >= from && v < to {
			return fmt.Errorf("%%%d is left", v)
		}
	}
	return nil
}

// use uses values at once, and makes others of numbers.
func (s *simulation) use(in []Use, out []int32, numbers []int) error {
	gone := map[int32]int{}
	for _, u := range in {
		if s.form.Values[u.Value].Role == RoleShared {
			if u.Mode == Move {
				return fmt.Errorf("%%%d is others'", u.Value)
			}
			continue
		}
		if s.holder[s.slot[u.Value]] != u.Value {
			return fmt.Errorf("%%%d is not there", u.Value)
		}
		if u.Mode == Move {
			gone[u.Value]++
		}
	}
	for v, n := range gone {
		if n > 1 {
			return fmt.Errorf("%%%d is moved twice", v)
		}
		s.holder[s.slot[v]] = -1
	}
	for k, v := range out {
		if v < 0 {
			continue
		}
		if h := s.holder[s.slot[v]]; h >= 0 {
			return fmt.Errorf("%%%d is written over %%%d", v, h)
		}
		s.holder[s.slot[v]], s.number[v] = v, numbers[k]
		if err := s.takes(v); err != nil {
			return err
		}
	}
	return nil
}

// lay notes where the plan of buffers puts values.
func (s *simulation) lay() {
	s.buffer, s.memory = make([]*Buffer, len(s.form.Values)), make([]int, len(s.form.Values))
	b := s.form.Buffers()
	for i := range b.List {
		for _, v := range b.List[i].Values {
			s.buffer[v] = &b.List[i]
		}
	}
}

// takes says that a value takes its memory, in which no other value that is there, or was
// fetched, may lie. The meaning of a plan, independent of how it is made.
func (s *simulation) takes(v int32) error {
	s.times++
	s.memory[v] = s.times
	return s.shares(v)
}

// shares is takes for a value with the memory of another.
func (s *simulation) shares(v int32) error {
	mine := s.buffer[v]
	if mine == nil {
		return nil
	}
	for _, w := range s.reading { // which it may write over where both are one buffer
		if other := s.buffer[w]; other != nil && other != mine && mine.Place < other.Place+other.Bytes && other.Place < mine.Place+mine.Bytes {
			return fmt.Errorf("%%%d at %d takes the memory of the operand %%%d at %d", v, mine.Place, w, other.Place)
		}
	}
	for _, there := range [][]int32{s.holder, s.fetched} {
		for _, w := range there {
			if w < 0 || w == v || s.buffer[w] == nil || s.memory[w] == s.memory[v] {
				continue
			}
			if other := s.buffer[w]; mine.Place < other.Place+other.Bytes && other.Place < mine.Place+mine.Bytes {
				return fmt.Errorf("%%%d at %d takes the memory of %%%d at %d", v, mine.Place, w, other.Place)
			}
		}
	}
	return nil
}

func (s *simulation) drop(list []int32) error {
	for _, v := range list {
		switch s.holder[s.slot[v]] {
		case v:
			s.holder[s.slot[v]] = -1
		case -1: // not made on this path
		default:
			return fmt.Errorf("what is dropped is not %%%d", v)
		}
	}
	return nil
}

func (s *simulation) block(b *Block) error {
	if b == nil {
		return nil
	}
	if err := s.drop(b.Drop); err != nil {
		return err
	}
	for i := range b.Code {
		if s.left--; s.left < 0 {
			return errEndless
		}
		in := &b.Code[i]
		if err := s.instr(in); err != nil {
			return err
		}
		if err := s.drop(in.Drop); err != nil {
			return err
		}
	}
	return nil
}

func (s *simulation) instr(in *Instr) error {
	switch in.Op {
	case While:
		return s.loop(in.Loop)
	case If:
		side := int32(s.number[in.In[0].Value]) % s.form.conds.preds[in.Rank].sides
		if err := s.use(in.In, nil, nil); err != nil {
			return fmt.Errorf("if: %w", err)
		}
		if side == in.Side {
			return s.block(in.Then)
		}
		return s.block(in.Else)
	}
	numbers := make([]int, len(in.Out))
	for o := range numbers {
		switch in.Op {
		case Join:
			numbers[o] = s.number[in.In[0].Value]
		case Index:
			numbers[o] = int(in.Side)
		default:
			numbers[o] = s.rng.IntN(1 << 30)
		}
	}
	if in.Op == Call { // a kernel may write over what it is given
		for i, u := range in.In {
			for k, x := range in.In {
				if k != i && u.Mode == Move && x.Value == u.Value {
					return fmt.Errorf("%%%d is given up and used by one kernel", u.Value)
				}
			}
		}
	}
	s.reading = s.reading[:0]
	if in.Op == Call {
		for _, u := range in.In {
			s.reading = append(s.reading, u.Value)
		}
	}
	aliases := len(in.Out) == 1 && in.Out[0] >= 0 && (in.Op == Join || in.Op == Call && forwards(s.form.Flow.Op(in.Node)))
	out := in.Out
	if aliases {
		out = nil
	}
	if err := s.use(in.In, out, numbers); err != nil {
		return fmt.Errorf("%s: %w", s.form.Flow.Name(in.Node), err)
	}
	s.reading = s.reading[:0]
	if aliases {
		v := in.Out[0]
		if h := s.holder[s.slot[v]]; h >= 0 {
			return fmt.Errorf("%%%d is written over %%%d", v, h)
		}
		s.holder[s.slot[v]], s.number[v] = v, numbers[0]
		s.memory[v] = s.memory[in.In[0].Value]
		if err := s.shares(v); err != nil {
			return fmt.Errorf("%s: %w", s.form.Flow.Name(in.Node), err)
		}
	}
	if in.Op == Fetch {
		s.fetched = append(s.fetched, in.In[0].Value)
	}
	return nil
}

// forwards reports whether an operation puts out the memory of its first input.
func forwards(op string) bool {
	switch op {
	case "Identity", "Snapshot", "Reshape", "Squeeze", "ExpandDims":
		return true
	}
	return false
}

func (s *simulation) loop(w *Loop) error {
	var vars []int32
	var inits, nexts []Use
	for _, x := range w.Vars {
		vars, inits = append(vars, x.Value), append(inits, x.Init)
		nexts = append(nexts, x.Next)
	}
	numbers := func(uses []Use) []int {
		list := make([]int, len(uses))
		for i, u := range uses {
			list[i] = s.number[u.Value]
		}
		return list
	}
	if err := s.use(inits, vars, numbers(inits)); err != nil {
		return fmt.Errorf("at the beginning of a loop: %w", err)
	}
	for turn := 0; ; turn++ {
		if s.left--; s.left < 0 {
			return errEndless
		}
		if err := s.block(w.Head); err != nil {
			return err
		}
		test := w.Test.Value
		if turn >= turns && s.number[test]%2 == 1 {
			if test < w.From || test >= w.To {
				return errEndless
			}
			s.number[test]--
		}
		on := s.number[test]%2 == 1
		if err := s.use([]Use{w.Test}, nil, nil); err != nil {
			return fmt.Errorf("a loop's test: %w", err)
		}
		if !on {
			return s.block(w.Tail)
		}
		if err := s.block(w.Body); err != nil {
			return err
		}
		next := numbers(nexts)
		if err := s.use(nexts, nil, nil); err != nil {
			return fmt.Errorf("at the end of an iteration: %w", err)
		}
		if err := s.none(w.From, w.To); err != nil {
			return fmt.Errorf("at the end of an iteration: %w", err)
		}
		if err := s.use(nil, vars, next); err != nil {
			return fmt.Errorf("at the end of an iteration: %w", err)
		}
	}
}
