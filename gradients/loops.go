package gradients

import (
	"slices"
	"strconv"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/status"
)

// loops is what the walk knows of the loops of the graph that is differentiated.
type loops struct {
	of     map[*graph.Node]*loop // in whose frame a node's outputs are; nil for those in none
	byUnit map[*graph.Node]*loop // by the node that stands for it
	inner  map[*graph.Node]*loop // by Exit, the loop that it leaves
	frames map[string]bool       // the names of frames
}

// A loop is a frame of the forward graph.
type loop struct {
	*graph.WhileLoop // nil if it has not the form of a while loop
	all              *loops
	name             string
	parent           *loop
	enters, exits    []*graph.Node
	variable         map[*graph.Node]bool         // the Merges and Switches of its variables
	same             map[*graph.Node]graph.Output // by Switch, the first value of a variable that never changes
	gates            map[*graph.Node]*gate
	equal            map[gate]*gate               // gates by what they are
	pivots           map[*gate]*graph.Node        // see pivot
	placeholders     map[placeholder]graph.Output // see nothing
	counters         map[*graph.Node]*counter
	anchor           *graph.Node  // there, alive, whenever the loop runs; outside of it
	count            graph.Output // how many iterations there were, outside; zero until somebody asks
}

// findLoops returns the loops of a graph.
func findLoops(g *graph.Graph) (*loops, error) {
	all := &loops{of: map[*graph.Node]*loop{}, byUnit: map[*graph.Node]*loop{}, inner: map[*graph.Node]*loop{}, frames: map[string]bool{}}
	if !slices.ContainsFunc(g.Nodes(), func(n *graph.Node) bool { return n.Class() == graph.ClassEnter }) {
		return all, nil
	}
	frames, err := g.Frames()
	if err != nil {
		return nil, err
	}
	whiles, err := g.WhileLoops()
	if err != nil {
		return nil, err
	}
	list := make([]*loop, len(frames.Frames))
	for i, f := range frames.Frames {
		if i > 0 {
			list[i] = &loop{all: all, name: f.Name, parent: list[f.Parent], variable: map[*graph.Node]bool{}, same: map[*graph.Node]graph.Output{}, pivots: map[*gate]*graph.Node{}, placeholders: map[placeholder]graph.Output{}}
			all.frames[f.Name] = true
		}
	}
	for i, n := range g.Nodes()[:len(frames.FrameOf)] {
		in := list[frames.FrameOf[i]]
		switch n.Class() {
		case graph.ClassEnter:
			in = list[frames.Entered[i]]
			in.enters = append(in.enters, n)
		case graph.ClassExit:
			if in == nil {
				return nil, status.Invalid("node '%s' leaves a loop that it is not in", n.Name())
			}
			all.inner[n] = in
			in.exits = append(in.exits, n)
			in = in.parent
		case graph.ClassLoopCond:
			all.byUnit[n] = in
		}
		if in != nil {
			all.of[n] = in
		}
	}
	for _, w := range whiles {
		l := all.byUnit[w.LoopCond]
		l.WhileLoop = w
		for _, v := range w.Vars {
			l.variable[v.Merge] = true
			if v.Switch != nil {
				l.variable[v.Switch] = true
			}
		}
	}
	for _, l := range list[1:] {
		if l.WhileLoop == nil && len(l.enters) > 0 { // which is told when something flows through it
			all.byUnit[l.unit()] = l
		}
	}
	for _, w := range slices.Backward(whiles) { // a loop within before the one around it
		l := all.byUnit[w.LoopCond]
		for _, v := range w.Vars {
			if all.unchanged(v) {
				l.same[v.Switch] = v.Init()
			}
		}
	}
	return all, nil
}

// frame returns a name for a frame that no other frame has: name, or with a number behind it.
func (all *loops) frame(name string) string {
	unique := name
	for k := 1; all.frames[unique]; k++ {
		unique = name + "_" + strconv.Itoa(k)
	}
	all.frames[unique] = true
	return unique
}

// unchanged reports whether an iteration forwards a variable unchanged.
func (all *loops) unchanged(v graph.LoopVar) bool {
	return all.source(v.BodyOutput(), 0) == v.BodyInput()
}

// source returns what a value is another name for, in its frame: what Identities, branches
// and loops within that do not change it were given.
func (all *loops) source(p graph.Output, depth int) graph.Output {
	const most = 50 // branches in one another that are looked through
	for {
		switch n := p.Op; {
		case n.Type() == "Identity":
			p = n.Inputs()[0]
		case n.Class() == graph.ClassExit:
			within := all.inner[n]
			init, ok := within.same[n.Inputs()[0].Op]
			if !ok {
				return p
			}
			p = init
		case n.Class() == graph.ClassSwitch && (all.of[n] == nil || !all.of[n].variable[n]):
			p = n.Inputs()[0]
		case n.Class() == graph.ClassMerge && p.Index == 0 && depth < most && (all.of[n] == nil || !all.of[n].variable[n]):
			from := all.source(n.Inputs()[0], depth+1)
			for _, in := range n.Inputs()[1:] {
				if all.source(in, most) != from { // of two branches one is looked through to the end
					return p
				}
			}
			p = from
		default:
			return p
		}
	}
}

// needs calls yield for the nodes that decide whether a node of the loop's frame is
// dead: of what leaves a loop within, those that what enters it comes from.
func (l *loop) needs(n *graph.Node, yield func(*graph.Node)) {
	if within := l.all.inner[n]; within != nil {
		for _, e := range within.enters {
			yield(e.Inputs()[0].Op)
		}
		return
	}
	for _, p := range n.Inputs() {
		yield(p.Op)
	}
	for _, c := range n.Controls() {
		yield(c)
	}
}

// left returns the loop that an Exit leaves.
func (all *loops) left(exit *graph.Node) *loop { return all.inner[exit] }

// unit stands for the loop in a walk through the frame around it: its LoopCond, or,
// where there is none, an Enter.
func (l *loop) unit() *graph.Node {
	if l.WhileLoop != nil {
		return l.LoopCond
	}
	return l.enters[0]
}

// begins reports whether an iteration has the outputs of a node from outside or from
// the iteration before.
func (l *loop) begins(n *graph.Node) bool { return n.Class() == graph.ClassEnter || l.variable[n] }
