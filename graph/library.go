package graph

import (
	"bytes"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/wire"
)

// Field numbers of a function library.
const (
	libraryFunction, libraryGradient = 1, 2

	functionSignature = 1

	gradientFunction, gradientGradient = 1, 2
)

// A Function is a function of a graph's library. It is immutable.
type Function struct {
	Name      string
	Signature *registry.OpDef // what a node that calls it by name is checked against
	Def       []byte          // a serialized FunctionDef, not to be written
}

// A library is the functions of a graph.
type library struct {
	functions map[string]*Function
	gradients map[string]string // function to the function that is its gradient
}

// Function finds a function by name; nil if there is none.
func (g *Graph) Function(name string) *Function {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.library.functions[name]
}

// Functions is the functions by name.
func (g *Graph) Functions() []*Function {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.library.sorted()
}

func (l *library) sorted() []*Function {
	list := make([]*Function, 0, len(l.functions))
	for _, f := range l.functions {
		list = append(list, f)
	}
	slices.SortFunc(list, func(a, b *Function) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// FunctionGradient is the name of the function that the library gives as the
// gradient of another; "" if it gives none.
func (g *Graph) FunctionGradient(name string) string {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.library.gradients[name]
}

// AddLibrary adds the functions of a serialized FunctionDefLibrary. One that is
// there already, and equal, stays; one that differs is INVALID_ARGUMENT, and
// then none is added.
func (g *Graph) AddLibrary(def []byte) error {
	if err := checkSize(def); err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	change := &libraryChange{g: g}
	if err := change.read(fields{buf: def, msg: "FunctionDefLibrary", end: int32(len(def))}); err != nil {
		return err
	}
	change.commit()
	return nil
}

// Library is the functions as a serialized FunctionDefLibrary.
func (g *Graph) Library() []byte {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.library.append(nil)
}

// A libraryChange is what is going to be added to a graph's library.
type libraryChange struct {
	g         *Graph
	functions map[string]*Function
	gradients map[string]string
}

func (im *importer) stageLibrary() error {
	im.lib = &libraryChange{g: im.g}
	for _, sp := range im.scan.libraries {
		f := fields{buf: im.scan.def, msg: "FunctionDefLibrary", pos: sp.lo, end: sp.hi}
		if err := im.lib.read(f); err != nil {
			return err
		}
	}
	return nil
}

func (c *libraryChange) read(f fields) error {
	for {
		more, err := f.next()
		if err != nil || !more {
			return err
		}
		switch {
		case f.is(libraryFunction, protowire.BytesType):
			err = c.readFunction(f.sub("FunctionDef"))
		case f.is(libraryGradient, protowire.BytesType):
			err = c.readGradient(f.sub("GradientDef"))
		}
		if err != nil {
			return err
		}
	}
}

func (c *libraryChange) readFunction(f fields) error {
	def := f.buf[f.pos:f.end]
	fn := &Function{}
	for {
		more, err := f.next()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if f.is(functionSignature, protowire.BytesType) {
			if fn.Signature, err = registry.UnmarshalOpDef(f.body.of(f.buf)); err != nil {
				return within(err, "the signature of a function at byte %d", f.body.lo)
			}
			fn.Name = fn.Signature.Name
		}
	}
	if fn.Name == "" {
		return status.Invalid("the FunctionDef that ends at byte %d has no name", f.end)
	}
	if old := c.find(fn.Name); old != nil {
		if bytes.Equal(old.Def, def) || sameFunction(old.Def, def) {
			return nil
		}
		return status.Invalid("Cannot add function '%s' because a different function with the same name already exists.", fn.Name)
	}
	if _, err := c.g.ops.Lookup(fn.Name); err == nil {
		return status.Invalid("Cannot add function '%s' because an op with the same name already exists.", fn.Name)
	}
	fn.Def = bytes.Clone(def)
	if c.functions == nil {
		c.functions = map[string]*Function{}
	}
	c.functions[fn.Name] = fn
	return nil
}

// sameFunction compares two FunctionDefs whose maps may be in another order.
func sameFunction(a, b []byte) bool {
	var x, y wire.FunctionDef
	return proto.Unmarshal(a, &x) == nil && proto.Unmarshal(b, &y) == nil && proto.Equal(&x, &y)
}

func (c *libraryChange) readGradient(f fields) error {
	var function, gradient string
	for {
		more, err := f.next()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		switch {
		case f.is(gradientFunction, protowire.BytesType):
			function = string(f.body.of(f.buf))
		case f.is(gradientGradient, protowire.BytesType):
			gradient = string(f.body.of(f.buf))
		}
	}
	old, ok := c.gradients[function]
	if !ok {
		old, ok = c.g.library.gradients[function]
	}
	if ok && old != gradient {
		return status.Invalid("Cannot assign gradient function '%s' to '%s' because it already has gradient function '%s'", gradient, function, old)
	}
	if c.gradients == nil {
		c.gradients = map[string]string{}
	}
	c.gradients[function] = gradient
	return nil
}

// find is a function of the library to be.
func (c *libraryChange) find(name string) *Function {
	if f := c.functions[name]; f != nil {
		return f
	}
	return c.g.library.functions[name]
}

// lookup finds what a node of that operation is checked against, and whether
// it is the call of a function.
func (c *libraryChange) lookup(op string) (def *registry.OpDef, call bool, err error) {
	if f := c.find(op); f != nil {
		return f.Signature, true, nil
	}
	def, err = c.g.ops.Lookup(op)
	return def, false, err
}

// commit makes the functions part of the graph, which then needs a reader that
// knows functions.
func (c *libraryChange) commit() {
	l := &c.g.library
	if l.functions == nil {
		l.functions = map[string]*Function{}
		l.gradients = map[string]string{}
	}
	for name, f := range c.functions {
		l.functions[name] = f
	}
	for f, gradient := range c.gradients {
		l.gradients[f] = gradient
	}
	if len(l.functions) > 0 {
		c.g.versions.MinConsumer = max(c.g.versions.MinConsumer, functionConsumer)
	}
}

// append adds the FunctionDefLibrary to b, without tag, sorted by name.
func (l *library) append(b []byte) []byte {
	for _, f := range l.sorted() {
		b = protowire.AppendTag(b, libraryFunction, protowire.BytesType)
		b = protowire.AppendBytes(b, f.Def)
	}
	names := make([]string, 0, len(l.gradients))
	for name := range l.gradients {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		var g []byte
		g = protowire.AppendTag(g, gradientFunction, protowire.BytesType)
		g = protowire.AppendString(g, name)
		g = protowire.AppendTag(g, gradientGradient, protowire.BytesType)
		g = protowire.AppendString(g, l.gradients[name])
		b = protowire.AppendTag(b, libraryGradient, protowire.BytesType)
		b = protowire.AppendBytes(b, g)
	}
	return b
}
