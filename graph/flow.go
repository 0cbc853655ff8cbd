package graph

import (
	"fmt"

	"github.com/troupe-go/troupe/status"
)

// A FlowGraph is what [AnalyzeFrames] needs to know of a set of nodes, which
// need not be a graph: a step compiler gives its own nodes by number, with
// the edges that pruning, feeding and fetching have left.
type FlowGraph struct {
	N         int                // nodes are numbered from 0 to N-1
	Class     func(i int) Class  // only ClassEnter, ClassExit and ClassLoopCond matter
	FrameName func(i int) string // of an Enter
	Name      func(i int) string // for messages
	// Inputs is the nodes that i waits for, data and control alike. A node
	// without any runs in the root frame.
	Inputs func(i int) []int32
}

// A Frame is one loop, or anything else that Enter nodes lead into, as the
// graph shows it before it runs.
type Frame struct {
	Name   string
	Parent int32 // index of the enclosing frame; -1 for the root
	Enters int   // Enter nodes that lead into it
}

// Frames says which frame each node belongs to.
type Frames struct {
	// List is the frames: index 0 is the root, and parents come before children.
	List []Frame
	// In is the frame in which a node waits for its inputs, by node, and Out
	// that of its outputs: they differ for an Enter, which leads into a child
	// frame, and for an Exit, which leads to the parent. Both are -1 for a
	// node that no node without inputs leads to.
	In, Out []int32
}

// AnalyzeFrames finds the frame of every node, by a walk from the nodes
// without inputs, in time linear in nodes and edges. It is deterministic:
// frames are listed in the order the walk meets them.
//
// It fails with INVALID_ARGUMENT if a node has inputs from different frames, an
// Enter has no frame name, an Exit is in the root frame or a frame has two
// LoopConds, and with INTERNAL, as TensorFlow does, if two frames of one name
// have different parents. A node that cannot be reached belongs to no frame;
// [Frames.Unreachable] is the error for a caller that needs them all.
func AnalyzeFrames(g FlowGraph) (*Frames, error) {
	edges, first := consumersOf(g)
	f := &Frames{List: []Frame{{Parent: -1}}, In: make([]int32, g.N), Out: make([]int32, g.N)}
	byName := map[string]int32{"": 0}
	from := make([]int32, g.N) // the node that was first to reach a node
	loopCond := map[int32]int{}
	queue := make([]int32, 0, g.N)
	for i := range g.N {
		f.In[i], f.Out[i], from[i] = -1, -1, -1
		if len(g.Inputs(i)) == 0 {
			f.In[i] = 0
			queue = append(queue, int32(i))
		}
	}
	for len(queue) > 0 {
		i := int(queue[0])
		queue = queue[1:]
		in := f.In[i]
		out := in
		switch g.Class(i) {
		case ClassEnter:
			name := g.FrameName(i)
			if name == "" {
				return nil, status.Invalid("The Enter %s must have a frame name.", flowName(g, i))
			}
			child, ok := byName[name]
			if !ok {
				child = int32(len(f.List))
				byName[name] = child
				f.List = append(f.List, Frame{Name: name, Parent: in})
			}
			if f.List[child].Parent != in {
				return nil, status.Errorf(status.Internal, "Invalid loop structure: Mismatched parent frames for %q: %q vs %q. The Enter is %s.",
					name, f.List[in].Name, f.List[f.List[child].Parent].Name, flowName(g, i))
			}
			f.List[child].Enters++
			out = child
		case ClassExit:
			if out = f.List[in].Parent; out < 0 {
				return nil, status.Invalid("The Exit %s is in the root frame, which nothing can leave.", flowName(g, i))
			}
		case ClassLoopCond:
			if other, ok := loopCond[in]; ok && in != 0 {
				return nil, status.Invalid("Invalid loop structure: Loop %q has more than one LoopCond node: %s and %s.",
					f.List[in].Name, flowName(g, other), flowName(g, i))
			}
			loopCond[in] = i
		}
		f.Out[i] = out
		for _, to := range edges[first[i]:first[i+1]] {
			switch {
			case f.In[to] < 0:
				f.In[to], from[to] = out, int32(i)
				queue = append(queue, to)
			case f.In[to] != out:
				return nil, status.Invalid("%s has inputs from different frames. The input %s is in frame '%s'. The input %s is in frame '%s'.",
					flowName(g, int(to)), flowName(g, i), f.List[out].Name, flowName(g, int(from[to])), f.List[f.In[to]].Name)
			}
		}
	}
	return f, nil
}

// Unreachable is the error of a set of nodes of which some belong to no frame,
// since they wait for one another only; nil if there are none.
func (f *Frames) Unreachable(g FlowGraph) error {
	var names []byte
	count := 0
	for i, in := range f.In {
		if in >= 0 {
			continue
		}
		if count++; count <= maxNamed {
			names = fmt.Appendf(names, " %s", flowName(g, i))
		}
	}
	if count == 0 {
		return nil
	}
	if count > maxNamed {
		names = append(names, " ..."...)
	}
	return status.Invalid("%d nodes cannot be reached from a node without inputs:%s", count, names)
}

// flowName is a node as TensorFlow's messages write it.
func flowName(g FlowGraph, i int) string { return "{{node " + g.Name(i) + "}}" }

// consumersOf turns inputs around: the consumers of i are
// edges[first[i]:first[i+1]].
func consumersOf(g FlowGraph) (edges, first []int32) {
	first = make([]int32, g.N+2)
	for i := range g.N {
		for _, src := range g.Inputs(i) {
			first[src+2]++
		}
	}
	for i := 2; i < len(first); i++ {
		first[i] += first[i-1]
	}
	edges = make([]int32, first[g.N+1])
	for i := range g.N {
		for _, src := range g.Inputs(i) {
			edges[first[src+1]] = int32(i)
			first[src+1]++
		}
	}
	return edges, first
}

// Frames finds the frame of every node of the graph, by id.
func (g *Graph) Frames() (*Frames, error) { return AnalyzeFrames(flowGraph(g.Nodes())) }

// flowGraph is the whole of a graph.
func flowGraph(nodes []*Node) FlowGraph {
	var space []int32
	return FlowGraph{
		N:         len(nodes),
		Class:     func(i int) Class { return nodes[i].sig.class },
		FrameName: func(i int) string { return nodes[i].FrameName() },
		Name:      func(i int) string { return nodes[i].name },
		Inputs: func(i int) []int32 {
			space = space[:0]
			for _, from := range nodes[i].inputs {
				space = append(space, int32(from.Op.id))
			}
			for _, c := range nodes[i].controls {
				space = append(space, int32(c.id))
			}
			return space
		},
	}
}

// FrameName is the frame that an Enter leads into; "" for other nodes.
func (n *Node) FrameName() string {
	if n.sig.class == ClassEnter {
		if v := n.sig.attrs.Find("frame_name"); v != nil {
			return v.S
		}
	}
	return ""
}
