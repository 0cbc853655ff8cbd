package list

import "slices"

const (
	// denseLimit is the index below which elements lie side by side, once there
	// are any: a list of 2³¹ elements costs what is set.
	denseLimit = 1 << 16
	// blockPlaces is how many places a block has.
	blockPlaces = 1 << 10
)

// elements are items by index, zero where none is set. Those that lie side by side are
// in blocks, of which only the first grows: long lists are neither moved nor have they
// room that is not on the account.
type elements struct {
	first  []item       // blockPlaces at most
	blocks [][]item     // the following ones; the last of them may be empty
	behind int          // how many are in blocks
	far    map[int]item // from denseLimit on, or behind a gap

	charged int   // of bytes
	held    int   // bytes of what was a pile: parts of one tensor
	weight  int64 // of the elements, apart from their places
}

// weight returns what an element takes. Of a list it is known.
func (x item) weight() int64 {
	if x.Plain() {
		return 0
	}
	return min(x.TotalBytes(), mostWeight)
}

// mostWeight is what an element counts at most: lists that hold each other often would
// take more than there are numbers.
const mostWeight = 1 << 34

// bytes is about what the places take, and what is known of the elements there.
func (e *elements) bytes() int {
	return e.held + placeBytes*cap(e.first) + blockBytes*len(e.blocks) + 2*placeBytes*len(e.far)
}

const (
	placeBytes = 40                                // an item, what is kept of it, and room to grow
	blockBytes = (placeBytes-8)*blockPlaces + 2*24 // and its place among the blocks
)

// dense returns how many lie side by side.
func (e *elements) dense() int { return len(e.first) + e.behind }

// place returns where element i is, of those that lie side by side.
func (e *elements) place(i int) *item {
	if i < len(e.first) {
		return &e.first[i]
	}
	i -= blockPlaces
	return &e.blocks[i/blockPlaces][i%blockPlaces]
}

func (e *elements) at(i int) item {
	if i < len(e.first) {
		return e.first[i]
	}
	if i < e.dense() {
		return *e.place(i)
	}
	return e.far[i]
}

// push puts x behind those that lie side by side.
func (e *elements) push(x item) {
	if len(e.first) < blockPlaces {
		e.first = append(e.first, x)
		return
	}
	if e.behind == len(e.blocks)*blockPlaces {
		e.blocks = append(e.blocks, make([]item, blockPlaces))
	}
	e.behind++
	*e.place(e.dense() - 1) = x
}

// shorten leaves the first n of those that lie side by side, n of them or more: the
// others are zero. A block that is empty stays until one before it is.
func (e *elements) shorten(n int) {
	e.first, e.behind = e.first[:min(n, len(e.first))], max(0, n-blockPlaces)
	if most := (e.behind+blockPlaces-1)/blockPlaces + 1; len(e.blocks) > most {
		clear(e.blocks[most:])
		e.blocks = e.blocks[:most]
	}
}

func (e *elements) set(i int, x item) {
	e.weight += x.weight() - e.at(i).weight()
	switch n := e.dense(); {
	case i < n:
		*e.place(i) = x
	case i < denseLimit || i == n && len(e.far) == 0:
		if x.IsZero() {
			return
		}
		for e.dense() < i {
			e.push(item{})
		}
		e.push(x)
	case x.IsZero():
		delete(e.far, i)
	default:
		if e.far == nil {
			e.far = map[int]item{}
		}
		e.far[i] = x
	}
	if x.IsZero() && i == e.dense()-1 && len(e.far) == 0 {
		e.shorten(i)
	}
}

// below returns a copy of those below n.
func (e *elements) below(n int) elements {
	c := elements{first: slices.Clone(e.first[:min(n, len(e.first))])}
	for _, x := range c.first {
		c.weight += x.weight()
	}
	for i := len(c.first); i < min(n, e.dense()); i++ {
		x := e.at(i)
		c.push(x)
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
	remove := func(x item) {
		e.weight -= x.weight()
		gone(x)
	}
	if dense := e.dense(); n < dense {
		for i := n; i < dense; i++ {
			p := e.place(i)
			remove(*p)
			*p = item{}
		}
		e.shorten(n)
	}
	if end-n < len(e.far) {
		for i := n; i < end; i++ {
			remove(e.far[i])
			delete(e.far, i)
		}
		return
	}
	for i, x := range e.far {
		if i >= n {
			remove(x)
			delete(e.far, i)
		}
	}
}

// each calls do with all that are set.
func (e *elements) each(do func(item)) {
	some := func(block []item) {
		for _, x := range block {
			if !x.IsZero() {
				do(x)
			}
		}
	}
	some(e.first)
	for at, b := range e.blocks {
		some(b[:min(max(e.behind-at*blockPlaces, 0), blockPlaces)])
	}
	for _, x := range e.far {
		do(x)
	}
}
