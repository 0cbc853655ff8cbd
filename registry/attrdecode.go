package registry

import (
	"math"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/tensorproto"
	"github.com/troupe-go/troupe/wire"
)

// Fields of AttrValue. Those of a ListValue are the same for the kinds it can
// hold, save func.
const (
	attrList        = protowire.Number(1)
	attrString      = protowire.Number(2)
	attrInt         = protowire.Number(3)
	attrFloat       = protowire.Number(4)
	attrBool        = protowire.Number(5)
	attrType        = protowire.Number(6)
	attrShape       = protowire.Number(7)
	attrTensor      = protowire.Number(8)
	attrPlaceholder = protowire.Number(9)
	attrFunc        = protowire.Number(10)
	listFunc        = protowire.Number(9)
)

// Fields of NameAttrList, of map entries and of TensorShapeProto.
const (
	funcName, funcAttr      = protowire.Number(1), protowire.Number(2)
	entryKey, entryValue    = protowire.Number(1), protowire.Number(2)
	shapeDim, shapeUnknown  = protowire.Number(2), protowire.Number(3)
	dimSize                 = protowire.Number(1)
	maxNesting, maxListAttr = 32, 1 << 20
)

// UnmarshalAttr decodes a serialized AttrValue. A message without a value is
// the zero AttrValue, a list without elements one whose Kind is [ListOf] alone.
// Nothing of b is retained.
//
// It fails with INVALID_ARGUMENT and the offset of the byte at fault on a
// message that is not well-formed, an unknown data type, a shape that no
// tensor can have, a list of mixed kinds or of more than a million elements,
// and functions nested more than 32 deep; and as [tensorproto.Unmarshal] does
// on a tensor.
func UnmarshalAttr(b []byte) (AttrValue, error) { return new(AttrDecoder).Attr(b) }

// UnmarshalAttrs decodes the entries of a map of attributes, each the body of
// a field of the map. Of several entries of one name the last holds. A value
// that is well-formed but means nothing here is no error: it has a
// [Flaw], and only attributes that no definition knows can have it.
func UnmarshalAttrs(entries ...[]byte) (Attrs, error) { return new(AttrDecoder).Attrs(entries...) }

// An AttrDecoder decodes any number of attributes within one allowance of memory:
// a tensor of a few bytes may repeat a value any number of times. The zero
// AttrDecoder allows [DefaultRoom].
type AttrDecoder struct {
	// Room is how many bytes more than messages of their size hold all tensors
	// together may take; 0 is DefaultRoom.
	Room int64
	// Watch ends the decoding with its context; nil: nothing ends it.
	Watch *status.Watch

	used  int64
	depth int               // of nested functions
	words map[string]string // short strings seen before, which are kept once
}

// DefaultRoom is the allowance of an [AttrDecoder] for repeated values.
const DefaultRoom = 1 << 28

// Attr is [UnmarshalAttr] within the decoder's allowance, beyond which it
// fails with RESOURCE_EXHAUSTED.
func (d *AttrDecoder) Attr(b []byte) (AttrValue, error) {
	var v AttrValue
	err := d.attr(&v, wire.NewCursor("", b))
	return v, err
}

// Attrs is [UnmarshalAttrs] within the decoder's allowance.
func (d *AttrDecoder) Attrs(entries ...[]byte) (Attrs, error) {
	if len(entries) == 0 {
		return nil, nil
	}
	attrs := make(Attrs, 0, len(entries))
	for _, e := range entries {
		if err := d.entry(&attrs, wire.NewCursor("", e)); err != nil {
			return nil, err
		}
	}
	return d.normalize(attrs)
}

// word is b as a string, which is not allocated if it is short and was seen
// before: names and values recur from node to node.
func (d *AttrDecoder) word(b []byte) string {
	const longest, most = 40, 1000
	if len(b) > longest {
		return string(b)
	}
	if s, ok := d.words[string(b)]; ok {
		return s
	}
	s := string(b)
	if d.words == nil {
		d.words = map[string]string{}
	}
	if len(d.words) < most {
		d.words[s] = s
	}
	return s
}

// normalize sorts by name and keeps the last of equal names.
func (a Attrs) normalize() Attrs {
	all, _ := new(AttrDecoder).normalize(a)
	return all
}

// normalize is [Attrs.normalize] until the decoder's watch ends it.
func (d *AttrDecoder) normalize(a Attrs) (Attrs, error) {
	inOrder := true
	for i := 1; i < len(a); i++ {
		inOrder = inOrder && a[i-1].Name < a[i].Name
	}
	if inOrder {
		return a, nil
	}
	var ended error
	sorted.Stably(a, func(x, y NamedAttr) int {
		if ended != nil { // the rest of the order does not matter
			return 0
		}
		ended = d.Watch.Step()
		return strings.Compare(x.Name, y.Name)
	})
	if ended != nil {
		return nil, ended
	}
	kept := a[:0]
	for i := range a {
		if i+1 == len(a) || a[i+1].Name != a[i].Name {
			kept = append(kept, a[i])
		}
	}
	clear(a[len(kept):])
	return kept, nil
}

