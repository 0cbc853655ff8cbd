package list

import (
	"slices"
)

// denseLimit is the index below which elements lie side by side, once there
// are any: a list of 2³¹ elements costs what is set.
const denseLimit = 1 << 16

// elements are items by index, zero where none is set.
type elements struct {
	dense []item
	far   map[int]item // from denseLimit on, or behind a gap

	charged int   // of bytes
	held    int   // bytes of what was a pile: parts of one tensor
	weight  int64 // of the elements, apart from their places
}

// weight is what an element takes. Of a list it is known.
func (x item) weight() int64 {
	if x.Plain() {
		return 0
	}
	return x.TotalBytes()
}

// bytes is about what the places take, and what is known of the elements there.
func (e *elements) bytes() int { return e.held + placeBytes*cap(e.dense) + 2*placeBytes*len(e.far) }

const placeBytes = 40

func (e *elements) at(i int) item {
	if i < len(e.dense) {
		return e.dense[i]
	}
	return e.far[i]
}

func (e *elements) set(i int, x item) {
	e.weight += x.weight() - e.at(i).weight()
	switch {
	case i < len(e.dense):
		e.dense[i] = x
	case i < denseLimit || i == len(e.dense) && len(e.far) == 0:
		if x.IsZero() {
			return
		}
		for len(e.dense) < i {
			e.dense = append(e.dense, item{})
		}
		e.dense = append(e.dense, x)
	case x.IsZero():
		delete(e.far, i)
	default:
		if e.far == nil {
			e.far = map[int]item{}
		}
		e.far[i] = x
	}
	if x.IsZero() && i == len(e.dense)-1 && len(e.far) == 0 {
		e.dense = e.dense[:i]
	}
}

// first is a copy of those below n.
func (e *elements) first(n int) elements {
	c := elements{dense: slices.Clone(e.dense[:min(n, len(e.dense))])}
	for _, x := range c.dense {
		c.weight += x.weight()
	}
	for i, x := range e.far {
		if i < n {
			c.set(i, x)
		}
	}
	return c
}

// cut removes those from n on, of which there are none at end or above, and calls
// gone with each.
func (e *elements) cut(n, end int, gone func(item)) {
	if n < len(e.dense) {
		for _, x := range e.dense[n:] {
			e.weight -= x.weight()
			gone(x)
		}
		clear(e.dense[n:])
		e.dense = e.dense[:n]
	}
	if end-n < len(e.far) {
		for i := n; i < end; i++ {
			e.weight -= e.far[i].weight()
			gone(e.far[i])
			delete(e.far, i)
		}
		return
	}
	for i, x := range e.far {
		if i >= n {
			e.weight -= x.weight()
			gone(x)
			delete(e.far, i)
		}
	}
}

// each calls do with all that are set.
func (e *elements) each(do func(item)) {
	for _, x := range e.dense {
		if !x.IsZero() {
			do(x)
		}
	}
	for _, x := range e.far {
		do(x)
	}
}
