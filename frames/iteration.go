package frames

import (
	"strconv"

	"github.com/troupe-go/troupe/tensor"
)

// An Iteration is the state of a frame's nodes in one iteration. Nodes and
// slots are numbered within the frame.
type Iteration struct {
	Frame *Instance
	Index int

	// Pending is, for each node, twice the number of inputs it still waits
	// for, plus 1 if one that came was dead.
	Pending []uint32
	// Inputs holds the values that have come and were not yet consumed.
	Inputs []tensor.Value

	// Outstanding counts the activations of this iteration that are ready or
	// running, and tokens on their way to it.
	Outstanding int

	children []*Instance // alive, entered from here
}

// Root says whether it is the iteration of the root frame.
func (it *Iteration) Root() bool { return it.Frame.Parent == nil }

// Child is the living instance of frame s entered from this iteration; nil if
// there is none.
func (it *Iteration) Child(s *Static) *Instance {
	for _, c := range it.children {
		if c.Static == s {
			return c
		}
	}
	return nil
}

// Children is the living instances entered from here, not to be written.
func (it *Iteration) Children() []*Instance { return it.children }

// Tag names the iteration: "outer[2]/inner[0]", "" in the root frame.
func (it *Iteration) Tag() string {
	if it == nil || it.Frame.Parent == nil {
		return ""
	}
	return string(it.appendTag(nil))
}

func (it *Iteration) appendTag(b []byte) []byte {
	if it.Frame.Parent == nil {
		return b
	}
	if b = it.Frame.Parent.appendTag(b); len(b) > 0 {
		b = append(b, '/')
	}
	return AppendTag(b, it.Frame.Static.Name, it.Index)
}

// AppendTag appends "name[index]".
func AppendTag(b []byte, name string, index int) []byte {
	b = append(b, name...)
	b = append(b, '[')
	b = strconv.AppendInt(b, int64(index), 10)
	return append(b, ']')
}

// done says whether the iteration may retire once all before it have.
func (it *Iteration) done() bool {
	return it.Outstanding == 0 && len(it.children) == 0 &&
		(it.Index > 0 || it.Frame.PendingEnters == 0)
}
