package registry

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/prototext"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/wire"
)

// ParseAttr reads a value of a kind from text:
//
//	string   "text" or 'text', with the escapes of C; "te" 'xt' is the same
//	int      -3, 0x10
//	float    1, 2.5, 1e-5, inf, nan
//	bool     true, True, t, 1, false, False, f, 0
//	type     DT_FLOAT, float or float32
//	shape    [2,?], [2,-1], ? for an unknown rank, { dim { size: 2 } }
//	tensor   Tensor<type: int32 shape: [2] values: 1 2>, or the text form of
//	         a TensorProto in braces
//	func     name, "any name", name[T=DT_FLOAT, n=2], { name: "f" }
//	list     [1, 2], elements separated by commas, white space or both
//
// and for any kind "$name", a placeholder. It fails with INVALID_ARGUMENT and
// the place of the mistake.
func ParseAttr(kind AttrKind, text string) (AttrValue, error) {
	s := scanner{text: text}
	v, err := s.value(kind)
	if err == nil && !s.done() {
		err = s.errorf("text goes on after the value with %s", s.rest())
	}
	if err != nil {
		return AttrValue{}, s.of(err)
	}
	return v, nil
}

// ParseTyped reads what [AttrValue.Typed] prints: a value with its kind.
func ParseTyped(text string) (AttrValue, error) { return ParseAttr(KindNone, text) }

// ParseAttrs reads what [Attrs.String] prints.
func ParseAttrs(text string) (Attrs, error) {
	s := scanner{text: text}
	attrs, err := s.attrs("")
	if err == nil && !s.done() {
		err = s.errorf("expected ',', found %s", s.rest())
	}
	return attrs, s.of(err)
}

// ParseKind reads a kind: "int", "list(type)".
func ParseKind(text string) (AttrKind, bool) {
	elem, list := strings.CutPrefix(text, "list(")
	if list {
		elem, list = strings.CutSuffix(elem, ")")
		if !list {
			return KindNone, false
		}
	}
	for k, n := range kindNames {
		if k > 0 && n == elem {
			if list {
				return AttrKind(k) | ListOf, true
			}
			return AttrKind(k), true
		}
	}
	return KindNone, false
}

// value reads a value of a kind, or with KindNone of the kind that it has.
func (s *scanner) value(kind AttrKind) (AttrValue, error) {
	if s.depth == maxNesting {
		return AttrValue{}, s.errorf("values nested more than %d deep", maxNesting)
	}
	s.depth++
	defer func() { s.depth-- }()
	if s.eat("$") {
		name, err := s.name()
		return AttrValue{Placeholder: name}, err
	}
	if kind == KindNone {
		var err error
		if kind, err = s.kind(); err != nil || kind == KindNone {
			return AttrValue{}, err
		}
	}
	if kind.IsList() {
		return s.list(kind)
	}
	v := AttrValue{Kind: kind}
	var err error
	switch kind {
	case KindString:
		v.S, err = s.strs()
	case KindInt:
		v.I, err = s.integer()
	case KindFloat:
		v.F, err = s.float()
	case KindBool:
		v.B, err = s.boolean()
	case KindType:
		v.Type, err = s.dtype()
	case KindShape:
		v.Shape, err = s.shape()
	case KindTensor:
		v.Tensor, err = s.tensor()
	case KindFunc:
		v.Func, err = s.function()
	}
	return v, err
}

