package kernel

import "github.com/troupe-go/troupe/tensor"

// View is count elements of v from element start on, under a shape of that
// many elements, without a copy: for an output that is a part of an input, or
// an input under another shape. The view holds v's memory for as long as it is
// held itself. Scalars are copied. It fails only where a scalar becomes a tensor
// and the session's memory limit is passed; a part that is not in v panics.
//
// A view keeps all of v's tensor in memory and on the account: of a small part
// of a large tensor a kernel rather makes a copy.
func (c *Context) View(v tensor.Value, start, count int, dims []int64) (tensor.Value, error) {
	if c.Lock != nil { // the step's driver claims it with the outputs
		c.Lock.Lock()
		defer c.Lock.Unlock()
		return c.Arena.View(v, start, count, dims)
	}
	w, err := c.Arena.View(v, start, count, dims)
	w.Claim()
	return w, err
}

// Reshaped is input i's elements under another shape of the same size: the
// input itself, moved, if the kernel may have it, as with Reuse, else a view of
// it.
func (c *Context) Reshaped(in []tensor.Value, i int, dims []int64) (tensor.Value, error) {
	if len(dims) > 0 {
		if v, ok := c.Reuse(in, i); ok {
			v.SetDims(dims)
			return v, nil
		}
	}
	return c.View(in[i], 0, in[i].NumElements(), dims)
}

// Borrow returns v, of which a view was counted, as that view: see [tensor.Arena.Borrow].
func (c *Context) Borrow(v tensor.Value, l *tensor.Lease) (tensor.Value, error) {
	if c.Lock != nil { // the step's driver claims it with the outputs
		c.Lock.Lock()
		defer c.Lock.Unlock()
		return c.Arena.Borrow(v, l)
	}
	w, err := c.Arena.Borrow(v, l)
	w.Claim()
	return w, err
}

// Bitcast is v's memory as elements of dtype dt under a shape of the same
// number of bytes, as View makes it; ok is false where only a copy will do: for
// scalars, and where the elements would not be aligned.
func (c *Context) Bitcast(v tensor.Value, dt tensor.DType, dims []int64) (w tensor.Value, ok bool) {
	if c.Lock != nil {
		c.Lock.Lock()
		defer c.Lock.Unlock()
		return c.Arena.Bitcast(v, dt, dims)
	}
	w, ok = c.Arena.Bitcast(v, dt, dims)
	w.Claim()
	return w, ok
}

// Holding returns the variant that holds o, whose value must be h. It fails where the
// session's memory limit is passed. See [tensor.RefCounted].
func (c *Context) Holding(o *tensor.Object, h tensor.RefCounted) (tensor.Value, error) {
	if c.Lock != nil { // the step's driver claims it with the outputs
		c.Lock.Lock()
		defer c.Lock.Unlock()
		return c.Arena.Holding(o, h)
	}
	v, err := c.Arena.Holding(o, h)
	c.Arena.Claim(v)
	return v, err
}

// Pin charges what v takes, which others have made and shared, until the step ends, for
// somebody who keeps it as long. See [tensor.Arena.Pin].
func (c *Context) Pin(v tensor.Value) {
	if c.Lock != nil {
		c.Lock.Lock()
		defer c.Lock.Unlock()
	}
	c.Arena.Pin(v)
}

// Free gives back v, which the kernel got from Alloc or View and put into no
// output.
func (c *Context) Free(v tensor.Value) {
	c.alone.none("memory is given back")
	if c.Lock != nil {
		c.Lock.Lock()
		defer c.Lock.Unlock()
	}
	c.Arena.Reclaim(v)
}

// Share is v, shared, for whoever keeps it until the step ends, or longer, and
// charges nobody for it: it stays charged to the step until then. Of a small
// part of a large tensor it is a copy, so that the rest can go.
func (c *Context) Share(v tensor.Value) (tensor.Value, error) {
	if v.Partial() {
		w, err := c.Alloc(v.DType(), v.Dims())
		if err != nil {
			return w, err
		}
		w.CopyFrom(v)
		v = w
	}
	return v.Share(), nil
}

// UnchargeValue is v, shared and off the step's account: a kernel passes what it gives
// to a resource through it, as the resource charges what it holds. Of a small
// part of a large tensor it is a copy: a resource does not keep what it has not
// charged.
func (c *Context) UnchargeValue(v tensor.Value) tensor.Value {
	switch {
	case v.Shared():
		return v
	case v.Partial():
		return v.Compact()
	}
	if c.Lock != nil {
		c.Lock.Lock()
		defer c.Lock.Unlock()
	}
	c.Arena.UnchargeValue(v)
	return v
}
