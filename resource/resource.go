package resource

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// DefaultContainer is the container of a resource whose node names none.
const DefaultContainer = "localhost"

// Private is the container of resources whose node gives them no name to share. They
// belong to the session of their node, also where sessions share resources.
const Private = "_private"

// Scoped returns the name under which a manager that serves several processes of a cluster
// has a container of one of them, such as "/job:ps/replica:0/task:1". An empty container is
// [DefaultContainer].
func Scoped(process, container string) string {
	if container == "" {
		container = DefaultContainer
	}
	return process + "/" + container
}

// unscoped splits what Scoped joins. It returns a container that belongs to no process of
// a cluster as it is.
func unscoped(name string) (process, container string) {
	if !strings.HasPrefix(name, "/job:") {
		return "", name
	}
	parts := strings.SplitN(name, "/", 5) // "", job, replica, task, container
	if len(parts) < 5 {
		return "", name
	}
	return name[:len(name)-len(parts[4])-1], parts[4]
}

// A Manager maps container and name to a resource of some type. It is safe
// for concurrent use; the zero Manager is empty. A session has one, and every
// step one that dies with it.
type Manager struct {
	// Budget is charged for what the session's resources hold, in all of its
	// managers. It is set before the first resource is made; nil: no limit.
	Budget *tensor.Budget

	mu   sync.RWMutex
	byID map[key]any
	// containers are those in which something was made since they were reset.
	containers map[string]bool
	next       atomic.Int64
	// epoch counts the times that something was forgotten: while it stays,
	// whatever was found is still there.
	epoch atomic.Uint64
	// used is set once something was made since the last Clear: most steps make
	// nothing, and clearing their manager then costs one load.
	used atomic.Bool
}

// A key has the Go type, so that each kind of resource has its own names.
type key struct {
	kind            any // a nil pointer to the type: see kindName
	container, name string
}

// compare orders keys by container, name and type.
func (k key) compare(other key) int {
	return cmp.Or(cmp.Compare(k.container, other.container), cmp.Compare(k.name, other.name),
		cmp.Compare(fmt.Sprintf("%T", k.kind), fmt.Sprintf("%T", other.kind)))
}

func keyOf[T any](container, name string) key {
	if container == "" {
		container = DefaultContainer
	}
	return key{(*T)(nil), container, name}
}

// missing returns the error of a resource that is not there, which in a container where
// nothing was made is that of the container. The manager is not locked.
func (m *Manager) missing(k key) error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	_, container := unscoped(k.container)
	if !m.containers[k.container] {
		return status.Errorf(status.NotFound, "Container %s does not exist. (Could not find resource: %s/%s)", container, container, k.name)
	}
	return status.Errorf(status.NotFound, "Resource %s/%s/%s does not exist.", container, k.name, kindName(k.kind))
}

// kindName returns the name of the type that kind, a nil pointer, points to, for messages.
// A package whose code mentions [reflect.Type], in a field or an inlined call, compiles all
// of its methods again. That is why kinds are no reflect.Type, and fmt looks at it.
//
//go:noinline
func kindName(kind any) string {
	_, name, _ := strings.Cut(fmt.Sprintf("%T", kind), ".")
	return name
}

// A Name is what a resource is known by, among those of its type.
type Name struct{ Container, Name string }

// Assigned returns the names of the variables, by handle or by reference, that have a value.
func (m *Manager) Assigned() map[Name]bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	all := map[Name]bool{}
	for k, r := range m.byID {
		if v, ok := r.(interface{ Initialized() bool }); ok && v.Initialized() {
			all[Name{k.container, k.name}] = true
		}
	}
	return all
}

// NewManager makes an empty manager.
func NewManager() *Manager { return &Manager{} }

// LookupOrCreate finds the resource of type T under that name, or makes it.
// An empty container is [DefaultContainer].
func LookupOrCreate[T any](m *Manager, container, name string, create func() (T, error)) (T, error) {
	k := keyOf[T](container, name)
	m.mu.RLock()
	r, ok := m.byID[k]
	m.mu.RUnlock()
	if ok {
		return r.(T), nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if r, ok := m.byID[k]; ok {
		return r.(T), nil
	}
	made, err := create()
	if err != nil {
		return made, err
	}
	if m.byID == nil {
		m.byID = map[key]any{}
		m.containers = map[string]bool{}
	}
	m.byID[k] = made
	m.containers[k.container] = true
	m.used.Store(true)
	return made, nil
}

// Lookup finds the resource of type T under that name; NOT_FOUND without it.
func Lookup[T any](m *Manager, container, name string) (T, error) {
	k := keyOf[T](container, name)
	m.mu.RLock()
	r, ok := m.byID[k]
	m.mu.RUnlock()
	if !ok {
		var zero T
		return zero, m.missing(k)
	}
	return r.(T), nil
}

// Delete forgets the resource of type T under that name, closing it if it has
// a Close method; NOT_FOUND without it. Who holds it may go on using it.
func Delete[T any](m *Manager, container, name string) error {
	k := keyOf[T](container, name)
	m.mu.Lock()
	r, ok := m.byID[k]
	delete(m.byID, k)
	m.epoch.Add(1)
	m.mu.Unlock()
	if !ok {
		return m.missing(k)
	}
	closeResource(r)
	return nil
}

// DeleteAll forgets the resources of every type under that name and reports
// whether there was one.
func (m *Manager) DeleteAll(container, name string) bool {
	if container == "" {
		container = DefaultContainer
	}
	var gone []any
	m.mu.Lock()
	for k, r := range m.byID {
		if k.container == container && k.name == name {
			gone = append(gone, r)
			delete(m.byID, k)
		}
	}
	m.epoch.Add(1)
	m.mu.Unlock()
	for _, r := range gone {
		closeResource(r)
	}
	return len(gone) > 0
}

// Reset forgets the resources in the named containers, or, if none is named, in the
// default one. Those with a Close method are closed: callers that wait for a queue fail
// with CANCELLED. Steps that hold a resource may go on using it. Of a manager that serves
// several processes it resets the containers of all of them.
func (m *Manager) Reset(containers ...string) { m.ResetIn(nil, containers...) }

// ResetIn is Reset for the processes of a cluster that of accepts; nil accepts all.
func (m *Manager) ResetIn(of func(process string) bool, containers ...string) {
	if len(containers) == 0 {
		containers = []string{DefaultContainer}
	}
	meant := func(name string) bool {
		process, container := unscoped(name)
		return slices.Contains(containers, container) && (of == nil || of(process))
	}
	var gone []any
	m.mu.Lock()
	for k, r := range m.byID {
		if meant(k.container) {
			gone = append(gone, r)
			delete(m.byID, k)
		}
	}
	for c := range m.containers {
		if meant(c) {
			delete(m.containers, c)
		}
	}
	m.epoch.Add(1)
	m.mu.Unlock()
	for _, r := range gone {
		closeResource(r)
	}
}

// NextID counts up from 0: for the names of resources that have none.
func (m *Manager) NextID() int64 { return m.next.Add(1) - 1 }

// Clear forgets all resources, which must no longer be in use: it calls the End method of
// each, or else its Close method.
func (m *Manager) Clear() {
	if !m.used.Load() {
		return
	}
	m.mu.Lock()
	all := m.byID
	m.byID, m.containers = nil, nil
	m.used.Store(false)
	m.epoch.Add(1)
	m.mu.Unlock()
	for _, r := range all {
		if e, ok := r.(interface{ End() }); ok {
			e.End()
		} else {
			closeResource(r)
		}
	}
}

func closeResource(r any) {
	if c, ok := r.(interface{ Close() }); ok {
		c.Close()
	}
}
