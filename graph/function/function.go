package function

import (
	"bytes"

	"github.com/troupe-go/troupe/graph/outline"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/wire"
)

// A Function is a function of a graph's library: a signature, and a body
// that is turned into a graph when attributes are given for those that the
// signature declares. It is immutable and belongs to no graph in particular.
type Function struct {
	Name      string
	Signature *registry.OpDef // what a node that calls it by name is checked against
	Def       []byte          // a serialized FunctionDef, not to be written
}

// Unmarshal returns the function that a serialized FunctionDef describes. It checks
// the form of the message and the signature; what is wrong with the body shows
// when it is instantiated.
func Unmarshal(def []byte) (*Function, error) {
	if err := outline.CheckSize(def); err != nil {
		return nil, err
	}
	return read(wire.NewCursor("FunctionDef", def))
}

// read reads a FunctionDef, of which it keeps a copy.
func read(c wire.Cursor) (*Function, error) {
	d, err := readDefinition(c, nil)
	if err != nil {
		return nil, err
	}
	fn := &Function{}
	if fn.Signature, err = registry.UnmarshalOpDef(d.signature.Of(d.Bytes)); err != nil {
		return nil, status.Within(err, "the signature of a function at byte %d", d.signature.Lo)
	}
	if fn.Name = fn.Signature.Name; fn.Name == "" {
		return nil, status.Invalid("the FunctionDef that ends at byte %d has no name", c.End())
	}
	fn.Def = bytes.Clone(c.Rest())
	return fn, nil
}

// Equal reports whether the function has that definition, in which maps may be in
// another order.
func (fn *Function) Equal(def []byte) bool {
	if bytes.Equal(fn.Def, def) {
		return true
	}
	return wire.SameFunctionDef(fn.Def, def)
}

// Resolve returns the attributes that the function declares, each with the given
// value or else its default, sorted.
func (fn *Function) Resolve(given registry.Attrs) (registry.Attrs, error) {
	if len(fn.Signature.Attrs) == 0 {
		return nil, nil
	}
	var attrs registry.Attrs
	for i := range fn.Signature.Attrs {
		a := &fn.Signature.Attrs[i]
		v := given.Find(a.Name)
		switch {
		case v != nil:
			if err := v.CheckKind(a.Kind); err != nil {
				return nil, status.Invalid("%s for attr '%s'", status.From(err).Message, a.Name)
			}
		case a.Default != nil:
			v = a.Default
		default:
			return nil, status.Errorf(status.NotFound, "Attr %s is not found from %v", a.Name, fn.Signature)
		}
		value := *v
		if value.Kind == registry.ListOf {
			value.Kind = a.Kind // an empty list does not know its elements
		}
		attrs = attrs.With(a.Name, value)
	}
	return attrs, nil
}

// Key returns the canonical name of a function with attributes that are settled: what
// has been made of one stands for all calls of the same key.
func Key(fn *Function, attrs registry.Attrs) string {
	return (&registry.Func{Name: fn.Name, Attrs: attrs}).String()
}
