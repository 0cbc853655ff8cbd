package resource

import (
	"sync/atomic"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// HandleOf returns the handle in v, a resource tensor. It fails unless there is
// exactly one, whatever a program feeds.
func HandleOf(v *tensor.Value) (*tensor.Handle, error) {
	if v.NumElements() != 1 {
		return nil, status.Invalid("a resource handle must be a scalar, got shape %s", tensor.FormatDims(v.Dims()))
	}
	h := tensor.At0[*tensor.Handle](v)
	if h == nil {
		return nil, status.Invalid("the resource handle is empty")
	}
	return h, nil
}

// Held returns the resource that the handle in v was made with.
func Held[T any](v *tensor.Value) (T, error) {
	h, err := HandleOf(v)
	if err != nil {
		var zero T
		return zero, err
	}
	return held[T](h)
}

func held[T any](h *tensor.Handle) (T, error) {
	r, ok := h.Value.(T)
	if !ok {
		return r, status.Invalid("Trying to access a handle's resource using the wrong type. "+
			"The handle points to a resource (name '%s') of type '%s' but you are trying to access the resource as type '%s'",
			h.Name, h.Type, kindName((*T)(nil)))
	}
	return r, nil
}

// A Cache remembers what a node found last, so that a node that asks for the
// same resource in every step asks the manager once. The zero Cache is empty.
// It is safe for concurrent use, and it never finds what the manager would
// not: a resource that has been forgotten, or one of another session.
type Cache[T any] struct{ last atomic.Pointer[found[T]] }

type found[T any] struct {
	manager  *Manager
	epoch    uint64
	handle   *tensor.Handle // nil if it was found by name
	resource T
}

// Lookup finds the resource that the handle in v names, or holds.
func (c *Cache[T]) Lookup(m *Manager, v *tensor.Value) (T, error) {
	h, err := HandleOf(v)
	if err != nil {
		var zero T
		return zero, err
	}
	epoch := m.epoch.Load()
	if f := c.last.Load(); f != nil && f.handle == h && f.manager == m && f.epoch == epoch {
		return f.resource, nil
	}
	if h.Value != nil {
		return held[T](h)
	}
	r, err := Lookup[T](m, h.Container, h.Name)
	if err == nil {
		c.last.Store(&found[T]{m, epoch, h, r})
	}
	return r, err
}

// Create finds the resource that the handle in v names, or makes it.
func (c *Cache[T]) Create(m *Manager, v *tensor.Value, create func(h *tensor.Handle) (T, error)) (T, error) {
	r, err := c.Lookup(m, v)
	if err == nil || status.CodeOf(err) != status.NotFound {
		return r, err
	}
	h := tensor.At0[*tensor.Handle](v)
	return LookupOrCreate(m, h.Container, h.Name, func() (T, error) { return create(h) })
}

// Named finds or makes the resource of that name. A Cache serves one name, or
// handles, not both.
func (c *Cache[T]) Named(m *Manager, container, name string, create func() (T, error)) (T, error) {
	epoch := m.epoch.Load()
	if f := c.last.Load(); f != nil && f.manager == m && f.epoch == epoch {
		return f.resource, nil
	}
	r, err := LookupOrCreate(m, container, name, create)
	if err == nil {
		c.last.Store(&found[T]{manager: m, epoch: epoch, resource: r})
	}
	return r, err
}
