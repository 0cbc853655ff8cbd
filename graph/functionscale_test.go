package graph

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/tensor"
)

// mustText returns a graph of that text.
func mustText(t testing.TB, text string) *Graph {
	t.Helper()
	g := New()
	if err := addText(g, text); err != nil {
		t.Fatal(err)
	}
	return g
}

// chainFunction returns a function F of n nodes.
func chainFunction(n int) string {
	var b strings.Builder
	b.WriteString("func F(x: float) -> (y: float) {\n  n0 = Neg(x) {T=DT_FLOAT}\n")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, "  n%d = Neg(n%d:y:0) {T=DT_FLOAT}\n", i, i-1)
	}
	fmt.Fprintf(&b, "  return y = n%d:y:0\n}\n", n-1)
	return b.String()
}

// TestManyCalls: calls with arguments alike cost one inference of the body.
func TestManyCalls(t *testing.T) {
	const nodes, calls = 100, 10_000
	var b strings.Builder
	b.WriteString(chainFunction(nodes))
	b.WriteString("x = Placeholder() {dtype=DT_FLOAT, shape=shape [2,3]}\nc0 = F(x)\n")
	for i := 1; i < calls; i++ {
		fmt.Fprintf(&b, "c%d = F(c%d)\n", i, i-1)
	}
	g := mustText(t, b.String())
	last := g.Operation(fmt.Sprintf("c%d", calls-1))
	if s := last.OutputShapes()[0]; s.String() != "[2,3]" {
		t.Errorf("the last call has shape %v", s)
	}
	if spent := g.library.spent; spent > 2*nodes {
		t.Errorf("%d nodes of bodies were inferred for %d calls of a function of %d nodes", spent, calls, nodes)
	}
}

// TestManyFunctions: bodies share one library.
func TestManyFunctions(t *testing.T) {
	const functions = 1000
	var b strings.Builder
	b.WriteString("x = Placeholder() {dtype=DT_FLOAT, shape=shape [2,3]}\n")
	for i := range functions {
		fmt.Fprintf(&b, "c%d = F%d(x)\n", i, i)
		fmt.Fprintf(&b, "func F%d(x: float) -> (y: float) {\n  y = Neg(x) {T=DT_FLOAT}\n  return y = y:y:0\n}\n", i)
	}
	g := mustText(t, b.String())
	for i := range functions {
		body, err := g.Instantiate(&registry.Func{Name: fmt.Sprintf("F%d", i)})
		if err != nil {
			t.Fatal(err)
		}
		if body.Graph.library != g.library {
			t.Fatal("a body has a library of its own")
		}
	}
}

// callChain is functions of which each calls the next, and a call of the first:
// they pass on x and dims, and the last has a node of its own, whose output is y.
func callChain(depth int, last, output string) string {
	var b strings.Builder
	b.WriteString("x = Placeholder() {dtype=DT_FLOAT, shape=shape [2,3]}\n")
	b.WriteString("dims = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [1] values: 6>}\n")
	b.WriteString("c = F0(x, dims)\n")
	for i := range depth {
		fmt.Fprintf(&b, "func F%d(x: float, d: int32) -> (y: float) {\n  y = F%d(x, d)\n  return y = y:y:0\n}\n", i, i+1)
	}
	fmt.Fprintf(&b, "func F%d(x: float, d: int32) -> (y: float) {\n  y = %s\n  return y = y:%s:0\n}\n", depth, last, output)
	return b.String()
}

// TestDeepCalls: calls within one another are followed to any depth, each function
// once; constants are only so far.
func TestDeepCalls(t *testing.T) {
	depths := []int{3, maxConstantDepth - 1, maxConstantDepth + 10, 50_000}
	if testing.Short() {
		depths = depths[:3]
	}
	for _, depth := range depths {
		g := mustText(t, callChain(depth, "Neg(x) {T=DT_FLOAT}", "y"))
		if got := g.Operation("c").OutputShapes()[0].String(); got != "[2,3]" {
			t.Errorf("depth %d: %s", depth, got)
		}
		if limit := 7 * (depth + 1); g.library.spent > limit {
			t.Errorf("depth %d: %d nodes of bodies were inferred, where %d suffice", depth, g.library.spent, limit)
		}
		want := "[6]"
		if depth >= maxConstantDepth {
			want = "[?]"
		}
		g = mustText(t, callChain(depth, "Reshape(x, d) {T=DT_FLOAT, Tshape=DT_INT32}", "output"))
		if got := g.Operation("c").OutputShapes()[0].String(); got != want {
			t.Errorf("depth %d: reshaped to %s, want %s", depth, got, want)
		}
	}
}

// TestDeepError: an error from deep within says where it is, but not all the way.
func TestDeepError(t *testing.T) {
	err := addText(New(), callChain(20_000, "MatMul(x, x) {T=DT_FLOAT}", "product"))
	if err == nil || len(err.Error()) > 2000 || !strings.Contains(err.Error(), "function 'F20000'") {
		t.Errorf("%.3000v", err)
	}
}

