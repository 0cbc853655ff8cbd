package resource

import (
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A Target finds the variable that an input of a node means, a reference or a
// resource handle, so that one kernel serves both kinds of variable. The zero
// Target is ready; it is safe for concurrent use.
type Target struct{ cache Cache[*Variable] }

// Find finds the variable that v means. A handle of a variable that was never
// assigned, or is deleted, is NOT_FOUND.
func (t *Target) Find(m *Manager, v *tensor.Value) (*Variable, error) {
	if !v.IsRef() {
		return t.cache.Lookup(m, v)
	}
	variable, ok := v.Cell().(*Variable)
	if !ok {
		return nil, status.Invalid("the reference is not one to a variable")
	}
	return variable, nil
}

// Create is [Target.Find], but makes the variable that a handle means if there
// is none.
func (t *Target) Create(m *Manager, v *tensor.Value, dt tensor.DType) (*Variable, error) {
	if v.IsRef() {
		return t.Find(m, v)
	}
	return t.cache.Create(m, v, func(h *tensor.Handle) (*Variable, error) { return NewVariable(m, h.Name, dt), nil })
}
