package conformance

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/wire"
)

func loadOpDefs(files fs.FS, group string) ([]*Case, error) {
	data, err := fs.ReadFile(files, "ops.pb")
	if err != nil {
		return nil, err
	}
	var list wire.OpList
	if err := proto.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("ops.pb: %w", err)
	}
	var cases []*Case
	for _, def := range list.GetOp() {
		cases = append(cases, &Case{
			Name:  group + "/" + def.GetName(),
			About: "The definition of " + def.GetName() + ".",
			Ops:   []string{def.GetName()},
			run:   func(context.Context, Config) error { return compareDefs(def) },
		})
	}
	return cases, nil
}

// compareDefs compares the definition registered under want's name with want,
// by a text that says everything about either.
func compareDefs(want *wire.OpDef) error {
	got, err := registry.Global.Lookup(want.GetName())
	if err != nil {
		return gapOr(err)
	}
	g, w := describe(got), describeWire(want)
	var diffs []string
	for _, line := range g {
		if !slices.Contains(w, line) {
			diffs = append(diffs, "has "+line)
		}
	}
	for _, line := range w {
		if !slices.Contains(g, line) {
			diffs = append(diffs, "lacks "+line)
		}
	}
	if len(diffs) > 0 {
		return fmt.Errorf("%s", strings.Join(diffs, "; "))
	}
	if !slices.Equal(g, w) {
		return fmt.Errorf("arguments or attributes are in another order: %q, want %q", g, w)
	}
	return nil
}

// describe is a line for each argument, attribute and flag of a definition.
func describe(d *registry.OpDef) []string {
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	argument := func(role string, a *registry.ArgDef) {
		add("%s %s", role, argText(a.Name, a.Type, a.TypeAttr, a.NumberAttr, a.TypeListAttr, a.IsRef))
	}
	for i := range d.Inputs {
		argument("input", &d.Inputs[i])
	}
	for i := range d.Outputs {
		argument("output", &d.Outputs[i])
	}
	for _, c := range d.ControlOutputs {
		add("control output %s", c)
	}
	for i := range d.Attrs {
		a := &d.Attrs[i]
		add("attr %s: %v%s", a.Name, a.Kind, limitsText(a.AllowedTypes, a.AllowedStrings, a.HasMinimum, a.Minimum))
		if a.Default != nil {
			add("attr %s = %s", a.Name, attrText(*a.Default))
		}
	}
	flags := []bool{d.Commutative, d.Aggregate, d.Stateful, d.AllowsUninitializedInput, d.DistributedCommunication}
	for i, on := range flags {
		if on {
			add("%s", flagNames[i])
		}
	}
	if d.Deprecation != nil {
		add("deprecated at %d", d.Deprecation.Version)
	}
	return lines
}

var flagNames = [...]string{"commutative", "aggregate", "stateful", "allows uninitialized input", "distributed communication"}

// describeWire is what [describe] would say of a definition in a message.
func describeWire(d *wire.OpDef) []string {
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	argument := func(role string, a *wire.OpDef_ArgDef) {
		add("%s %s", role, argText(a.GetName(), tensor.DType(a.GetType()), a.GetTypeAttr(), a.GetNumberAttr(), a.GetTypeListAttr(), a.GetIsRef()))
	}
	for _, a := range d.GetInputArg() {
		argument("input", a)
	}
	for _, a := range d.GetOutputArg() {
		argument("output", a)
	}
	for _, c := range d.GetControlOutput() {
		add("control output %s", c)
	}
	for _, a := range d.GetAttr() {
		var types []tensor.DType
		for _, t := range a.GetAllowedValues().GetList().GetType() {
			types = append(types, tensor.DType(t))
		}
		var strs []string
		for _, s := range a.GetAllowedValues().GetList().GetS() {
			strs = append(strs, string(s))
		}
		add("attr %s: %s%s", a.GetName(), a.GetType(), limitsText(types, strs, a.GetHasMinimum(), a.GetMinimum()))
		if a.GetDefaultValue() != nil {
			add("attr %s = %s", a.GetName(), wireAttrText(a.GetType(), a.GetDefaultValue()))
		}
	}
	flags := []bool{d.GetIsCommutative(), d.GetIsAggregate(), d.GetIsStateful(), d.GetAllowsUninitializedInput(), d.GetIsDistributedCommunication()}
	for i, on := range flags {
		if on {
			add("%s", flagNames[i])
		}
	}
	if d.GetDeprecation() != nil {
		add("deprecated at %d", d.GetDeprecation().GetVersion())
	}
	return lines
}