// TestEndlessCalls: functions that call themselves with ever other shapes, more
// than once, end too.
func TestEndlessCalls(t *testing.T) {
	registry.Define("TestGrow").Input("x: float").Output("y: float").Attr("by: int")
	shape.Register(func(c *shape.Context) error {
		c.SetOutput(0, shape.Of(c.Input(0).Dim(0)*2+c.Int("by")))
		return c.Err()
	}, "TestGrow")
	g := mustText(t, `
x = Placeholder() {dtype=DT_FLOAT, shape=shape [1]}
c = F(x)
func F(x: float) -> (y: float, z: float) {
  a = TestGrow(x) {by=0}
  b = TestGrow(x) {by=1}
  c = F(a:y:0)
  d = F(b:y:0)
  e = Add(c:y:0, d:z:0) {T=DT_FLOAT}
  z = Neg(x) {T=DT_FLOAT}
  return y = e:z:0, z = z:y:0
}
`)
	shapes := g.Operation("c").OutputShapes()
	if shapes[0].Known() || shapes[1].String() != "[1]" {
		t.Errorf("shapes are %v", shapes)
	}
	if limit := creditOfLibrary + 2*creditOfCall; g.library.spent > limit {
		t.Errorf("%d nodes of bodies were inferred, where %d may be", g.library.spent, limit)
	}
}

// TestAttributeBomb: attributes that double from call to call are refused.
func TestAttributeBomb(t *testing.T) {
	g := mustText(t, `
func F[f: func](x: float) -> (y: float) {
  y = PartitionedCall(x) {Tin=[DT_FLOAT], Tout=[DT_FLOAT], f=func F[f=func G[a=$f, b=$f, c=$f, d=$f, e=$f, g=$f, h=$f, i=$f]]}
  return y = y:output:0
}
`)
	x, err := g.AddOperation(OpSpec{Type: "Placeholder", Name: "x", Attrs: map[string]any{"dtype": tensor.Float}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = g.AddOperation(OpSpec{Type: "F", Name: "c", Input: []Input{x.Output(0)}, Attrs: map[string]any{"f": &registry.Func{Name: "G"}}})
	if err == nil || !strings.Contains(err.Error(), "function 'F'") || !strings.HasPrefix(err.Error(), "RESOURCE_EXHAUSTED") {
		t.Errorf("%.300v", err)
	}
}

// TestConcurrentInstantiation: all get the same body.
func TestConcurrentInstantiation(t *testing.T) {
	g := mustText(t, chainFunction(50))
	x, err := g.AddOperation(OpSpec{Type: "Placeholder", Name: "x", Attrs: map[string]any{"dtype": tensor.Float}})
	if err != nil {
		t.Fatal(err)
	}
	bodies := make([]*Body, 8)
	var wg sync.WaitGroup
	for i := range bodies {
		wg.Go(func() {
			var err error
			if bodies[i], err = g.Instantiate(&registry.Func{Name: "F"}); err != nil {
				t.Error(err)
			}
			if _, err := g.AddOperation(OpSpec{Type: "F", Name: fmt.Sprint("c", i), Input: []Input{x.Output(0)}}); err != nil {
				t.Error(err)
			}
			f, err := bodies[i].Function(fmt.Sprint("G", i), nil)
			if err == nil {
				err = bodies[i].Graph.AddFunction(f, nil)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, b := range bodies {
		if b != bodies[0] {
			t.Error("a function has two bodies")
		}
	}
	if n := len(g.Functions()); n != 1+len(bodies) {
		t.Errorf("%d functions", n)
	}
}

// TestFailedImportKeepsLibrary: neither functions nor bodies of a failed import stay.
func TestFailedImportKeepsLibrary(t *testing.T) {
	g := New()
	err := addText(g, chainFunction(3)+"x = Placeholder() {dtype=DT_FLOAT}\nc = F(x)\nd = Neg(nowhere)\n")
	if err == nil {
		t.Fatal("the import did not fail")
	}
	if g.Function("F") != nil || len(g.library.bodies) > 0 || g.library.over != nil {
		t.Error("something of the library stayed")
	}
	if err := addText(g, chainFunction(4)+"x = Placeholder() {dtype=DT_FLOAT}\nc = F(x)\n"); err != nil {
		t.Fatal(err)
	}
	if b, err := g.Instantiate(&registry.Func{Name: "F"}); err != nil || b.Graph.NumNodes() != 6 || b.Graph.library != g.library {
		t.Errorf("the body has %d nodes, %v", b.Graph.NumNodes(), err)
	}
}

// TestSpecialBodies: graphs that are made into bodies by hand.
func TestSpecialBodies(t *testing.T) {
	g := mustText(t, "b = _Arg() {T=DT_FLOAT, index=1}\na = _Arg() {T=DT_INT32, index=0}\nr = _Retval(b) {index=0}")
	b, err := NewBody(g)
	if err != nil {
		t.Fatal(err)
	}
	f, err := b.Function("Second", map[string]any{"_noinline": true})
	if err != nil {
		t.Fatal(err)
	}
	h := New()
	if err := h.AddFunction(f, f); err != nil {
		t.Fatal(err)
	}
	const want = "func Second(a: int32, b: float) -> (r: float) {_noinline=true} {\n  return r = b\n}\ngradient Second = Second\n"
	if got := textOf(h, textOptions{}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, text := range []string{
		"a = _Arg() {T=DT_FLOAT, index=1}",
		"a = _Arg() {T=DT_FLOAT, index=0}\nb = _Arg() {T=DT_FLOAT, index=0}",
		"a = _Arg() {T=DT_FLOAT, index=0}\nr = _Retval(a) {index=2}",
	} {
		if _, err := NewBody(mustText(t, text)); err == nil {
			t.Errorf("%s: no error", text)
		}
	}
}
