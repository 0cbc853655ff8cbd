package form

import "slices"

// A cond is the condition under which something is live, relative to an
// iteration of its frame: a conjunction of literals, each saying that a
// predicate has a value. Conds are interned, so equal ones have equal numbers;
// each is its literal of the highest rank added to the cond of the others, which
// makes a cond with one literal more a matter of one look-up, however many there
// are.
type cond int32

const (
	always cond = 0
	never  cond = -1
)

// maxDepth bounds the literals of a cond. What is nested deeper is played by
// tokens.
const maxDepth = 256

// A literal says that the predicate of a rank has the value side: for a Switch 0
// or 1, for a _SwitchN the number of an output.
type literal struct {
	rank, side int32
}

// A predicate steers Switches. Its rank says how early it was met.
type predicate struct {
	value int32 // what decides; numbered by the analysis
	sides int32
	steer int32 // the first Switch, for messages
}

// conditions interns the conds of a unit.
type conditions struct {
	credit *Credit
	list   []interned
	index  map[interned]cond // from the few first on
	preds  []predicate
	ranks  map[predicate]int32 // by value and sides, from the few first on
	stack  []literal           // scratch of and
}

type interned struct {
	parent cond
	literal
	depth int32
}

func newConditions(c *Credit) *conditions {
	return &conditions{credit: c, list: make([]interned, 1, 8)}
}

// reset forgets everything but the memory it has.
func (t *conditions) reset() {
	t.list, t.preds = t.list[:1], t.preds[:0]
	clear(t.index)
	clear(t.ranks)
}

// compared is how many conds or predicates are compared one by one, not looked up.
const compared = 8

// rank numbers a predicate; steer is the Switch that is steered by it.
func (t *conditions) rank(value, sides, steer int32) int32 {
	for r, p := range t.preds[:min(compared, len(t.preds))] {
		if p.value == value && p.sides == sides {
			return int32(r)
		}
	}
	key := predicate{value: value, sides: sides}
	r, ok := t.ranks[key]
	if !ok {
		if r = int32(len(t.preds)); r >= compared {
			if t.ranks == nil {
				t.ranks = map[predicate]int32{}
			}
			t.ranks[key] = r
		}
		key.steer = steer
		t.preds = append(t.preds, key)
	}
	return r
}

// extend is c with a literal whose rank is above those of c's.
func (t *conditions) extend(c cond, l literal) cond {
	key := interned{parent: c, literal: l, depth: t.list[c].depth + 1}
	for c := range t.list[:min(compared, len(t.list))] {
		if t.list[c] == key {
			return cond(c)
		}
	}
	if known, ok := t.index[key]; ok {
		return known
	}
	made := cond(len(t.list))
	t.list = append(t.list, key)
	if made >= compared {
		if t.index == nil {
			t.index = map[interned]cond{}
		}
		t.index[key] = made
	}
	return made
}

// with returns the condition that c and a literal hold; never if they contradict
// each other.
func (t *conditions) with(c cond, l literal) cond {
	if c == never {
		return never
	}
	return t.and(c, t.extend(always, l))
}

// and returns the condition that both hold; never if they contradict each other.
func (t *conditions) and(a, b cond) cond {
	if a == b || b == always {
		return a
	}
	if a == always {
		return b
	}
	if a == never || b == never {
		return never
	}
	t.stack = t.stack[:0]
	x, y := a, b
	fromA, fromB := true, true // all literals so far come from a, from b
	for x != y {
		t.credit.Spend(1)
		lx, ly := &t.list[x], &t.list[y]
		switch {
		case y == always || x != always && lx.rank > ly.rank:
			t.stack = append(t.stack, lx.literal)
			x, fromB = lx.parent, false
		case x == always || ly.rank > lx.rank:
			t.stack = append(t.stack, ly.literal)
			y, fromA = ly.parent, false
		case lx.side != ly.side:
			return never
		default:
			t.stack = append(t.stack, lx.literal)
			x, y = lx.parent, ly.parent
		}
	}
	switch {
	case fromA:
		return a
	case fromB:
		return b
	}
	for _, l := range slices.Backward(t.stack) {
		x = t.extend(x, l)
	}
	return x
}