// attr merges a message into v, as repeated occurrences of a field do.
func (d *AttrDecoder) attr(v *AttrValue, f wire.Cursor) error {
	var tensorBody []byte
	for f.Next() {
		kind := attrKindOf(&f)
		if kind == KindNone {
			if f.IsBytes(attrPlaceholder) {
				name, err := f.Text("string")
				if err != nil {
					return err
				}
				*v = AttrValue{Placeholder: name}
			}
			continue
		}
		if v.Kind != kind && !(kind == ListOf && v.Kind.IsList()) {
			*v = AttrValue{Kind: kind}
			tensorBody = nil
		}
		var err error
		switch kind {
		case ListOf:
			err = d.list(v, &f)
		case KindTensor:
			// Two messages merge into what their concatenation decodes to.
			if tensorBody == nil {
				tensorBody = f.Body()
			} else {
				tensorBody = slices.Concat(tensorBody, f.Body())
			}
			err = d.tensor(v, tensorBody, f.Lo)
		default:
			err = d.value(v, &f)
		}
		if err != nil {
			return err
		}
	}
	return f.Err()
}

// value merges a field into v, which is of the field's kind, neither list nor
// tensor.
func (d *AttrDecoder) value(v *AttrValue, f *wire.Cursor) error {
	switch v.Kind {
	case KindString:
		v.S = d.word(f.Body())
		return nil
	case KindShape:
		return d.shape(&v.Shape, f)
	case KindFunc:
		return d.function(v, f)
	}
	return d.number(v, f.Value, f, f.Lo)
}

// attrKindOf returns the kind that a field of AttrValue stands for: ListOf for the
// list field, KindNone for all that is no value.
func attrKindOf(f *wire.Cursor) AttrKind {
	switch {
	case f.IsBytes(attrList):
		return ListOf
	case f.IsBytes(attrString):
		return KindString
	case f.IsVarint(attrInt):
		return KindInt
	case f.Num == attrFloat && f.Type == protowire.Fixed32Type:
		return KindFloat
	case f.IsVarint(attrBool):
		return KindBool
	case f.IsVarint(attrType):
		return KindType
	case f.IsBytes(attrShape):
		return KindShape
	case f.IsBytes(attrTensor):
		return KindTensor
	case f.IsBytes(attrFunc):
		return KindFunc
	}
	return KindNone
}

// number sets a value of kind int, float, bool or type from its bits.
func (d *AttrDecoder) number(v *AttrValue, bits uint64, f *wire.Cursor, at int) error {
	switch v.Kind {
	case KindInt:
		v.I = int64(bits)
	case KindFloat:
		v.F = math.Float32frombits(uint32(bits))
	case KindBool:
		v.B = bits != 0
	case KindType:
		n := int32(bits)
		if n != 0 && (n < 0 || n > math.MaxUint8 || !tensor.DType(n).Valid()) {
			return f.Errorf(at, "AttrValue has invalid DataType enum: %d", n)
		}
		v.Type = tensor.DType(n)
	}
	return nil
}

func (d *AttrDecoder) list(v *AttrValue, list *wire.Cursor) error {
	if len(list.Body()) > 1<<12 { // a value is much larger than its message: none is moved
		n := 0
		for f := list.Message(""); f.Next(); n++ {
		}
		v.List = slices.Grow(v.List, min(n, maxListAttr))
	}
	f := list.Message("")
	for f.Next() {
		elem := listKindOf(&f)
		packed := f.Type == protowire.BytesType && elem >= KindInt && elem <= KindType
		if elem == KindNone || packed && len(f.Body()) == 0 {
			continue
		}
		if v.Kind == ListOf {
			v.Kind |= elem
		} else if v.Kind.Elem() != elem {
			return f.Errorf(f.Lo, "a list of kind %v also has elements of kind %v", v.Kind.Elem(), elem)
		}
		if packed {
			if err := d.packed(v, &f, elem); err != nil {
				return err
			}
			continue
		}
		e := AttrValue{Kind: elem}
		var err error
		if elem == KindTensor {
			err = d.tensor(&e, f.Body(), f.Lo)
		} else {
			err = d.value(&e, &f)
		}
		if err != nil {
			return err
		}
		if err := v.appendElem(e, &f); err != nil {
			return err
		}
	}
	return f.Err()
}

func (v *AttrValue) appendElem(e AttrValue, f *wire.Cursor) error {
	if len(v.List) == maxListAttr {
		return f.Errorf(f.Lo, "a list of more than %d elements", maxListAttr)
	}
	v.List = append(v.List, e)
	return nil
}

// listKindOf returns the kind of the elements that a field of ListValue holds, one
// or, packed, several.
func listKindOf(f *wire.Cursor) AttrKind {
	switch {
	case f.Num == attrFloat && (f.Type == protowire.Fixed32Type || f.Type == protowire.BytesType):
		return KindFloat
	case f.Type == protowire.VarintType, f.Type == protowire.BytesType:
		switch f.Num {
		case attrInt:
			return KindInt
		case attrBool:
			return KindBool
		case attrType:
			return KindType
		}
	}
	switch {
	case f.IsBytes(attrString):
		return KindString
	case f.IsBytes(attrShape):
		return KindShape
	case f.IsBytes(attrTensor):
		return KindTensor
	case f.IsBytes(listFunc):
		return KindFunc
	}
	return KindNone
}

