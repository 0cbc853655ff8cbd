package compile

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/control"
	_ "github.com/troupe-go/troupe/ops/functional"
	_ "github.com/troupe-go/troupe/ops/math"
	_ "github.com/troupe-go/troupe/ops/state"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// counting adds a loop that counts from o to 10, in a frame of its own.
func counting(t testing.TB, b *graph.Builder, frame string, o graph.Output, body func(graph.Output) graph.Output) graph.Output {
	fr := graph.Attrs{"frame_name": frame}
	fc := graph.Attrs{"frame_name": frame, "is_constant": true}
	e := b.Op("Enter", fr, o)
	l := b.Op("Enter", fc, b.Const(int32(10)))
	m := b.Add(graph.OpSpec{Type: "Merge", Input: []graph.Input{graph.OutputList{e, e}}})
	if b.Err() != nil {
		t.Fatal(b.Err())
	}
	c := b.Op("LoopCond", nil, b.Op("Less", nil, m.Output(0), l))
	sw := b.Add(graph.OpSpec{Type: "Switch", Input: []graph.Input{m.Output(0), c}})
	if b.Err() != nil {
		t.Fatal(b.Err())
	}
	n := b.Op("NextIteration", nil, body(sw.Output(1)))
	x := b.Op("Exit", nil, sw.Output(0))
	if b.Err() != nil {
		t.Fatal(b.Err())
	}
	if err := b.Graph().SetBackEdge(m, 1, n); err != nil {
		t.Fatal(err)
	}
	return x
}

// A shapeOfGraph makes graphs of n parts of that many nodes each.
type shapeOfGraph struct {
	name  string
	nodes int
	build func(t testing.TB, b *graph.Builder, n int) graph.Output
}

// shapes are graphs without functions.
var shapes = []shapeOfGraph{
	{"switches within each other", 3, func(t testing.TB, b *graph.Builder, n int) graph.Output {
		x := b.Op("Placeholder", graph.Attrs{"dtype": tensor.Float})
		for range n {
			p := b.Op("Placeholder", graph.Attrs{"dtype": tensor.Bool})
			sw := b.Add(graph.OpSpec{Type: "Switch", Input: []graph.Input{x, p}})
			x = b.Op("Neg", nil, sw.Output(1))
		}
		return x
	}},
	{"conditionals side by side", 4, func(t testing.TB, b *graph.Builder, n int) graph.Output {
		x := b.Op("Placeholder", graph.Attrs{"dtype": tensor.Float})
		var all graph.OutputList
		for range n {
			p := b.Op("Placeholder", graph.Attrs{"dtype": tensor.Bool})
			sw := b.Add(graph.OpSpec{Type: "Switch", Input: []graph.Input{x, p}})
			all = append(all, b.Op("Merge", nil, graph.OutputList{b.Op("Neg", nil, sw.Output(0)), sw.Output(1)}))
		}
		return b.Op("AddN", nil, all)
	}},
	{"loops in a row", 10, func(t testing.TB, b *graph.Builder, n int) graph.Output {
		x := b.Const(int32(0))
		for i := range n {
			x = counting(t, b, fmt.Sprint("f", i), x, func(x graph.Output) graph.Output { return b.Op("Neg", nil, x) })
		}
		return x
	}},
	{"loops side by side", 10, func(t testing.TB, b *graph.Builder, n int) graph.Output {
		x := b.Const(int32(0))
		var all graph.OutputList
		for i := range n {
			all = append(all, counting(t, b, fmt.Sprint("f", i), x, func(x graph.Output) graph.Output { return b.Op("Neg", nil, x) }))
		}
		return b.Op("AddN", nil, all)
	}},
	{"frames within each other", 2, func(t testing.TB, b *graph.Builder, n int) graph.Output {
		x := b.Const(int32(0))
		for i := range n {
			x = b.Op("Enter", graph.Attrs{"frame_name": fmt.Sprint("f", i)}, x)
		}
		for range n {
			x = b.Op("Exit", nil, x)
		}
		return x
	}},
	{"a chain", 1, func(t testing.TB, b *graph.Builder, n int) graph.Output {
		x := b.Const(int32(0))
		for range n {
			x = b.Op("Neg", nil, x)
		}
		return x
	}},
}