// implies reports whether b holds whenever a does.
func (t *conditions) implies(a, b cond) bool { return t.and(a, b) == a }

// disjoint reports whether two conditions cannot hold together.
func (t *conditions) disjoint(a, b cond) bool { return t.and(a, b) == never }

// side returns what a condition asks of a predicate.
func (t *conditions) side(c cond, rank int32) (side int32, found bool) {
	for c > always && t.list[c].rank >= rank {
		if t.list[c].rank == rank {
			return t.list[c].side, true
		}
		t.credit.Spend(1)
		c = t.list[c].parent
	}
	return 0, false
}

// only reports whether a condition is one literal and nothing else.
func (t *conditions) only(c cond, l literal) bool {
	return c > always && t.list[c].parent == always && t.list[c].literal == l
}

// literals appends c's literals to dst, the lowest rank first.
func (t *conditions) literals(dst []literal, c cond) []literal {
	at := len(dst)
	for ; c > always; c = t.list[c].parent {
		dst = append(dst, t.list[c].literal)
	}
	slices.Reverse(dst[at:])
	return dst
}

// merge returns the condition of a Merge of inputs with these conditions. ok is
// false if it is not a condition, or if two inputs could be live together.
func (t *conditions) merge(conds []cond) (c cond, ok bool) {
	left := make([]cond, 0, len(conds))
	for _, c := range conds {
		if c != never {
			left = append(left, c)
		}
	}
	if len(left) == 0 {
		return never, true
	}
	// What differs in the last literal alone and takes all its sides joins into
	// what is before it: a conditional, of any number of branches.
	for len(left) > 1 {
		joined := t.joinLast(left)
		if len(joined) == len(left) {
			if joined = t.joinPair(left); joined == nil {
				return never, false
			}
		}
		left = joined
	}
	return left[0], true
}

// joinLast joins the deepest of the conds that differ in their last literal
// alone and have all its sides. Two conds that are equal are left apart.
func (t *conditions) joinLast(list []cond) []cond {
	type family struct {
		parent cond
		rank   int32
	}
	deepest := int32(0)
	for _, c := range list {
		deepest = max(deepest, t.list[c].depth)
	}
	members := map[family]map[int32]bool{}
	for _, c := range list {
		t.credit.Spend(1)
		if x := t.list[c]; x.depth == deepest && x.depth > 0 {
			f := family{x.parent, x.rank}
			if members[f] == nil {
				members[f] = map[int32]bool{}
			}
			if members[f][x.side] {
				return list // twice the same: both could be live
			}
			members[f][x.side] = true
		}
	}
	var out []cond
	done := map[family]bool{}
	for _, c := range list {
		x := t.list[c]
		f := family{x.parent, x.rank}
		if x.depth != deepest || x.depth == 0 || len(members[f]) != int(t.preds[x.rank].sides) {
			out = append(out, c)
		} else if !done[f] {
			done[f] = true
			out = append(out, x.parent)
		}
	}
	return out
}

// joinPair joins two conds that differ in one literal wherever it stands; nil
// if there are none. It is for few.
func (t *conditions) joinPair(list []cond) []cond {
	const few = 16
	if len(list) > few {
		return nil
	}
	var a, b []literal
	for i := range list {
		for k := range i {
			a, b = t.literals(a[:0], list[i]), t.literals(b[:0], list[k])
			if c, ok := t.or(a, b); ok {
				out := slices.Clone(list)
				out[k] = c
				return slices.Delete(out, i, i+1)
			}
		}
	}
	return nil
}

// or returns the condition that one of two holds, if they differ in the value of one
// predicate that has two.
func (t *conditions) or(a, b []literal) (cond, bool) {
	if len(a) != len(b) {
		return never, false
	}
	at := -1
	for i := range a {
		if a[i] == b[i] {
			continue
		}
		if a[i].rank != b[i].rank || t.preds[a[i].rank].sides != 2 || at >= 0 {
			return never, false
		}
		at = i
	}
	if at < 0 {
		return never, false
	}
	c := always
	for i, l := range a {
		if i != at {
			c = t.extend(c, l)
		}
	}
	return c, true
}
