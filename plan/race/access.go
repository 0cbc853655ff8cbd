package race

import (
	"strings"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// A Mode is what an operation does to an object.
type Mode uint8

// The modes.
const (
	none  Mode = iota
	Read       // it looks at the state
	Fetch      // the caller gets the state, as it is at some time after
	Add        // it adds to the state, and does not tell what comes of it
	Write      // it changes the state
	Put        // it appends an element
	Take       // it removes an element
	Close      // it ends appending
)

var modes = [...]string{none: "leaves it", Read: "reads it", Fetch: "hands it out", Add: "adds to it", Write: "writes it", Put: "puts into it", Take: "takes from it", Close: "closes it"}

// String returns the mode in words, such as "reads it".
func (m Mode) String() string { return modes[m] }

// looks reports whether an access of this kind leaves the state as it is.
func (m Mode) looks() bool { return m <= Fetch }

// conflict reports whether the order of two accesses matters.
func conflict(a, b Mode) bool {
	if a > b {
		a, b = b, a
	}
	switch {
	case a == none, b.looks(), a == Add && b == Add:
		return false
	case a == Put && b == Take, a == Add && b == Take, a == Take && b == Close:
		return false // the taker waits for what it needs
	}
	return true
}

// sumsRound reports whether what a node adds is not a whole number.
func sumsRound(n *graph.Node) bool {
	for _, t := range n.InputTypes() {
		switch t.Base() {
		case tensor.Half, tensor.Bfloat16, tensor.Float, tensor.Double, tensor.Complex64, tensor.Complex128:
			return true
		}
	}
	return false
}

// modeOfAccess is the mode of what operations declare.
var modeOfAccess = [...]Mode{
	registry.AccessUndeclared: none, registry.AccessNone: none, registry.AccessRead: Read, registry.AccessAdd: Add,
	registry.AccessWrite: Write, registry.AccessPut: Put, registry.AccessTake: Take, registry.AccessClose: Close,
}

// modeOf returns what a node does to the object at its input k, which holds a handle or
// a reference. A definition that came with a graph declares nothing: such an operation
// may change what it has a reference to.
func modeOf(n *graph.Node, k int) Mode {
	arg, _ := registry.ArgAt(n.Def().Inputs, n.Attrs(), k)
	if arg == nil || arg.Access == registry.AccessUndeclared {
		if n.InputTypes()[k].IsRef() {
			return Write
		}
		return none
	}
	return modeOfAccess[arg.Access]
}

// changes reports whether a node changes an object.
func changes(n *graph.Node) bool {
	for k, t := range n.InputTypes() {
		if isHandle(t) && !modeOf(n, k).looks() {
			return true
		}
	}
	return false
}

// apart reports whether two accesses of one object touch different parts of it for
// certain: elements of TensorArrays with different constant indices, keys of tables.
func apart(a, b *graph.Node) bool {
	x, y := part(a), part(b)
	if x == "" || y == "" {
		return false
	}
	return x != y
}

// part returns a text that stands for the element that a node touches, if it is a
// constant; else "".
func part(n *graph.Node) string {
	op := n.Type()
	if !strings.HasPrefix(op, "TensorArrayWrite") && !strings.HasPrefix(op, "TensorArrayRead") || n.NumInputs() < 2 {
		return ""
	}
	from := n.Inputs()[1].Op
	if from.Class() != graph.ClassConstant {
		return ""
	}
	v, err := from.Attr("value")
	if err != nil {
		return ""
	}
	if s, ok := v.(interface{ String() string }); ok {
		return s.String()
	}
	return ""
}

// varies reports whether a node in a loop touches another part of the object in each
// iteration, as far as can be told: the index comes from within.
func varies(n *graph.Node) bool {
	op := n.Type()
	if !strings.HasPrefix(op, "TensorArrayWrite") && !strings.HasPrefix(op, "TensorArrayRead") || n.NumInputs() < 2 {
		return false
	}
	from := n.Inputs()[1].Op
	return from.Class() != graph.ClassConstant && from.Class() != graph.ClassEnter
}
