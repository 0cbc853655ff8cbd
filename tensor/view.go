package tensor

import "unsafe"

// A view is an owned tensor that shows elements of another, its base. It holds
// one reference of the base, as a token does, and gives it up with its own last
// token: so the base's memory stays on the account for as long as a view needs
// it, and goes back to the arena after that. A base is no view itself: a view of
// a view refers to the view's base.
//
// Sharing a view shares its base. A base that is shared, as a constant or a
// variable's value is from the beginning, is held by reference as well, but not
// counted.
//
// docs/design/2026-11-22-views.md has the details.
type view struct {
	Tensor
	base  *Tensor
	kept  int64  // of the base, on the account with the view; see [Arena.ChargeValue]
	lease *Lease // of the base; nil: it needs none
}

// isView reports whether t is a view, and asView holds.
func (t *Tensor) isView() bool { return t.origin >= counted }

func (t *Tensor) asView() *view { return (*view)(unsafe.Pointer(t)) }

// root returns the tensor that has t's elements: its base if it is a view, or t.
func (t *Tensor) root() *Tensor {
	if t.isView() {
		return t.asView().base
	}
	return t
}

// IsView reports whether v has the memory of another tensor.
func (v Value) IsView() bool { return v.t != nil && v.t.isView() }

// On reports whether v is w or a view of it.
func (v Value) On(w Value) bool {
	return v.t != nil && w.t != nil && (v.t == w.t || v.t.root() == w.t)
}

// mostViews is how many headers of views an arena keeps.
const mostViews = 1 << 12

// View is count elements of v from element start on, under a shape of that
// many elements, without a copy: an owned tensor like those of [Arena.Alloc],
// which holds v's memory until its own last token is dropped. Scalars are
// copied. It fails where the budget is passed, by a view's header too. It is for kernels that have checked their bounds: a part that is not
// in v panics.
//
// The view is not counted yet: see [Value.Claim].
func (a *Arena) View(v Value, start, count int, shape []int64) (Value, error) {
	if start < 0 || count < 0 || count > v.t.n-start {
		panic("tensor: view out of range")
	}
	switch {
	case len(shape) == 0:
		return ScalarAt(&v, start), nil
	case v.inside():
		w, err := a.Alloc(v.t.dtype, shape)
		if err == nil && count > 0 {
			copy(Bytes(&w), Bytes(&v))
		}
		return w, err
	}
	return a.view(v, v.t.dtype, start*v.t.dtype.MemorySize(), count, shape)
}

// Bitcast is v's memory as elements of dtype dt under a shape of the same size
// in bytes, as View makes it. ok is false, and there is no view, where the
// elements would not be aligned or there are none: for a scalar of at most
// eight bytes on either side, for some views, and where the budget is passed.
func (a *Arena) Bitcast(v Value, dt DType, shape []int64) (w Value, ok bool) {
	n, err := NumElements(dt, shape)
	if v.inside() || len(shape) == 0 || err != nil || n == 0 || n*dt.Size() != v.SizeBytes() ||
		uintptr(v.t.data)%uintptr(min(dt.Size(), 8)) != 0 || v.t.dtype.HasPointers() || dt.HasPointers() {
		return Value{}, false
	}
	w, err = a.view(v, dt, 0, n, shape)
	return w, err == nil
}

// viewBytes is what a view takes in addition to its base, and is charged.
const viewBytes = int64(unsafe.Sizeof(view{})+15) &^ 15 // as the allocator rounds

// view makes a view of v's root from offset bytes behind v's first element on.
func (a *Arena) view(v Value, dt DType, offset, n int, shape []int64) (Value, error) {
	if err := a.charge(viewBytes); err != nil {
		return Value{}, err
	}
	return a.show(v, dt, offset, n, shape), nil
}

// show is view without its charge.
func (a *Arena) show(v Value, dt DType, offset, n int, shape []int64) Value {
	var w *view
	if last := len(a.views) - 1; last >= 0 {
		w = a.views[last]
		a.views[last] = nil
		a.views = a.views[:last]
	} else {
		w = new(view)
	}
	w.dtype, w.n, w.refs, w.origin = dt, n, 0, unclaimed
	w.data, w.base = nil, &scalars[dt] // no elements hold nothing
	if n > 0 {
		w.data, w.base = unsafe.Add(v.t.data, offset), v.t.root()
		if v.t.isView() && v.t.asView().lease != nil {
			w.lease = v.t.asView().lease
			w.lease.Hold()
		}
	}
	w.setShape(shape)
	if invariants {
		w.checkSize()
	}
	return Value{t: &w.Tensor}
}

// ChargeValue is v, which is shared and not charged to any account, as a view of all of it that is
// charged with what v takes: for what a step gets from a resource, which has given it
// up, or from a step within it. It is charged beyond the limit too, as it is in memory
// already and would be lost otherwise. Like other views it is not counted yet.
func (a *Arena) ChargeValue(v Value) Value {
	if v.Plain() {
		return v
	}
	bytes := v.TotalBytes()
	a.note(viewBytes + bytes)
	w := a.show(v, v.t.dtype, 0, v.t.n, v.t.shape)
	w.t.asView().kept = bytes
	return w
}

