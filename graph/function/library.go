package function

import (
	"maps"
	"strings"
	"sync"

	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/wire"
)

// Field numbers of FunctionDefLibrary and GradientDef.
const (
	LibraryFunction, LibraryGradient = 1, 2

	GradientFunction, GradientGradient = 1, 2
)

// A Library is a set of functions, and says which are the gradients of others.
// Functions are added, never changed or removed, so what has been made of one
// stays right. It is safe for concurrent use.
type Library struct {
	ops  *registry.Registry
	over *Library // asked next; nil but for a library that is yet to be committed to that one

	mu        sync.RWMutex
	functions map[string]*Function
	gradients map[string]string // function to the function that is its gradient
	shared    bool              // the maps are another library's too: who adds copies them first
	bytes     int               // of the definitions of functions
}

// NewLibrary makes an empty library, whose functions may not have the names of
// operations of the registry.
func NewLibrary(ops *registry.Registry) *Library {
	return &Library{ops: ops, functions: map[string]*Function{}, gradients: map[string]string{}}
}

// Clone returns a library to which functions can be added without l's having them. It
// costs nothing until one is added to either.
func (l *Library) Clone() *Library {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shared = true
	return &Library{ops: l.ops, functions: l.functions, gradients: l.gradients, shared: true, bytes: l.bytes}
}

// own makes the maps l's own, to be written. The caller holds the lock.
func (l *Library) own() {
	if l.shared {
		l.functions, l.gradients, l.shared = maps.Clone(l.functions), maps.Clone(l.gradients), false
	}
}

// Sorted returns the functions by name.
func (l *Library) Sorted() []*Function {
	l.mu.RLock()
	defer l.mu.RUnlock()
	list := make([]*Function, 0, len(l.functions))
	for _, f := range l.functions {
		list = append(list, f)
	}
	sorted.By(list, func(a, b *Function) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Len returns the number of functions.
func (l *Library) Len() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return len(l.functions)
}

// Bytes returns how long the definitions of the functions are together.
func (l *Library) Bytes() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.bytes
}

// Gradient returns the gradient of a function; "" if there is none.
func (l *Library) Gradient(name string) string {
	for ; l != nil; l = l.over {
		l.mu.RLock()
		gradient := l.gradients[name]
		l.mu.RUnlock()
		if gradient != "" {
			return gradient
		}
	}
	return ""
}

// Find returns a function by name; nil if there is none.
func (l *Library) Find(name string) *Function {
	for ; l != nil; l = l.over {
		l.mu.RLock()
		f := l.functions[name]
		l.mu.RUnlock()
		if f != nil {
			return f
		}
	}
	return nil
}

// Lookup finds what a node of that operation is checked against, and whether
// it is the call of a function.
func (l *Library) Lookup(op string) (def *registry.OpDef, call bool, err error) {
	if f := l.Find(op); f != nil {
		return f.Signature, true, nil
	}
	def, err = l.ops.Lookup(op)
	return def, false, err
}

// Empty reports whether there is nothing to write.
func (l *Library) Empty() bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return len(l.functions)+len(l.gradients) == 0
}

// Stage returns a library of what is going to be added to l, and of all that l has.
func (l *Library) Stage() *Library {
	staged := NewLibrary(l.ops)
	staged.over = l
	return staged
}

// Commit adds what a staged library holds to the one under it. It fails, and
// adds nothing, if that has meanwhile got another function of the same name. For
// a library that is not staged there is nothing to do.
func (l *Library) Commit() error {
	to := l.over
	if to == nil {
		return nil
	}
	to.mu.Lock()
	defer to.mu.Unlock()
	for name, f := range l.functions {
		if old := to.functions[name]; old != nil && !old.Equal(f.Def) {
			return conflictError(name)
		}
	}
	for name, gradient := range l.gradients {
		if old, ok := to.gradients[name]; ok && old != gradient {
			return gradientError(name, gradient, old)
		}
	}
	if len(l.functions)+len(l.gradients) == 0 {
		return nil
	}
	to.own()
	for name, f := range l.functions {
		if to.functions[name] == nil {
			to.functions[name] = f
			to.bytes += len(f.Def)
		}
	}
	maps.Copy(to.gradients, l.gradients)
	return nil
}

func conflictError(name string) error {
	return status.Invalid("Cannot add function '%s' because a different function with the same name already exists.", name)
}

func gradientError(function, gradient, old string) error {
	return status.Invalid("Cannot assign gradient function '%s' to '%s' because it already has gradient function '%s'", gradient, function, old)
}

// Read adds what a FunctionDefLibrary holds. It may fail when it has added some of
// it: who does not want that stages a library first. The watch may be nil.
func (l *Library) Read(c wire.Cursor, watch *status.Watch) error {
	for c.Next() {
		err := watch.Steps(4)
		if err != nil {
			return err
		}
		switch {
		case c.IsBytes(LibraryFunction):
			var fn *Function
			if fn, err = read(c.Message("FunctionDef")); err == nil {
				err = l.Add(fn)
			}
		case c.IsBytes(LibraryGradient):
			err = l.readGradient(c.Message("GradientDef"))
		}
		if err != nil {
			return err
		}
	}
	return c.Err()
}

// Add adds a function, unless the library has it. It fails with INVALID_ARGUMENT
// if there is an operation or a different function of the name.
func (l *Library) Add(fn *Function) error {
	if old := l.Find(fn.Name); old != nil {
		if old.Equal(fn.Def) {
			return nil
		}
		return conflictError(fn.Name)
	}
	if _, err := l.ops.Lookup(fn.Name); err == nil {
		return status.Invalid("Cannot add function '%s' because an op with the same name already exists.", fn.Name)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.own()
	l.functions[fn.Name] = fn
	l.bytes += len(fn.Def)
	return nil
}

func (l *Library) readGradient(c wire.Cursor) error {
	var function, gradient string
	for c.Next() {
		switch {
		case c.IsBytes(GradientFunction):
			function = string(c.Body())
		case c.IsBytes(GradientGradient):
			gradient = string(c.Body())
		}
	}
	if err := c.Err(); err != nil {
		return err
	}
	return l.AddGradient(function, gradient)
}

// AddGradient reports which function is the gradient of another. It fails with
// INVALID_ARGUMENT if there is another gradient.
func (l *Library) AddGradient(function, gradient string) error {
	if old := l.Gradient(function); old != "" && old != gradient {
		return gradientError(function, gradient, old)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.own()
	l.gradients[function] = gradient
	return nil
}

// Append adds the FunctionDefLibrary to b, without tag, sorted by name.
func (l *Library) Append(b []byte) []byte {
	for _, f := range l.Sorted() {
		b = wire.AppendField(b, LibraryFunction, f.Def)
	}
	for _, name := range l.Differentiated() {
		g := wire.AppendField(nil, GradientFunction, name)
		g = wire.AppendField(g, GradientGradient, l.Gradient(name))
		b = wire.AppendField(b, LibraryGradient, g)
	}
	return b
}

// Differentiated returns the functions that have a gradient, by name.
func (l *Library) Differentiated() []string {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return sorted.Keys(l.gradients)
}
