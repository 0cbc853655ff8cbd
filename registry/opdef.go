package registry

import "github.com/troupe-go/troupe/tensor"

// An OpDef is the definition of an operation. It is immutable once looked up.
type OpDef struct {
	Name    string
	Inputs  []ArgDef
	Outputs []ArgDef
	Attrs   []AttrDef
	// ControlOutputs are names of control outputs; only functions have them.
	ControlOutputs []string

	Summary     string // one line
	Description string

	Commutative              bool // op(a, b) == op(b, a)
	Aggregate                bool // any number of inputs of one type, combined in any order
	Stateful                 bool // not a function of its inputs; never merged or folded
	AllowsUninitializedInput bool // a reference input may be uninitialized
	DistributedCommunication bool

	Traits Traits // not serialized

	Deprecation *Deprecation // nil if it is not deprecated
}

// A Deprecation says from which GraphDef version on an op must not be used.
type Deprecation struct {
	Version     int
	Explanation string
}

// An ArgDef is one input or output. Exactly one of Type, TypeAttr and
// TypeListAttr is set; NumberAttr may go with Type or TypeAttr and makes the
// argument a list of that many tensors of one type.
type ArgDef struct {
	Name         string
	Description  string
	Type         tensor.DType // a fixed type, never a reference type
	TypeAttr     string       // the attr that holds the type
	NumberAttr   string       // the attr that holds the list's length
	TypeListAttr string       // the attr that holds the list of types
	IsRef        bool
	Access       Access // of a resource or a reference; not serialized
}

// An AttrKind is the type of an attribute.
type AttrKind uint8

// The kinds of attributes. A list kind is its element's kind plus [ListOf].
const (
	KindNone AttrKind = iota
	KindString
	KindInt
	KindFloat
	KindBool
	KindType
	KindShape
	KindTensor
	KindFunc

	ListOf AttrKind = 0x10
)

var kindNames = [...]string{"", "string", "int", "float", "bool", "type", "shape", "tensor", "func"}

// IsList reports whether k is a list kind.
func (k AttrKind) IsList() bool { return k&ListOf != 0 }

// Elem returns the kind of a list's elements.
func (k AttrKind) Elem() AttrKind { return k &^ ListOf }

// String returns the kind as definitions write it: "int", "list(type)".
func (k AttrKind) String() string {
	if k.IsList() {
		return "list(" + kindNames[k.Elem()] + ")"
	}
	return kindNames[k]
}

// An AttrDef is one attribute of an operation.
type AttrDef struct {
	Name        string
	Description string
	Kind        AttrKind
	Default     *AttrValue // nil if the attribute must be given
	// Allowed values: of a type or list(type) attr (Types), or of a string or
	// list(string) attr (Strings). Empty: all.
	AllowedTypes   []tensor.DType
	AllowedStrings []string
	// HasMinimum, Minimum: the least value of an int attr, or the least length of a list.
	HasMinimum bool
	Minimum    int64
}

// Attr finds an attribute by name; nil if there is none.
func (d *OpDef) Attr(name string) *AttrDef {
	for i := range d.Attrs {
		if d.Attrs[i].Name == name {
			return &d.Attrs[i]
		}
	}
	return nil
}
