package graph

import (
	"github.com/troupe-go/troupe/graph/function"
	"github.com/troupe-go/troupe/graph/outline"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/wire"
)

// A Function is a function of a graph's library: a signature, and a body
// that is turned into a graph when attributes are given for those that the
// signature declares ([Graph.Instantiate]). It is immutable and belongs to no
// graph in particular.
type Function = function.Function

// UnmarshalFunction is [function.Unmarshal].
func UnmarshalFunction(def []byte) (*Function, error) { return function.Unmarshal(def) }

// Functions returns the functions by name.
func (g *Graph) Functions() []*Function { return g.lib().Sorted() }

// LibraryBytes returns how long the serialized definitions of all functions are together.
func (g *Graph) LibraryBytes() int { return g.lib().Bytes() }

// Function finds a function by name; nil if there is none.
func (g *Graph) Function(name string) *Function { return g.lib().Find(name) }

// FunctionGradient returns the name of the function that the library gives as the
// gradient of another; "" if it gives none.
func (g *Graph) FunctionGradient(name string) string { return g.lib().Gradient(name) }

// Differentiated returns the names of the functions that the library gives a gradient for.
func (g *Graph) Differentiated() []string { return g.lib().Differentiated() }

// OpDef returns the definition of an operation, or the signature of a function, as nodes of
// the graph see it; nil if there is none.
func (g *Graph) OpDef(op string) *registry.OpDef {
	def, _, err := g.lib().Lookup(op)
	if err != nil {
		return nil
	}
	return def
}

// AddFunction adds a function to the library, and says that another one, unless
// it is nil, is its gradient. Functions that are there already, and equal,
// stay. It fails with INVALID_ARGUMENT, and adds nothing, if there is an
// operation or a different function of the name, or another gradient.
func (g *Graph) AddFunction(f, gradient *Function) error {
	if f == nil {
		return status.Invalid("a function to be added is nil")
	}
	return g.changeLibrary(func(l *library) error {
		if err := l.Add(f); err != nil || gradient == nil {
			return err
		}
		if err := l.Add(gradient); err != nil {
			return err
		}
		return l.AddGradient(f.Name, gradient.Name)
	})
}

// AddLibrary adds the functions of a serialized FunctionDefLibrary. One that is
// there already, and equal, stays; one that differs is INVALID_ARGUMENT, and
// then none is added.
func (g *Graph) AddLibrary(def []byte) error {
	if err := outline.CheckSize(def); err != nil {
		return err
	}
	return g.changeLibrary(func(l *library) error {
		return l.Read(wire.NewCursor("FunctionDefLibrary", def), nil)
	})
}

// Library returns the functions as a serialized FunctionDefLibrary.
func (g *Graph) Library() []byte { return g.lib().Append(nil) }

// Callee returns the function that the node calls, and the attributes it calls it
// with: the one of the operation's own name, or the one that PartitionedCall
// and StatefulPartitionedCall name in attribute f. It is nil if the node is no
// call. The library need not have the function.
func (n *Node) Callee() *registry.Func {
	switch {
	case n.sig.class == ClassCall:
		return &registry.Func{Name: n.sig.op.Name, Attrs: n.sig.attrs}
	case n.sig.op.Name == "PartitionedCall", n.sig.op.Name == "StatefulPartitionedCall":
		if v := n.sig.attrs.Find("f"); v != nil {
			return v.Func
		}
	}
	return nil
}

// Functions returns the functions that running the node may call, with the
// attributes it calls them with: its [Node.Callee], or those that its attributes
// name, such as the branches of an If.
func (n *Node) Functions() []*registry.Func {
	if n.sig.class == ClassCall {
		return []*registry.Func{n.Callee()}
	}
	var list []*registry.Func
	for i := range n.sig.attrs {
		v := &n.sig.attrs[i].Value
		if v.Func != nil {
			list = append(list, v.Func)
		}
		for k := range v.List {
			if f := v.List[k].Func; f != nil {
				list = append(list, f)
			}
		}
	}
	return list
}
