package graph

import (
	"fmt"

	"github.com/troupe-go/troupe/status"
)

// A FrameKind says what a node does to the frame of the tokens it passes on.
type FrameKind uint8

// The kinds. Only Enter, Exit and LoopCond make a difference to the analysis.
const (
	StaysInFrame FrameKind = iota // all nodes but the following
	EntersFrame                   // Enter: to the child frame that it names
	ExitsFrame                    // Exit: to the parent frame
	NextOfFrame                   // NextIteration: to the next iteration of the same frame
	MergesFrames                  // Merge: stays; one of its inputs may come from an earlier iteration
	DecidesFrame                  // LoopCond: stays; at most one in a frame
)

// FrameKind returns what nodes of the class do.
func (c Class) FrameKind() FrameKind {
	switch c {
	case ClassEnter:
		return EntersFrame
	case ClassExit:
		return ExitsFrame
	case ClassNextIteration:
		return NextOfFrame
	case ClassMerge:
		return MergesFrames
	case ClassLoopCond:
		return DecidesFrame
	}
	return StaysInFrame
}

// A FrameAnalysis finds the frame of every node of a set of nodes, which need
// not be a graph: a step compiler gives its own nodes by number, with the
// edges that pruning, feeding and fetching have left.
type FrameAnalysis struct {
	Nodes int // numbered from 0
	// Inputs yields the nodes that i waits for, by data and control edges.
	Inputs    func(i int, yield func(from int))
	Kind      func(i int) FrameKind
	FrameName func(i int) string // of a node that enters a frame
	Name      func(i int) string // for messages
	// Watch ends the walk with its error; it may be nil.
	Watch *status.Watch
}

// A Frame is one loop, or anything else that Enter nodes lead into, as a graph
// shows it before it runs.
type Frame struct {
	Name   string
	Parent int // index of the enclosing frame; -1 for the root
}

// Frames says which frame each node belongs to.
type Frames struct {
	// Frames is the frames: index 0 is the root, and parents come before children.
	Frames []Frame
	// FrameOf is the frame in which a node runs, by node: where its inputs
	// arrive. For an Enter that is the parent of the frame it leads into.
	FrameOf []int
	// Entered is the frame that an Enter leads into, by node; -1 for others.
	Entered []int
}

// Out returns the frame of node i's outputs.
func (f *Frames) Out(i int, kind FrameKind) int {
	switch kind {
	case EntersFrame:
		return f.Entered[i]
	case ExitsFrame:
		return f.Frames[f.FrameOf[i]].Parent
	}
	return f.FrameOf[i]
}

// Run walks from the nodes without inputs, which run in the root frame, in
// time linear in nodes and edges. It is deterministic: frames are listed in
// the order in which the walk meets them.
//
// It fails with INVALID_ARGUMENT if a node has inputs from different frames or
// cannot be reached, an Enter has no frame name, an Exit is in the root frame
// or a frame has two LoopConds, and with INTERNAL, as TensorFlow does, if two
// frames of one name have different parents.
func (a FrameAnalysis) Run() (*Frames, error) {
	edges, first, err := a.consumers()
	if err != nil {
		return nil, err
	}
	f := &Frames{Frames: []Frame{{Parent: -1}}, FrameOf: make([]int, a.Nodes), Entered: make([]int, a.Nodes)}
	byName := map[string]int{"": 0}
	var conditions map[int]int         // LoopCond by frame
	reached := make([]int32, a.Nodes)  // the node from which the walk came
	queue := make([]int32, 0, a.Nodes) // in the order of the walk
	for i := range a.Nodes {
		f.FrameOf[i], f.Entered[i] = -1, -1
		root := true
		a.Inputs(i, func(int) { root = false })
		if root {
			f.FrameOf[i] = 0
			queue = append(queue, int32(i))
		}
	}
	for next := 0; next < len(queue); next++ {
		if err := a.Watch.Step(); err != nil {
			return nil, err
		}
		i := int(queue[next])
		in := f.FrameOf[i]
		switch kind := a.Kind(i); kind {
		case EntersFrame:
			name := a.FrameName(i)
			if name == "" {
				return nil, status.Invalid("The Enter %s must have a frame name.", a.node(i))
			}
			child, ok := byName[name]
			if !ok {
				child = len(f.Frames)
				byName[name] = child
				f.Frames = append(f.Frames, Frame{Name: name, Parent: in})
			}
			if parent := f.Frames[child].Parent; parent != in {
				return nil, status.Errorf(status.Internal, "Invalid loop structure: Mismatched parent frames for %q: %q vs %q. The Enter is %s.",
					name, f.Frames[in].Name, f.Frames[parent].Name, a.node(i))
			}
			f.Entered[i] = child
		case ExitsFrame:
			if in == 0 {
				return nil, status.Invalid("The Exit %s is in the root frame, which nothing can leave.", a.node(i))
			}
		case DecidesFrame:
			if other, ok := conditions[in]; ok && in != 0 {
				return nil, status.Invalid("Invalid loop structure: Loop %q has more than one LoopCond node: %s and %s.",
					f.Frames[in].Name, a.node(other), a.node(i))
			}
			if conditions == nil {
				conditions = map[int]int{}
			}
			conditions[in] = i
		}
		out := f.Out(i, a.Kind(i))
		for _, to := range edges[first[i]:first[i+1]] {
			switch f.FrameOf[to] {
			case -1:
				f.FrameOf[to], reached[to] = out, int32(i)
				queue = append(queue, to)
			case out:
			default:
				return nil, status.Invalid("%s has inputs from different frames. The input %s is in frame '%s'. The input %s is in frame '%s'.",
					a.node(int(to)), a.node(i), f.Frames[out].Name, a.node(int(reached[to])), f.Frames[f.FrameOf[to]].Name)
			}
		}
	}
	if len(queue) < a.Nodes {
		return nil, a.unreachable(f)
	}
	return f, nil
}

