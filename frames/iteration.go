package frames

import (
	"slices"
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
	byPlace  []*Instance // the same by Static.Place; nil until the first is entered
}

// Root reports whether it is the iteration of the root frame.
func (it *Iteration) Root() bool { return it.Frame.Parent == nil }

// Child returns the living instance of frame s entered from this iteration; nil if
// there is none.
func (it *Iteration) Child(s *Static) *Instance {
	if it.byPlace == nil {
		return nil
	}
	return it.byPlace[s.Place]
}

// adopt notes that f was entered from here.
func (it *Iteration) adopt(f *Instance) {
	if it.byPlace == nil {
		it.byPlace = make([]*Instance, it.Frame.Static.Frames)
	}
	it.byPlace[f.Static.Place] = f
	f.place = len(it.children)
	it.children = append(it.children, f)
}

// release forgets f.
func (it *Iteration) release(f *Instance) {
	last := it.children[len(it.children)-1]
	it.children[f.place], last.place = last, f.place
	it.children[len(it.children)-1] = nil
	it.children = it.children[:len(it.children)-1]
	it.byPlace[f.Static.Place] = nil
}

// Children returns the living instances entered from here, not to be written.
func (it *Iteration) Children() []*Instance { return it.children }

// Tag names the iteration: "outer[2]/inner[0]", "" in the root frame.
func (it *Iteration) Tag() string {
	if it == nil || it.Frame.Parent == nil {
		return ""
	}
	var around []*Iteration
	for ; it.Frame.Parent != nil; it = it.Frame.Parent {
		around = append(around, it)
	}
	var b []byte
	for i, it := range slices.Backward(around) {
		if i < len(around)-1 {
			b = append(b, '/')
		}
		b = AppendTag(b, it.Frame.Static.Name, it.Index)
	}
	return string(b)
}

// AppendTag appends "name[index]".
func AppendTag(b []byte, name string, index int) []byte {
	b = append(b, name...)
	b = append(b, '[')
	b = strconv.AppendInt(b, int64(index), 10)
	return append(b, ']')
}

// done reports whether the iteration may retire once all before it have.
func (it *Iteration) done() bool {
	return it.Outstanding == 0 && len(it.children) == 0 &&
		(it.Index > 0 || it.Frame.PendingEnters == 0)
}
