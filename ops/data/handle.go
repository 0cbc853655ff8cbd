package data

import (
	"fmt"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// newHandle returns a token for a resource.
func newHandle(device, container, name, kind string, r any) tensor.Value {
	return tensor.Scalar(&tensor.Handle{Device: device, Container: container, Name: name, Type: kind, Value: r})
}

// An oldHandle is what the reference of an older operation points to: as a
// tensor it is the container and the name.
type oldHandle struct {
	container, name string
	held            any
}

func newOldHandle(container, name string, r any) tensor.Value {
	return tensor.RefTo(tensor.String, &oldHandle{container, name, r})
}

// Read returns the two strings.
func (h *oldHandle) Read() (tensor.Value, bool) {
	t, err := tensor.FromSlice([]string{h.container, h.name}, 2)
	return tensor.ValueOf(t), err == nil
}

// A label is where the resource of a node that makes one is found.
type label struct {
	container, name string
	private         bool // name is the node's, which shares it with no other
}

func labelOf(c *kernel.Construction) label {
	container, name := c.Label()
	return label{container, name, container == resource.Private}
}

// manager has the resource: the session's own, or one that sessions may share.
func (l label) manager(s *kernel.Step) *resource.Manager {
	return s.In(l.container)
}

// words returns the name in messages, new for each resource that has none to share.
func (l label) words(m *resource.Manager) string {
	if l.private {
		return fmt.Sprintf("_%d_%s", m.NextID(), l.name)
	}
	return l.name
}

// queueOf is held of a queue, which loops ask for in every iteration.
func queueOf(v *tensor.Value) (*resource.Queue, error) {
	if v.DType() == tensor.Resource && v.NumElements() == 1 {
		if h := tensor.At0[*tensor.Handle](v); h != nil {
			if q, ok := h.Value.(*resource.Queue); ok {
				return q, nil
			}
		}
	}
	return held[*resource.Queue](v)
}

// held returns the resource that a handle of either form carries.
func held[T any](v *tensor.Value) (T, error) {
	if !v.IsRef() {
		return resource.Held[T](v)
	}
	if h, ok := v.Cell().(*oldHandle); ok {
		if r, ok := h.held.(T); ok {
			return r, nil
		}
	}
	var r T
	return r, status.Invalid("the reference is not one to what the operation wants")
}

// An asyncFunc is a kernel that may wait.
type asyncFunc func(ctx *kernel.Context, in, out []tensor.Value, done func(error))

// Start calls f.
func (f asyncFunc) Start(ctx *kernel.Context, in, out []tensor.Value, done func(error)) {
	f(ctx, in, out, done)
}

// Run waits for what Start starts.
func (f asyncFunc) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	result := make(chan error, 1)
	f(ctx, in, out, func(err error) { result <- err })
	return <-result
}
