package rewrite

import (
	"encoding/binary"
	"slices"

	"github.com/troupe-go/troupe/graph"
)

// mostExits is how many Exits a set has at most: nodes behind more are left alone.
const mostExits = 64

// Exits says which nodes of the root frame run in a step once, and behind which Exits of
// loops: no Switch of a conditional, no Merge and no peer is in front of them. A node that is
// behind no Exit always runs. One that is behind some is dead if one of these is, so nodes
// behind the same Exits are alive together, whatever the loops do.
type exits struct {
	of     []int32   // by node: a set; apart: the node is none of those
	sets   [][]int32 // by their numbers: the Exits, in order of their ids; the first set is empty
	unions map[[2]int32]int32
	known  map[string]int32 // sets by what they hold
}

// apart is in place of a set for nodes that are left alone.
const apart = -1

// runs reports whether a node is in the root frame and runs once, unless an Exit is dead.
func (x *exits) runs(n *graph.Node) bool { return n.ID() < len(x.of) && x.of[n.ID()] != apart }

// same reports whether two nodes, which run, are behind the same Exits.
func (x *exits) same(a, b *graph.Node) bool { return x.of[a.ID()] == x.of[b.ID()] }

// exits finds the Exits that nodes are behind.
func (w *work) exits() (*exits, error) {
	nodes := w.Nodes()
	x := &exits{of: make([]int32, w.MaxID()), sets: [][]int32{nil}, unions: map[[2]int32]int32{}, known: map[string]int32{}}
	frames, err := w.framesOf(nodes)
	if err != nil {
		return nil, err
	}
	waits := make([]int, w.MaxID()) // for how many inputs; negative: not asked
	var ready []*graph.Node
	for _, n := range nodes {
		id := n.ID()
		waits[id] = -1
		switch class := n.Class(); {
		case class == graph.ClassExit && frames != nil && frames.Out(id, class.FrameKind()) == 0:
			x.of[id] = x.set([]int32{int32(id)})
		case frames != nil && frames.FrameOf[id] != 0:
			x.of[id] = apart
			continue
		case class == graph.ClassSwitch || class == graph.ClassMerge || class == graph.ClassRecv ||
			class == graph.ClassEnter || class == graph.ClassExit || class == graph.ClassNextIteration:
			x.of[id] = apart
		case n.NumInputs()+len(n.Controls()) > 0:
			waits[id] = n.NumInputs() + len(n.Controls())
			continue
		}
		ready = append(ready, n)
	}
	for len(ready) > 0 {
		n := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		for e := range n.Out() {
			if err := w.Watch.Step(); err != nil {
				return nil, err
			}
			to := e.To.Op.ID()
			if waits[to] <= 0 {
				continue
			}
			x.of[to] = x.union(x.of[to], x.of[n.ID()])
			if waits[to]--; waits[to] == 0 {
				ready = append(ready, e.To.Op)
			}
		}
	}
	for _, n := range nodes {
		if waits[n.ID()] > 0 { // not reached: it is behind itself
			x.of[n.ID()] = apart
		}
	}
	return x, nil
}

// framesOf returns the frames of a program that has some; nil if it has none, or if they
// contradict each other, which another pass reports.
func (w *work) framesOf(nodes []*graph.Node) (*graph.Frames, error) {
	if !slices.ContainsFunc(nodes, func(n *graph.Node) bool { return n.Class() == graph.ClassExit }) {
		return nil, nil
	}
	byID := make([]*graph.Node, w.MaxID())
	for _, n := range nodes {
		byID[n.ID()] = n
	}
	f, err := graph.FrameAnalysis{
		Watch: w.Watch,
		Nodes: len(byID),
		Inputs: func(i int, yield func(int)) {
			if n := byID[i]; n != nil {
				for _, from := range n.Inputs() {
					yield(from.Op.ID())
				}
				for _, c := range n.Controls() {
					yield(c.ID())
				}
			}
		},
		Kind: func(i int) graph.FrameKind {
			if byID[i] == nil {
				return graph.ClassOther.FrameKind()
			}
			return byID[i].Class().FrameKind()
		},
		FrameName: func(i int) string { return byID[i].FrameName() },
		Name:      func(i int) string { return byID[i].Name() },
	}.Run()
	if err != nil {
		return nil, w.Watch.Ask()
	}
	return f, nil
}

// union returns the set of the Exits of two.
func (x *exits) union(a, b int32) int32 {
	switch {
	case a == b || b == 0:
		return a
	case a == 0 || b == apart:
		return b
	case a == apart:
		return a
	}
	key := [2]int32{min(a, b), max(a, b)}
	if u, ok := x.unions[key]; ok {
		return u
	}
	all := slices.Concat(x.sets[a], x.sets[b])
	slices.Sort(all)
	all = slices.Compact(all)
	u := int32(apart)
	if len(all) <= mostExits {
		u = x.set(all)
	}
	x.unions[key] = u
	return u
}

// set returns the number of a set.
func (x *exits) set(ids []int32) int32 {
	key := make([]byte, 0, 4*mostExits)
	for _, id := range ids {
		key = binary.NativeEndian.AppendUint32(key, uint32(id))
	}
	s, ok := x.known[string(key)]
	if !ok {
		s = int32(len(x.sets))
		x.sets, x.known[string(key)] = append(x.sets, ids), s
	}
	return s
}
