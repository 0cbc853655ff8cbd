package registry

import (
	"sort"
	"sync"

	"github.com/troupe-go/troupe/status"
)

// A Registry maps names to definitions. It is safe for concurrent use.
type Registry struct {
	mu  sync.RWMutex
	ops map[string]*entry
}

type entry struct {
	once    sync.Once
	builder *Builder
	def     *OpDef
}

// Global holds the operations that the program links.
var Global = &Registry{ops: map[string]*entry{}}

// Define starts the definition of an operation of the global registry. It
// panics if the name is taken.
func Define(name string) *Builder {
	b := &Builder{name: name}
	Global.add(name, &entry{builder: b})
	return b
}

func (r *Registry) add(name string, e *entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.ops[name]; ok {
		panic("registry: operation " + name + " is defined twice")
	}
	r.ops[name] = e
}

// Lookup finds a definition, parsing it on first use. It fails with NOT_FOUND.
func (r *Registry) Lookup(name string) (*OpDef, error) {
	r.mu.RLock()
	e := r.ops[name]
	r.mu.RUnlock()
	if e == nil {
		return nil, status.Errorf(status.NotFound, "Op type not registered '%s' in the program that runs: is the package of its family imported?", name)
	}
	e.once.Do(func() {
		if e.def != nil {
			return
		}
		def, err := e.builder.Build()
		if err != nil {
			panic("registry: " + err.Error())
		}
		e.def, e.builder = def, nil
	})
	return e.def, nil
}

// Names lists the operations in alphabetical order.
func (r *Registry) Names() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	names := make([]string, 0, len(r.ops))
	for n := range r.ops {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}
