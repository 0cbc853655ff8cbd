package resource

import (
	"sync"

	"github.com/troupe-go/troupe/tensor"
)

// A Variable holds one tensor, and is what a reference edge points to. The
// tensor itself is immutable: writing replaces it, so that a reader keeps what
// it read. The zero Variable of a dtype is uninitialized.
type Variable struct {
	Name string       // the node's or the resource's, for messages
	Type tensor.DType // element type, never a reference type

	mu    sync.RWMutex
	value tensor.Value
}

// Read is the current value; ok is false if there is none yet.
func (v *Variable) Read() (val tensor.Value, ok bool) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.value, !v.value.IsZero()
}

// Assign replaces the value; the zero Value makes the variable uninitialized.
func (v *Variable) Assign(val tensor.Value) {
	val.Share()
	v.mu.Lock()
	v.value = val
	v.mu.Unlock()
}

// Update replaces the value by what f makes of the current one (zero if there
// is none), atomically. On an error the value stays.
func (v *Variable) Update(f func(old tensor.Value) (tensor.Value, error)) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	val, err := f(v.value)
	if err != nil {
		return err
	}
	v.value = val.Share()
	return nil
}
