package nodes

import (
	"slices"
)

// A literal says that a predicate has a value: the output that a Switch is
// steered by, followed back through what only hands it on.
type literal struct {
	pred source
	side bool
}

// A cond is the condition under which something is live, relative to its
// frame's iteration: all its literals hold. Conds are numbered by a liveness;
// 0 is "always".
type cond int32

const (
	always cond = 0
	never  cond = -1
)

// A liveness works out, before anything runs, under which conditions the
// outputs of a program's nodes are live.
type liveness struct {
	conds [][]literal // by cond; sorted by the order in which predicates were met
	rank  map[source]int
	index map[string]cond
}

func newLiveness() *liveness {
	return &liveness{conds: [][]literal{nil}, rank: map[source]int{}, index: map[string]cond{"": always}}
}

// of numbers a condition.
func (l *liveness) of(lits []literal) cond {
	slices.SortFunc(lits, func(a, b literal) int { return l.rankOf(a.pred) - l.rankOf(b.pred) })
	key := make([]byte, 0, 5*len(lits))
	for _, x := range lits {
		r := l.rankOf(x.pred)
		side := byte(0)
		if x.side {
			side = 1
		}
		key = append(key, byte(r), byte(r>>8), byte(r>>16), byte(r>>24), side)
	}
	if c, ok := l.index[string(key)]; ok {
		return c
	}
	c := cond(len(l.conds))
	l.conds = append(l.conds, slices.Clone(lits))
	l.index[string(key)] = c
	return c
}

func (l *liveness) rankOf(pred source) int {
	r, ok := l.rank[pred]
	if !ok {
		r = len(l.rank)
		l.rank[pred] = r
	}
	return r
}

// and is the condition that both hold: never, if they contradict each other.
func (l *liveness) and(a, b cond) cond {
	switch {
	case a == b || b == always:
		return a
	case a == always:
		return b
	case a == never || b == never:
		return never
	}
	lits := slices.Clone(l.conds[a])
	for _, x := range l.conds[b] {
		switch side, found := l.side(a, x.pred); {
		case !found:
			lits = append(lits, x)
		case side != x.side:
			return never
		}
	}
	return l.of(lits)
}

// side is what a condition asks of a predicate.
func (l *liveness) side(c cond, pred source) (side, found bool) {
	if c <= always {
		return false, false
	}
	for _, x := range l.conds[c] {
		if x.pred == pred {
			return x.side, true
		}
	}
	return false, false
}

// with is c and one literal more.
func (l *liveness) with(c cond, pred source, side bool) cond {
	return l.and(c, l.of([]literal{{pred, side}}))
}

// or is the condition that one of two holds, if that is a condition again: if
// they differ in the side of one predicate and in nothing else.
func (l *liveness) or(a, b cond) (cond, bool) {
	if a <= always || b <= always || len(l.conds[a]) != len(l.conds[b]) {
		return never, false
	}
	at := -1
	for i, x := range l.conds[a] {
		y := l.conds[b][i]
		if x == y {
			continue
		}
		if x.pred != y.pred || at >= 0 {
			return never, false
		}
		at = i
	}
	if at < 0 {
		return never, false
	}
	rest := slices.Clone(l.conds[a])
	return l.of(slices.Delete(rest, at, at+1)), true
}

// disjoint says whether two conditions cannot hold together.
func (l *liveness) disjoint(a, b cond) bool { return l.and(a, b) == never }

// merge is the condition of a Merge of inputs with these conditions. ok is
// false if it is not a condition, or if two inputs could be live together.
func (l *liveness) merge(conds []cond) (c cond, ok bool) {
	var left []cond
	for _, c := range conds {
		if c != never {
			left = append(left, c)
		}
	}
	for i, a := range left {
		for _, b := range left[:i] {
			if !l.disjoint(a, b) {
				return never, false
			}
		}
	}
	for len(left) > 1 {
		joined := false
	pairs:
		for i := range left {
			for k := range i {
				if c, ok := l.or(left[i], left[k]); ok {
					left[k] = c
					left = slices.Delete(left, i, i+1)
					joined = true
					break pairs
				}
			}
		}
		if !joined {
			return never, false
		}
	}
	if len(left) == 0 {
		return never, true
	}
	return left[0], true
}