// text returns a graph of n parts that is written as text. What is fetched is its node y,
// or else the last of n0, n1, ….
func text(first string, part func(i int) string) func(t testing.TB, b *graph.Builder, n int) graph.Output {
	return func(t testing.TB, b *graph.Builder, n int) graph.Output {
		var w strings.Builder
		w.WriteString("n0 = Placeholder() {dtype=DT_INT32, shape=shape []}\np = Placeholder() {dtype=DT_BOOL, shape=shape []}\n")
		w.WriteString(first)
		w.WriteString("func Same(n: int32) -> (y: int32) {\n return y = n\n}\n")
		w.WriteString("func Small(n: int32) -> (y: bool) {\n ten = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 10>}\n less = Less(n, ten:output:0) {T=DT_INT32}\n return y = less:z:0\n}\n")
		w.WriteString("func More(n: int32) -> (y: int32) {\n one = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}\n sum = AddV2(n, one:output:0) {T=DT_INT32}\n return y = sum:z:0\n}\n")
		for i := range n {
			w.WriteString(part(i))
		}
		fmt.Fprintf(&w, "func F%d(n: int32, p: bool) -> (y: int32) {\n return y = n\n}\nfunc B%d(n: int32) -> (y: int32) {\n return y = n\n}\n", n, n)
		if err := notation.Add(b.Graph(), w.String()); err != nil {
			t.Fatal(err)
		}
		last := b.Graph().Operation("y")
		if last == nil {
			last = b.Graph().Operation(fmt.Sprint("n", n))
		}
		return last.Output(0)
	}
}

// functionShapes are graphs of n functions or of n nodes that call some.
var functionShapes = []shapeOfGraph{
	{"calls within each other", 4, text("y = F0(n0, p)\n", func(i int) string {
		return fmt.Sprintf("func F%d(n: int32, p: bool) -> (y: int32) {\n c = F%d(n, p)\n return y = c:y:0\n}\n", i, i+1)
	})},
	{"calls in a row", 1, text("", func(i int) string { return fmt.Sprintf("n%d = More(n%d)\n", i+1, i) })},
	{"calls that one waits for", 2, func(t testing.TB, b *graph.Builder, n int) graph.Output {
		var w strings.Builder
		for i := range n {
			fmt.Fprintf(&w, "m%d = More(n0)\n", i)
		}
		w.WriteString("y = Identity(n0")
		for i := range n {
			fmt.Fprintf(&w, ", ^m%d", i)
		}
		w.WriteString(") {T=DT_INT32}\n")
		return text(w.String(), func(int) string { return "" })(t, b, n)
	}},
	{"two calls in each function", 5, text("y = F0(n0, p)\n", func(i int) string {
		return fmt.Sprintf("func F%d(n: int32, p: bool) -> (y: int32) {\n c = F%d(n, p)\n d = F%d(c:y:0, p)\n return y = d:y:0\n}\n", i, i+1, i+1)
	})},
	{"Ifs within each other", 4, text("y = F0(n0, p)\n", func(i int) string {
		return fmt.Sprintf("func F%d(n: int32, p: bool) -> (y: int32) {\n c = If(p, n, p) {Tcond=DT_BOOL, Tin=[DT_INT32, DT_BOOL], Tout=[DT_INT32], then_branch=func F%d, else_branch=func F%d}\n return y = c:output:0\n}\n", i, i+1, i+2)
	})},
	{"Whiles in a row", 10, text("", func(i int) string {
		return fmt.Sprintf("n%d = While(n%d) {T=[DT_INT32], cond=func Small, body=func More}\n", i+1, i)
	})},
	{"Whiles within each other", 3, text("y = B0(n0)\n", func(i int) string {
		return fmt.Sprintf("func B%d(n: int32) -> (y: int32) {\n c = While(n) {T=[DT_INT32], cond=func Small, body=func B%d}\n return y = c:output:0\n}\n", i, i+1)
	})},
}

