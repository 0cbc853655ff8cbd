package frames

import "github.com/troupe-go/troupe/tensor"

// A Table makes and ends the frames of one step, and keeps what has ended for
// reuse, so that a loop's iterations allocate nothing. It is for one goroutine.
type Table struct {
	statics    []*Static
	root       *Instance
	freeFrames [][]*Instance  // by frame
	freeIters  [][]*Iteration // by frame
	left       []*Instance    // scratch of Reset
}

// NewTable makes the table of a step of a program with these frames, the root
// first, which have been numbered by [Number].
func NewTable(statics []*Static) *Table {
	t := &Table{
		statics:    statics,
		freeFrames: make([][]*Instance, len(statics)),
		freeIters:  make([][]*Iteration, len(statics)),
	}
	return t
}

// Start begins a step: the root frame with its one iteration.
func (t *Table) Start() *Iteration {
	t.root = t.enter(t.statics[0], nil)
	return t.Advance(t.root)
}

// Root returns the root frame's iteration; nil before Start and after Reset.
func (t *Table) Root() *Iteration {
	if t.root == nil {
		return nil
	}
	return t.root.At(0)
}

// Enter makes an instance of s below parent, with its iteration 0.
func (t *Table) Enter(s *Static, parent *Iteration) *Instance {
	f := t.enter(s, parent)
	parent.adopt(f)
	t.Advance(f)
	return f
}

func (t *Table) enter(s *Static, parent *Iteration) *Instance {
	var f *Instance
	if free := t.freeFrames[s.Index]; len(free) > 0 {
		f = free[len(free)-1]
		t.freeFrames[s.Index] = free[:len(free)-1]
	} else {
		f = &Instance{Static: s, Left: make([]bool, s.Exits)}
	}
	f.Parent, f.PendingEnters, f.next = parent, s.Enters, 0
	return f
}

// Advance starts the frame's next iteration and forgets its dead exits. Queued
// values and constants are the caller's to deliver.
func (t *Table) Advance(f *Instance) *Iteration {
	s := f.Static
	var it *Iteration
	if free := t.freeIters[s.Index]; len(free) > 0 {
		it = free[len(free)-1]
		t.freeIters[s.Index] = free[:len(free)-1]
	} else {
		it = &Iteration{Pending: make([]uint32, s.Nodes), Inputs: make([]tensor.Value, s.Slots)}
	}
	counts := s.Later
	if f.next == 0 {
		counts = s.First
	}
	copy(it.Pending, counts)
	it.Frame, it.Index = f, f.next
	f.next++
	f.alive.push(it)
	f.DeadExits = f.DeadExits[:0]
	return it
}

// Retire ends the oldest iteration of f if it is done, and reports whether it
// was. drop is called with every input that came and was not consumed.
func (t *Table) Retire(f *Instance, drop func(tensor.Value)) bool {
	if f.alive.n == 0 || !f.alive.at(0).done() {
		return false
	}
	t.recycle(f.Static, f.alive.pop(), drop)
	return true
}

func (t *Table) recycle(s *Static, it *Iteration, drop func(tensor.Value)) {
	for i, v := range it.Inputs {
		if !v.IsZero() {
			drop(v)
			it.Inputs[i] = tensor.Value{}
		}
	}
	it.Outstanding = 0
	for _, c := range it.children {
		it.byPlace[c.Static.Place] = nil
	}
	it.children = it.children[:0]
	t.freeIters[s.Index] = append(t.freeIters[s.Index], it)
}

// Done reports whether f has ended.
func (f *Instance) Done() bool { return f.PendingEnters == 0 && f.alive.n == 0 && f.Parent != nil }

// Leave removes f, which is done, from its parent. Its dead exits and
// constants must have been dealt with.
func (t *Table) Leave(f *Instance) {
	f.Parent.release(f)
	t.release(f)
}

func (t *Table) release(f *Instance) {
	clear(f.Constants)
	clear(f.Queued)
	clear(f.Left)
	f.Unfused, f.Asked = false, 0
	f.Constants, f.Queued, f.DeadExits, f.Parent = f.Constants[:0], f.Queued[:0], f.DeadExits[:0], nil
	t.freeFrames[f.Static.Index] = append(t.freeFrames[f.Static.Index], f)
}

// Reset ends the step: everything that is alive is given up. drop is called
// with every value that was held.
func (t *Table) Reset(drop func(tensor.Value)) {
	if t.root != nil {
		left := append(t.left[:0], t.root)
		for len(left) > 0 { // frames may be deep
			f := left[len(left)-1]
			left[len(left)-1] = nil
			left = left[:len(left)-1]
			for _, h := range f.Constants {
				drop(h.Value)
			}
			for _, h := range f.Queued {
				drop(h.Value)
			}
			for f.alive.n > 0 {
				it := f.alive.pop()
				left = append(left, it.children...)
				t.recycle(f.Static, it, drop)
			}
			t.release(f)
		}
		t.root, t.left = nil, left
	}
}
