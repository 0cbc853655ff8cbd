package race

import (
	"slices"

	"github.com/troupe-go/troupe/graph"
)

// A literal is a condition under which a node runs: that a Switch chose this
// output. Nodes of one iteration that need two outputs for one predicate never both
// run.
type literal struct {
	predicate graph.Output
	frame     int // that the predicate is computed in
	branch    int // 0 and 1 are false and true
}

// maxLiterals bounds what is known of one node; a node in more conditionals than
// that is taken to run under the outermost.
const maxLiterals = 64

// conditions are, by number of the node, the literals that all hold when it runs.
func (p *program) conditions() ([][]literal, error) {
	list := make([][]literal, len(p.nodes))
	done := make([]bool, len(p.nodes))
	for i, n := range p.nodes {
		if err := p.watch.Step(); err != nil {
			return nil, err
		}
		var mine []literal
		merge := n.Class() == graph.ClassMerge
		first := true
		for _, from := range n.Inputs() {
			k, ok := p.from(from)
			if merge && (!ok || !done[k]) {
				if ok {
					continue // of a later iteration: it was entered under the same conditions
				}
				mine, first = nil, false
				continue
			}
			if !ok {
				continue
			}
			got := p.along(list[k], from)
			switch {
			case merge && first:
				mine, first = slices.Clone(got), false
			case merge:
				mine = slices.DeleteFunc(mine, func(l literal) bool { return !slices.Contains(got, l) })
			default:
				mine = union(mine, got)
			}
		}
		for _, c := range n.Controls() {
			if k, ok := p.number[c]; ok {
				mine = union(mine, list[k])
			}
		}
		if n.Class() == graph.ClassExit {
			inside := p.frames.FrameOf[i]
			mine = slices.DeleteFunc(slices.Clone(mine), func(l literal) bool { return p.within(l.frame, inside) })
		}
		list[i], done[i] = mine, true
	}
	return list, nil
}

// along returns what holds where an output's value comes, given what held for its node.
func (p *program) along(held []literal, o graph.Output) []literal {
	if o.Op.Class() != graph.ClassSwitch {
		return held
	}
	l := literal{predicate: o.Op.Inputs()[1], branch: o.Index}
	for {
		k, ok := p.from(l.predicate)
		if !ok {
			break
		}
		n := p.nodes[k]
		l.frame = p.frames.Out(int(k), n.Class().FrameKind())
		if n.Type() == "LogicalNot" {
			l.branch = 1 - l.branch
		} else if n.Class() != graph.ClassIdentity {
			break
		}
		l.predicate = n.Inputs()[0]
	}
	return union(held, []literal{l})
}

func union(a, b []literal) []literal {
	if len(a) == 0 {
		return b
	}
	for i, l := range b {
		if !slices.Contains(a, l) {
			a = slices.Clone(a)
			for _, l := range b[i:] {
				if len(a) < maxLiterals && !slices.Contains(a, l) {
					a = append(a, l)
				}
			}
			return a
		}
	}
	return a
}

// exclusive reports whether two nodes never both run. counts says of which frames
// predicates are the same for both.
func exclusive(a, b []literal, counts func(frame int) bool) bool {
	for _, l := range a {
		if counts(l.frame) && slices.ContainsFunc(b, func(m literal) bool { return m.predicate == l.predicate && m.branch != l.branch }) {
			return true
		}
	}
	return false
}
