package list

import (
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/tensor"
)

// A list that one token holds, and of which there is no other version, is changed
// where it is: nobody sees that it was another. Loops push and pop so in every
// iteration, and make neither a version nor, where the elements are small tensors of
// numbers and of one shape, a tensor for each: those lie on a pile.

// A pile is the elements of a list that has no other version and is not shared, all of
// one shape. Whatever but pushing, popping and joining them finds tensors in their
// place (unpile).
type pile struct {
	tensor.Stack
	dims []int64
}

// alone returns a kernel the list that is its input to change: out becomes the variant
// that holds it. It answers false where somebody else may see the list.
func (l *List) alone(ctx *kernel.Context, in []tensor.Value, out *tensor.Value) bool {
	l.mu.Lock()
	sole := l.older == nil && l.newer == nil && !l.shared.Load() && l.due == nil && !l.fresh
	l.mu.Unlock()
	if !sole {
		return false
	}
	v, ok := ctx.Reuse(in, 0)
	if ok {
		*out = v
	}
	return ok
}

// takes reports whether v can be put on top of l's pile.
func (l *List) takes(v *tensor.Value) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return v.Stackable() && (l.n == 0 || l.pile != nil && slices.Equal(l.pile.dims, v.Dims()))
}

// push puts v at the end of l, which is the kernel's to change.
func (l *List) push(ctx *kernel.Context, v tensor.Value) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pile == nil {
		l.own = elements{charged: l.own.charged}
		l.pile = &pile{dims: slices.Clone(v.Dims())}
	} else if l.n == 0 {
		l.pile.dims = slices.Clone(v.Dims())
	}
	if err := ctx.Charge(l.pile.Bytes() + l.pile.Needs(v.SizeBytes()) - l.own.charged); err != nil {
		return err
	}
	l.pile.Push(&v)
	l.n++
	l.own.charged = l.pile.Bytes()
	l.weight = versionBytes + int64(l.own.charged)
	return nil
}

// pop takes the last element from the pile of l, which is the kernel's to change.
func (l *List) pop(ctx *kernel.Context) (tensor.Value, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	v, err := ctx.Alloc(l.dt, l.pile.dims)
	if err != nil {
		return v, err
	}
	l.pile.Pop(&v)
	l.n--
	if less := l.own.charged - l.pile.Bytes(); less > 0 {
		l.own.charged -= less
		l.weight -= int64(less)
		err = ctx.Charge(-less)
	}
	return v, err
}

// isPile reports whether l's elements are on a pile.
func (l *List) isPile() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pile != nil && l.n > 0
}

// unpile makes tensors of what is on l's pile, parts of one that stays charged as the
// pile was. Its caller holds the lock.
func (l *List) unpile() {
	p := l.pile
	if p == nil {
		return
	}
	l.pile = nil
	l.own = elements{charged: l.own.charged}
	if l.n > 0 {
		l.own.held = p.Bytes()
		dims := append([]int64{int64(l.n)}, p.dims...)
		t, err := tensor.New(l.dt, dims...)
		if err != nil { // not reached: so much is on the pile
			panic(err)
		}
		all := tensor.ValueOf(t)
		p.pour(&all)
		size := t.NumElements() / l.n
		for i := range l.n {
			l.own.set(i, item{Value: tensor.ValueOf(t.Slice(i*size, size, p.dims))})
		}
	}
	p.Clear()
}

// pour sets all elements of v to what is on the pile.
func (p *pile) pour(v *tensor.Value) {
	to := tensor.Bytes(v)
	p.Contents(func(b []byte) { to = to[copy(to, b):] })
}

// poured returns all elements of l, which is a pile, one behind the other, as a tensor of
// that shape.
func (l *List) poured(ctx *kernel.Context, dims []int64) (tensor.Value, error) {
	v, err := ctx.Alloc(l.dt, dims)
	if err != nil {
		return v, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pile.pour(&v)
	return v, nil
}

// dims returns the shape of element i; ok is false if that is not set.
func (l *List) dims(i int) (dims []int64, ok bool) {
	l.mu.Lock()
	if l.pile != nil {
		defer l.mu.Unlock()
		return l.pile.dims, true
	}
	l.mu.Unlock()
	x := l.at(i)
	if x.IsZero() {
		return nil, false
	}
	return x.Dims(), true
}

// append puts x at the end of l, which is the kernel's to change, and no pile.
func (l *List) append(ctx *kernel.Context, x item) error {
	l.mu.Lock()
	l.unpile() // an empty one
	l.own.set(l.n, x)
	l.n++
	l.mu.Unlock()
	if x.kept != nil {
		x.hold(ctx.Arena)
	}
	return l.charge(ctx)
}

// gives reports whether l, which has no other version and is no pile, can put out its last
// element as its own: it is set, and l alone holds it, in one place. What is also held
// by another, such as l itself in another place, could be taken back with l before it
// is delivered.
func (l *List) gives() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.older != nil || l.newer != nil || l.pile != nil {
		return false
	}
	x := l.own.at(l.n - 1)
	return !x.IsZero() && (x.kept == nil || x.kept.held && x.kept.lists.Load() == 1 && (x.Shared() || x.HeldOnce()))
}

// last takes the last element from l, which is the kernel's to change, and no pile. It
// is about to be put out; see gives.
func (l *List) last(a *tensor.Arena) tensor.Value {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n--
	x := l.own.at(l.n)
	l.own.set(l.n, item{})
	if x.kept != nil && x.kept.lists.Add(-1) == 0 && x.kept.held {
		if x.kept.pin {
			a.Unpin(x.Value)
		}
		x.Unhold()
	}
	return x.Value
}