func argText(name string, dt tensor.DType, typeAttr, numberAttr, typeListAttr string, ref bool) string {
	text := typeAttr + typeListAttr
	if dt != tensor.Invalid {
		text = dt.String()
	}
	if numberAttr != "" {
		text = numberAttr + " * " + text
	}
	if ref {
		text = "Ref(" + text + ")"
	}
	return name + ": " + text
}

func limitsText(types []tensor.DType, strs []string, hasMinimum bool, minimum int64) string {
	text := ""
	if len(types) > 0 {
		text += fmt.Sprintf(" in %v", types)
	}
	if len(strs) > 0 {
		text += fmt.Sprintf(" in %q", strs)
	}
	if hasMinimum {
		text += fmt.Sprintf(" >= %d", minimum)
	}
	return text
}

func attrText(v registry.AttrValue) string {
	if v.Kind.IsList() {
		elems := make([]string, len(v.List))
		for i, e := range v.List {
			elems[i] = attrText(e)
		}
		return "[" + strings.Join(elems, ", ") + "]"
	}
	switch v.Kind {
	case registry.KindString:
		return strconv.Quote(v.S)
	case registry.KindInt:
		return strconv.FormatInt(v.I, 10)
	case registry.KindFloat:
		return floatText(v.F)
	case registry.KindBool:
		return strconv.FormatBool(v.B)
	case registry.KindType:
		return v.Type.String()
	case registry.KindShape:
		return shapeText(v.Shape.Unknown, v.Shape.Dims)
	case registry.KindFunc:
		if v.Func == nil {
			return "func "
		}
		return "func " + v.Func.Name
	case registry.KindTensor:
		p, err := v.Tensor.MarshalProto()
		return fmt.Sprintf("tensor %x %v", p, err)
	}
	return "nothing"
}

// wireAttrText is what [attrText] says of the same value.
func wireAttrText(kind string, v *wire.AttrValue) string {
	elem, isList := strings.CutPrefix(kind, "list(")
	if !isList {
		return wireScalarText(kind, v)
	}
	elem = strings.TrimSuffix(elem, ")")
	var elems []string
	for _, e := range wireElements(elem, v.GetList()) {
		elems = append(elems, wireScalarText(elem, e))
	}
	return "[" + strings.Join(elems, ", ") + "]"
}

// wireElements is the elements of a list as values of their own.
func wireElements(kind string, l *wire.AttrValue_ListValue) (all []*wire.AttrValue) {
	switch kind {
	case "string":
		for _, x := range l.GetS() {
			all = append(all, &wire.AttrValue{Value: &wire.AttrValue_S{S: x}})
		}
	case "int":
		for _, x := range l.GetI() {
			all = append(all, &wire.AttrValue{Value: &wire.AttrValue_I{I: x}})
		}
	case "float":
		for _, x := range l.GetF() {
			all = append(all, &wire.AttrValue{Value: &wire.AttrValue_F{F: x}})
		}
	case "bool":
		for _, x := range l.GetB() {
			all = append(all, &wire.AttrValue{Value: &wire.AttrValue_B{B: x}})
		}
	case "type":
		for _, x := range l.GetType() {
			all = append(all, &wire.AttrValue{Value: &wire.AttrValue_Type{Type: x}})
		}
	case "shape":
		for _, x := range l.GetShape() {
			all = append(all, &wire.AttrValue{Value: &wire.AttrValue_Shape{Shape: x}})
		}
	case "func":
		for _, x := range l.GetFunc() {
			all = append(all, &wire.AttrValue{Value: &wire.AttrValue_Func{Func: x}})
		}
	}
	return all
}

func wireScalarText(kind string, v *wire.AttrValue) string {
	switch kind {
	case "string":
		return strconv.Quote(string(v.GetS()))
	case "int":
		return strconv.FormatInt(v.GetI(), 10)
	case "float":
		return floatText(v.GetF())
	case "bool":
		return strconv.FormatBool(v.GetB())
	case "type":
		return tensor.DType(v.GetType()).String()
	case "shape":
		var dims []int64
		for _, d := range v.GetShape().GetDim() {
			dims = append(dims, d.GetSize())
		}
		return shapeText(v.GetShape().GetUnknownRank(), dims)
	case "func":
		return "func " + v.GetFunc().GetName()
	case "tensor":
		t, err := tensor.FromProto(v.GetTensor(), 0)
		if err != nil {
			return err.Error()
		}
		p, err := t.MarshalProto()
		return fmt.Sprintf("tensor %x %v", p, err)
	}
	return "nothing"
}

func floatText(f float32) string { return strconv.FormatFloat(float64(f), 'g', -1, 32) }

func shapeText(unknown bool, dims []int64) string {
	if unknown {
		return "shape ?"
	}
	return "shape " + tensor.FormatDims(dims)
}
