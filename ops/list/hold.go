package list

import (
	"sync/atomic"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/tensor"
)

// Who holds elements. A list of a step is held by the tokens of its variant; while
// there are any it holds its elements, as a token does. Versions have elements
// together: a version whose last token is gone leaves the chain of versions, and
// gives the older one what that needs of it; so an element stays for just as long
// as some list that somebody has shows it. A list that is shared, as others than
// this package have seen it or it outlives its step, stays for good with its
// elements and the versions that are made of it.
//
// Kernels that run away from the step's driver must not count tokens: a new list
// holds its elements when the driver claims it, and lists release elements only
// when the driver drops a token.

// An item is an element of a list; zero if it is not set. Lists hold it together
// like one token.
type item struct {
	tensor.Value
	kept *kept // nil of what nobody has to hold
}

// kept is what lists know of an element that they hold.
type kept struct {
	lists atomic.Int32 // places that it is in
	held  bool         // they hold it, from when the first of them was claimed
	pin   bool         // others have its memory, such as a variable that may release it
}

// hold has the lists hold x, which is new to them. The step's driver calls it.
func (x item) hold(a *tensor.Arena) {
	x.kept.held = true
	if x.kept.pin {
		a.Pin(x.Value)
	}
	if !x.Shared() {
		a.Claim(x.Value)
		x.Hold(1)
	}
}

// keep is v as an element: a copy where v is a small part of a large tensor, so
// that the rest can go.
func keep(ctx *kernel.Context, v tensor.Value) (item, error) {
	if v.Partial() {
		w, err := ctx.Alloc(v.DType(), v.Dims())
		if err != nil {
			return item{}, err
		}
		w.CopyFrom(v)
		v = w
	}
	return once(v), nil
}

// once is v as an element that is in one place.
func once(v tensor.Value) item {
	if v.Plain() {
		return item{Value: v}
	}
	k := &kept{pin: v.Borrows()}
	k.lists.Store(1)
	return item{v, k}
}

// part returns a part of x as an element: size elements from element start on. The
// parts of a tensor hold it together, so x should be in parts as a whole.
func part(ctx *kernel.Context, x tensor.Value, start, size int, dims []int64) (item, error) {
	v, err := ctx.View(x, start, size, dims)
	return once(v), err
}

// row is x[i] as an element.
func row(ctx *kernel.Context, x tensor.Value, i int) (item, error) {
	dims := x.Dims()[1:]
	n := 1
	for _, d := range dims {
		n *= int(d)
	}
	return part(ctx, x, i*n, n, dims)
}

// again notes that the element is in one place more.
func (x item) again() {
	if x.kept != nil {
		x.kept.lists.Add(1)
	}
}

// forget notes that the element is in one place less, and in another still or held
// by nobody yet.
func (x item) forget() {
	if x.kept != nil {
		x.kept.lists.Add(-1)
	}
}

// drop takes the element from a place; a is the arena of the step's driver.
func (x item) drop(a *tensor.Arena) {
	if x.kept != nil && x.kept.lists.Add(-1) == 0 && x.kept.held {
		if x.kept.pin {
			a.Unpin(x.Value)
		}
		a.Drop(x.Value)
	}
}

// newShared is newList for a list that nobody counts.
func newShared(dt tensor.DType, s shape.Shape, max, n int) *List {
	l := newList(dt, s, max, n)
	l.shared.Store(true)
	return l
}

// token returns the variant that holds l, a new list.
func (l *List) token(ctx *kernel.Context) (tensor.Value, error) {
	if err := l.charge(ctx); err != nil {
		return tensor.Value{}, err
	}
	if l.shared.Load() { // what was shared before stays pinned until the step ends
		l.unheld(func(x item) {
			if x.kept.pin {
				ctx.Pin(x.Value)
			}
		})
		return tensor.Scalar(l.element()), nil
	}
	return ctx.Holding(l.element(), l)
}

// put sets an output to the variant that holds l, a new list.
func (l *List) put(ctx *kernel.Context, out *tensor.Value) error {
	v, err := l.token(ctx)
	*out = v
	return err
}

// charge charges the places of l's own elements that are new.
func (l *List) charge(ctx *kernel.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pile != nil {
		return nil // by push and pop
	}
	size := l.own.bytes()
	l.weight = versionBytes + int64(size) + l.own.weight
	if err := ctx.Charge(size - l.own.charged + l.beside - l.noted); err != nil {
		return err
	}
	l.own.charged, l.noted = size, l.beside
	return nil
}

