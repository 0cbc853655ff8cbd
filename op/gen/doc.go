package main

import (
	"fmt"
	"strings"

	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// Doc returns the comment of the function.
func (w *wrapper) Doc() string {
	var b strings.Builder
	b.WriteString(w.Name + " " + lower(w.Summary))
	if w.Description != "" {
		b.WriteString("\n\n" + w.Description)
	}
	section(&b, "Arguments", func(item func(name, text string)) {
		for _, in := range w.Inputs {
			item(w.Ident(in.Name), join(in.Description, w.types(in)))
		}
		for _, a := range w.Args {
			item(w.Ident(a.Name), join(a.Description, limits(a)))
		}
	})
	section(&b, "Results", func(item func(name, text string)) {
		for _, out := range w.Outputs {
			item(w.Ident(out.Name), join(out.Description, w.types(out)))
		}
	})
	if len(w.Optional) > 0 {
		links := make([]string, len(w.Optional))
		for i, a := range w.Optional {
			links[i] = "[" + w.Setter(a) + "]"
		}
		b.WriteString("\n\nOptions: " + strings.Join(links, ", ") + ".")
	}
	if d := w.Deprecation; d != nil {
		fmt.Fprintf(&b, "\n\nDeprecated: from version %d of the GraphDef format on. %s", d.Version, sentence(d.Explanation))
	}
	return comment(b.String())
}

// SetterDoc returns the comment of the function that makes an option.
func (w *wrapper) SetterDoc(a registry.AttrDef) string {
	text := fmt.Sprintf("%s sets %s, which is %s by default.", w.Setter(a), a.Name, value(a.Default))
	return comment(join(text, join(a.Description, limits(a))))
}

// value returns an attribute's value in words.
func value(v *registry.AttrValue) string {
	switch {
	case v.Kind == registry.KindType:
		return v.Type.String()
	case v.Kind == registry.KindShape && v.Shape.Unknown:
		return "of unknown rank"
	case v.Kind.IsList() && len(v.List) == 0:
		return "empty"
	}
	return v.String()
}

// types reports which types an argument can have, if they are few. That handles are
// handles goes without saying.
func (w *wrapper) types(a registry.ArgDef) string {
	switch {
	case a.Type == tensor.Resource || a.Type == tensor.Variant:
		return ""
	case a.Type != tensor.Invalid:
		return "Type: " + a.Type.String() + "."
	case a.TypeAttr == "":
		return ""
	}
	allowed := w.Attr(a.TypeAttr).AllowedTypes
	if len(allowed) == 0 || len(allowed) > 4 {
		return ""
	}
	return typeList(allowed)
}

// typeList says that a type is one of several.
func typeList(types []tensor.DType) string {
	names := make([]string, len(types))
	for i, dt := range types {
		names[i] = dt.String()
	}
	return "Types: " + strings.Join(names, ", ") + "."
}

// limits reports which values the attribute can have, unless its description does.
func limits(a registry.AttrDef) string {
	switch {
	case len(a.AllowedStrings) > 0:
		quoted := make([]string, len(a.AllowedStrings))
		named := true
		for i, s := range a.AllowedStrings {
			quoted[i] = fmt.Sprintf("%q", s)
			named = named && strings.Contains(a.Description, quoted[i])
		}
		if named {
			return ""
		}
		return "Values: " + strings.Join(quoted, ", ") + "."
	case len(a.AllowedTypes) > 0:
		return typeList(a.AllowedTypes)
	case a.HasMinimum && a.Kind.IsList() && a.Minimum > 1:
		return fmt.Sprintf("At least %d of them.", a.Minimum)
	case a.HasMinimum && !a.Kind.IsList():
		return fmt.Sprintf("At least %d.", a.Minimum)
	}
	return ""
}

// section writes a list with a heading, or nothing if no item has a text.
func section(b *strings.Builder, heading string, items func(item func(name, text string))) {
	first := true
	items(func(name, text string) {
		if text == "" {
			return
		}
		if first {
			b.WriteString("\n\n" + heading + ":\n")
			first = false
		}
		b.WriteString("\n  - " + name + ": " + strings.ReplaceAll(text, "\n", "\n    "))
	})
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}

// lower makes the summary, a sentence without its subject, one that begins with
// the function's name.
func lower(s string) string {
	if s == "" {
		return "is not described."
	}
	return strings.ToLower(s[:1]) + s[1:]
}

func sentence(s string) string {
	if s != "" && !strings.HasSuffix(s, ".") {
		s += "."
	}
	return s
}

// comment puts slashes before each line.
func comment(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight("// "+line, " ")
	}
	return strings.Join(lines, "\n")
}
