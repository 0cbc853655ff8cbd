package main

import (
	"go/token"
	"strings"

	"github.com/troupe-go/troupe/registry"
)

// A wrapper is the Go function of an operation.
type wrapper struct {
	*registry.OpDef
	Args     []registry.AttrDef // attributes that are arguments of the function
	Optional []registry.AttrDef // attributes that are options
}

// newWrapper sorts a definition's attributes: those that follow from the inputs
// are neither arguments nor options.
func newWrapper(def *registry.OpDef) *wrapper {
	inferred := map[string]bool{}
	for _, in := range def.Inputs {
		inferred[in.TypeAttr], inferred[in.NumberAttr], inferred[in.TypeListAttr] = true, true, true
	}
	w := &wrapper{OpDef: def}
	for _, a := range def.Attrs {
		switch {
		case inferred[a.Name]:
		case a.Default == nil:
			w.Args = append(w.Args, a)
		default:
			w.Optional = append(w.Optional, a)
		}
	}
	return w
}

// declares returns the names that the wrapper adds to package op.
func (w *wrapper) declares() []string {
	names := []string{w.Name}
	if len(w.Optional) > 0 {
		names = append(names, w.Name+"Attr")
	}
	for _, a := range w.Optional {
		names = append(names, w.Setter(a))
	}
	return names
}

// Params returns the function's parameters after the scope.
func (w *wrapper) Params() string {
	var b strings.Builder
	for _, in := range w.Inputs {
		b.WriteString(", " + w.Ident(in.Name) + " " + outputType(in))
	}
	for _, a := range w.Args {
		b.WriteString(", " + w.Ident(a.Name) + " " + goType(a.Kind))
	}
	if len(w.Optional) > 0 {
		b.WriteString(", optional ..." + w.Name + "Attr")
	}
	return b.String()
}

// Results returns the function's results.
func (w *wrapper) Results() string {
	if len(w.Outputs) == 0 {
		return "(o *tf.Operation)"
	}
	results := make([]string, len(w.Outputs))
	for i, out := range w.Outputs {
		results[i] = w.Ident(out.Name) + " " + outputType(out)
	}
	return "(" + strings.Join(results, ", ") + ")"
}

// InputList returns the elements of the OpSpec's Input.
func (w *wrapper) InputList() string {
	inputs := make([]string, len(w.Inputs))
	for i, in := range w.Inputs {
		inputs[i] = w.Ident(in.Name)
		if in.IsList() {
			inputs[i] = "tf.OutputList(" + inputs[i] + ")"
		}
	}
	return strings.Join(inputs, ", ")
}

// TakesLists reports whether one of the inputs is a list.
func (w *wrapper) TakesLists() bool {
	for _, in := range w.Inputs {
		if in.IsList() {
			return true
		}
	}
	return false
}

// HasLists reports whether one of the outputs is a list.
func (w *wrapper) HasLists() bool {
	for _, out := range w.Outputs {
		if out.IsList() {
			return true
		}
	}
	return false
}

// Setter returns the name of the function that makes an option.
func (w *wrapper) Setter(a registry.AttrDef) string {
	var b strings.Builder
	b.WriteString(w.Name)
	for part := range strings.SplitSeq(w.bindingName(a.Name), "_") {
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return b.String()
}

// axes is the inputs and attributes that TensorFlow's binding calls axis, by
// operation.
var axes = map[string]string{
	"All":           "reduction_indices",
	"Any":           "reduction_indices",
	"EuclideanNorm": "reduction_indices",
	"ExpandDims":    "dim",
	"Max":           "reduction_indices",
	"Mean":          "reduction_indices",
	"Min":           "reduction_indices",
	"Prod":          "reduction_indices",
	"Split":         "split_dim",
	"SplitV":        "split_dim",
	"Squeeze":       "squeeze_dims",
	"Sum":           "reduction_indices",
}

// bindingName returns what TensorFlow's binding calls an argument or attribute.
func (w *wrapper) bindingName(name string) string {
	if axes[w.Name] == name {
		return "axis"
	}
	return name
}

// Ident returns the Go identifier for an argument or attribute: what the language or
// the function itself uses gets an underscore.
func (w *wrapper) Ident(name string) string {
	name = w.bindingName(name)
	switch name {
	case "tf", "scope", "err", "op", "optional", "with", "pointer", "attr", "attrs", "string", "true", "any":
		return name + "_"
	}
	if token.IsKeyword(name) {
		return name + "_"
	}
	return name
}

func outputType(a registry.ArgDef) string {
	if a.IsList() {
		return "[]tf.Output"
	}
	return "tf.Output"
}

// goType returns the Go type of an attribute's values.
func goType(kind registry.AttrKind) string {
	if kind.IsList() {
		return "[]" + goType(kind.Elem())
	}
	switch kind {
	case registry.KindString:
		return "string"
	case registry.KindInt:
		return "int64"
	case registry.KindFloat:
		return "float32"
	case registry.KindBool:
		return "bool"
	case registry.KindType:
		return "tf.DataType"
	case registry.KindShape:
		return "tf.Shape"
	case registry.KindTensor:
		return "*tf.Tensor"
	}
	panic("no Go type for attributes of type " + kind.String())
}