// consumers turns inputs around: the consumers of i are
// edges[first[i]:first[i+1]].
func (a FrameAnalysis) consumers() (edges, first []int32, err error) {
	// While edges are placed, first[i+1] is where the next one of i goes.
	first = make([]int32, a.Nodes+2)
	for i := range a.Nodes {
		if err := a.Watch.Step(); err != nil {
			return nil, nil, err
		}
		a.Inputs(i, func(from int) { first[from+2]++ })
	}
	for i := 2; i < len(first); i++ {
		first[i] += first[i-1]
	}
	edges = make([]int32, first[a.Nodes+1])
	for i := range a.Nodes {
		if err := a.Watch.Step(); err != nil {
			return nil, nil, err
		}
		a.Inputs(i, func(from int) {
			edges[first[from+1]] = int32(i)
			first[from+1]++
		})
	}
	return edges, first, nil
}

// unreachable returns the error of nodes that wait for one another only.
func (a FrameAnalysis) unreachable(f *Frames) error {
	var names []byte
	count := 0
	for i, in := range f.FrameOf {
		if in >= 0 {
			continue
		}
		if count++; count <= maxNamed {
			names = fmt.Appendf(names, " %s", a.node(i))
		}
	}
	if count > maxNamed {
		names = append(names, " ..."...)
	}
	return status.Invalid("%s cannot be reached from a node without inputs:%s", status.Count(count, "node"), names)
}

// node returns a node as TensorFlow's messages write it.
func (a FrameAnalysis) node(i int) string { return "{{node " + a.Name(i) + "}}" }

// Frames finds the frame of every node of the graph, by id.
func (g *Graph) Frames() (*Frames, error) { return g.watchFrames(nil) }

func (g *Graph) watchFrames(watch *status.Watch) (*Frames, error) {
	nodes := g.Nodes()
	return FrameAnalysis{
		Watch: watch,
		Nodes: len(nodes),
		Inputs: func(i int, yield func(int)) {
			for _, from := range nodes[i].inputs {
				yield(from.Op.id)
			}
			for _, c := range nodes[i].controls {
				yield(c.id)
			}
		},
		Kind:      func(i int) FrameKind { return nodes[i].sig.class.FrameKind() },
		FrameName: func(i int) string { return nodes[i].FrameName() },
		Name:      func(i int) string { return nodes[i].name },
	}.Run()
}

// FrameName returns the frame that an Enter leads into; "" for other nodes.
func (n *Node) FrameName() string {
	if n.sig.class == ClassEnter {
		if v := n.sig.attrs.Find("frame_name"); v != nil {
			return v.S
		}
	}
	return ""
}
