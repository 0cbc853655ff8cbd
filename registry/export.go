package registry

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Text returns the definition over several lines, for people: its signature, its
// attributes, its flags and its documentation.
//
//	Sum(input: T, reduction_indices: Tidx) -> (output: T)
//	  keep_dims: bool = false
//	  T: numbertype
//	  Tidx: {int32, int64} = DT_INT32
//
//	  Adds up elements along the given dimensions.
func (d *OpDef) Text() string {
	var b strings.Builder
	b.WriteString(d.Name + "(")
	writeArgs(&b, d.Inputs, ": ")
	b.WriteString(") -> (")
	writeArgs(&b, d.Outputs, ": ")
	b.WriteString(")\n")
	for i := range d.Attrs {
		b.WriteString("  " + d.Attrs[i].Name + ": " + d.Attrs[i].Spec() + "\n")
	}
	if flags := d.flags(); len(flags) > 0 {
		b.WriteString("  " + strings.Join(flags, ", ") + "\n")
	}
	if dep := d.Deprecation; dep != nil {
		fmt.Fprintf(&b, "  deprecated in version %d", dep.Version)
		if dep.Explanation != "" {
			b.WriteString(": " + dep.Explanation)
		}
		b.WriteByte('\n')
	}
	paragraph := func(text string) {
		if text != "" {
			b.WriteString("\n  " + strings.ReplaceAll(text, "\n", "\n  ") + "\n")
		}
	}
	paragraph(d.Summary)
	paragraph(d.Description)
	paragraph(d.descriptions())
	return b.String()
}

// flags returns what is set, by the names that it has in an OpDef.
func (d *OpDef) flags() []string {
	var set []string
	for _, f := range []struct {
		set  bool
		name string
	}{
		{d.Commutative, "is_commutative"},
		{d.Aggregate, "is_aggregate"},
		{d.Stateful, "is_stateful"},
		{d.AllowsUninitializedInput, "allows_uninitialized_input"},
		{d.DistributedCommunication, "is_distributed_communication"},
	} {
		if f.set {
			set = append(set, f.name)
		}
	}
	return set
}

// descriptions returns what the documentation says of arguments and attributes, one
// a line.
func (d *OpDef) descriptions() string {
	var lines []string
	add := func(name, text string) {
		if text != "" {
			lines = append(lines, name+": "+strings.ReplaceAll(text, "\n", "\n  "))
		}
	}
	for _, args := range [][]ArgDef{d.Inputs, d.Outputs} {
		for i := range args {
			add(args[i].Name, args[i].Description)
		}
	}
	for i := range d.Attrs {
		add(d.Attrs[i].Name, d.Attrs[i].Description)
	}
	return strings.Join(lines, "\n")
}

type jsonArg struct {
	Name         string `json:"name"`
	Type         string `json:"type,omitempty"`
	TypeAttr     string `json:"type_attr,omitempty"`
	NumberAttr   string `json:"number_attr,omitempty"`
	TypeListAttr string `json:"type_list_attr,omitempty"`
	IsRef        bool   `json:"is_ref,omitempty"`
	Description  string `json:"description,omitempty"`
}

type jsonAttr struct {
	Name        string   `json:"name"`
	Type        string   `json:"type"`
	Default     any      `json:"default,omitempty"`
	Allowed     []string `json:"allowed,omitempty"`
	Minimum     *int64   `json:"minimum,omitempty"`
	Description string   `json:"description,omitempty"`
}

type jsonOp struct {
	Name                     string           `json:"name"`
	Summary                  string           `json:"summary,omitempty"`
	Description              string           `json:"description,omitempty"`
	Inputs                   []jsonArg        `json:"inputs"`
	Outputs                  []jsonArg        `json:"outputs"`
	Attrs                    []jsonAttr       `json:"attrs"`
	Commutative              bool             `json:"is_commutative,omitempty"`
	Aggregate                bool             `json:"is_aggregate,omitempty"`
	Stateful                 bool             `json:"is_stateful,omitempty"`
	AllowsUninitializedInput bool             `json:"allows_uninitialized_input,omitempty"`
	DistributedCommunication bool             `json:"is_distributed_communication,omitempty"`
	Deprecation              *jsonDeprecation `json:"deprecation,omitempty"`
}

type jsonDeprecation struct {
	Version     int    `json:"version"`
	Explanation string `json:"explanation,omitempty"`
}

// MarshalJSON returns the definition as an object with the field names of an OpDef.
// What is absent is false, zero or empty; an attribute without "default" must
// be given. Types are written "DT_FLOAT", a default shape {"shape": [2, -1]}, with null
// for an unknown rank, a default function {"func": "name"}, a default tensor
// and a float that is no number as text.
func (d *OpDef) MarshalJSON() ([]byte, error) {
	op := jsonOp{
		Name: d.Name, Summary: d.Summary, Description: d.Description,
		Inputs: jsonArgs(d.Inputs), Outputs: jsonArgs(d.Outputs), Attrs: []jsonAttr{},
		Commutative: d.Commutative, Aggregate: d.Aggregate, Stateful: d.Stateful,
		AllowsUninitializedInput: d.AllowsUninitializedInput, DistributedCommunication: d.DistributedCommunication,
	}
	if d.Deprecation != nil {
		op.Deprecation = &jsonDeprecation{d.Deprecation.Version, d.Deprecation.Explanation}
	}
	for i := range d.Attrs {
		a := &d.Attrs[i]
		j := jsonAttr{Name: a.Name, Type: a.Kind.String(), Allowed: a.AllowedStrings, Description: a.Description}
		for _, t := range a.AllowedTypes {
			j.Allowed = append(j.Allowed, t.ProtoName())
		}
		if a.HasMinimum {
			j.Minimum = &a.Minimum
		}
		if a.Default != nil {
			j.Default = a.Default.json()
		}
		op.Attrs = append(op.Attrs, j)
	}
	return json.Marshal(op)
}

func jsonArgs(args []ArgDef) []jsonArg {
	list := []jsonArg{}
	for i := range args {
		a := &args[i]
		j := jsonArg{
			Name: a.Name, TypeAttr: a.TypeAttr, NumberAttr: a.NumberAttr, TypeListAttr: a.TypeListAttr,
			IsRef: a.IsRef, Description: a.Description,
		}
		if a.Type != 0 {
			j.Type = a.Type.ProtoName()
		}
		list = append(list, j)
	}
	return list
}

// json returns the value as encoding/json writes it; never nil.
func (v *AttrValue) json() any {
	if v.Kind.IsList() {
		list := []any{}
		for i := range v.List {
			list = append(list, v.List[i].json())
		}
		return list
	}
	switch v.Kind {
	case KindString:
		return v.S
	case KindInt:
		return v.I
	case KindBool:
		return v.B
	case KindFloat:
		if f := float64(v.F); f-f == 0 {
			return v.F
		}
	case KindShape:
		if v.Shape.Unknown {
			return map[string]any{"shape": nil}
		}
		return map[string]any{"shape": append([]int64{}, v.Shape.Dims...)}
	case KindFunc:
		return map[string]any{"func": v.Func.Name}
	}
	return v.String()
}