// kind reports the kind of the value that comes next, and reads it if it is
// written out. For "none" it reads that and is KindNone.
func (s *scanner) kind() (AttrKind, error) {
	at := s.at
	switch w := s.word(); {
	case w == "none":
		return KindNone, nil
	case w == "shape":
		return KindShape, nil
	case w == "func":
		return KindFunc, nil
	case w == "list" && s.eat("("):
		k, ok := ParseKind(s.word())
		if !ok {
			return KindNone, s.errorf("expected a kind of attribute")
		}
		return k | ListOf, s.expect(")")
	case w == "true", w == "false":
		s.at = at
		return KindBool, nil
	case w == "inf", w == "nan":
		s.at = at
		return KindFloat, nil
	case w == "Tensor":
		s.at = at
		return KindTensor, nil
	case strings.HasPrefix(w, "DT_"):
		s.at = at
		return KindType, nil
	case w != "":
		s.at = at
		return KindNone, s.errorf("%q is no value whose kind is plain to see", w)
	}
	defer func() { s.at = at }()
	switch {
	case s.quoted():
		return KindString, nil
	case s.eat("["):
		if s.peek("]") {
			return ListOf, nil
		}
		if s.peek("[") {
			return KindNone, s.errorf("the kind of a list of lists is not plain to see")
		}
		elem, err := s.kind()
		if err == nil && elem == KindNone {
			err = s.errorf("the kind of a list is not plain to see")
		}
		return elem | ListOf, err
	}
	if n := s.number(); n != "" {
		if strings.ContainsAny(n, ".einf") && !strings.HasPrefix(n, "0x") {
			return KindFloat, nil
		}
		return KindInt, nil
	}
	return KindNone, s.errorf("expected a value, found %s", s.rest())
}

func (s *scanner) list(kind AttrKind) (AttrValue, error) {
	v := AttrValue{Kind: kind}
	if err := s.expect("["); err != nil {
		return v, err
	}
	for !s.eat("]") {
		if s.done() {
			return v, s.errorf("a list is not closed")
		}
		if len(v.List) == maxListAttr {
			return v, s.errorf("a list of more than %d elements", maxListAttr)
		}
		e, err := s.value(kind.Elem())
		if err != nil {
			return v, err
		}
		if n := len(v.List); n == cap(v.List) && n > 1<<14 {
			v.List = slices.Grow(v.List, min(3*n, maxListAttr-n)) // as few moves as may be of what is large
		}
		if e.Kind != kind.Elem() {
			return v, s.errorf("a list cannot have a placeholder for an element")
		}
		v.List = append(v.List, e)
		s.eat(",")
	}
	return v, nil
}

// name reads a word or a quoted string.
func (s *scanner) name() (string, error) {
	if s.quoted() {
		return s.str()
	}
	if w := s.word(); w != "" {
		return w, nil
	}
	return "", s.errorf("expected a name, found %s", s.rest())
}

func (s *scanner) float() (float32, error) {
	at := s.at
	w := s.number()
	if !strings.HasSuffix(w, "inf") {
		w = strings.TrimSuffix(w, "f") // as C writes a float
	}
	f, err := strconv.ParseFloat(w, 32)
	if err == nil {
		return float32(f), nil
	}
	s.at = at
	if errors.Is(err, strconv.ErrRange) {
		return 0, s.errorf("no float can hold %s", s.rest())
	}
	return 0, s.errorf("expected a float, found %s", s.rest())
}

func (s *scanner) boolean() (bool, error) {
	at := s.at
	switch s.number() {
	case "true", "True", "t", "1":
		return true, nil
	case "false", "False", "f", "0":
		return false, nil
	}
	s.at = at
	return false, s.errorf("expected true or false, found %s", s.rest())
}

func (s *scanner) dtype() (tensor.DType, error) {
	at := s.at
	w := s.word()
	if w == "DT_INVALID" {
		return tensor.Invalid, nil
	}
	dt, ok := tensor.ParseDType(w)
	if !ok {
		s.at = at
		return 0, s.errorf("expected a data type, found %s", s.rest())
	}
	return dt, nil
}

