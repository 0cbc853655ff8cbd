package tensor

// A BufferSlot keeps the tensors of one instruction that is executed again and
// again: the next execution gets the buffer of an earlier one, in place of a
// search through the arena. The zero BufferSlot is empty. It belongs to the step's
// driver.
//
// A tensor of a BufferSlot is either away, from [BufferSlot.Take] on, or at home. It comes
// home with its last token ([Arena.Drop]), or when it has no consumer
// ([Arena.Reclaim]), so a tensor that is at home has no holder and is not shared. It
// stays charged to the arena in both cases.
//
// Two tensors are enough for a value that is carried around a loop: one is read
// while the other is written. A tensor escapes if it is shared; the next Take
// puts another in its place.
type BufferSlot struct {
	spare [2]*Tensor
}

// homely is the size in bytes up to which a tensor is kept. To find a larger one
// costs little compared with what is done with it, and many instructions that each kept
// some would hold memory that they could share.
const homely = 16 << 10

// Take returns an owned tensor of that dtype and shape, as [Arena.Alloc] makes it,
// which no token holds: one that is at home, if it has that dtype and shape, or
// one of a's. It fails as Alloc does.
func (h *BufferSlot) Take(a *Arena, dt DType, shape []int64) (Value, error) {
	if t := h.spare[0]; t != nil && t.ready(dt, shape) {
		t.origin, t.refs = away, 0
		return Value{t: t}, nil
	}
	if t := h.spare[1]; t != nil && t.ready(dt, shape) {
		t.origin, t.refs = away, 0
		return Value{t: t}, nil
	}
	return h.settle(a, dt, shape)
}

// ready reports whether t is at home and of that dtype and shape.
func (t *Tensor) ready(dt DType, shape []int64) bool {
	if t.origin != atHome || t.dtype != dt || len(t.shape) != len(shape) {
		return false
	}
	for i, d := range t.shape {
		if d != shape[i] {
			return false
		}
	}
	return true
}

// settle is Take where nothing at home fits. The new tensor gets the place of
// one that escaped or has another dtype or shape; without such a place it
// belongs to the arena alone.
func (h *BufferSlot) settle(a *Arena, dt DType, shape []int64) (Value, error) {
	free := -1
	for i, t := range h.spare {
		switch {
		case t == nil || t.shared.Load():
			free = i
		case t.origin == atHome: // of another dtype or shape
			h.leave(a, t)
			free = i
		default:
			continue
		}
		h.spare[i] = nil
	}
	v, err := a.Alloc(dt, shape)
	if err == nil && free >= 0 && !v.Plain() && !dt.HasPointers() && v.t.bytes <= homely {
		v.t.origin = away
		h.spare[free] = v.t
	}
	return v, err
}

// leave gives t up to the arena, at once or when its last token is dropped.
func (h *BufferSlot) leave(a *Arena, t *Tensor) {
	rests := t.origin == atHome
	t.origin = lent
	if rests {
		a.put(t)
	}
}

// Release empties the home at the end of a step: what is at home goes back to
// the arena, and what is away will when its last token is dropped.
func (h *BufferSlot) Release(a *Arena) {
	for _, t := range h.spare {
		if t != nil && !t.shared.Load() {
			h.leave(a, t)
		}
	}
	*h = BufferSlot{}
}

// rest brings t home: it has no holder left.
func (t *Tensor) rest() {
	if invariants {
		t.poison()
	}
	t.origin = atHome
}
