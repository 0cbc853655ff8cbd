package gradients

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A gate is a Switch of a conditional that a value of an iteration has come
// through: the value is dead if pred does not choose side. Gates are compared by value.
type gate struct {
	pred   graph.Output
	side   int
	sides  int
	around *gate // what it stands in; nil for none
	depth  int
}

// opaque stands for what is there under a condition that is no chain of gates.
var opaque = &gate{side: -1}

// gateOf is the innermost gate that a value of the loop's frame stands behind, nil
// if every iteration has it.
func (l *loop) gateOf(v graph.Output) (*gate, error) {
	l.findGates(v.Op)
	return l.sound(v.Op, l.after(v))
}

// gateOfUse is the innermost gate that a node stands behind.
func (l *loop) gateOfUse(n *graph.Node) (*gate, error) {
	l.findGates(n)
	return l.sound(n, l.gates[n])
}

func (l *loop) sound(n *graph.Node, g *gate) (*gate, error) {
	if g == opaque {
		return nil, status.Invalid("gradients: '%s' in the loop '%s' runs under a condition that is not made of Switch and Merge as a conditional is", n.Name(), l.name)
	}
	return g, nil
}

// findGates finds the gates of a node and of all that it needs.
func (l *loop) findGates(n *graph.Node) {
	if l.gates == nil {
		l.gates = map[*graph.Node]*gate{}
	}
	graph.DepthFirst([]*graph.Node{n}, func(n *graph.Node, yield func(*graph.Node)) {
		if _, known := l.gates[n]; known || l.begins(n) {
			return
		}
		l.needs(n, yield)
	}, nil, func(n *graph.Node) {
		if _, known := l.gates[n]; !known {
			l.gates[n] = l.gateOfNode(n)
		}
	})
}

// after is the gate that an output stands behind, once that of its node is known.
func (l *loop) after(p graph.Output) *gate {
	g := l.gates[p.Op]
	if g == opaque || p.Op.Class() != graph.ClassSwitch || l.variable[p.Op] || p.Op.NumOutputs() == 1 {
		return g
	}
	depth := 1
	if g != nil {
		depth += g.depth
	}
	pred := p.Op.Inputs()[1]
	for pred.Op.Type() == "Identity" { // as which conditionals hand their condition on
		pred = pred.Op.Inputs()[0]
	}
	return l.canonical(gate{pred, p.Index, p.Op.NumOutputs(), g, depth})
}

// canonical gives equal gates one address.
func (l *loop) canonical(g gate) *gate {
	if l.equal == nil {
		l.equal = map[gate]*gate{}
	}
	if l.equal[g] == nil {
		l.equal[g] = &g
	}
	return l.equal[g]
}

// gateOfNode is the gate of a node whose inputs' are known: the innermost of them,
// in which the others must stand.
func (l *loop) gateOfNode(n *graph.Node) *gate {
	if l.begins(n) {
		return nil
	}
	var all []*gate
	inputs, controls := n.Inputs(), n.Controls()
	if within := l.all.inner[n]; within != nil {
		inputs, controls = nil, nil
		for _, e := range within.enters {
			inputs = append(inputs, e.Inputs()[0])
		}
	}
	for _, p := range inputs {
		all = append(all, l.after(p))
	}
	if n.Class() == graph.ClassMerge {
		return joined(all)
	}
	for _, c := range controls {
		all = append(all, l.gates[c])
	}
	var deepest *gate
	for _, g := range all {
		switch {
		case g == opaque:
			return opaque
		case g.within(deepest):
			deepest = g
		case !deepest.within(g):
			return opaque
		}
	}
	return deepest
}

// within says whether g is around, or stands in it.
func (g *gate) within(around *gate) bool {
	for around != nil && g != nil && g.depth > around.depth {
		g = g.around
	}
	return around == nil || g == around
}

// joined is the gate around a Merge: its inputs are the sides of one condition.
func joined(all []*gate) *gate {
	if len(all) == 1 {
		return all[0]
	}
	seen := map[int]bool{}
	for _, g := range all {
		if g == nil || g == opaque || g.pred != all[0].pred || g.sides != len(all) || g.around != all[0].around {
			return opaque
		}
		seen[g.side] = true
	}
	if len(seen) != len(all) {
		return opaque
	}
	return all[0].around
}

// decides is a condition of the loop's frame that chooses side just where the gate
// lets through.
func (w *walk) decides(l *loop, g *gate) (pred graph.Output, side int) {
	if g.pred.DataType() == tensor.Bool {
		return g.pred, g.side
	}
	if p := l.chosen[*g]; p.Op != nil {
		return p, 1
	}
	b := w.forward(l)
	number := func(i int) graph.Output { return b.After(g.pred.Op).Const(int32(i)) }
	if last := g.sides - 1; g.side < last {
		pred = b.Op("Equal", nil, g.pred, number(g.side))
	} else { // the last one is that of all numbers without a side of their own
		pred = b.Op("LogicalOr", nil, b.Op("Less", nil, g.pred, number(0)), b.Op("GreaterEqual", nil, g.pred, number(last)))
	}
	if l.chosen == nil {
		l.chosen = map[gate]graph.Output{}
	}
	l.chosen[*g] = pred
	return pred, 1
}
