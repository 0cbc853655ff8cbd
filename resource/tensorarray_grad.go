package resource

import (
	"slices"

	"github.com/troupe-go/troupe/shape"
)

// Gradient is the array that holds the gradients of a's elements for one
// source: one computation of gradients among several. The first call makes it,
// of a's size, which stays from then on; what nobody writes to it is zeros of
// the shape of a's element. An element's gradient has the shape of the element
// with prepend before it.
//
// It fails for an array that has gradients in it itself.
func (a *TensorArray) Gradient(m *Manager, source string, prepend []int64) (*TensorArray, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.open(); err != nil {
		return nil, err
	}
	if a.sums {
		return nil, a.invalid("Unable to create a gradients TensorArray: this one holds gradients itself.")
	}
	if g := a.grads[source]; g != nil {
		return g, nil
	}
	o := a.opts
	o.Name += "@" + source
	o.Size, o.Dynamic, o.ClearAfterRead = a.size, false, true
	var err error
	if o.Shape, err = shape.Concat(shape.Of(prepend...), a.opts.Shape); err != nil {
		return nil, err
	}
	g := NewTensorArray(m, o)
	g.sums = true
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