// Borrows reports whether v's memory is that of others and not on its step's account: v is
// shared, or a view of what is, and not one that [Arena.ChargeValue] made.
func (v Value) Borrows() bool {
	if v.Shared() {
		return true
	}
	return v.t.isView() && v.t.asView().kept == 0 && v.t.asView().base.shared.Load()
}

func (t *Tensor) checkSize() {
	if n, err := NumElements(t.dtype, t.shape); err != nil || n != t.n {
		panic("tensor: a view of another size than its shape")
	}
}

// Claim is [Arena.Claim] for views alone.
func (v Value) Claim() {
	if t := v.t; t != nil && t.origin == unclaimed {
		t.origin = counted
		Value{t: t.asView().base}.Hold(1)
	}
}

// retire takes a view's header back, and releases what it held.
func (a *Arena) retire(t *Tensor) {
	w := t.asView()
	a.release(viewBytes + w.kept)
	held, base := w.origin == counted, w.base
	if w.lease != nil {
		w.lease.views.Add(-1)
	}
	w.origin, w.data, w.base, w.kept, w.lease = resting, nil, nil, 0, nil
	if len(a.views) < mostViews {
		a.views = append(a.views, w)
	}
	if held {
		a.Drop(Value{t: base})
	}
}

// Holds returns the bytes of the step that v keeps in memory: its own or, of a view,
// its base's; 0 if they are shared, so that no holder releases them.
func (v Value) Holds() int {
	if v.Plain() {
		return 0
	}
	if t := v.t.root(); !t.shared.Load() {
		return t.SizeBytes()
	}
	return 0
}

// Partial reports whether v is a view of less than half of what it holds in
// memory: a copy takes less, so such a value is not kept for long.
func (v Value) Partial() bool {
	t := v.t
	return t != nil && t.isView() && t.partial()
}

func (t *Tensor) partial() bool { return 2*t.SizeBytes() < t.asView().base.SizeBytes() }

// SoleView is Sole for views: one token holds v, and v alone holds its base. A
// Partial view never is, so that a large buffer is not kept for a small part of it.
func (v Value) SoleView() bool { return v.t != nil && v.t.isView() && v.t.soleView() }

func (t *Tensor) soleView() bool {
	base := t.asView().base
	return !t.shared.Load() && !base.shared.Load() && t.refs == 1 && base.refs == 1 && !t.partial()
}

// Compact is v, or a shared copy of v if v is a [Value.Partial] view: what
// outlives a step keeps no more than twice its size in memory.
func (v Value) Compact() Value {
	if !v.Partial() {
		return v
	}
	t, err := New(v.t.dtype, v.t.shape...)
	if err != nil {
		return v // not reached: v has that shape
	}
	w := Value{t: t}
	w.CopyFrom(v)
	return w
}

// CopyFrom copies the elements of v, of the same dtype and number, into w, which
// the caller alone holds.
func (w *Value) CopyFrom(v Value) {
	switch w.DType().Base() {
	case String:
		copy(Of[string](w), Of[string](&v))
	case Resource:
		copy(Of[*Handle](w), Of[*Handle](&v))
	case Variant:
		copy(Of[*Object](w), Of[*Object](&v))
	default:
		copy(Bytes(w), Bytes(&v))
	}
}

// Borrow returns count elements of v from element start on, under a shape of that
// many elements. A holder of v may read it while it holds v. It must not be an output
// or be kept: it does not hold v's memory.
func (v Value) Borrow(start, count int, shape []int64) Value {
	if start < 0 || count < 0 || count > v.t.n-start {
		panic("tensor: view out of range")
	}
	if len(shape) == 0 || v.inside() {
		w, _ := new(Arena).View(v, start, count, shape)
		return w
	}
	t := v.t.alias(start, count, shape)
	t.origin = borrowed
	return Value{t: t}
}

// Within returns a value of dtype dt, of numbers, and of that shape in v's memory,
// offset bytes after its beginning: borrowed, for the sole holder of v, which may
// write it. A place outside v panics.
func (v Value) Within(dt DType, offset int, shape []int64) Value {
	n, err := NumElements(dt, shape)
	if err != nil || len(shape) == 0 || dt.HasPointers() || offset < 0 || n*dt.MemorySize() > v.SizeBytes()-offset {
		panic("tensor: view out of range")
	}
	t := &Tensor{dtype: dt, n: n, origin: borrowed}
	if n > 0 {
		t.data = unsafe.Add(v.t.data, offset)
	}
	t.setShape(shape)
	t.shared.Store(true)
	return Value{t: t}
}

// As returns t's memory, from its beginning, as elements of dtype dt, of numbers, under
// another shape. It is shared as t is; the caller knows when t may be written again.
// A shape that needs more memory than t has panics.
func (t *Tensor) As(dt DType, shape ...int64) *Tensor {
	w := Value{t: t}.Within(dt, 0, shape).t
	w.origin = foreign
	return w
}

// Reshaped is v's elements under another shape, borrowed: see [Value.Borrow].
func (v Value) Reshaped(shape []int64) Value { return v.Borrow(0, v.t.n, shape) }

// Peek returns v as a tensor for a holder of v to read while it holds v.
// It allocates for inside scalars.
func (v Value) Peek() *Tensor {
	if v.t == nil || v.inside() {
		return v.Tensor()
	}
	return v.t
}
