package resource

import (
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/tensor"
)

// Variables calls f with the variables, by handle or by reference, that have a value, in
// the order of their containers and names.
func (m *Manager) Variables(f func(name Name, value tensor.Value)) {
	type variable interface {
		Read() (tensor.Value, bool)
	}
	type named struct {
		key
		variable
	}
	var all []named
	m.mu.RLock()
	for k, r := range m.byID {
		if v, ok := r.(variable); ok {
			all = append(all, named{k, v})
		}
	}
	m.mu.RUnlock()
	sorted.By(all, func(a, b named) int { return a.compare(b.key) })
	for _, v := range all {
		if value, ok := v.Read(); ok {
			f(Name{v.container, v.name}, value)
		}
	}
}
