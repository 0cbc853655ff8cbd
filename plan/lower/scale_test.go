package lower_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	_ "github.com/troupe-go/troupe/ops/random"
	"github.com/troupe-go/troupe/plan/lower"
	"github.com/troupe-go/troupe/session"
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

// fetch runs a graph for its output y:0, with the int32 x fed.
func fetch(t *testing.T, g *graph.Graph, x int32) any {
	t.Helper()
	s, err := session.NewSession(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	v, err := tensor.NewTensor(x)
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.Run(map[graph.Output]*tensor.Tensor{g.Operation("x").Output(0): v}, []graph.Output{g.Operation("y").Output(0)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out[0].Value()
}

// chain is functions that each add one and call the next.
func chain(n int) string {
	var b strings.Builder
	b.WriteString("x = Placeholder() {dtype=DT_INT32, shape=shape []}\ny = F0(x)\n")
	for i := range n {
		fmt.Fprintf(&b, `func F%d(x: int32) -> (y: int32) {
			one = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
			sum = AddV2(x, one:output:0) {T=DT_INT32}
			next = F%d(sum:z:0)
			return y = next:y:0
		}
		`, i, i+1)
	}
	fmt.Fprintf(&b, "func F%d(x: int32) -> (y: int32) {\n return y = x\n}\n", n)
	return b.String()
}

// TestLongChain: of functions that call one another, each program plays as many as
// it has room for; names do not grow with the depth.
func TestLongChain(t *testing.T) {
	const n = 20_000
	g := parse(t, chain(n))
	l, err := lower.Functions(context.Background(), g, g.Nodes(), nil)
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	for _, node := range l.Nodes() {
		if lower.Lowers(node) {
			calls++
		}
		if len(node.Name()) > 300 {
			t.Fatalf("a name of %d bytes: %s", len(node.Name()), node.Name())
		}
	}
	if calls != 1 || l.NumNodes() < 5000 || l.NumNodes() > 30_000 {
		t.Errorf("%d nodes, of which %d are calls", l.NumNodes(), calls)
	}
	if got := fetch(t, g, 5); got != int32(n+5) {
		t.Errorf("%d functions that add one make 5 %v", n, got)
	}
}

// TestLargeFunction: a function that holds a large network is laid out, also where the program
// has no other node.
func TestLargeFunction(t *testing.T) {
	const n = 40_000
	var b strings.Builder
	b.WriteString("x = Placeholder() {dtype=DT_INT32, shape=shape []}\ny = F(x)\nfunc F(x: int32) -> (y: int32) {\n")
	prefix := strings.Repeat("a_model_has_layers/that_have_nodes_with_long_names/", 4)
	from := "x"
	for i := range n {
		fmt.Fprintf(&b, " %s%d = Neg(%s) {T=DT_INT32}\n", prefix, i, from)
		from = fmt.Sprintf("%s%d:y:0", prefix, i)
	}
	fmt.Fprintf(&b, " return y = %s\n}\n", from)
	g := parse(t, b.String())
	l, err := lower.Functions(context.Background(), g, g.Nodes(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, node := range l.Nodes() {
		if lower.Lowers(node) {
			t.Fatalf("%s stays a call, though its body is in the graph once", node.Name())
		}
	}
	if l.NumNodes() < n {
		t.Errorf("%d nodes of %d", l.NumNodes(), n)
	}
}

// TestFramesOfBranches: a function with a loop of its own may be both branches of
// an If, and be called within itself.
func TestFramesOfBranches(t *testing.T) {
	g := parse(t, `
		x = Placeholder() {dtype=DT_INT32, shape=shape []}
		a = If(x, x) {Tcond=DT_INT32, Tin=[DT_INT32], Tout=[DT_INT32], then_branch=func Ten, else_branch=func Ten}
		y = If(a, a) {Tcond=DT_INT32, Tin=[DT_INT32], Tout=[DT_INT32], then_branch=func Ten, else_branch=func Ten}
		func Ten(x: int32) -> (y: int32) {
		  ten = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 10>}
		  zero = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
		  one = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
		  ei = Enter(zero:output:0) {T=DT_INT32, frame_name="f"}
		  es = Enter(x) {T=DT_INT32, frame_name="f"}
		  limit = Enter(ten:output:0) {T=DT_INT32, frame_name="f", is_constant=true}
		  step = Enter(one:output:0) {T=DT_INT32, frame_name="f", is_constant=true}
		  i = Merge(ei:output:0, ni:output:0) {T=DT_INT32, N=2}
		  s = Merge(es:output:0, ns:output:0) {T=DT_INT32, N=2}
		  less = Less(i:output:0, limit:output:0) {T=DT_INT32}
		  c = LoopCond(less:z:0)
		  si = Switch(i:output:0, c:output:0) {T=DT_INT32}
		  ss = Switch(s:output:0, c:output:0) {T=DT_INT32}
		  moreI = AddV2(si:output_true:0, step:output:0) {T=DT_INT32}
		  moreS = AddV2(ss:output_true:0, si:output_true:0) {T=DT_INT32}
		  ni = NextIteration(moreI:z:0) {T=DT_INT32}
		  ns = NextIteration(moreS:z:0) {T=DT_INT32}
		  out = Exit(ss:output_false:0) {T=DT_INT32}
		  return y = out:output:0
		}
	`)
	l, err := lower.Functions(context.Background(), g, g.Nodes(), nil)
	if err != nil {
		t.Fatal(err)
	}
	frames, err := l.Frames()
	if err != nil || len(frames.Frames) != 1+4 {
		t.Fatalf("%d frames, %v", len(frames.Frames), err)
	}
	for _, x := range []int32{0, 1} {
		if got := fetch(t, g, x); got != x+90 {
			t.Errorf("of %d: %v", x, got)
		}
	}
}

// TestEffectsDoNotMultiply: results wait for side effects by few edges.
func TestEffectsDoNotMultiply(t *testing.T) {
	const n = 200
	var b strings.Builder
	b.WriteString("x = Placeholder() {dtype=DT_INT32, shape=shape [1]}\ny = F(x)\nfunc F(x: int32) -> (")
	for i := range n {
		fmt.Fprintf(&b, "y%d: float, ", i)
	}
	b.WriteString("last: int32) {\n")
	for i := range n {
		fmt.Fprintf(&b, "p%d = RandomStandardNormal(x) {T=DT_INT32, dtype=DT_FLOAT}\n", i)
	}
	b.WriteString("return ")
	for i := range n {
		fmt.Fprintf(&b, "y%d = p%d:output:0, ", i, i)
	}
	b.WriteString("last = x\n}\n")
	g := parse(t, b.String())
	l, err := lower.Functions(context.Background(), g, g.Nodes(), nil)
	if err != nil {
		t.Fatal(err)
	}
	edges := 0
	for range l.Edges() {
		edges++
	}
	if edges > 10*n {
		t.Errorf("%d edges for %d effects and as many results", edges, n)
	}
}

// TestOutOfProportion: branches that each take each argument are refused when there
// are too many.
func TestOutOfProportion(t *testing.T) {
	const n = 1500
	var b strings.Builder
	b.WriteString("x = Placeholder() {dtype=DT_INT32, shape=shape []}\ny = Case(x")
	b.WriteString(strings.Repeat(", x", n))
	b.WriteString(") {Tin=[" + strings.TrimSuffix(strings.Repeat("DT_INT32, ", n), ", ") + "], Tout=[DT_INT32], branches=list(func) [")
	b.WriteString(strings.TrimSuffix(strings.Repeat("F, ", n), ", ") + "]}\nfunc F(")
	for i := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "a%d: int32", i)
	}
	b.WriteString(") -> (y: int32) {\n return y = a0\n}\n")
	g := parse(t, b.String())
	_, err := lower.Functions(context.Background(), g, g.Nodes(), nil)
	if e := status.From(err); err == nil || e.Code != status.ResourceExhausted || e.Node != "y" {
		t.Errorf("%.300v", err)
	}
}