// TotalBytes returns what l and its elements take. See [tensor.Value.TotalBytes].
func (l *List) TotalBytes() int64 { return l.weight }

// Bytes returns what a version takes beside its elements. See [tensor.RefCounted].
func (l *List) Bytes() int { return versionBytes }

// versionBytes is the size of a List, its lock, and the header of its variant, and a
// quarter more, for the collector.
const versionBytes = 512

// element is l as an element of a variant. If nobody counts that, l is shared.
func (l *List) element() *tensor.Object {
	l.object.Value = l
	return &l.object
}

// owe notes an element of a new list, which is to be held with the list.
func (l *List) owe(x item) {
	if l.shared.Load() {
		x.Share()
	}
	if x.kept != nil {
		l.due = append(l.due, x)
	}
}

// begin makes x, which is new, element i of l, a new list that nobody has made another
// version of.
func (l *List) begin(i int, x item) {
	if l.shared.Load() {
		x.Share()
	}
	l.own.at(i).forget()
	l.own.set(i, x)
	l.fresh = true
}

// extend is asked before element i of a new list is made: it fails if the step has ended,
// or if there is no memory for the places that the list has got.
func (l *List) extend(ctx *kernel.Context, i int) error {
	if i%blockPlaces != 0 {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return l.charge(ctx)
}

// unheld calls do with the elements that are new and not held yet, which they are from
// then on.
func (l *List) unheld(do func(item)) {
	for _, x := range l.due {
		do(x)
	}
	if l.fresh {
		l.own.each(func(x item) {
			if x.kept != nil {
				do(x)
			}
		})
	}
	l.due, l.fresh = nil, false
}

// too is x for another list.
func (x item) too() item {
	if x.kept == nil {
		return once(x.Value)
	}
	x.again()
	return x
}

// Claim holds the elements that are new. See [tensor.RefCounted].
func (l *List) Claim(a *tensor.Arena) {
	l.unheld(func(x item) {
		if !x.kept.held && x.kept.lists.Load() > 0 {
			x.hold(a)
		}
	})
}

// Release takes l out of the chain of versions, and drops what it alone has. See
// [tensor.RefCounted].
func (l *List) Release(a *tensor.Arena) {
	l.mu.Lock()
	gone, all, places := l.unlink()
	l.mu.Unlock()
	a.Unreserve(int64(places))
	for _, x := range gone {
		x.drop(a)
	}
	all.each(func(x item) { x.drop(a) })
}

// unlink takes l out of the chain of versions, and says what nobody sees any more, some
// elements or all that it had, and what has been charged for places that are gone.
func (l *List) unlink() (gone []item, all elements, places int) {
	note := func(x item) {
		if x.kept != nil {
			gone = append(gone, x)
		}
	}
	older, newer := l.older, l.newer
	if l.pile != nil {
		l.pile.Clear()
		l.pile = nil
	}
	switch {
	case l.shared.Load():
		return nil, elements{}, 0
	case older == nil && newer == nil:
		all, places = l.own, l.own.charged
	case older == nil:
		l.differences(func(_ int, x item) { note(x) })
	case newer == nil: // the older version gets the elements back
		older.differences(func(i int, x item) {
			note(l.own.at(i))
			l.own.set(i, x)
		})
		l.own.cut(older.n, l.n, note)
		older.own = l.own
		older.agree()
	default:
		l.differences(func(i int, x item) {
			if _, seen := older.differs(i); seen || i >= older.n {
				note(x)
			} else {
				older.differ(i, x)
			}
		})
	}
	if older != nil {
		older.newer = newer
	}
	if newer != nil && !newer.shared.Load() {
		newer.older = older
	}
	places += l.noted
	l.older, l.newer, l.own, l.beside, l.noted = nil, nil, elements{}, 0, 0
	l.agree()
	return gone, all, places
}

// Share shares a version and all newer ones with their elements. See
// [tensor.RefCounted].
func (l *List) Share(share func(tensor.Value)) {
	var all []item
	note := func(x item) { all = append(all, x) }
	l.mu.Lock()
	l.unpile()
	for v := l; v != nil && !v.shared.Load(); v = v.newer {
		v.shared.Store(true)
		v.older = nil
		v.differences(func(_ int, x item) { note(x) })
		v.own.each(note)
	}
	l.mu.Unlock()
	for _, x := range all { // not under the lock: an element may be another version
		share(x.Value)
	}
}
