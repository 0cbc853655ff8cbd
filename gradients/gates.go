package gradients

import (
	"slices"

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
	never  bool // nothing comes through: it stands in another side of its condition
}

// opaque stands for what is there under a condition that is no chain of gates.
var opaque = &gate{side: -1}

// gateOf returns the innermost gate that a value of the loop's frame stands behind, nil
// if every iteration has it.
func (l *loop) gateOf(v graph.Output) (*gate, error) {
	l.findGates(v.Op)
	return l.sound(v.Op, l.after(v))
}

// gateOfUse returns the innermost gate that a node stands behind.
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

// after returns the gate that an output stands behind, once that of its node is known.
func (l *loop) after(p graph.Output) *gate {
	g := l.gates[p.Op]
	if g == opaque || p.Op.Class() != graph.ClassSwitch || l.variable[p.Op] || p.Op.NumOutputs() == 1 {
		return g
	}
	pred := p.Op.Inputs()[1]
	for pred.Op.Type() == "Identity" { // as which conditionals hand their condition on
		pred = pred.Op.Inputs()[0]
	}
	in := l.gate(pred, p.Index, p.Op.NumOutputs(), g)
	for h := g; h != nil; h = h.around { // what came through a gate passes it again
		if h.pred == in.pred && h.side == in.side && h.sides == in.sides {
			return g
		}
	}
	return in
}

// gate is side number side of a condition in another gate.
func (l *loop) gate(pred graph.Output, side, sides int, around *gate) *gate {
	g := gate{pred: pred, side: side, sides: sides, around: around, depth: 1}
	if around != nil {
		g.depth += around.depth
		g.never = around.never
	}
	for h := around; h != nil; h = h.around {
		g.never = g.never || h.pred == pred && h.sides == sides && h.side != side
	}
	return l.canonical(g)
}

// sibling is another side of the gate's condition.
func (l *loop) sibling(g *gate, side int) *gate { return l.gate(g.pred, side, g.sides, g.around) }

// canonical returns equal gates one address.
func (l *loop) canonical(g gate) *gate {
	if l.equal == nil {
		l.equal = map[gate]*gate{}
	}
	if l.equal[g] == nil {
		l.equal[g] = &g
	}
	return l.equal[g]
}

// gateOfNode returns the gate of a node whose inputs' are known: the innermost of them,
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

// within reports whether g is around, or stands in it.
func (g *gate) within(around *gate) bool {
	for around != nil && g != nil && g.depth > around.depth {
		g = g.around
	}
	return around == nil || g == around
}

// joined returns the gate around a Merge: the innermost gates of its inputs are all sides
// of one condition, which comes to what is around that, and so on. Inputs that are never
// there do not count.
func joined(all []*gate) *gate {
	if slices.Contains(all, opaque) {
		return opaque
	}
	open := slices.DeleteFunc(slices.Clone(all), func(g *gate) bool { return g != nil && g.never })
	if len(open) == 0 {
		return all[0]
	}
	for len(open) > 1 {
		var deepest *gate
		for _, g := range open {
			if g != nil && (deepest == nil || g.depth > deepest.depth) {
				deepest = g
			}
		}
		if deepest == nil {
			return opaque
		}
		seen := map[int]bool{}
		rest := open[:0]
		for _, g := range open {
			switch {
			case g == nil || g.pred != deepest.pred || g.sides != deepest.sides || g.around != deepest.around:
				rest = append(rest, g)
			case seen[g.side]:
				return opaque
			default:
				seen[g.side] = true
			}
		}
		if len(seen) != deepest.sides {
			return opaque
		}
		open = append(rest, deepest.around)
	}
	return open[0]
}

// sides returns a Switch of a value by the condition of a gate, of which pred is where the
// Switch is.
func sides(b *graph.Builder, g *gate, value, pred graph.Output) *graph.Node {
	spec := graph.OpSpec{Type: "Switch", Input: []graph.Input{value, pred}}
	if pred.Op != nil && pred.DataType() != tensor.Bool {
		spec.Type, spec.Attrs = "_SwitchN", graph.Attrs{"num_outs": int64(g.sides)}
	}
	return b.Add(spec)
}