// shape reads a shape in brackets, "?", or the text form of a
// TensorShapeProto.
func (s *scanner) shape() (Shape, error) {
	var shape Shape
	start := s.at
	switch {
	case s.eat("?"), s.eat("<unknown>"):
		return Shape{Unknown: true}, nil
	case s.peek("{"):
		var p wire.TensorShapeProto
		text, err := s.braces()
		if err != nil {
			return shape, err
		}
		if err := wire.UnmarshalText(prototext.UnmarshalOptions{}, []byte(text), &p); err != nil {
			s.at = start
			return shape, s.errorf("the text of a shape is malformed: %s", plainError(err))
		}
		shape.Unknown = p.UnknownRank
		for _, dim := range p.Dim {
			shape.Dims = append(shape.Dims, dim.Size)
		}
	case s.eat("["):
		for !s.eat("]") {
			if len(shape.Dims) > tensor.MaxRank {
				break
			}
			dim := int64(-1)
			if !s.eat("?") {
				var err error
				if dim, err = s.integer(); err != nil {
					return shape, err
				}
			}
			shape.Dims = append(shape.Dims, dim)
			s.eat(",")
		}
	default:
		return shape, s.errorf("expected a shape, such as [2,?], found %s", s.rest())
	}
	problem := shape.invalid()
	if len(shape.Dims) > tensor.MaxRank {
		problem = "a shape of more dimensions than tensors can have"
	}
	if problem != "" {
		s.at = start
		return shape, s.errorf("%s", problem)
	}
	return shape, nil
}

// braces reads a message in braces and returns what is between them.
func (s *scanner) braces() (string, error) {
	start := s.at
	if err := s.expect("{"); err != nil {
		return "", err
	}
	body := s.at
	for depth := 1; depth > 0; {
		switch {
		case s.done():
			s.at = start
			return "", s.errorf("a brace is not closed")
		case s.quoted():
			if _, err := s.str(); err != nil {
				return "", err
			}
		case s.eat("{"):
			if depth++; depth > 4*maxNesting {
				return "", s.errorf("braces nested more than %d deep", 4*maxNesting)
			}
		case s.eat("}"):
			depth--
		default:
			s.at++
		}
	}
	return s.text[body : s.at-1], nil
}

// function reads a name with attributes in brackets, or the text form of a
// NameAttrList.
func (s *scanner) function() (*Func, error) {
	start := s.at
	if s.peek("{") {
		text, err := s.braces()
		if err != nil {
			return nil, err
		}
		var p wire.AttrValue
		if err := wire.UnmarshalText(prototext.UnmarshalOptions{}, []byte("func {"+text+"}"), &p); err != nil {
			s.at = start
			return nil, s.errorf("the text of a function is malformed: %s", plainError(err))
		}
		v, err := AttrFromProto(&p)
		if err != nil {
			s.at = start
			return nil, s.errorf("%s", status.From(err).Message)
		}
		return v.Func, nil
	}
	name, err := s.name()
	if err != nil {
		return nil, err
	}
	f := &Func{Name: name}
	if s.eat("[") {
		f.Attrs, err = s.attrs("]")
	}
	return f, err
}

// attrs reads "name=value, ..." up to the closing token, or to the end.
func (s *scanner) attrs(closing string) (Attrs, error) {
	var attrs Attrs
	for !s.done() {
		if closing != "" && s.eat(closing) {
			return attrs.normalize(), nil
		}
		name, err := s.name()
		if err != nil {
			return nil, err
		}
		if err := s.expect("="); err != nil {
			return nil, err
		}
		v, err := s.value(KindNone)
		if err != nil {
			return nil, err
		}
		if attrs.Find(name) != nil {
			return nil, s.errorf("attr '%s' stands twice", name)
		}
		attrs = append(attrs, NamedAttr{name, v})
		if !s.eat(",") && !(closing != "" && s.peek(closing)) && !s.done() {
			return nil, s.errorf("expected ',', found %s", s.rest())
		}
	}
	if closing != "" {
		return nil, s.errorf("expected '%s', found the end", closing)
	}
	return attrs.normalize(), nil
}

// plainError returns the text of an error of the protobuf runtime, which varies the
// spaces it prints so that no program relies on them.
func plainError(err error) string {
	return strings.TrimPrefix(strings.ReplaceAll(err.Error(), "\u00a0", " "), "proto: ")
}
