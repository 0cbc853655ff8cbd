package graph

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
)

// TestFunctions runs the commands in testdata/functions; -rewrite writes the
// answers again.
//
//	graph              an empty graph, to which the input is added as text
//	instantiate        the body of the function in the input: f[T=DT_FLOAT]
//	remake name=n      the same, and the function made of the body
//	make name=f inputs=(x:0,…) outputs=(…) [controls=(…)] [nodes=(…)] [input-names=(…)] [output-names=(…)]
//	                   a function made of a part of the graph, which is added to it
//	shapes             what is known of every output of the graph
//	shapes of=f        the same of the body of f
func TestFunctions(t *testing.T) {
	datadriven.Walk(t, "testdata/functions", func(t *testing.T, path string) {
		g := New()
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "graph" {
				g = New()
			}
			out, err := functionCommand(t, g, d)
			if err != nil {
				return wrap(err.Error())
			}
			return out
		})
	})
}

func functionCommand(t *testing.T, g *Graph, d *datadriven.TestData) (string, error) {
	switch d.Cmd {
	case "graph":
		if err := addText(g, d.Input); err != nil {
			return "", err
		}
		checkRoundTrip(t, g)
		return textOf(g, textOptions{}), nil
	case "instantiate", "remake":
		v, err := registry.ParseAttr(registry.KindFunc, d.Input)
		if err != nil {
			return "", err
		}
		b, err := g.Instantiate(v.Func)
		if err != nil {
			return "", err
		}
		if again, err := g.Instantiate(v.Func); again != b || err != nil {
			t.Errorf("%s was instantiated twice, %v", d.Input, err)
		}
		if d.Cmd == "instantiate" {
			return textOf(b.Graph, textOptions{Nodes: b.Graph.Nodes()}), nil
		}
		var name string
		d.ScanArgs(t, "name", &name)
		f, err := b.Function(name, nil)
		if err != nil {
			return "", err
		}
		return functionText(t, g, f)
	case "make":
		var spec FunctionSpec
		d.ScanArgs(t, "name", &spec.Name)
		var err error
		if spec.Inputs, err = outputs(t, g, d, "inputs"); err != nil {
			return "", err
		}
		if spec.Outputs, err = outputs(t, g, d, "outputs"); err != nil {
			return "", err
		}
		for _, name := range list(t, d, "controls") {
			spec.Controls = append(spec.Controls, g.Operation(name))
		}
		for _, name := range list(t, d, "nodes") {
			spec.Nodes = append(spec.Nodes, g.Operation(name))
		}
		spec.InputNames, spec.OutputNames = list(t, d, "input-names"), list(t, d, "output-names")
		f, err := g.MakeFunction(spec)
		if err != nil {
			return "", err
		}
		return functionText(t, g, f)
	case "shapes":
		var b strings.Builder
		nodes, shapesOf := g.Nodes(), (*Node).OutputShapes
		if d.HasArg("of") {
			var name string
			d.ScanArgs(t, "of", &name)
			body, err := g.Instantiate(&registry.Func{Name: name})
			if err != nil {
				return "", err
			}
			known, err := body.Infer(nil)
			if err != nil {
				return "", err
			}
			nodes, shapesOf = body.Graph.Nodes(), known.Shapes
		}
		for _, n := range nodes {
			for i, s := range shapesOf(n) {
				fmt.Fprintf(&b, "%v %v %v\n", n.Output(i), n.Output(i).DataType(), s)
			}
		}
		return b.String(), nil
	}
	return "", status.Invalid("no command %s", d.Cmd)
}

// functionText adds a function to the graph and is its text.
func functionText(t *testing.T, g *Graph, f *Function) (string, error) {
	if err := g.AddFunction(f, nil); err != nil {
		return "", err
	}
	checkRoundTrip(t, g)
	alone := New()
	if err := alone.AddFunction(f, nil); err != nil {
		return "", err
	}
	return textOf(alone, textOptions{}), nil
}
