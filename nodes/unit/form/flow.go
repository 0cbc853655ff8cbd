package form

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes/kind"
	"github.com/troupe-go/troupe/tensor"
)

// A Flow is what units are made of: the nodes of a program in their frames.
// It is not changed.
type Flow struct {
	Nodes  []Node
	In     [][]Source // of each node: its data inputs by position, then its control inputs
	Frames []Frame    // the root first, every frame after the one around it
	Consts []tensor.Value
	Feeds  []graph.Output

	// Name and Op say what messages call a node.
	Name func(node int32) string
	Op   func(node int32) string
}

// A Node is a node of a program.
type Node struct {
	Kind     kind.Kind
	Constant bool  // an Enter that brings a loop invariant
	Deref    bool  // some input is a reference that the node wants read, or shared
	Shares   bool  // it forwards what a reference variable shares
	Transfer bool  // a Send or a Recv that meets its other end at a rendezvous
	Waits    bool  // an Async node whose unit can be parked while it waits
	Frame    int32 // index into Frames
	Outs     int32
	Aux      int32 // of Const, Arg, Retval: index of the constant, feed, fetch; of Enter: the frame entered
	Kernel   kernel.Kernel
	Def      *graph.Node // nil for Arg and Retval
}

// A Source is where an input comes from: an output of a node, or, where Port is
// -1, the node itself.
type Source struct {
	Node, Port int32
}

// A Frame is the root frame or that of a loop.
type Frame struct {
	Name    string
	Parent  int32 // -1 for the root
	Members []int32
	// Parallel is how many iterations may be alive at a time; 0 is one.
	Parallel int
}

// data returns the data inputs of a node.
func (f *Flow) data(node int32) []Source {
	in := f.In[node]
	for k, s := range in {
		if s.Port < 0 {
			return in[:k]
		}
	}
	return in
}

// output returns the output that the graph calls what a source puts out.
func (f *Flow) output(s Source) graph.Output {
	n := &f.Nodes[s.Node]
	if n.Kind == kind.Arg {
		return f.Feeds[n.Aux]
	}
	if n.Def.Class() == graph.ClassSend { // it forwards what it sends
		return n.Def.Inputs()[0]
	}
	return graph.Output{Op: n.Def, Index: int(s.Port)}
}

// dtype returns the element type that a source puts out: a reference type also where it
// puts out what a variable shares.
func (f *Flow) dtype(s Source) tensor.DType {
	o := f.output(s)
	dt := o.Op.OutputTypes()[o.Index]
	if d := f.Nodes[s.Node].Def; d != nil && d.Class() == graph.ClassSend {
		dt = dt.Base()
	}
	if f.shared(s) {
		return dt.Ref()
	}
	return dt
}

// shared reports whether a source puts out what a variable shares, or could: there may
// be a value as well.
func (f *Flow) shared(s Source) bool {
	n := &f.Nodes[s.Node]
	return n.Shares && (n.Kind != kind.Merge || s.Port == 0)
}

// reads reports whether node i wants the value behind a reference at its k-th input, or
// a token of what the variable shares.
func (f *Flow) reads(i int32, k int) bool {
	n := &f.Nodes[i]
	if !n.Deref || n.Def != nil && k < n.Def.NumInputs() && n.Def.InputTypes()[k].IsRef() {
		return false
	}
	s := f.In[i][k]
	handsOn := n.Shares && (k == 0 || n.Kind == kind.Merge)
	return f.dtype(s).IsRef() && !(handsOn && f.shared(s))
}
