package kerneltest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/literal"
)

// Script runs a file of package datadriven whose commands are one of
//
//	run    run the operations of the lines below, one after the other
//	step   the same in a new step: what lives as long as a step is gone
//
// A line is an operation with its attributes, which may be left out if they
// follow from the inputs or have defaults, and its inputs, each a name or a
// tensor:
//
//	v = VariableV2[dtype=float, shape=[2]]()
//	a, b = TensorArrayV3[dtype=float](int32 3)
//	Assign(v, float [1, 2])
//
// Outputs that get no name are printed, and so is an error: its code and its
// message. The node has the name of its first output, or of the operation.
// Resources last to the end of the file.
func Script(t *testing.T, path string) {
	t.Helper()
	s := script{names: map[string]*tensor.Tensor{}}
	datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
		switch d.Cmd {
		case "run":
		case "step":
			if s.runner.perStep != nil {
				s.runner.perStep.Clear()
			}
		default:
			d.Fatalf(t, "unknown command %q", d.Cmd)
		}
		var b strings.Builder
		for line := range strings.Lines(d.Input) {
			out, err := s.line(strings.TrimSpace(line))
			switch {
			case err == nil:
				b.WriteString(out)
			case status.CodeOf(err) == status.Unknown: // of the script itself
				d.Fatalf(t, "%s: %v", line, err)
			default:
				e := status.From(err)
				fmt.Fprintf(&b, "%v: %s\n", e.Code, e.Message)
			}
		}
		return b.String()
	})
}

type script struct {
	runner Runner
	names  map[string]*tensor.Tensor
}

func (s *script) line(line string) (string, error) {
	var names []string
	if left, right, ok := strings.Cut(line, " = "); ok && !strings.ContainsAny(left, "[(") {
		for n := range strings.SplitSeq(left, ",") {
			names = append(names, strings.TrimSpace(n))
		}
		line = right
	}
	open := strings.IndexAny(line, "[(")
	if open < 0 || !strings.HasSuffix(line, ")") {
		return "", fmt.Errorf("want name = Op[attrs](inputs)")
	}
	op, rest := line[:open], line[open:len(line)-1]
	attrText := ""
	if rest[0] == '[' {
		end := closing(rest)
		if end < 0 || end+1 >= len(rest) || rest[end+1] != '(' {
			return "", fmt.Errorf("the attributes have no end")
		}
		attrText, rest = rest[1:end], rest[end+1:]
	}
	attrs, err := parseAttrs(op, attrText)
	if err != nil {
		return "", err
	}
	var inputs []*tensor.Tensor
	for _, arg := range split(rest[1:]) {
		t, err := s.input(arg)
		if err != nil {
			return "", err
		}
		inputs = append(inputs, t)
	}
	node := op
	if len(names) > 0 {
		node = names[0]
	}
	outputs, err := s.runner.Run(node, op, attrs, inputs...)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for i, t := range outputs {
		if i < len(names) {
			s.names[names[i]] = t
		} else {
			b.WriteString(text(t) + "\n")
		}
	}
	return b.String(), nil
}

func (s *script) input(arg string) (*tensor.Tensor, error) {
	if t, ok := s.names[arg]; ok {
		return t, nil
	}
	name, value, _ := strings.Cut(arg, " ")
	dt, ok := tensor.ParseDType(name)
	if !ok {
		return nil, fmt.Errorf("%q is neither a name nor a tensor", arg)
	}
	if shape, ok := strings.CutPrefix(strings.TrimSpace(value), "zeros"); ok {
		a, err := registry.ParseAttr(registry.KindShape, shape)
		if err != nil {
			return nil, fmt.Errorf("%w", err)
		}
		return tensor.New(dt, a.Shape.Dims...)
	}
	t, err := literal.Parse(value, dt)
	if err != nil {
		return nil, fmt.Errorf("%s: %v", arg, err)
	}
	return t, nil
}

func parseAttrs(op, text string) (registry.Attrs, error) {
	def, err := registry.Global.Lookup(op)
	if err != nil {
		return nil, fmt.Errorf("%v", err)
	}
	var attrs registry.Attrs
	for _, a := range split(text) {
		name, value, _ := strings.Cut(a, "=")
		d := def.Attr(name)
		if d == nil {
			return nil, fmt.Errorf("%s has no attribute %q", op, name)
		}
		v, err := registry.ParseAttr(d.Kind, value)
		if err != nil {
			return nil, fmt.Errorf("attribute %s: %v", a, err)
		}
		attrs = append(attrs, registry.NamedAttr{Name: name, Value: v})
	}
	return attrs, nil
}

// text returns an output in words: its type and its value, or what a reference
// refers to.
func text(t *tensor.Tensor) string {
	switch v := tensor.ValueOf(t); {
	case t == nil:
		return "dead"
	case v.IsRef():
		val, ok := v.Cell().Read()
		if !ok {
			return t.DType().String() + " without a value"
		}
		return t.DType().String() + " " + strings.ReplaceAll(val.String(), "\n", "")
	case t.DType() == tensor.Resource || t.DType() == tensor.Variant:
		return t.DType().String()
	default:
		s := t.DType().String() + " " + strings.ReplaceAll(t.String(), "\n", "")
		if t.NumElements() == 0 {
			s = t.DType().String() + " of shape " + tensor.FormatDims(t.Dims())
		}
		return s
	}
}

// split cuts at the commas that are not in brackets or quotes.
func split(s string) []string {
	var parts []string
	depth, start, quote := 0, 0, byte(0)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == '\\' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '[' || c == '(':
			depth++
		case c == ']' || c == ')':
			depth--
		case c == ',' && depth == 0:
			parts = append(parts, strings.TrimSpace(s[start:i]))
			start = i + 1
		}
	}
	if last := strings.TrimSpace(s[start:]); last != "" {
		parts = append(parts, last)
	}
	return parts
}

// closing returns where the bracket that s begins with is closed, -1 if nowhere.
func closing(s string) int {
	depth, quote := 0, byte(0)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == '\\' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '[':
			depth++
		case c == ']':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}
