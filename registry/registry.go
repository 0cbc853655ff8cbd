package registry

import (
	"sync"

	"github.com/troupe-go/troupe/plain"
	"github.com/troupe-go/troupe/sorted"
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
//
//go:noinline
func Define(name string) *Builder {
	b := &Builder{def: OpDef{Name: name}}
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

// New makes a registry of definitions, such as those of an OpList from a
// file. It fails with INVALID_ARGUMENT on a definition that is not valid, and
// with ALREADY_EXISTS on two of one name.
func New(defs ...*OpDef) (*Registry, error) {
	r := &Registry{ops: make(map[string]*entry, len(defs))}
	for _, d := range defs {
		if err := d.Validate(); err != nil {
			return nil, err
		}
		if _, ok := r.ops[d.Name]; ok {
			return nil, status.Errorf(status.AlreadyExists, "op '%s' is defined twice", d.Name)
		}
		r.ops[d.Name] = &entry{def: d}
	}
	return r, nil
}

// Lookup finds a definition, parsing it on first use. It fails with NOT_FOUND.
func (r *Registry) Lookup(name string) (*OpDef, error) {
	r.mu.RLock()
	e := r.ops[name]
	r.mu.RUnlock()
	if e == nil {
		return nil, status.Errorf(status.NotFound, "Op type not registered '%s' in the program that runs: is the package of its family imported?", plain.Name(name))
	}
	return e.get(), nil
}

// get returns the definition, parsed on first use.
func (e *entry) get() *OpDef {
	e.once.Do(func() {
		if e.def != nil {
			return
		}
		def, err := e.builder.Build()
		if err != nil {
			panic("registry: " + status.From(err).Message)
		}
		e.def, e.builder = def, nil
	})
	return e.def
}

// Names lists the operations in alphabetical order.
func (r *Registry) Names() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return sorted.Keys(r.ops)
}

// Defs returns all definitions in alphabetical order of their names. Internal ones,
// whose names begin with an underscore and which a user's graph may not hold,
// are among them if internal is set.
func (r *Registry) Defs(internal bool) []*OpDef {
	var defs []*OpDef
	for _, name := range r.Names() {
		if internal || name[0] != '_' {
			r.mu.RLock()
			e := r.ops[name]
			r.mu.RUnlock()
			defs = append(defs, e.get())
		}
	}
	return defs
}
