package registry

import (
	"slices"
	"strings"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// parseAttr reads what [Builder.Attr] is given.
func parseAttr(spec string) (AttrDef, error) {
	s := scanner{text: spec}
	var a AttrDef
	var err error
	if a.Name, err = s.label(); err != nil {
		return a, err
	}
	if s.eatWord("list") {
		a.Kind = ListOf
		if err := s.expect("("); err != nil {
			return a, err
		}
	}
	if err := s.attrType(&a); err != nil {
		return a, err
	}
	if a.Kind.IsList() {
		if err := s.expect(")"); err != nil {
			return a, err
		}
	}
	if s.eat(">=") {
		a.HasMinimum = true
		if a.Minimum, err = s.integer(); err != nil {
			return a, err
		}
	}
	if s.eat("=") {
		v, err := s.value(a.Kind)
		if err != nil {
			return a, status.Within(err, "the default of attr '%s'", a.Name)
		}
		a.Default = &v
	}
	if !s.done() {
		return a, s.errorf("%s is left over after the attr: an attr is 'name: type', perhaps with '>= minimum', perhaps with '= default'", s.rest())
	}
	return a, nil
}

// label reads "name:".
func (s *scanner) label() (string, error) {
	w := s.word()
	if w == "" || !isLetter(w[0]) {
		return "", s.errorf("expected a name, which begins with a letter and has letters, digits and '_'")
	}
	if !s.eat(":") {
		return "", s.errorf("expected ':' after the name '%s', found %s", w, s.rest())
	}
	return w, nil
}

// attrType reads a kind or a set, and adds it to the attr's kind.
func (s *scanner) attrType(a *AttrDef) error {
	if s.eat("{") {
		return s.set(a)
	}
	at := s.at
	w := s.word()
	if types := shorthandTypes(w); types != nil {
		a.Kind |= KindType
		a.AllowedTypes = slices.Clone(types)
		return nil
	}
	kind, ok := ParseKind(w)
	if !ok {
		s.at = at
		hint := ""
		if dt, ok := tensor.ParseDType(w); ok {
			hint = "; an attr of that one type is written {" + dt.String() + "}"
		}
		return s.errorf("unknown type of attr %s: it is one of %s, %s, or a set such as {int32, int64} or {'SAME', 'VALID'}%s",
			s.rest(), strings.Join(kindNames[1:], ", "), shorthandNames(), hint)
	}
	a.Kind |= kind
	return nil
}

func shorthandNames() string {
	var names []string
	for _, s := range shorthands {
		names = append(names, s.name)
	}
	return strings.Join(names, ", ")
}

// set reads a set of types or of strings after its brace.
func (s *scanner) set(a *AttrDef) error {
	elem := KindType
	if s.quoted() {
		elem = KindString
	}
	a.Kind |= elem
	for {
		if elem == KindString {
			text, err := s.str()
			if err != nil {
				return err
			}
			a.AllowedStrings = append(a.AllowedStrings, text)
		} else {
			at := s.at
			w := s.word()
			types := shorthandTypes(w)
			if types == nil {
				dt, ok := tensor.ParseDType(w)
				if !ok {
					s.at = at
					return s.errorf("expected a data type, such as float, int32 or %s, found %s", shorthandNames(), s.rest())
				}
				types = []tensor.DType{dt}
			}
			a.AllowedTypes = append(a.AllowedTypes, types...)
		}
		if s.eat("}") {
			return nil
		}
		if !s.eat(",") {
			return s.errorf("expected ',' or '}' in a set, found %s", s.rest())
		}
		if s.eat("}") {
			return nil
		}
	}
}

// parseArg reads what [Builder.Input] and [Builder.Output] are given.
func (d *OpDef) parseArg(spec string) (ArgDef, error) {
	s := scanner{text: spec}
	var a ArgDef
	var err error
	if a.Name, err = s.label(); err != nil {
		return a, err
	}
	at := s.at
	if s.eatWord("Ref") {
		if s.eat("(") {
			a.IsRef = true
		} else {
			s.at = at
		}
	}
	at = s.at
	w := s.word()
	if s.eat("*") {
		if _, err := d.attrOf(w, KindInt); err != nil {
			return a, err
		}
		a.NumberAttr = w
		at = s.at
		w = s.word()
	}
	if w == "" {
		s.at = at
		return a, s.errorf("expected a data type or an attr, found %s", s.rest())
	}
	if dt, ok := tensor.ParseDType(w); ok {
		a.Type = dt
		if dt.IsRef() {
			return a, s.errorf("a reference is written Ref(%v)", dt.Base())
		}
	} else if t := d.Attr(w); t == nil {
		s.at = at
		return a, d.unknownAttr(&s, w)
	} else {
		switch t.Kind {
		case KindType:
			a.TypeAttr = w
		case KindType | ListOf:
			if a.NumberAttr != "" {
				return a, s.errorf("the list attr '%s' tells its length itself: write %s without '%s *'", w, w, a.NumberAttr)
			}
			a.TypeListAttr = w
		default:
			return a, status.Invalid("attr '%s' is of type %v, where type or list(type) is needed", w, t.Kind)
		}
	}
	if a.IsRef {
		if err := s.expect(")"); err != nil {
			return a, err
		}
	}
	if !s.done() {
		return a, s.errorf("%s is left over after the type", s.rest())
	}
	return a, nil
}

// atLeastOne gives attrs that say the length of an argument the minimum 1 if
// they name none.
func (d *OpDef) atLeastOne(args []ArgDef) {
	for i := range args {
		if a := d.Attr(args[i].NumberAttr + args[i].TypeListAttr); a != nil && !a.HasMinimum {
			a.HasMinimum, a.Minimum = true, 1
		}
	}
}

// attrOf returns the attr of that name, which has to be of that kind.
func (d *OpDef) attrOf(name string, kind AttrKind) (*AttrDef, error) {
	a := d.Attr(name)
	switch {
	case a == nil:
		return nil, status.Invalid("there is no attr '%s'%s", name, d.declared())
	case a.Kind != kind:
		return nil, status.Invalid("attr '%s' is of type %v, where %v is needed", name, a.Kind, kind)
	}
	return a, nil
}

func (d *OpDef) unknownAttr(s *scanner, word string) error {
	return s.errorf("'%s' is neither a data type nor an attr%s", word, d.declared())
}

// declared lists the attributes for an error message.
func (d *OpDef) declared() string {
	if len(d.Attrs) == 0 {
		return "; the op declares no attrs"
	}
	var names []string
	for i := range d.Attrs {
		names = append(names, d.Attrs[i].Name)
	}
	return "; the op declares " + strings.Join(names, ", ")
}