// TestCompileIsLinear compiles graphs of 100 to 100,000 nodes, units and all. From
// 10,000 to 100,000 what a node takes, in memory and in steps between questions whether
// to go on, grows by less than four. -v prints both; BenchmarkCompile has the times.
func TestCompileIsLinear(t *testing.T) {
	sizes := []int{100, 1000, 10_000, 100_000}
	if testing.Short() {
		sizes = sizes[:2]
	}
	last, before := sizes[len(sizes)-1], sizes[len(sizes)-2]
	for _, shape := range slices.Concat(shapes, functionShapes) {
		took := map[int]compileCost{}
		row := ""
		for _, size := range sizes {
			took[size] = costOfCompile(t, shape, size)
			row += fmt.Sprintf(" %7d", took[size].bytes/uint64(size))
		}
		t.Logf("%-27s bytes per node:%s, %d questions", shape.name, row, took[last].questions)
		// A graph of less than watchEvery nodes asks as often as one of half its size.
		if a, b := took[before], took[last]; b.bytes >= 40*a.bytes || b.questions >= 40*(a.questions+10) {
			t.Errorf("%s: %d nodes take %v, %d take %v", shape.name, before, a, last, b)
		}
	}
}

// A compileCost is what compiling took.
type compileCost struct {
	bytes     uint64 // allocated
	questions int    // whether to go on: one for some thousand steps of the compiler
}

// costOfCompile compiles a graph of about that many nodes, those of functions included,
// for the first time.
func costOfCompile(t *testing.T, shape shapeOfGraph, nodes int) compileCost {
	t.Helper()
	b := graph.NewBuilder(graph.New())
	x := shape.build(t, b, nodes/shape.nodes)
	if err := b.Err(); err != nil {
		t.Fatal(err)
	}
	ctx := &askedContext{Context: context.Background()}
	var start, end runtime.MemStats
	runtime.ReadMemStats(&start)
	_, err := Graph(ctx, b.Graph(), Spec{Fetches: []graph.Output{x}})
	runtime.ReadMemStats(&end)
	if err != nil {
		t.Fatalf("%s: %v", shape.name, err)
	}
	return compileCost{end.TotalAlloc - start.TotalAlloc, ctx.asked}
}

// An askedContext counts how often it is asked, and may have ended from some
// question on.
type askedContext struct {
	context.Context
	asked, until int
}

func (c *askedContext) Err() error {
	if c.asked++; c.until > 0 && c.asked > c.until {
		return context.Canceled
	}
	return nil
}

// TestCompileEndsAnywhere ends the context after each of many questions.
func TestCompileEndsAnywhere(t *testing.T) {
	places := 20
	if testing.Short() {
		places = 5
	}
	for _, shape := range slices.Concat(shapes, functionShapes) {
		compile := func(until int) (int, error) {
			b := graph.NewBuilder(graph.New())
			x := shape.build(t, b, 500/shape.nodes)
			if err := b.Err(); err != nil {
				t.Fatal(err)
			}
			ctx := &askedContext{Context: context.Background(), until: until}
			p, err := Graph(ctx, b.Graph(), Spec{Fetches: []graph.Output{x}})
			if (p == nil) != (err != nil) {
				t.Errorf("%s: ended after %d questions: a program and %v", shape.name, until, err)
			}
			return ctx.asked, err
		}
		all, err := compile(0)
		if err != nil {
			t.Fatalf("%s: %v", shape.name, err)
		}
		for until := 1; until < all; until += 1 + all/places {
			asked, err := compile(until)
			if status.CodeOf(err) != status.Canceled {
				t.Errorf("%s: ended after %d of %d questions: %v", shape.name, until, all, err)
			}
			if asked > until+10 {
				t.Errorf("%s: ended after %d questions, but %d more were asked", shape.name, until, asked-until)
			}
		}
	}
}
