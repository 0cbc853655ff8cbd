package registry

import (
	"errors"
	"strings"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Validate reports whether a definition makes sense: a proper name, no name used
// twice, attributes whose constraints and defaults go with their kind, and
// arguments whose types and lengths are known or said by an attribute. The
// error holds all mistakes.
func (d *OpDef) Validate() error {
	var problems []error
	add := func(format string, args ...any) {
		problems = append(problems, status.Invalid(format, args...))
	}
	if !validOpName(d.Name) {
		add("the name of an op is in CamelCase, of letters, digits and '_', perhaps after a '_' or after a name space and '>'")
	}
	problems = append(problems, d.checkNames()...)
	problems = append(problems, d.checkArgs()...)
	for _, args := range [][]ArgDef{d.Inputs, d.Outputs} {
		for i := range args {
			n := d.Attr(args[i].NumberAttr)
			if n != nil && (!n.HasMinimum || n.Minimum < 0) {
				add("argument '%s': its number attr '%s' needs a minimum of 0 or more", args[i].Name, n.Name)
			}
		}
	}
	for i := range d.Attrs {
		if err := d.Attrs[i].validate(); err != nil {
			problems = append(problems, err)
		}
	}
	if dep := d.Deprecation; dep != nil && dep.Version < 0 {
		add("deprecated in version %d, which is negative", dep.Version)
	}
	if len(problems) == 0 {
		return nil
	}
	return invalidOp(d.Name, problems)
}

// invalidOp returns the mistakes of one definition.
func invalidOp(name string, problems []error) error {
	text := ""
	for i, p := range problems {
		if i > 0 {
			text += "; "
		}
		text += status.From(p).Message
	}
	return &status.Error{Code: status.InvalidArgument, Message: "definition of op '" + name + "': " + text, Cause: errors.Join(problems...)}
}

// validOpName holds for "Name", for "_Name", which is internal, and for
// "Space>Name", which is in a name space.
func validOpName(name string) bool {
	if inner, internal := strings.CutPrefix(name, "_"); internal {
		s := scanner{text: inner}
		return s.word() == inner
	}
	for part := range strings.SplitSeq(name, ">") {
		s := scanner{text: part}
		if part == "" || part[0] < 'A' || part[0] > 'Z' || s.word() != part {
			return false
		}
	}
	return true
}

// checkNames returns what is wrong with names of attributes and arguments.
func (d *OpDef) checkNames() []error {
	var problems []error
	names := map[string]string{}
	declare := func(what, name string) {
		if name == "" {
			problems = append(problems, status.Invalid("%s without a name", what))
		} else if other := names[name]; other != "" {
			problems = append(problems, status.Invalid("duplicate name: '%s' is %s and %s", name, other, what))
		}
		names[name] = what
	}
	for i := range d.Attrs {
		declare("an attr", d.Attrs[i].Name)
	}
	for i := range d.Inputs {
		declare("an input", d.Inputs[i].Name)
	}
	for i := range d.Outputs {
		declare("an output", d.Outputs[i].Name)
	}
	return problems
}

// checkArgs returns what is wrong with what arguments say of attributes. Where it
// finds nothing, [Resolve] can work with the definition.
func (d *OpDef) checkArgs() []error {
	var problems []error
	for i := range d.Inputs {
		problems = append(problems, d.checkArg("input", &d.Inputs[i])...)
	}
	for i := range d.Outputs {
		problems = append(problems, d.checkArg("output", &d.Outputs[i])...)
	}
	return problems
}

func (d *OpDef) checkArg(what string, a *ArgDef) (problems []error) {
	add := func(format string, args ...any) {
		problems = append(problems, status.Invalid("%s '%s': %s", what, a.Name, status.Invalid(format, args...).Message))
	}
	given := 0
	if a.Type != tensor.Invalid {
		given++
		if !a.Type.Valid() || a.Type.IsRef() {
			add("type %v cannot be an argument's", a.Type)
		}
	}
	need := func(attr string, kind AttrKind) {
		if _, err := d.attrOf(attr, kind); err != nil {
			add("%s", status.From(err).Message)
		}
	}
	if a.TypeAttr != "" {
		given++
		need(a.TypeAttr, KindType)
	}
	if a.TypeListAttr != "" {
		given++
		need(a.TypeListAttr, KindType|ListOf)
		if a.NumberAttr != "" {
			add("it has both a number attr '%s' and a type list attr '%s'", a.NumberAttr, a.TypeListAttr)
		}
	}
	if given != 1 {
		add("it has %d of a type, a type attr and a type list attr, where one is needed", given)
	}
	if a.NumberAttr != "" {
		need(a.NumberAttr, KindInt)
	}
	return problems
}

func (a *AttrDef) validate() error {
	elem := a.Kind.Elem()
	if elem == KindNone || int(elem) >= len(kindNames) {
		return status.Invalid("attr '%s' is of no known type", a.Name)
	}
	if len(a.AllowedTypes) > 0 && elem != KindType || len(a.AllowedStrings) > 0 && elem != KindString {
		return status.Invalid("attr '%s' of type %v cannot have that list of allowed values", a.Name, a.Kind)
	}
	for _, t := range a.AllowedTypes {
		if err := checkTypeValue(t); err != nil {
			return status.Invalid("allowed values of attr '%s': %s", a.Name, status.From(err).Message)
		}
	}
	if a.HasMinimum {
		if a.Kind != KindInt && !a.Kind.IsList() {
			return status.Invalid("attr '%s' of type %v cannot have a minimum: only int and lists can", a.Name, a.Kind)
		}
		if a.Kind.IsList() && a.Minimum < 0 {
			return status.Invalid("attr '%s' has a minimum length of %d, less than 0", a.Name, a.Minimum)
		}
	}
	if a.Default != nil {
		if err := a.Check(a.Default); err != nil {
			return status.Within(err, "the default of attr '%s'", a.Name)
		}
	}
	return nil
}
