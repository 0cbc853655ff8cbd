package graph

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/wire"
)

// Field numbers of a function library.
const (
	libraryFunction, libraryGradient = 1, 2

	gradientFunction, gradientGradient = 1, 2
)

// A library is the functions of a graph, which the bodies of these functions
// share: a body of ten nodes has ten nodes, however many functions there are.
// Functions are added, never changed or removed, so what has been made of one
// stays right. It is safe for concurrent use.
type library struct {
	ops  *registry.Registry
	over *library // asked next; nil but for a library that is yet to be committed to that one

	mu        sync.RWMutex
	functions map[string]*Function
	gradients map[string]string // function to the function that is its gradient
	bodies    map[string]*Body  // by the canonical name of what was instantiated
	spent     int               // of the allowance for inference; see call
	granted   int
}

func newLibrary(ops *registry.Registry) *library {
	return &library{
		ops:       ops,
		functions: map[string]*Function{},
		gradients: map[string]string{},
		bodies:    map[string]*Body{},
	}
}

// clone is a library to which functions can be added without l's having them.
func (l *library) clone() *library {
	l.mu.RLock()
	defer l.mu.RUnlock()
	c := newLibrary(l.ops)
	maps.Copy(c.functions, l.functions)
	maps.Copy(c.gradients, l.gradients)
	return c
}

// Functions is the functions by name.
func (g *Graph) Functions() []*Function { return g.lib().sorted() }

// lib is the library for those who do not hold the lock.
func (g *Graph) lib() *library {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.library
}

func (l *library) sorted() []*Function {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return slices.SortedFunc(maps.Values(l.functions), func(a, b *Function) int { return strings.Compare(a.Name, b.Name) })
}

// FunctionGradient is the name of the function that the library gives as the
// gradient of another; "" if it gives none.
func (g *Graph) FunctionGradient(name string) string { return g.lib().gradient(name) }

// gradient is the gradient of a function; "" if there is none.
func (l *library) gradient(name string) string {
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

// find is a function by name; nil if there is none.
func (l *library) find(name string) *Function {
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

// lookup finds what a node of that operation is checked against, and whether
// it is the call of a function.
func (l *library) lookup(op string) (def *registry.OpDef, call bool, err error) {
	if f := l.find(op); f != nil {
		return f.Signature, true, nil
	}
	def, err = l.ops.Lookup(op)
	return def, false, err
}

// empty says whether there is nothing to write.
func (l *library) empty() bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return len(l.functions)+len(l.gradients) == 0
}

// AddLibrary adds the functions of a serialized FunctionDefLibrary. One that is
// there already, and equal, stays; one that differs is INVALID_ARGUMENT, and
// then none is added.
func (g *Graph) AddLibrary(def []byte) error {
	if err := checkSize(def); err != nil {
		return err
	}
	return g.changeLibrary(func(l *library) error {
		return l.read(wire.NewCursor("FunctionDefLibrary", def))
	})
}

// changeLibrary adds what change adds, or nothing if it fails.
func (g *Graph) changeLibrary(change func(*library) error) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	staged := g.library.stage()
	if err := change(staged); err != nil {
		return err
	}
	if err := staged.commit(); err != nil {
		return err
	}
	g.library.requireReader(g)
	return nil
}

// requireReader makes sure that readers of the graph know functions if there are
// some.
func (l *library) requireReader(g *Graph) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if len(l.functions) > 0 {
		g.versions.MinConsumer = max(g.versions.MinConsumer, functionConsumer)
	}
}

// Library is the functions as a serialized FunctionDefLibrary.
func (g *Graph) Library() []byte { return g.lib().append(nil) }

// stage is a library of what is going to be added to l, and of all that l has.
func (l *library) stage() *library {
	staged := newLibrary(l.ops)
	staged.over = l
	return staged
}

