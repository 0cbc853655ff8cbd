package kernel

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/tensor"
)

// A table holds registrations by operation. It is safe for concurrent use.
type table struct {
	mu  sync.RWMutex
	ops map[string]*entry
}

// global holds the kernels that the program links.
var global = &table{ops: map[string]*entry{}}

// An entry is the kernels of one operation. It does not change: a registration
// replaces it.
type entry struct {
	kernels []candidate
	checked atomic.Pointer[registry.OpDef] // the definition that kernels agree with
}

// A candidate is a registration in the form in which it is compared with nodes.
type candidate struct {
	*Registration
	constraints []constraint // by name
}

// A constraint is the values that a type attribute may have.
type constraint struct {
	attr  string
	types typeSet
}

// A typeSet is a set of dtypes that are no reference types.
type typeSet uint64

func setOf(types []tensor.DType) typeSet {
	var s typeSet
	for _, t := range types {
		s |= 1 << t
	}
	return s
}

// has reports whether t is in the set; it may be any number at all.
func (s typeSet) has(t tensor.DType) bool { return t < 64 && s&(1<<t) != 0 }

func (t *table) add(r *Registration) {
	c := candidate{Registration: r}
	for _, attr := range sorted.Keys(r.Types) {
		c.constraints = append(c.constraints, constraint{attr, setOf(r.Types[attr])})
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	e := &entry{}
	if old := t.ops[r.Op]; old != nil {
		e.kernels = old.kernels
	}
	e.kernels = append(e.kernels, c)
	t.ops[r.Op] = e
}

// entry returns the kernels of an operation, nil if it has none.
func (t *table) entry(op string) *entry {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.ops[op]
}

// Registered lists the kernels of an operation in the order of registration.
func Registered(op string) []*Registration {
	e := global.entry(op)
	if e == nil {
		return nil
	}
	list := make([]*Registration, len(e.kernels))
	for i := range e.kernels {
		list[i] = e.kernels[i].Registration
	}
	return list
}

// Waits reports whether a kernel of an operation is registered as one that waits.
func Waits(op string) bool {
	e := global.entry(op)
	return e != nil && slices.ContainsFunc(e.kernels, func(c candidate) bool { return c.Waits })
}

// Ops lists the operations that have kernels, in alphabetical order.
func Ops() []string {
	global.mu.RLock()
	defer global.mu.RUnlock()
	return sorted.Keys(global.ops)
}

// fits reports whether the kernel takes a node of these attributes.
func (c *candidate) fits(attrs registry.Attrs) bool {
	for _, want := range c.constraints {
		v := attrs.Find(want.attr)
		if v == nil {
			return false
		}
		if !v.Kind.IsList() {
			if !want.types.has(v.Type) {
				return false
			}
			continue
		}
		for i := range v.List {
			if !want.types.has(v.List[i].Type) {
				return false
			}
		}
	}
	return true
}
