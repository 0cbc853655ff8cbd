package graph

import (
	"bytes"

	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/wire"
)

// A Function is a function of a graph's library: a signature, and a body
// that is turned into a graph when attributes are given for those that the
// signature declares ([Graph.Instantiate]). It is immutable and belongs to no
// graph in particular.
type Function struct {
	Name      string
	Signature *registry.OpDef // what a node that calls it by name is checked against
	Def       []byte          // a serialized FunctionDef, not to be written
}

// UnmarshalFunction is the function that a serialized FunctionDef describes. It
// checks the form of the message and the signature; what is wrong with the
// body shows when it is instantiated.
func UnmarshalFunction(def []byte) (*Function, error) {
	if err := checkSize(def); err != nil {
		return nil, err
	}
	return readFunction(wire.NewCursor("FunctionDef", def))
}

// readFunction reads a FunctionDef, of which it keeps a copy.
func readFunction(c wire.Cursor) (*Function, error) {
	d, err := scanFunctionDef(c)
	if err != nil {
		return nil, err
	}
	fn := &Function{}
	if fn.Signature, err = registry.UnmarshalOpDef(d.signature.of(d.def)); err != nil {
		return nil, within(err, "the signature of a function at byte %d", d.signature.lo)
	}
	if fn.Name = fn.Signature.Name; fn.Name == "" {
		return nil, status.Invalid("the FunctionDef that ends at byte %d has no name", c.End())
	}
	fn.Def = bytes.Clone(c.Rest())
	return fn, nil
}

// Function finds a function by name; nil if there is none.
func (g *Graph) Function(name string) *Function { return g.lib().find(name) }

// AddFunction adds a function to the library, and says that another one, unless
// it is nil, is its gradient. Functions that are there already, and equal,
// stay. It fails with INVALID_ARGUMENT, and adds nothing, if there is an
// operation or a different function of the name, or another gradient.
func (g *Graph) AddFunction(f, gradient *Function) error {
	if f == nil {
		return status.Invalid("a function to be added is nil")
	}
	return g.changeLibrary(func(l *library) error {
		if err := l.add(f); err != nil || gradient == nil {
			return err
		}
		if err := l.add(gradient); err != nil {
			return err
		}
		return l.addGradient(f.Name, gradient.Name)
	})
}

// Callee is the function that the node calls, and the attributes it calls it
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

// Functions is the functions that running the node may call, with the
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
