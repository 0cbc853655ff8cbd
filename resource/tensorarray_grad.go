package resource

import (
	"slices"

	"github.com/troupe-go/troupe/shape"
)

// mostOrders is how often gradients can be gradients of gradients: names grow with it.
const mostOrders = 64

// Gradient returns the array that holds the gradients of a's elements for one
// source: one computation of gradients among several. The first call makes it,
// of a's size, which stays from then on; what nobody writes to it is zeros of
// the shape of a's element. An element's gradient has the shape of the element
// with prepend before it.
//
// An array of gradients has gradients in its turn, those of a second derivative: it
// fails for the 65th. The gradients of values are cleared when they are read, those of
// gradients are not, and may be read again.
func (a *TensorArray) Gradient(m *Manager, source string, prepend []int64) (*TensorArray, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.open(); err != nil {
		return nil, err
	}
	if g := a.grads[source]; g != nil {
		return g, nil
	}
	if a.order == mostOrders {
		return nil, a.invalid("Unable to create a gradients TensorArray: this one holds gradients of order %d, the highest.", a.order)
	}
	o := a.opts
	o.Name += "@" + source
	o.Size, o.Dynamic = a.size, false
	// The sum at one place has one gradient for all that was written there: each write's
	// gradient reads it.
	o.ClearAfterRead = !a.sums
	var err error
	if o.Shape, err = shape.Concat(shape.Of(prepend...), a.opts.Shape); err != nil {
		return nil, err
	}
	g := NewTensorArray(m, o)
	g.sums, g.order, g.split = true, a.order+1, a.split
	if err := g.copyShapes(a, prepend); err != nil {
		return nil, err
	}
	a.opts.Dynamic = false
	if a.grads == nil {
		a.grads = map[string]*TensorArray{}
	}
	a.grads[source] = g
	return g, nil
}

// ConcatLen returns how many elements a concatenation of the array joins: all, or, of an
// array of gradients, those that were written by splitting a tensor, of whose gradient the
// others are no part.
func (a *TensorArray) ConcatLen() (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.sums && a.split > 0 {
		return a.split, a.open()
	}
	return a.size, a.open()
}

// copyShapes makes every element that from has zeros of its shape.
func (a *TensorArray) copyShapes(from *TensorArray, prepend []int64) error {
	for p, page := range from.pages {
		for k := range page {
			if !page[k].written {
				continue
			}
			c, err := a.cell(p*pageSize + k)
			if err != nil {
				a.account.close()
				return err
			}
			c.written, c.dims = true, page[k].dims
			if len(prepend) > 0 {
				c.dims = a.share(slices.Concat(prepend, *page[k].dims))
			}
		}
	}
	return nil
}
