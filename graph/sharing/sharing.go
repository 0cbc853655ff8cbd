// Package sharing finds which tensors alias the value of a reference variable.
//
// TensorFlow reads a reference variable by returning the tensor that the variable
// continues to write. Identity and the nodes of control flow forward that tensor, and
// its consumers see what the variable holds when they run: after an update that a
// control edge puts first, the updated value. Here such nodes carry a token
// that stands for the variable's memory, and it is read when a consumer acts
// (docs/design/2026-11-22-references.md).
//
// [Of] finds the nodes that could carry such tokens. [Sharing.Find] finds those that
// must: where every consumer acts before all updates, or in no order with them, the
// value is read at the beginning, as values are faster.
package sharing

import (
	"slices"

	"github.com/troupe-go/troupe/graph"
)

// A Sharing knows the nodes of a program that forward what a variable shares. The
// nil Sharing is that of a program without any.
type Sharing struct {
	nodes   []*graph.Node
	fed     func(graph.Output) bool
	could   []bool // by id: forwards what a variable shares
	within  []bool // by id: is one of nodes
	carries []bool // by id: receives tokens of it, and forwards them
}

// handsOn reports whether an operation puts out what it is given, which is then shared
// as its input was.
func handsOn(n *graph.Node) bool {
	switch n.Class() {
	case graph.ClassSend:
		return true
	case graph.ClassRecv:
		return joint(n) != nil
	}
	_, how := HandsOn(n, 0)
	return how == Memory && !n.OutputTypes()[0].IsRef()
}

// joint returns the Send that a Recv waits for, where the pieces of a program that is split
// are side by side: what is sent comes to the Recv, as if it were an input. Nil: none.
func joint(n *graph.Node) *graph.Node {
	if n.Class() == graph.ClassRecv {
		for _, c := range n.Controls() {
			if c.Class() == graph.ClassSend {
				return c
			}
		}
	}
	return nil
}

// inputs returns what comes to a node.
func inputs(n *graph.Node) []graph.Output {
	if send := joint(n); send != nil {
		return []graph.Output{send.Output(0)}
	}
	return n.Inputs()
}

// controls returns what a node waits for besides.
func controls(n *graph.Node) []*graph.Node {
	if send := joint(n); send != nil {
		return slices.DeleteFunc(slices.Clone(n.Controls()), func(c *graph.Node) bool { return c == send })
	}
	return n.Controls()
}

// through reports whether what comes to input k of a node that forwards is what it
// puts out.
func through(n *graph.Node, k int) bool {
	input, _ := HandsOn(n, 0) // of a Send and a Recv 0, which is what goes between them
	return input == EveryInput || k == input
}

// reads reports whether input k of n is a reference whose value n wants.
func (s *Sharing) reads(n *graph.Node, k int) bool {
	from := inputs(n)[k]
	return from.DataType().IsRef() && !n.InputTypes()[k].IsRef() && !s.fed(from)
}

// Of finds the nodes that forward what variables share, of a program whose nodes are
// numbered below maxID; nil if there are none. fed says what the step is given.
func Of(nodes []*graph.Node, maxID int, fed func(graph.Output) bool) *Sharing {
	var found *Sharing
	var stack []*graph.Node
	s := &Sharing{nodes: nodes, fed: fed}
	for _, n := range nodes {
		if !handsOn(n) {
			continue
		}
		for k := range inputs(n) {
			if through(n, k) && s.reads(n, k) {
				if found == nil {
					found, s.could, s.within = s, make([]bool, maxID), make([]bool, maxID)
				}
				s.could[n.ID()] = true
				stack = append(stack, n)
				break
			}
		}
	}
	if found == nil {
		return nil
	}
	for _, n := range nodes {
		s.within[n.ID()] = true
	}
	after := s.followers(handsOn)
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, e := range after[n.ID()] {
			if !s.could[e.node.ID()] && through(e.node, e.input) && !s.fed(inputs(e.node)[e.input]) && !isIndex(inputs(e.node)[e.input]) {
				s.could[e.node.ID()] = true
				stack = append(stack, e.node)
			}
		}
	}
	return s
}

// isIndex reports whether an output is the one of a Merge that says what it took.
func isIndex(o graph.Output) bool { return o.Index == 1 && o.Op.Class() == graph.ClassMerge }

// Could reports whether an output may be shared with a variable.
func (s *Sharing) Could(o graph.Output) bool {
	return s != nil && o.Op.ID() < len(s.could) && s.could[o.Op.ID()] && !isIndex(o) && !s.fed(o)
}

// Carries reports whether a node is given tokens of what a variable shares, and hands
// them on.
func (s *Sharing) Carries(n *graph.Node) bool {
	return s != nil && s.carries != nil && s.carries[n.ID()]
}

// An edge leads to an input of a node; -1: to the node, as a control edge.
type edge struct {
	node  *graph.Node
	input int
}

// followers returns where the outputs of each node lead, by id, to nodes for which want
// holds; want nil: to all, by control edges too.
func (s *Sharing) followers(want func(*graph.Node) bool) [][]edge {
	list := make([][]edge, len(s.could))
	for _, n := range s.nodes {
		if want != nil && !want(n) {
			continue
		}
		for k, from := range inputs(n) {
			list[from.Op.ID()] = append(list[from.Op.ID()], edge{n, k})
		}
		if want == nil {
			for _, c := range controls(n) {
				list[c.ID()] = append(list[c.ID()], edge{n, -1})
			}
		}
	}
	return list
}

