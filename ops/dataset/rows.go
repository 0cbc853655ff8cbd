package dataset

import "iter"

// rowsBlock is how many elements are in one block of rows.
const rowsBlock = 1 << 10

// rows are elements that are collected, in blocks: millions of them are never moved, and
// take no room that is not theirs.
type rows struct {
	blocks [][]element
	n      int
}

func (r *rows) add(e element) {
	if r.n%rowsBlock == 0 {
		var b []element
		if r.n > 0 { // the first one grows
			b = make([]element, 0, rowsBlock)
		}
		r.blocks = append(r.blocks, b)
	}
	last := &r.blocks[len(r.blocks)-1]
	*last = append(*last, e)
	r.n++
}

// at is where element i is.
func (r *rows) at(i int) *element { return &r.blocks[i/rowsBlock][i%rowsBlock] }

// all gives the elements with their places.
func (r *rows) all() iter.Seq2[int, element] {
	return func(yield func(int, element) bool) {
		for i := range r.n {
			if !yield(i, *r.at(i)) {
				return
			}
		}
	}
}