func (d *AttrDecoder) packed(v *AttrValue, f *wire.Cursor, elem AttrKind) error {
	typ, count := protowire.VarintType, 0
	if elem == KindFloat {
		if len(f.Body())%4 != 0 {
			return f.Errorf(f.Lo, "%d bytes are not a whole number of floats", len(f.Body()))
		}
		typ, count = protowire.Fixed32Type, len(f.Body())/4
	} else {
		for _, c := range f.Body() { // the last byte of each varint is below 0x80
			count += int(c>>7 ^ 1)
		}
	}
	if count > maxListAttr-len(v.List) {
		return f.Errorf(f.Lo, "a list of more than %d elements", maxListAttr)
	}
	v.List = slices.Grow(v.List, count)
	n := f.Numbers(typ)
	for at := n.Offset(); n.Next(); at = n.Offset() {
		e := AttrValue{Kind: elem}
		if err := d.number(&e, n.Value, f, at); err != nil {
			return err
		}
		v.List = append(v.List, e)
	}
	return n.Err()
}

func (d *AttrDecoder) shape(s *Shape, shape *wire.Cursor) error {
	f := shape.Message("")
	for f.Next() {
		switch {
		case f.IsVarint(shapeUnknown):
			s.Unknown = f.Value != 0
		case f.IsBytes(shapeDim):
			size := int64(0)
			dim := f.Message("")
			for dim.Next() {
				if dim.IsVarint(dimSize) {
					size = int64(dim.Value)
				}
			}
			if dim.Err() != nil {
				return dim.Err()
			}
			if len(s.Dims) == tensor.MaxRank {
				return f.Errorf(f.Lo, "a shape of more than %d dimensions", tensor.MaxRank)
			}
			s.Dims = append(s.Dims, size)
		}
	}
	if f.Err() != nil {
		return f.Err()
	}
	if problem := s.invalid(); problem != "" {
		return shape.Errorf(shape.Lo, "%s", problem)
	}
	return nil
}

// invalid reports why no tensor can have the shape, or "".
func (s *Shape) invalid() string {
	if s.Unknown && len(s.Dims) > 0 {
		return "An unknown shape must not have any dimensions set"
	}
	n := int64(1)
	for _, dim := range s.Dims {
		switch {
		case dim < -1:
			return "Shape " + s.String() + " has dimensions with values below -1 (where -1 means unknown)"
		case dim > 0 && n > math.MaxInt64/dim:
			return "Shape " + s.String() + " is too large (more than 2**63 - 1 entries)"
		case dim > 0:
			n *= dim
		}
	}
	return ""
}

// A string of a few bytes takes this many times as much in memory.
const maxTensorGrowth = 32

func (d *AttrDecoder) tensor(v *AttrValue, b []byte, at int) error {
	room := d.Room
	if room <= 0 {
		room = DefaultRoom
	}
	own := int64(len(b)) * maxTensorGrowth
	t, err := tensorproto.Unmarshal(b, own+max(room-d.used, 0))
	if err != nil {
		return status.Within(err, "the tensor at byte %d", at)
	}
	d.used += max(int64(t.SizeBytes())-own, 0)
	v.Tensor = t
	return nil
}

func (d *AttrDecoder) function(v *AttrValue, fn *wire.Cursor) error {
	if d.depth == maxNesting {
		return fn.Errorf(fn.Lo, "functions nested more than %d deep", maxNesting)
	}
	d.depth++
	defer func() { d.depth-- }()
	if v.Func == nil {
		v.Func = &Func{}
	}
	f := fn.Message("")
	for f.Next() {
		var err error
		switch {
		case f.IsBytes(funcName):
			v.Func.Name, err = f.Text("string")
		case f.IsBytes(funcAttr):
			err = d.entry(&v.Func.Attrs, f.Message(""))
		}
		if err != nil {
			return err
		}
	}
	if err := f.Err(); err != nil {
		return err
	}
	var err error
	v.Func.Attrs, err = d.normalize(v.Func.Attrs)
	return err
}

// entry appends one entry of a map of attributes.
func (d *AttrDecoder) entry(attrs *Attrs, f wire.Cursor) error {
	if err := d.Watch.Step(); err != nil {
		return err
	}
	*attrs = append(*attrs, NamedAttr{})
	a := &(*attrs)[len(*attrs)-1]
	for f.Next() {
		switch {
		case f.IsBytes(entryKey):
			if err := f.CheckUTF8("attribute's name"); err != nil {
				return err
			}
			a.Name = d.word(f.Body())
		case f.IsBytes(entryValue):
			if err := d.attr(&a.Value, f.Message("")); err != nil {
				if ended := d.Watch.Ask(); ended != nil {
					return ended
				}
				value, ok := flawed(a.Value.Kind, f.Body(), err)
				if !ok || d.depth > 0 {
					return status.Within(err, "attr '%s'", a.Name)
				}
				a.Value = value
			}
		}
	}
	return f.Err()
}
