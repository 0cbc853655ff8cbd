package tensor

import "unsafe"

// A text is a scalar string with its element next to it: one allocation instead of
// two, and a header that its arena uses again.
type text struct {
	Tensor
	elem [1]string
}

// allocText is Alloc for a scalar of strings.
func (a *Arena) allocText() (Value, error) {
	if err := a.charge(HeaderBytes + int64(String.MemorySize())); err != nil {
		return Value{}, err
	}
	var t *text
	if last := len(a.texts) - 1; last >= 0 {
		t = a.texts[last]
		a.texts[last] = nil
		a.texts = a.texts[:last]
	} else {
		t = new(text)
		t.dtype, t.n = String, 1
		t.data = unsafe.Pointer(&t.elem)
	}
	t.origin, t.refs, t.bytes = lent, 0, 0
	t.setShape(nil)
	return Value{t: &t.Tensor}, nil
}

// putText is put for tensors with pointers: the collector gets all but the header
// of a text.
func (a *Arena) putText(t *Tensor) {
	if uintptr(t.data) != uintptr(unsafe.Pointer(t))+unsafe.Offsetof(text{}.elem) || len(a.texts) >= mostViews {
		t.data = nil
		return
	}
	w := (*text)(unsafe.Pointer(t))
	w.elem[0] = ""
	a.texts = append(a.texts, w)
}

// Weigh charges what the strings of v take, whose maker has set or changed them:
// from then on until v goes back they are on the account with their tensor. Of
// anything but an owned tensor of strings it does nothing. It fails where the budget
// is passed.
//
// Strings that several tensors have are charged with each, as if each had a copy.
func (a *Arena) Weigh(v Value) error {
	t := v.t
	if t == nil || t.dtype != String || t.origin != lent || t.shared.Load() {
		return nil
	}
	size := textBytes(elems[string](t))
	switch more := int64(size - t.bytes); {
	case more < 0:
		a.release(-more)
	case more > 0:
		if err := a.charge(more); err != nil {
			return err
		}
	default: // others may be reading t
		return nil
	}
	t.bytes = size
	return nil
}

// textBytes returns what the bytes of some strings take in memory.
func textBytes(all []string) int {
	n := 0
	for _, s := range all {
		n += (len(s) + 7) &^ 7
	}
	return n
}

// HeaderBytes is what a tensor takes in addition to its elements, and what is charged
// for each in addition to them.
const HeaderBytes = int64(unsafe.Sizeof(Tensor{}))

// charged returns what t, an arena's, has on its account.
func (t *Tensor) charged() int64 {
	size := t.n * t.dtype.MemorySize()
	if t.dtype.HasPointers() {
		return HeaderBytes + int64((size+7)&^7+t.bytes)
	}
	return HeaderBytes + int64(max((size+7)&^7, t.bytes))
}

// Reserve charges n bytes that are no tensor's, and Unreserve gives them back.
func (a *Arena) Reserve(n int64) error {
	if n <= 0 {
		return nil
	}
	return a.charge(n)
}

// Unreserve gives back what Reserve charged.
func (a *Arena) Unreserve(n int64) {
	if n > 0 {
		a.release(n)
	}
}

// TotalBytes returns what v takes in memory: its elements, with the bytes of strings and
// what the values of variants say that they take, those that have a method of that
// name and type; and its header if it is no plain scalar.
func (v Value) TotalBytes() int64 {
	size := int64(v.SizeBytes())
	if v.inside() {
		return size
	}
	size += HeaderBytes
	if v.Outside() {
		size -= int64(v.SizeBytes())
	}
	if v.t.isView() {
		size += viewBytes - HeaderBytes + v.t.spare()
	}
	switch v.t.dtype {
	case String:
		if v.t.origin == lent && v.t.bytes > 0 && !v.t.shared.Load() {
			return size + int64(v.t.bytes)
		}
		size += int64(textBytes(elems[string](v.t)))
	case Variant:
		for _, o := range elems[*Object](v.t) {
			if o != nil {
				if x, ok := o.Value.(interface{ TotalBytes() int64 }); ok {
					size = min(size+x.TotalBytes(), mostBytes)
				}
			}
		}
	default: // of an arena's the whole buffer
		size = max(size, HeaderBytes+int64(v.t.bytes))
	}
	return size
}

// mostBytes is what a variant takes at most. Those that hold each other often would
// take more than there are numbers.
const mostBytes = 1 << 46

// spare is t's share of what its base, a tensor of numbers, has reserved beyond its
// elements.
func (t *Tensor) spare() int64 {
	base := t.asView().base
	all := base.n * base.dtype.MemorySize()
	if all == 0 || base.bytes <= all || base.dtype.HasPointers() {
		return 0
	}
	return int64(float64(base.bytes-all) * float64(t.n*t.dtype.MemorySize()) / float64(all))
}
