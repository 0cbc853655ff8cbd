package tensor

import "unsafe"

// A RefCounted is a variant's value that holds tensors of the step it was made in, as
// a TensorList does. A RefCounted is itself held by the variant that [Arena.Holding]
// makes of it, and lets its tensors go with that variant's last token.
//
// A copy of the *Object of a variant is not counted, so the variant must have been shared
// before ([Value.Share]): kernels that are not registered as
// [kernel.Registration].RefCounted get no other variants.
type RefCounted interface {
	// Claim lets the RefCounted hold its tensors, which are a's step's, from now on. The
	// step's driver calls it, once, before the inputs of the kernel that made the
	// RefCounted are dropped.
	Claim(a *Arena)
	// Release releases what the RefCounted holds, which is no longer used. The step's
	// driver calls it.
	Release(a *Arena)
	// Share permanently releases what the RefCounted holds, and calls share with all of
	// it. Any goroutine that holds the variant may call it, more than once.
	Share(share func(Value))
	// Bytes is what the RefCounted takes in addition to the tensors, with its header: they are
	// charged for as long as the variant is held. It stays the same.
	Bytes() int
}

// A Distant is a RefCounted that is a tensor whose elements are not in the host's memory.
type Distant interface {
	RefCounted
	// DistantBytes is what the elements take, where they are.
	DistantBytes() int64
	// Again is another Distant, in an Object, that holds the same elements: for another
	// step, whose arena is to claim it.
	Again() *Object
}

// DistantOf returns what v holds, if that is a Distant.
func DistantOf(v Value) (d Distant, ok bool) {
	if v.t != nil && v.t.isHolding() {
		d, ok = v.t.asHolding().holder.(Distant)
	}
	return d, ok
}

// A holding is a scalar of Variant whose value is a RefCounted. Its tokens are counted
// as a tensor's are.
type holding struct {
	Tensor
	elem   *Object
	holder RefCounted
}

func (t *Tensor) isHolding() bool { return t.origin == owning || t.origin == unowning }

// Holding returns the variant that holds o, whose value must be h: an owned scalar that
// is not claimed yet, see [Arena.Claim]. It fails where the budget is passed.
func (a *Arena) Holding(o *Object, h RefCounted) (Value, error) {
	if err := a.charge(int64(h.Bytes())); err != nil {
		return Value{}, err
	}
	var w *holding
	if last := len(a.holdings) - 1; last >= 0 {
		w = a.holdings[last]
		a.holdings[last] = nil
		a.holdings = a.holdings[:last]
	} else {
		w = new(holding)
		w.dtype, w.n = Variant, 1
		w.data = unsafe.Pointer(&w.elem)
		w.setShape(nil)
	}
	w.elem, w.holder, w.refs, w.origin = o, h, 0, unowning
	return Value{t: &w.Tensor}, nil
}

// Claim lets v hold what it is made of, if it is a view or a [RefCounted] that does
// not yet. The step's driver calls it on every value that a kernel put out which
// ran away from it, before it drops the kernel's inputs; a kernel on the driver's
// goroutine claims what it makes itself. All other values stay as they are.
func (a *Arena) Claim(v Value) {
	if t := v.t; t != nil && t.origin >= unowning {
		if t.origin == unowning {
			t.origin = owning
			t.asHolding().holder.Claim(a)
			return
		}
		v.Claim()
	}
}

// shareHeld shares what t, a holding, holds: RefCounted values within RefCounted values too, however
// deep they are nested.
func (t *Tensor) shareHeld() {
	open := []RefCounted{t.asHolding().holder}
	share := func(v Value) {
		switch {
		case v.t == nil || v.t.shared.Load():
		case v.t.isHolding():
			v.t.shared.Store(true)
			open = append(open, v.t.asHolding().holder)
		default:
			v.t.share()
		}
	}
	for len(open) > 0 {
		h := open[len(open)-1]
		open = open[:len(open)-1]
		h.Share(share)
	}
}

func (t *Tensor) asHolding() *holding { return (*holding)(unsafe.Pointer(t)) }

// empty takes a holding's header back, and releases what it held. RefCounted values within
// holders go one after another, however deep they are nested.
func (a *Arena) empty(t *Tensor) {
	w := t.asHolding()
	claimed, h := w.origin == owning, w.holder
	a.release(int64(h.Bytes()))
	w.origin, w.elem, w.holder = resting, nil, nil
	if len(a.holdings) < mostViews {
		a.holdings = append(a.holdings, w)
	}
	if !claimed || a.failed {
		return
	}
	a.ending = append(a.ending, h)
	if a.ends {
		return // whoever is at it takes this one too
	}
	a.ends = true
	for len(a.ending) > 0 {
		last := len(a.ending) - 1
		h := a.ending[last]
		a.ending[last] = nil
		a.ending = a.ending[:last]
		h.Release(a)
	}
	a.ends = false
}
