package gradients_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/gradients"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	_ "github.com/troupe-go/troupe/ops/all"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func parse(t *testing.T, text string) *graph.Graph {
	t.Helper()
	g := graph.New()
	if err := notation.Add(g, text); err != nil {
		t.Fatal(err)
	}
	return g
}

func outputs(t *testing.T, g *graph.Graph, names string) []graph.Output {
	t.Helper()
	var list []graph.Output
	for _, name := range strings.Fields(names) {
		p, err := g.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

// added returns the nodes that came after the first n: name, operation, inputs.
func added(g *graph.Graph, n int) string {
	var b strings.Builder
	for _, node := range g.Nodes()[n:] {
		b.WriteString(node.Name() + " = " + node.Type() + "(")
		for i, from := range node.Inputs() {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(from.String())
		}
		b.WriteString(")\n")
	}
	return b.String()
}

const square = `
x = Placeholder() {dtype=DT_FLOAT, shape=shape [2]}
s = Square(x)
e = Exp(s)
z = AddV2(e, s)
n = Neg(x)
`

// Only what lies between is differentiated, what flows to s from two sides is
// added up once, and the gradients of Neg, which no y needs, are not computed.
func TestBackwardGraph(t *testing.T) {
	g := parse(t, square)
	n := g.NumNodes()
	if _, err := gradients.Dense(g, outputs(t, g, "z"), outputs(t, g, "x"), gradients.Options{}); err != nil {
		t.Fatal(err)
	}
	want := `gradients/Shape = Const()
gradients/Const = Const()
gradients/grad_ys_0 = Fill(gradients/Shape:0, gradients/Const:0)
gradients/e_grad/Mul = Mul(gradients/grad_ys_0:0, e:0)
gradients/AddN = AddN(gradients/grad_ys_0:0, gradients/e_grad/Mul:0)
gradients/s_grad/Const = Const()
gradients/s_grad/Mul = Mul(gradients/s_grad/Const:0, x:0)
gradients/s_grad/Mul_1 = Mul(gradients/AddN:0, gradients/s_grad/Mul:0)
`
	if diff := cmp.Diff(want, added(g, n)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestPrefixes(t *testing.T) {
	g := parse(t, square)
	for _, c := range []struct{ prefix, want string }{{"", "gradients/"}, {"", "gradients_1/"}, {"mine", "mine/"}} {
		dx, err := g.AddGradients(c.prefix, outputs(t, g, "z"), outputs(t, g, "x"), nil)
		if err != nil {
			t.Fatal(err)
		}
		if name := dx[0].Op.Name(); !strings.HasPrefix(name, c.want) {
			t.Errorf("prefix %q: the gradient is %s, want it under %s", c.prefix, name, c.want)
		}
	}
	if _, err := g.AddGradients("mine", outputs(t, g, "z"), outputs(t, g, "x"), nil); status.CodeOf(err) != status.InvalidArgument {
		t.Errorf("a prefix in use: %v", err)
	}
}

func TestStopAndUnconnected(t *testing.T) {
	g := parse(t, square)
	values, err := gradients.Add(g, outputs(t, g, "z"), outputs(t, g, "x s n"), gradients.Options{Stop: outputs(t, g, "s")})
	if err != nil {
		t.Fatal(err)
	}
	if !values[0].None() || values[1].None() || !values[2].None() {
		t.Errorf("gradients of x, s and n: %v, want one of s", values)
	}
	dense, err := gradients.Dense(g, outputs(t, g, "z"), outputs(t, g, "n"), gradients.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if s := dense[0].Shape().String(); s != "[2]" || dense[0].DataType() != tensor.Float {
		t.Errorf("zeros for n: %v %s", dense[0].DataType(), s)
	}
}

func TestRefused(t *testing.T) {
	g := parse(t, square+`
i = Placeholder() {dtype=DT_INT32, shape=shape [2]}
c = Bitcast(x) {type=DT_INT32}
`)
	other := parse(t, square)
	for _, c := range []struct {
		name   string
		ys, xs []graph.Output
		o      gradients.Options
		want   status.Code
	}{
		{"no gradient", outputs(t, g, "c"), outputs(t, g, "x"), gradients.Options{}, status.NotFound},
		{"another graph's", outputs(t, other, "z"), outputs(t, g, "x"), gradients.Options{}, status.InvalidArgument},
		{"no output", outputs(t, g, "z"), []graph.Output{{}}, gradients.Options{}, status.InvalidArgument},
		{"too few", outputs(t, g, "z n"), outputs(t, g, "x"), gradients.Options{GradYs: outputs(t, g, "x")}, status.InvalidArgument},
		{"of another type", outputs(t, g, "z"), outputs(t, g, "x"), gradients.Options{GradYs: outputs(t, g, "i")}, status.InvalidArgument},
	} {
		if _, err := gradients.Dense(g, c.ys, c.xs, c.o); status.CodeOf(err) != c.want {
			t.Errorf("%s: error %v, want %v", c.name, err, c.want)
		}
	}
}