// writes reports whether a node may change what a variable holds.
func writes(n *graph.Node) bool {
	if n.Class() != graph.ClassOther || n.Type() == "IsVariableInitialized" {
		return false
	}
	for _, t := range n.InputTypes() {
		if t.IsRef() {
			return true
		}
	}
	return false
}

// A set has a bit for each of the first writers outside of loops, and one for all
// others together.
type set uint64

const (
	many  = 63
	other = set(1) << many
)

// Find finds which of the nodes must carry tokens. It is linear in the program, but
// for a factor of at most 64 in loops that forward what several variables share.
func (s *Sharing) Find(fetches []graph.Output) {
	if s == nil {
		return
	}
	after, all, depth := s.updates()
	if all == 0 {
		return
	}
	origin := s.origins(after, depth)
	s.carries = make([]bool, len(s.could))
	var stack []*graph.Node
	need := func(o graph.Output, seen set) {
		if id := o.Op.ID(); s.Could(o) && !s.carries[id] && seen&^origin[id] != 0 {
			s.carries[id] = true
			stack = append(stack, o.Op)
		}
	}
	for _, n := range s.nodes {
		for k, from := range inputs(n) {
			if !s.could[n.ID()] || !through(n, k) {
				need(from, after[n.ID()])
			}
		}
	}
	for _, o := range fetches { // looked at when the step has ended
		need(o, all)
	}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for k, from := range inputs(n) {
			if id := from.Op.ID(); through(n, k) && s.Could(from) && !s.carries[id] {
				s.carries[id] = true
				stack = append(stack, from.Op)
			}
		}
	}
	s.close()
}

// close lets what brings tokens together, or out of an iteration, carry them if one
// may come to it: where values and tokens meet, all is carried.
func (s *Sharing) close() {
	after := s.followers(func(n *graph.Node) bool {
		switch n.Class() {
		case graph.ClassMerge, graph.ClassExit, graph.ClassNextIteration:
			return s.could[n.ID()] && !s.carries[n.ID()]
		}
		return false
	})
	var stack []*graph.Node
	for _, n := range s.nodes {
		if s.carries[n.ID()] {
			stack = append(stack, n)
		}
	}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, e := range after[n.ID()] {
			if from := inputs(e.node)[e.input]; !s.carries[e.node.ID()] && s.Could(from) {
				s.carries[e.node.ID()] = true
				stack = append(stack, e.node)
			}
		}
	}
}

// updates finds for each node, by id, the writers that come before it for certain,
// or, of those in loops, perhaps; all writers; and how many frames are around it.
func (s *Sharing) updates() (after []set, all set, depth []int32) {
	after, depth = make([]set, len(s.could)), make([]int32, len(s.could))
	own := make([]set, len(s.could))
	waits := make([]int32, len(s.could))
	follow := s.followers(nil)
	queue := make([]*graph.Node, 0, len(s.nodes))
	for _, n := range s.nodes {
		for _, from := range inputs(n) {
			if from.Op.Class() != graph.ClassNextIteration && !s.fed(from) {
				waits[n.ID()]++
			}
		}
		for _, c := range controls(n) {
			if s.within[c.ID()] { // and not a placeholder that is fed
				waits[n.ID()]++
			}
		}
		if waits[n.ID()] == 0 {
			queue = append(queue, n)
		}
	}
	count, looped := 0, false
	for head := 0; head < len(queue); head++ {
		n := queue[head]
		id := n.ID()
		if writes(n) {
			if depth[id] == 0 && count < many {
				own[id] = 1 << count
				count++
			} else {
				own[id], looped = other, looped || depth[id] > 0
			}
			all |= own[id]
		}
		level := depth[id]
		switch n.Class() {
		case graph.ClassEnter:
			level++
		case graph.ClassExit:
			level--
		case graph.ClassNextIteration:
			continue
		}
		for _, e := range follow[id] {
			to := e.node.ID()
			if e.input >= 0 && s.fed(inputs(e.node)[e.input]) {
				continue
			}
			after[to] |= after[id] | own[id]
			depth[to] = max(depth[to], level)
			if waits[to]--; waits[to] == 0 {
				queue = append(queue, e.node)
			}
		}
	}
	if len(queue) < len(s.nodes) { // a cycle without a NextIteration, which is told elsewhere
		all |= other
		looped = true
	}
	if looped { // an update in a loop may come before all that is in one, and after one
		for _, n := range s.nodes {
			after[n.ID()] |= other
		}
	}
	return after, all, depth
}

// origins is for each node that could forward what is shared, by id, the updates that
// are in it for certain, as it was read after them.
func (s *Sharing) origins(after []set, depth []int32) []set {
	origin := make([]set, len(s.could))
	var stack []*graph.Node
	for _, n := range s.nodes {
		if id := n.ID(); s.could[id] {
			origin[id] = ^set(0)
			for k := range inputs(n) {
				if through(n, k) && s.reads(n, k) {
					origin[id] = 0
					if depth[id] == 0 {
						origin[id] = after[id] &^ other
					}
					stack = append(stack, n)
				}
			}
		}
	}
	follow := s.followers(func(n *graph.Node) bool { return s.could[n.ID()] })
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, e := range follow[n.ID()] {
			id := e.node.ID()
			if now := origin[id] & origin[n.ID()]; through(e.node, e.input) && s.Could(inputs(e.node)[e.input]) && now != origin[id] {
				origin[id] = now
				stack = append(stack, e.node)
			}
		}
	}
	return origin
}
