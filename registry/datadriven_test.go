package registry

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// The files under testdata are commands, each followed by a line of dashes and
// what it prints:
//
//	define NAME       a definition; prints it, and with "as=X" keeps it as X
//	value KIND        values, one a line; prints each in canonical form
//	resolve OP        attributes and, after "inputs:", types; prints the outcome
//	infer OP          the same with the attributes worked out; lists in brackets
//	infer-flat OP     the same with lists flattened
//	compatible X Y    whether graphs for X fit Y
//	added-defaults X Y Z
func TestDataDriven(t *testing.T) {
	datadriven.Walk(t, "testdata/script", func(t *testing.T, path string) {
		w := world{defs: map[string]*OpDef{}}
		for _, d := range tensorflowDefs(t) {
			w.defs[d.Name] = d
		}
		datadriven.RunTest(t, path, func(t *testing.T, td *datadriven.TestData) string {
			out, err := w.run(t, td)
			if err != nil {
				return fmt.Sprintf("error: %v\n", err)
			}
			return strings.TrimRight(out, "\n") + "\n"
		})
	})
}

// A world is the definitions that a file has seen, and TensorFlow's.
type world struct{ defs map[string]*OpDef }

func (w *world) run(t *testing.T, td *datadriven.TestData) (string, error) {
	op := func(i int) *OpDef { return w.defs[td.CmdArgs[i].Key] }
	switch td.Cmd {
	case "define":
		return w.define(t, td)
	case "value":
		return values(td)
	case "resolve":
		return resolveCase(td.Input, func(attrs Attrs, inputs []Input) (Resolved, error) {
			r, err := Resolve(op(0), attrs)
			if err == nil {
				err = r.CheckInputs(flatten(inputs))
			}
			return r, err
		})
	case "infer":
		return resolveCase(td.Input, func(attrs Attrs, inputs []Input) (Resolved, error) {
			return Infer(op(0), attrs, inputs)
		})
	case "infer-flat":
		return resolveCase(td.Input, func(attrs Attrs, inputs []Input) (Resolved, error) {
			return InferFlat(op(0), attrs, flatten(inputs))
		})
	case "compatible":
		return "yes", Compatible(op(0), op(1))
	case "defaults":
		return "unchanged", DefaultsUnchanged(op(0), op(1))
	case "added-defaults":
		return "unchanged", AddedDefaultsUnchanged(op(0), op(1), op(2))
	}
	return "", fmt.Errorf("unknown command %s", td.Cmd)
}

// define reads lines such as "Input x: T" and, at the end, "Doc" with the rest
// of the input.
func (w *world) define(t *testing.T, td *datadriven.TestData) (string, error) {
	b := &Builder{def: OpDef{Name: td.CmdArgs[0].Key}}
	spec, doc, _ := strings.Cut(td.Input, "Doc\n")
	b.Doc(doc)
	for _, line := range strings.Split(spec, "\n") {
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "Input":
			b.Input(rest)
		case "Output":
			b.Output(rest)
		case "Attr":
			b.Attr(rest)
		case "Leaves", "Reads", "AddsTo", "Writes", "Puts", "Takes", "Closes":
			access := map[string]func(*Builder, ...string) *Builder{
				"Leaves": (*Builder).Leaves, "Reads": (*Builder).Reads, "AddsTo": (*Builder).AddsTo, "Writes": (*Builder).Writes,
				"Puts": (*Builder).Puts, "Takes": (*Builder).Takes, "Closes": (*Builder).Closes,
			}
			access[word](b, strings.Fields(rest)...)
		case "Stateful":
			b.Stateful()
		case "Commutative":
			b.Commutative()
		case "Deprecated":
			b.Deprecated(7, rest)
		}
	}
	d, err := b.Build()
	if err != nil {
		return "", err
	}
	name := d.Name
	td.MaybeScanArgs(t, "as", &name)
	w.defs[name] = d
	return d.Text(), nil
}

func values(td *datadriven.TestData) (string, error) {
	kind, ok := ParseKind(td.CmdArgs[0].Key)
	if !ok && td.CmdArgs[0].Key != "any" {
		return "", fmt.Errorf("no kind")
	}
	var out strings.Builder
	for _, line := range strings.Split(td.Input, "\n") {
		v, err := ParseAttr(kind, line)
		if err != nil {
			fmt.Fprintf(&out, "error: %s\n", status.From(err).Message)
			continue
		}
		fmt.Fprintf(&out, "%v\n", v)
	}
	return out.String(), nil
}

// resolveCase reads attributes, one a line, and a line "inputs:" of types,
// where a list stands in brackets.
func resolveCase(input string, f func(Attrs, []Input) (Resolved, error)) (string, error) {
	var attrs Attrs
	var inputs []Input
	for _, line := range strings.Split(input, "\n") {
		if types, ok := strings.CutPrefix(line, "inputs:"); ok {
			var err error
			if inputs, err = parseInputs(types); err != nil {
				return "", err
			}
			continue
		}
		more, err := ParseAttrs(line)
		if err != nil {
			return "", err
		}
		attrs = append(attrs, more...).normalize()
	}
	r, err := f(attrs, inputs)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%v\n(%s) -> (%s)", r.Attrs, typeNames(r.Inputs), typeNames(r.Outputs)), nil
}

func parseInputs(text string) ([]Input, error) {
	var inputs []Input
	s := scanner{text: text}
	for !s.done() {
		in := Input{List: s.eat("[")}
		for !s.done() && !(in.List && s.eat("]")) {
			dt, err := s.dtype()
			if err != nil {
				return nil, err
			}
			in.Types = append(in.Types, dt)
			if !in.List {
				break
			}
		}
		inputs = append(inputs, in)
	}
	return inputs, nil
}

func flatten(inputs []Input) []tensor.DType {
	var types []tensor.DType
	for _, in := range inputs {
		types = append(types, in.Types...)
	}
	return types
}
