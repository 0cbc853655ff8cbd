package registry

import (
	"strconv"
	"strings"
)

// String returns the definition in one line, as error messages show it:
// "Op<name=Cast; signature=x:SrcT -> y:DstT; attr=SrcT:type; attr=DstT:type>",
// as TensorFlow writes it.
func (d *OpDef) String() string {
	var b strings.Builder
	b.WriteString("Op<name=" + d.Name + "; signature=")
	writeArgs(&b, d.Inputs, ":")
	b.WriteString(" -> ")
	writeArgs(&b, d.Outputs, ":")
	for i := range d.Attrs {
		b.WriteString("; attr=" + d.Attrs[i].summary())
	}
	for _, flag := range d.flags() {
		b.WriteString("; " + flag + "=true")
	}
	b.WriteString(">")
	return strings.ReplaceAll(b.String(), " * ", "*")
}

// summary returns the attribute in one line: "N:int,default=1,min=1".
func (a *AttrDef) summary() string {
	s := a.Name + ":" + a.Kind.String()
	switch {
	case a.Default == nil:
	case a.Kind == KindShape && a.Default.Shape.Unknown:
		s += ",default=<unknown>"
	case a.Kind == KindFloat:
		s += ",default=" + strconv.FormatFloat(float64(a.Default.F), 'g', -1, 32)
	default:
		s += ",default=" + a.Default.String()
	}
	if a.HasMinimum {
		s += ",min=" + IntAttr(a.Minimum).String()
	}
	if allowed := a.allowedText(""); allowed != "" {
		s += ",allowed=" + allowed
	}
	return s
}

// allowedText lists the allowed values; if all are, it is the word given.
func (a *AttrDef) allowedText(all string) string {
	if len(a.AllowedTypes)+len(a.AllowedStrings) == 0 {
		return all
	}
	v := a.allowed()
	return v.String()
}

func writeArgs(b *strings.Builder, args []ArgDef, colon string) {
	for i := range args {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(args[i].Name + colon + args[i].Spec())
	}
}

// Spec returns the type of the argument as definitions write it: "float",
// "N * T", "Tin", "Ref(T)".
func (a *ArgDef) Spec() string {
	s := a.TypeAttr + a.TypeListAttr
	if s == "" {
		s = a.Type.String()
	}
	if a.NumberAttr != "" {
		s = a.NumberAttr + " * " + s
	}
	if a.IsRef {
		s = "Ref(" + s + ")"
	}
	return s
}

// Spec returns what follows the name of the attribute in a definition: its type,
// constraints and default: "int >= 2 = 3", `{"SAME", "VALID"}`.
func (a *AttrDef) Spec() string {
	elem := a.Kind.Elem().String()
	var allowed []string
	for _, t := range a.AllowedTypes {
		allowed = append(allowed, t.String())
	}
	for _, s := range a.AllowedStrings {
		allowed = append(allowed, quote(s))
	}
	if allowed != nil {
		elem = "{" + strings.Join(allowed, ", ") + "}"
		for _, s := range shorthands {
			if a.isShorthand(s) {
				elem = s.name
			}
		}
	}
	s := elem
	if a.Kind.IsList() {
		s = "list(" + elem + ")"
	}
	if a.HasMinimum {
		s += " >= " + IntAttr(a.Minimum).String()
	}
	if a.Default != nil {
		s += " = " + a.Default.String()
	}
	return s
}
