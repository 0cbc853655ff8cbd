package function

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/troupe-go/troupe/graph/outline"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/wire"
)

// In a function's body an attribute may be a placeholder, written $T: it stands
// for the attribute T of the function. So may those of functions that an
// attribute names, at any depth.

// Field numbers of AttrValue, ListValue and NameAttrList.
const (
	attrList, attrPlaceholder, attrFunc = 1, 9, 10

	listFunc = 9

	funcAttr = 2
)

// maxNested is how deep functions are looked for in attributes of functions;
// package registry does not decode deeper ones.
const maxNested = 40

// hasPlaceholder reports whether there is a placeholder among the attributes that
// field entry of a message holds, a map from names to AttrValues. It does not
// look at other values: large tensors cost nothing.
//
// Messages that are malformed are reported by who decodes them.
func hasPlaceholder(c wire.Cursor, entry protowire.Number, depth int) bool {
	for c.Next() {
		if !c.IsBytes(entry) {
			continue
		}
		for e := c.Message(""); e.Next(); {
			if e.IsBytes(outline.EntryValue) && isPlaceholder(e.Message(""), depth) {
				return true
			}
		}
	}
	return false
}

// isPlaceholder reports whether an AttrValue is a placeholder, or a function that
// has one among its attributes, or a list of such functions.
func isPlaceholder(c wire.Cursor, depth int) bool {
	if depth == maxNested {
		return false
	}
	for c.Next() {
		switch {
		case c.IsBytes(attrPlaceholder):
			return true
		case c.IsBytes(attrFunc):
			if hasPlaceholder(c.Message(""), funcAttr, depth+1) {
				return true
			}
		case c.IsBytes(attrList):
			for l := c.Message(""); l.Next(); {
				if l.IsBytes(listFunc) && hasPlaceholder(l.Message(""), funcAttr, depth+1) {
					return true
				}
			}
		}
	}
	return false
}

// A binding is values for placeholders. It bounds how much text they make, as
// a value of a thousand bytes may stand for a placeholder a thousand times.
type binding struct {
	attrs registry.Attrs
	sizes []int // of attrs as messages
	room  int
}

// minRoom is how many bytes values of placeholders may always take in a body.
const minRoom = 1 << 22

func newBinding(attrs registry.Attrs, body int) (*binding, error) {
	b := &binding{attrs: attrs, sizes: make([]int, len(attrs))}
	for i := range attrs {
		msg, err := registry.MarshalAttr(attrs[i].Value)
		if err != nil {
			return nil, status.Within(err, "attr '%s'", attrs[i].Name)
		}
		b.sizes[i] = len(msg)
		b.room += 4 * len(msg)
	}
	b.room += minRoom + 4*body
	return b, nil
}

// bindAll is attrs with values for placeholders.
func (b *binding) bindAll(attrs registry.Attrs) (registry.Attrs, error) {
	bound := make(registry.Attrs, len(attrs))
	for i := range attrs {
		v, err := b.bind(attrs[i].Value)
		if err != nil {
			return nil, status.Within(err, "attr '%s'", attrs[i].Name)
		}
		bound[i] = registry.NamedAttr{Name: attrs[i].Name, Value: v}
	}
	return bound, nil
}

func (b *binding) bind(v registry.AttrValue) (registry.AttrValue, error) {
	if v.Placeholder != "" {
		for i := range b.attrs {
			if b.attrs[i].Name != v.Placeholder {
				continue
			}
			if b.room -= b.sizes[i]; b.room < 0 {
				return v, status.Errorf(status.ResourceExhausted, "the values of the function's attributes take too much memory in its body")
			}
			return b.attrs[i].Value, nil
		}
		return v, status.Invalid("Failed to bind all placeholders in %v: the function has no attr '%s'", v, v.Placeholder)
	}
	if v.Func != nil {
		attrs, err := b.bindAll(v.Func.Attrs)
		if err != nil {
			return v, err
		}
		v.Func = &registry.Func{Name: v.Func.Name, Attrs: attrs}
	}
	if v.Kind.Elem() == registry.KindFunc && v.Kind.IsList() {
		list := make([]registry.AttrValue, len(v.List))
		for i := range v.List {
			var err error
			if list[i], err = b.bind(v.List[i]); err != nil {
				return v, err
			}
		}
		v.List = list
	}
	return v, nil
}
