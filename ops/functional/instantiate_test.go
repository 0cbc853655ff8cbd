package functional_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// instances returns every function that a graph's nodes, and those of the bodies,
// ask for, with their attributes.
func instances(g *graph.Graph) []*registry.Func {
	var found []*registry.Func
	seen := map[string]bool{}
	var visit func(nodes []*graph.Node)
	visit = func(nodes []*graph.Node) {
		for _, n := range nodes {
			for _, f := range n.Functions() {
				if key := f.String(); g.Function(f.Name) != nil && !seen[key] {
					seen[key] = true
					found = append(found, f)
					if b, err := g.Instantiate(f); err == nil {
						visit(b.Graph.Nodes())
					}
				}
			}
		}
	}
	visit(g.Nodes())
	return found
}

// TestRoundTrip instantiates every function of the recorded graphs as the graph
// does, makes a function of the body, and instantiates that.
func TestRoundTrip(t *testing.T) {
	total := 0
	for name, def := range recorded(t) {
		g := graph.New()
		if err := g.Import(def, ""); err != nil {
			continue // TestRecordedShapes looks at these
		}
		calls := instances(g)
		for _, f := range g.Functions() {
			if !slices.ContainsFunc(calls, func(c *registry.Func) bool { return c.Name == f.Name }) && len(f.Signature.Attrs) == 0 {
				calls = append(calls, &registry.Func{Name: f.Name})
			}
		}
		for _, f := range calls {
			total++
			b, err := g.Instantiate(f)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			checkBody(t, name, g.Function(f.Name), b)
		}
	}
	if total < 170 {
		t.Errorf("%d functions", total)
	}
}

// checkBody compares a body with its function's signature, and with the body of
// a function made of it.
func checkBody(t *testing.T, name string, f *graph.Function, b *graph.Body) {
	t.Helper()
	r, err := registry.Resolve(f.Signature, b.Attrs)
	if err != nil {
		t.Errorf("%s: %s: %v", name, f.Name, err)
		return
	}
	var args, results []tensor.DType
	for _, n := range b.Args {
		args = append(args, n.OutputTypes()...)
	}
	for _, n := range b.Results {
		results = append(results, n.InputTypes()...)
	}
	if !slices.Equal(args, r.Inputs) || !slices.Equal(results, r.Outputs) {
		t.Errorf("%s: %s: from %v to %v, want %v to %v", name, f.Name, args, results, r.Inputs, r.Outputs)
	}
	made, err := b.Function(fmt.Sprintf("again_%d", len(b.Graph.Functions())), nil)
	if err != nil {
		t.Errorf("%s: %s: %v", name, f.Name, err)
		return
	}
	if err := b.Graph.AddFunction(made, nil); err != nil {
		t.Errorf("%s: %s: %v", name, f.Name, err)
		return
	}
	again, err := b.Graph.Instantiate(&registry.Func{Name: made.Name})
	if err != nil {
		t.Errorf("%s: %s: %v", name, f.Name, err)
		return
	}
	if diff := cmp.Diff(notation.Format(b.Graph, notation.Options{Nodes: b.Graph.Nodes()}), notation.Format(again.Graph, notation.Options{Nodes: again.Graph.Nodes()})); diff != "" {
		t.Errorf("%s: %s: body, and body of the function made of it:\n%s", name, f.Name, diff)
	}
	var want, got []string
	for _, c := range b.Controls {
		want = append(want, c.Name+"="+c.Op.Name())
	}
	for _, c := range again.Controls {
		got = append(got, c.Name+"="+c.Op.Name())
	}
	if !slices.Equal(want, got) {
		t.Errorf("%s: %s: control outputs %q became %q", name, f.Name, want, got)
	}
	final, err := again.Function(made.Name, nil)
	if err != nil || !bytes.Equal(final.Def, made.Def) {
		t.Errorf("%s: %s: made of its own body it is another function, %v", name, f.Name, err)
	}
}

// TestTextRoundTrip writes the recorded graphs as text, with their functions,
// and reads it.
func TestTextRoundTrip(t *testing.T) {
	for name, def := range recorded(t) {
		g := graph.New()
		if err := g.Import(def, ""); err != nil {
			continue // TestRecordedShapes looks at these
		}
		text := notation.Format(g, notation.Options{})
		again := graph.New()
		if err := notation.Add(again, text); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(text, notation.Format(again, notation.Options{})); diff != "" {
			t.Errorf("%s: text, and text of what was read:\n%s", name, diff)
		}
		if a, b := len(g.Functions()), len(again.Functions()); a != b {
			t.Errorf("%s: %d functions became %d", name, a, b)
		}
	}
}
