package registry

import (
	"slices"
	"strings"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Check reports whether v can be the value of the attribute: of its kind, among
// the allowed values, and not below the minimum.
func (a *AttrDef) Check(v *AttrValue) error {
	if err := v.CheckKind(a.Kind); err != nil {
		return status.Invalid("%s for attr '%s'", status.From(err).Message, a.Name)
	}
	if a.HasMinimum {
		switch {
		case a.Kind == KindInt && v.I < a.Minimum:
			return status.Invalid("Value for attr '%s' of %d must be at least minimum %d", a.Name, v.I, a.Minimum)
		case a.Kind.IsList() && int64(len(v.List)) < a.Minimum:
			return status.Invalid("Length for attr '%s' of %d must be at least minimum %d", a.Name, len(v.List), a.Minimum)
		}
	}
	if len(a.AllowedTypes) == 0 && len(a.AllowedStrings) == 0 {
		return nil
	}
	if !a.Kind.IsList() {
		return a.checkAllowed(v)
	}
	for i := range v.List {
		if err := a.checkAllowed(&v.List[i]); err != nil {
			return err
		}
	}
	return nil
}

// checkAllowed looks at one value of kind type or string.
func (a *AttrDef) checkAllowed(v *AttrValue) error {
	switch v.Kind {
	case KindType:
		if len(a.AllowedTypes) == 0 || slices.Contains(a.AllowedTypes, v.Type) {
			return nil
		}
		var names []string
		for _, t := range a.AllowedTypes {
			names = append(names, t.String())
		}
		return status.Invalid("Value for attr '%s' of %v is not in the list of allowed values: %s", a.Name, v.Type, strings.Join(names, ", "))
	case KindString:
		if len(a.AllowedStrings) == 0 || slices.Contains(a.AllowedStrings, v.S) {
			return nil
		}
		var names []string
		for _, s := range a.AllowedStrings {
			names = append(names, quote(s))
		}
		return status.Invalid("Value for attr '%s' of %s is not in the list of allowed values: %s", a.Name, quote(v.S), strings.Join(names, ", "))
	}
	return nil
}

// CheckKind reports whether v is a value of that kind. An empty list is of every
// list kind.
func (v *AttrValue) CheckKind(kind AttrKind) error {
	switch {
	case v.Placeholder != "":
		return status.Invalid("AttrValue had value with unexpected type 'placeholder' when '%v' expected", kind)
	case v.Kind == KindNone, v.Kind == ListOf && !kind.IsList():
		return status.Invalid("AttrValue missing value with expected type '%v'", kind)
	case v.Kind != kind && !(kind.IsList() && v.Kind.IsList() && len(v.List) == 0):
		return status.Invalid("AttrValue had value with type '%v' when '%v' expected", v.Kind, kind)
	case v.Flaw != nil:
		return v.Err()
	case kind == KindType:
		return checkTypeValue(v.Type)
	case kind == KindType|ListOf:
		for i := range v.List {
			if err := checkTypeValue(v.List[i].Type); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkTypeValue reports whether t can be the value of an attribute.
func checkTypeValue(t tensor.DType) error {
	switch {
	case !t.Valid():
		return status.Invalid("AttrValue has invalid DataType enum: %d", t)
	case t.IsRef():
		return status.Invalid("AttrValue must not have reference type value of %v", t)
	}
	return nil
}
