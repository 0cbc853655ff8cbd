package registry

import (
	"slices"
	"strings"

	"github.com/troupe-go/troupe/status"
)

// Compatible says whether graphs written for the definition old mean the same
// under the definition new: all attributes of old are in new, of the same type, not
// more restricted and of the same default; those that new adds have defaults;
// and with these the inputs and outputs are the same, save that an input may
// stop asking for a reference and an output may become one. Names of inputs and
// outputs may change. The error, INVALID_ARGUMENT, says what was changed.
func Compatible(old, new *OpDef) error {
	if old.Name != new.Name {
		return status.Invalid("op name changed from '%s' to '%s'", old.Name, new.Name)
	}
	fail := func(format string, args ...any) error {
		return within(status.Invalid(format, args...), "incompatible change of op '%s'", old.Name)
	}
	for i := range old.Attrs {
		was := &old.Attrs[i]
		is := new.Attr(was.Name)
		if is == nil {
			return fail("attr '%s' removed", was.Name)
		}
		if change := was.changedTo(is); change != "" {
			return fail("attr '%s' %s", was.Name, change)
		}
	}
	for i := range new.Attrs {
		if a := &new.Attrs[i]; old.Attr(a.Name) == nil && a.Default == nil {
			return fail("attr '%s' added without default", a.Name)
		}
	}
	if err := compatibleArgs("input", old, new, old.Inputs, new.Inputs); err != nil {
		return fail("%s", status.From(err).Message)
	}
	if err := compatibleArgs("output", old, new, old.Outputs, new.Outputs); err != nil {
		return fail("%s", status.From(err).Message)
	}
	return nil
}

// changedTo says what makes an attribute unfit for graphs that were written
// for a; "" if nothing does.
func (a *AttrDef) changedTo(is *AttrDef) string {
	switch {
	case a.Kind != is.Kind:
		return "changed type from '" + a.Kind.String() + "' to '" + is.Kind.String() + "'"
	case is.HasMinimum && (!a.HasMinimum || is.Minimum > a.Minimum):
		return "has a higher minimum: " + a.Spec() + " to " + is.Spec()
	case moreRestrictive(a.AllowedTypes, is.AllowedTypes), moreRestrictive(a.AllowedStrings, is.AllowedStrings):
		return "has a stricter set of allowed values: " + a.Spec() + " to " + is.Spec()
	case a.Default != nil && is.Default == nil:
		return "has lost its default " + a.Default.String()
	case a.Default != nil && a.Default.String() != is.Default.String():
		return "changed its default from " + a.Default.String() + " to " + is.Default.String()
	}
	return ""
}

// moreRestrictive says whether new allows less than old; no values mean all.
func moreRestrictive[T comparable](old, new []T) bool {
	if len(new) == 0 {
		return false
	}
	return len(old) == 0 || slices.ContainsFunc(old, func(v T) bool { return !slices.Contains(new, v) })
}

func compatibleArgs(what string, oldOp, newOp *OpDef, old, new []ArgDef) error {
	was, wasRef := argSignature(oldOp, oldOp, old)
	is, isRef := argSignature(oldOp, newOp, new)
	if was != is {
		return status.Invalid("%s signature mismatch '%s' vs. '%s'", what, was, is)
	}
	for i := range wasRef {
		if what == "input" && !wasRef[i] && isRef[i] {
			return status.Invalid("input %d changed from non-ref to ref", i)
		}
		if what == "output" && wasRef[i] && !isRef[i] {
			return status.Invalid("output %d changed from ref to non-ref", i)
		}
	}
	return nil
}

// argSignature is the types of arguments in terms of the attributes of old:
// others stand for their defaults. A list of fixed length is written out.
func argSignature(old, def *OpDef, args []ArgDef) (string, []bool) {
	var types []string
	var refs []bool
	add := func(ref bool, t string) {
		types = append(types, t)
		refs = append(refs, ref)
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
				add(a.IsRef, e.Type.String())
			}
		case a.TypeListAttr != "":
			add(a.IsRef, a.TypeListAttr)
		case a.NumberAttr != "" && old.Attr(a.NumberAttr) == nil:
			for range min(def.Attr(a.NumberAttr).Default.I, maxTensors) {
				add(a.IsRef, t)
			}
		case a.NumberAttr != "":
			add(a.IsRef, a.NumberAttr+" * "+t)
		default:
			add(a.IsRef, t)
		}
	}
	return strings.Join(types, ", "), refs
}

// AddedDefaultsUnchanged says whether the defaults of attributes that were
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