// commit adds what a staged library holds to the one under it. It fails, and
// adds nothing, if that has meanwhile got another function of the same name.
func (l *library) commit() error {
	to := l.over
	to.mu.Lock()
	defer to.mu.Unlock()
	for name, f := range l.functions {
		if old := to.functions[name]; old != nil && !old.equal(f.Def) {
			return conflictError(name)
		}
	}
	for name, gradient := range l.gradients {
		if old, ok := to.gradients[name]; ok && old != gradient {
			return gradientError(name, gradient, old)
		}
	}
	for name, f := range l.functions {
		if to.functions[name] == nil {
			to.functions[name] = f
		}
	}
	maps.Copy(to.gradients, l.gradients)
	for key, body := range l.bodies {
		if to.bodies[key] == nil {
			body.Graph.library = to
			to.bodies[key] = body
		}
	}
	to.spent, to.granted = to.spent+l.spent, to.granted+l.granted
	return nil
}

func conflictError(name string) error {
	return status.Invalid("Cannot add function '%s' because a different function with the same name already exists.", name)
}

func gradientError(function, gradient, old string) error {
	return status.Invalid("Cannot assign gradient function '%s' to '%s' because it already has gradient function '%s'", gradient, function, old)
}

// stageLibrary reads the functions of a GraphDef, of which the graph's nodes
// are to know while it is imported.
func (im *importer) stageLibrary() error {
	im.lib = im.g.library.stage()
	for _, sp := range im.scan.libraries {
		if err := im.lib.read(sp.message("FunctionDefLibrary", im.scan.def)); err != nil {
			return err
		}
	}
	im.g.library = im.lib
	return nil
}

// read adds what a FunctionDefLibrary holds to a staged library.
func (l *library) read(c wire.Cursor) error {
	for c.Next() {
		var err error
		switch {
		case c.IsBytes(libraryFunction):
			var fn *Function
			if fn, err = readFunction(c.Message("FunctionDef")); err == nil {
				err = l.add(fn)
			}
		case c.IsBytes(libraryGradient):
			err = l.readGradient(c.Message("GradientDef"))
		}
		if err != nil {
			return err
		}
	}
	return c.Err()
}

// add adds a function to a staged library, unless it has it.
func (l *library) add(fn *Function) error {
	if old := l.find(fn.Name); old != nil {
		if old.equal(fn.Def) {
			return nil
		}
		return conflictError(fn.Name)
	}
	if _, err := l.ops.Lookup(fn.Name); err == nil {
		return status.Invalid("Cannot add function '%s' because an op with the same name already exists.", fn.Name)
	}
	l.functions[fn.Name] = fn
	return nil
}

// equal says whether the function has that definition, in which maps may be in
// another order.
func (f *Function) equal(def []byte) bool {
	if bytes.Equal(f.Def, def) {
		return true
	}
	var x, y wire.FunctionDef
	return proto.Unmarshal(f.Def, &x) == nil && proto.Unmarshal(def, &y) == nil && proto.Equal(&x, &y)
}

func (l *library) readGradient(c wire.Cursor) error {
	var function, gradient string
	for c.Next() {
		switch {
		case c.IsBytes(gradientFunction):
			function = string(c.Body())
		case c.IsBytes(gradientGradient):
			gradient = string(c.Body())
		}
	}
	if err := c.Err(); err != nil {
		return err
	}
	return l.addGradient(function, gradient)
}

// addGradient says in a staged library which function is the gradient of another.
func (l *library) addGradient(function, gradient string) error {
	if old := l.gradient(function); old != "" && old != gradient {
		return gradientError(function, gradient, old)
	}
	l.gradients[function] = gradient
	return nil
}

// append adds the FunctionDefLibrary to b, without tag, sorted by name.
func (l *library) append(b []byte) []byte {
	for _, f := range l.sorted() {
		b = protowire.AppendTag(b, libraryFunction, protowire.BytesType)
		b = protowire.AppendBytes(b, f.Def)
	}
	for _, name := range l.differentiated() {
		var g []byte
		g = protowire.AppendTag(g, gradientFunction, protowire.BytesType)
		g = protowire.AppendString(g, name)
		g = protowire.AppendTag(g, gradientGradient, protowire.BytesType)
		g = protowire.AppendString(g, l.gradient(name))
		b = protowire.AppendTag(b, libraryGradient, protowire.BytesType)
		b = protowire.AppendBytes(b, g)
	}
	return b
}

// differentiated is the functions that have a gradient, by name.
func (l *library) differentiated() []string {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return slices.Sorted(maps.Keys(l.gradients))
}
