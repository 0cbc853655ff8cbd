// Package resource holds what lives beside the graph: variables, queues,
// TensorArrays and stacks, found by container and name.
package resource

import (
	"fmt"
	"sync"

	"github.com/troupe-go/troupe/status"
)

// A Manager maps container and name to a resource of some type. It is safe
// for concurrent use. A session has one, and every step one that dies with it.
type Manager struct {
	mu   sync.Mutex
	byID map[key]any
	next int64
}

type key struct {
	kind            string // the Go type, so that kinds have name spaces of their own
	container, name string
}

// NewManager makes an empty manager.
func NewManager() *Manager { return &Manager{} }

// LookupOrCreate finds the resource of type T under that name, or makes it.
func LookupOrCreate[T any](m *Manager, container, name string, create func() (T, error)) (T, error) {
	var zero T
	k := key{fmt.Sprintf("%T", zero), container, name}
	m.mu.Lock()
	defer m.mu.Unlock()
	if r, ok := m.byID[k]; ok {
		return r.(T), nil
	}
	r, err := create()
	if err != nil {
		return zero, err
	}
	if m.byID == nil {
		m.byID = map[key]any{}
	}
	m.byID[k] = r
	return r, nil
}

// Lookup finds the resource of type T under that name; NOT_FOUND without it.
func Lookup[T any](m *Manager, container, name string) (T, error) {
	var zero T
	m.mu.Lock()
	defer m.mu.Unlock()
	if r, ok := m.byID[key{fmt.Sprintf("%T", zero), container, name}]; ok {
		return r.(T), nil
	}
	return zero, status.Errorf(status.NotFound, "Resource %s/%s/%T does not exist.", container, name, zero)
}

// Delete forgets the resource of type T under that name; NOT_FOUND without it.
func Delete[T any](m *Manager, container, name string) error {
	var zero T
	m.mu.Lock()
	defer m.mu.Unlock()
	k := key{fmt.Sprintf("%T", zero), container, name}
	if _, ok := m.byID[k]; !ok {
		return status.Errorf(status.NotFound, "Resource %s/%s/%T does not exist.", container, name, zero)
	}
	delete(m.byID, k)
	return nil
}

// NextID counts up from 0: for the names of resources that have none.
func (m *Manager) NextID() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.next++
	return m.next - 1
}

// Clear forgets everything, closing what has a Close method.
func (m *Manager) Clear() {
	m.mu.Lock()
	all := m.byID
	m.byID = nil
	m.mu.Unlock()
	for _, r := range all {
		if c, ok := r.(interface{ Close() }); ok {
			c.Close()
		}
	}
}
