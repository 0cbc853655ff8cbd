package graph

import (
	"iter"

	"github.com/troupe-go/troupe/status"
)

// An Edge is one thing that a node waits for: the value of an output, which
// arrives at one of its inputs, or, if it is a control edge, that another node
// has run.
type Edge struct {
	From Output   // Index is Control in a control edge
	To   Consumer // Index is Control in a control edge
}

// IsControl reports whether the edge carries no value.
func (e Edge) IsControl() bool { return e.From.Index == Control }

// String returns the edge in the direction of the data: "a:0 -> b:1", "^a -> b".
func (e Edge) String() string {
	to := e.To.Op.name
	if !e.IsControl() {
		to = Output{e.To.Op, e.To.Index}.String()
	}
	return e.From.String() + " -> " + to
}

// In yields the edges that lead to n: data edges by input, then control edges.
func (n *Node) In() iter.Seq[Edge] {
	n = n.self
	return func(yield func(Edge) bool) {
		for k, from := range n.inputs {
			if !yield(Edge{from, Consumer{n, k}}) {
				return
			}
		}
		for _, c := range n.controls {
			if !yield(Edge{Output{c, Control}, Consumer{n, Control}}) {
				return
			}
		}
	}
}

// Out yields the edges that lead away from n at this moment, data and control
// edges in one order: that in which they were added, unless an [Editor] took
// some away. Who edits meanwhile collects them first.
func (n *Node) Out() iter.Seq[Edge] {
	n = n.self
	return func(yield func(Edge) bool) {
		for _, u := range n.uses() {
			if !yield(Edge{Output{n, u.output}, u.by}) {
				return
			}
		}
	}
}

// Edges yields every edge of the graph, by the node that it leads to.
func (g *Graph) Edges() iter.Seq[Edge] {
	return func(yield func(Edge) bool) {
		for _, n := range g.Nodes() {
			for e := range n.In() {
				if !yield(e) {
					return
				}
			}
		}
	}
}

// Sources yields the nodes that no edge leads to, by id: where a step starts.
// TensorFlow's graphs have a node _SOURCE, on which these wait.
func (g *Graph) Sources() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		for _, n := range g.Nodes() {
			if len(n.inputs)+len(n.controls) == 0 && !yield(n) {
				return
			}
		}
	}
}

// Sinks yields the nodes that no edge leads away from, by id: where a step
// ends. TensorFlow's graphs have a node _SINK, which waits on these.
func (g *Graph) Sinks() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		for _, n := range g.Nodes() {
			if len(n.uses()) == 0 && !yield(n) {
				return
			}
		}
	}
}

// A use is an edge, as the node that it leads away from keeps it.
type use struct {
	output int
	by     Consumer
}

// A useSet is the edges that lead away from one node. Most nodes have one or
// two, which are looked through; a constant may have a million, so a set that
// has grown large also knows where each edge is.
type useSet struct {
	list []use
	at   map[use]int32 // positions in list; nil while it is short
}

// shortUses is how many edges are looked through rather than looked up.
const shortUses = 16

func (s *useSet) add(u use) {
	s.list = append(s.list, u)
	if s.at != nil {
		s.at[u] = int32(len(s.list) - 1)
	}
}

// remove takes u, which is in the set, out of it; the last edge takes its place.
func (s *useSet) remove(u use) {
	i := s.find(u)
	last := len(s.list) - 1
	s.list[i] = s.list[last]
	s.list[last] = use{}
	s.list = s.list[:last]
	if s.at != nil {
		delete(s.at, u)
		if i < last {
			s.at[s.list[i]] = int32(i)
		}
	}
}

// find returns the place of u, which is in the set, in the list.
func (s *useSet) find(u use) int {
	i, ok := s.look(u)
	if !ok {
		panic("graph: an edge is missing from the uses of its node")
	}
	return i
}

// look returns the place of u in the list, if it is in the set.
func (s *useSet) look(u use) (int, bool) {
	if s.at == nil && len(s.list) > shortUses {
		s.at = make(map[use]int32, len(s.list))
		for i, u := range s.list {
			s.at[u] = int32(i)
		}
	}
	if s.at != nil {
		i, ok := s.at[u]
		return int(i), ok
	}
	for i := range s.list {
		if s.list[i] == u {
			return i, true
		}
	}
	return 0, false
}

// uses returns the edges that lead away from n, not to be written; none once an
// Editor has removed it.
func (n *Node) uses() []use {
	g := n.graph
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.indexUses()
	list := g.uses[n.id].list
	return list[:len(list):len(list)]
}

// indexUses finds the uses of outputs by nodes that were added since it last did.
func (g *Graph) indexUses() { _ = g.watchUses(nil) }

// watchUses is indexUses, which goes on later if the watch ends it.
func (g *Graph) watchUses(watch *status.Watch) error {
	if g.indexed == 0 {
		if err := g.reserveUses(watch); err != nil {
			return err
		}
	}
	g.growUses()
	for ; g.indexed < len(g.nodes); g.indexed++ {
		if err := watch.Steps(len(g.nodes[g.indexed].inputs)); err != nil {
			return err
		}
		for e := range g.nodes[g.indexed].In() {
			g.addUse(e)
		}
	}
	return nil
}

// growUses makes a place for each node.
func (g *Graph) growUses() {
	for len(g.uses) < len(g.nodes) {
		g.uses = append(g.uses, useSet{})
	}
}

// reserveUses makes room for the uses of all nodes at once.
func (g *Graph) reserveUses(watch *status.Watch) error {
	counts := make([]int32, len(g.nodes))
	total := 0
	for _, n := range g.nodes {
		if err := watch.Steps(len(n.inputs)); err != nil {
			return err
		}
		for e := range n.In() {
			counts[e.From.Op.id]++
			total++
		}
	}
	g.uses = make([]useSet, len(g.nodes))
	slab := make([]use, total)
	for i, n := range counts {
		g.uses[i].list, slab = slab[:0:n], slab[n:]
	}
	return nil
}

func (g *Graph) addUse(e Edge) { g.uses[e.From.Op.id].add(use{e.From.Index, e.To}) }

// hasUse reports whether there is an edge, of a node whose uses are indexed.
func (g *Graph) hasUse(e Edge) bool {
	_, ok := g.uses[e.From.Op.id].look(use{e.From.Index, e.To})
	return ok
}

func (g *Graph) removeUse(e Edge) { g.uses[e.From.Op.id].remove(use{e.From.Index, e.To}) }
