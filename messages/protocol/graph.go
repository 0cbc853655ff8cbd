package protocol

import (
	"github.com/troupe-go/troupe/nodes/kind"
	"github.com/troupe-go/troupe/nodes/unit/form"
	"github.com/troupe-go/troupe/tensor"
)

// A Graph is what the actors of a program know from the beginning. It is not
// changed.
type Graph struct {
	Flow   *form.Flow
	Nodes  []Spec
	Frames []FrameSpec // the root first
	Args   []int32     // nodes that are fed
}

// A Spec is what a node knows of itself and its neighbours.
type Spec struct {
	Kind     kind.Kind
	Constant bool   // an Enter that brings a loop invariant
	Deref    bool   // some input is a reference that the node wants read, or shared
	Refs     []bool // by input, if Deref: the node wants a reference there
	Shares   bool   // it forwards what a reference variable shares
	Transfer bool   // a Send or a Recv, which carries death, too
	Extra    bool   // a Merge that more tokens can come to than it waits for
	Number   int32  // in the program
	Local    int32  // in its frame
	Frame    int32  // that it stands in; of the root frame: 0
	Aux      int32  // of Enter: the frame entered; of Exit: its number in its frame; of Retval: the fetch
	Ins      int32
	First    uint32 // tokens it waits for in a frame's first iteration
	Later    uint32 // and in others
	Value    tensor.Value
	Out      [][]Edge // by output; the last are control edges
}

// An Edge leads to a node.
type Edge struct {
	Node int32
	Slot int32 // its input; -1: a control edge
}

// A FrameSpec is what a frame knows.
type FrameSpec struct {
	Name     string
	Parent   int32 // -1 for the root
	Index    int32
	Members  []int32
	Starts   []int32 // nodes of the root that wait for nothing
	Enters   int     // nodes that lead into it
	Exits    int     // nodes that lead out of it
	Parallel int     // iterations at a time
}

// NewGraph makes the graph of a program.
func NewGraph(flow *form.Flow) *Graph {
	g := &Graph{Flow: flow, Nodes: make([]Spec, len(flow.Nodes)), Frames: make([]FrameSpec, len(flow.Frames))}
	for i, f := range flow.Frames {
		g.Frames[i] = FrameSpec{Name: f.Name, Parent: f.Parent, Index: int32(i), Members: f.Members, Parallel: 1}
		for local, n := range f.Members {
			g.Nodes[n].Local = int32(local)
		}
	}
	ports, edges := 0, 0
	for i := range flow.Nodes {
		ports += int(flow.Nodes[i].Outs) + 1
		edges += len(flow.In[i])
	}
	outs := make([][]Edge, ports)
	counts := make([]int32, ports)
	first := make([]int32, len(flow.Nodes)) // port of each node
	at := int32(0)
	for i := range flow.Nodes {
		first[i] = at
		at += flow.Nodes[i].Outs + 1
	}
	port := func(s form.Source) int32 {
		if s.Port < 0 {
			return first[s.Node] + flow.Nodes[s.Node].Outs
		}
		return first[s.Node] + s.Port
	}
	for i := range flow.In {
		for _, s := range flow.In[i] {
			counts[port(s)]++
		}
	}
	slab := make([]Edge, edges)
	for p, n := range counts {
		outs[p], slab = slab[:0:n], slab[n:]
	}
	for i := range flow.In {
		for k, s := range flow.In[i] {
			e := Edge{int32(i), int32(k)}
			if s.Port < 0 {
				e.Slot = -1
			}
			outs[port(s)] = append(outs[port(s)], e)
		}
	}
	for i := range flow.Nodes {
		from, n := &flow.Nodes[i], &g.Nodes[i]
		n.Kind, n.Constant, n.Deref, n.Shares = from.Kind, from.Constant, from.Deref, from.Shares
		n.Transfer = from.Transfer
		n.Number, n.Frame, n.Aux = int32(i), from.Frame, from.Aux
		n.Out = outs[first[i] : first[i]+from.Outs+1]
		for _, s := range flow.In[i] {
			if s.Port >= 0 {
				n.Ins++
			}
		}
		n.waits(flow)
		if n.Deref && from.Def != nil {
			for _, t := range from.Def.InputTypes() {
				n.Refs = append(n.Refs, t.IsRef())
			}
		}
		f := &g.Frames[from.Frame]
		switch n.Kind {
		case kind.Const:
			n.Value = flow.Consts[n.Aux]
		case kind.Arg:
			g.Args = append(g.Args, int32(i))
		case kind.Enter:
			into := &g.Frames[n.Aux]
			if into.Enters++; into.Enters == 1 {
				into.Parallel = int(min(from.Def.Attrs().Find("parallel_iterations").I, 1<<20))
			}
		case kind.Exit:
			n.Aux = int32(f.Exits)
			f.Exits++
		}
		if n.Frame == 0 && len(flow.In[i]) == 0 {
			n.First = 1 // the token that begins it
			f.Starts = append(f.Starts, int32(i))
		}
	}
	return g
}

// waits works out how many tokens a node waits for: one along each of its edges.
// See merge.go for a Merge.
func (n *Spec) waits(flow *form.Flow) {
	in := flow.In[n.Number]
	n.First = uint32(len(in))
	n.Later = n.First
	if n.Kind == kind.Merge {
		n.mergeWaits(flow, in)
	}
}

// in returns how many tokens the node waits for in iteration i of its frame.
func (n *Spec) in(i int) uint32 {
	if i == 0 {
		return n.First
	}
	return n.Later
}
