package registry

import (
	"slices"
	"strings"

	"github.com/troupe-go/troupe/status"
)

// Compatible reports whether graphs written for the definition old can be read
// with the definition new: all attributes of old are in new, of the same type
// and not more restricted; those that new adds have defaults; and with these the
// inputs and outputs are the same, save that an input may stop asking for a
// reference and an output may become one. Inputs may change their names, but
// outputs may not: bodies of functions refer to them. The error,
// INVALID_ARGUMENT, says what was changed.
//
// Whether such graphs also mean the same is up to [DefaultsUnchanged].
func Compatible(old, new *OpDef) error {
	fail := func(format string, args ...any) error {
		return status.Invalid("Incompatible Op change: %s; old: %v; new: %v", status.Invalid(format, args...).Message, old, new)
	}
	if old.Name != new.Name {
		return fail("Name mismatch")
	}
	for i := range old.Attrs {
		was := &old.Attrs[i]
		is := new.Attr(was.Name)
		if is == nil {
			return fail("Attr '%s' removed", was.Name)
		}
		if change := was.changedTo(is); change != "" {
			return fail("Attr '%s' %s", was.Name, change)
		}
	}
	for i := range new.Attrs {
		if a := &new.Attrs[i]; old.Attr(a.Name) == nil && a.Default == nil {
			return fail("Attr '%s' added without default", a.Name)
		}
	}
	was, wasRef := argSignature(old, old, old.Inputs, false)
	is, isRef := argSignature(old, new, new.Inputs, false)
	if was != is {
		return fail("Input signature mismatch '%s' vs. '%s'", was, is)
	}
	for i := range wasRef {
		if !wasRef[i] && isRef[i] {
			return fail("Input %d changed from non-ref to ref", i)
		}
	}
	was, wasRef = argSignature(old, old, old.Outputs, true)
	is, isRef = argSignature(old, new, new.Outputs, true)
	if was != is {
		return fail("Output signature mismatch '%s' vs. '%s'", was, is)
	}
	for i := range wasRef {
		if wasRef[i] && !isRef[i] {
			return fail("Output %d changed from ref to non-ref", i)
		}
	}
	return nil
}

// changedTo reports what makes an attribute unfit for graphs that were written
// for a; "" if nothing does.
func (a *AttrDef) changedTo(is *AttrDef) string {
	switch {
	case a.Kind != is.Kind:
		return "changed type '" + a.Kind.String() + "' -> '" + is.Kind.String() + "'"
	case moreRestrictive(a.AllowedTypes, is.AllowedTypes), moreRestrictive(a.AllowedStrings, is.AllowedStrings):
		return "has a stricter set of allowed values; from " + a.allowedText("no restriction") + " to " + is.allowedText("")
	case is.HasMinimum && !a.HasMinimum:
		return "has a higher minimum; from no minimum to " + IntAttr(is.Minimum).String()
	case is.HasMinimum && is.Minimum > a.Minimum:
		return "has a higher minimum; from " + IntAttr(a.Minimum).String() + " to " + IntAttr(is.Minimum).String()
	}
	return ""
}

// moreRestrictive reports whether new allows less than old; no values mean all.
func moreRestrictive[T comparable](old, new []T) bool {
	if len(new) == 0 {
		return false
	}
	return len(old) == 0 || slices.ContainsFunc(old, func(v T) bool { return !slices.Contains(new, v) })
}

// argSignature returns the types of arguments in terms of the attributes of old:
// others stand for their defaults. A list of fixed length is written out.
func argSignature(old, def *OpDef, args []ArgDef, names bool) (string, []bool) {
	var types []string
	var refs []bool
	add := func(a *ArgDef, t string) {
		if names {
			t = a.Name + ":" + t
		}
		types = append(types, t)
		refs = append(refs, a.IsRef)
	}
	for i := range args {
		a := &args[i]
		t := a.Type.String()
		if a.TypeAttr != "" {
			t = a.TypeAttr
			if old.Attr(t) == nil {
				t = def.Attr(t).Default.Type.String()
			}
		}
		switch {
		case a.TypeListAttr != "" && old.Attr(a.TypeListAttr) == nil:
			for _, e := range def.Attr(a.TypeListAttr).Default.List {
				add(a, e.Type.String())
			}
		case a.TypeListAttr != "":
			add(a, a.TypeListAttr)
		case a.NumberAttr != "" && old.Attr(a.NumberAttr) == nil:
			for range min(def.Attr(a.NumberAttr).Default.I, maxTensors) {
				add(a, t)
			}
		case a.NumberAttr != "":
			add(a, a.NumberAttr+" * "+t)
		default:
			add(a, t)
		}
	}
	return strings.Join(types, ", "), refs
}

// DefaultsUnchanged reports whether all attributes of the definition old that have
// a default have the same in the definition new. A graph that leaves one out
// means something else otherwise. A new default, where there was none, is fine.
func DefaultsUnchanged(old, new *OpDef) error {
	for i := range old.Attrs {
		was := &old.Attrs[i]
		is := new.Attr(was.Name)
		switch {
		case is == nil || was.Default == nil:
		case is.Default == nil:
			return status.Invalid("op '%s': attr '%s' has lost its default %v", new.Name, was.Name, was.Default)
		case was.Default.String() != is.Default.String():
			return status.Invalid("op '%s': attr '%s' changed its default from %v to %v", new.Name, was.Name, was.Default, is.Default)
		}
	}
	return nil
}

// AddedDefaultsUnchanged reports whether the defaults of attributes that were
// added after the definition old, as the later one penultimate has them, are still
// there in the definition new. Graphs written in between rely on them.
func AddedDefaultsUnchanged(old, penultimate, new *OpDef) error {
	for i := range penultimate.Attrs {
		was := &penultimate.Attrs[i]
		if old.Attr(was.Name) != nil {
			continue
		}
		is := new.Attr(was.Name)
		switch {
		case is == nil:
			return status.Invalid("op '%s': attr '%s' removed", new.Name, was.Name)
		case was.Default == nil:
			return status.Invalid("op '%s': attr '%s' was added without default", new.Name, was.Name)
		case is.Default == nil:
			return status.Invalid("op '%s': attr '%s' has lost its default %v", new.Name, was.Name, was.Default)
		case was.Default.String() != is.Default.String():
			return status.Invalid("op '%s': attr '%s' changed its default from %v to %v", new.Name, was.Name, was.Default, is.Default)
		}
	}
	return nil
}
