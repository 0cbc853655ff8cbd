package batching_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/benchmarks/decoders"
	"github.com/troupe-go/troupe/benchmarks/trees"
	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	_ "github.com/troupe-go/troupe/ops/all"
	"github.com/troupe-go/troupe/plan/batching"
)

var rewriting = flag.Bool("rewrite", false, "rewrite testdata/found.txt")

// loops are graphs with a loop of variables n, int32, and x, float [1,2], and constant weights w.
var loops = []struct{ name, cond, body string }{
	{"a product, counted", "less", "x"},
	{"the condition depends on the row", "norm", "x"},
	{"no product", "less", "tanh"},
	{"the shape changes", "less", "grow"},
	{"a random number", "less", "random"},
	{"a conditional", "less", "branch"},
	{"a conditional that may fail", "less", "look"},
	{"a conditional with an operation that has no rule", "less", "unique"},
	{"what is kept decides", "sorted", "x"},
}

const library = `
func less(n: int32, x: float, w: float) -> (y: bool) {
  ten = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 10>}
  less = Less(n, ten:output:0) {T=DT_INT32}
  return y = less:z:0
}
func norm(n: int32, x: float, w: float) -> (y: bool) {
  axes = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [2] values: 0 1>}
  one = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [] values: 1>}
  square = Square(x) {T=DT_FLOAT}
  sum = Sum(square:y:0, axes:output:0) {T=DT_FLOAT, Tidx=DT_INT32}
  less = Less(one:output:0, sum:output:0) {T=DT_FLOAT}
  return y = less:z:0
}
func sorted(n: int32, x: float, w: float) -> (y: bool) {
  zero = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [1] values: 0>}
  flat = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [1] values: -1>}
  r = Reshape(x, flat:output:0) {T=DT_FLOAT, Tshape=DT_INT32}
  u = Unique(r:output:0) {T=DT_FLOAT, out_idx=DT_INT32}
  s = Size(u:y:0) {T=DT_FLOAT, out_type=DT_INT32}
  less = Less(n, s:output:0) {T=DT_INT32}
  return y = less:z:0
}
func x(n: int32, x: float, w: float) -> (m: int32, y: float, v: float) {
  one = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
  m = AddV2(n, one:output:0) {T=DT_INT32}
  p = MatMul(x, w) {T=DT_FLOAT}
  y = Tanh(p:product:0) {T=DT_FLOAT}
  return m = m:z:0
  return y = y:y:0
  return v = w
}
func tanh(n: int32, x: float, w: float) -> (m: int32, y: float, v: float) {
  y = Tanh(x) {T=DT_FLOAT}
  return m = n
  return y = y:y:0
  return v = w
}
func grow(n: int32, x: float, w: float) -> (m: int32, y: float, v: float) {
  zero = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
  p = MatMul(x, w) {T=DT_FLOAT}
  y = ConcatV2(x, p:product:0, zero:output:0) {N=2, T=DT_FLOAT, Tidx=DT_INT32}
  return m = n
  return y = y:output:0
  return v = w
}
stateful func random(n: int32, x: float, w: float) -> (m: int32, y: float, v: float) {
  shape = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [2] values: 1 2>}
  r = RandomUniform(shape:output:0) {T=DT_INT32, dtype=DT_FLOAT}
  p = MatMul(r:output:0, w) {T=DT_FLOAT}
  return m = n
  return y = p:product:0
  return v = w
}
func branch(n: int32, x: float, w: float) -> (m: int32, y: float, v: float) {
  p = MatMul(x, w) {T=DT_FLOAT}
  c = If(n, p:product:0) {Tcond=DT_INT32, Tin=[DT_FLOAT], Tout=[DT_FLOAT], then_branch=func one, else_branch=func one}
  return m = n
  return y = c:output:0
  return v = w
}
func one(x: float) -> (y: float) {
  return y = x
}
func look(n: int32, x: float, w: float) -> (m: int32, y: float, v: float) {
  p = MatMul(x, w) {T=DT_FLOAT}
  one = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
  m = AddV2(n, one:output:0) {T=DT_INT32}
  c = If(n, p:product:0, n, w) {Tcond=DT_INT32, Tin=[DT_FLOAT, DT_INT32, DT_FLOAT], Tout=[DT_FLOAT], then_branch=func same, else_branch=func row}
  return m = m:z:0
  return y = c:output:0
  return v = w
}
func same(x: float, n: int32, w: float) -> (y: float) {
  return y = x
}
func row(x: float, n: int32, w: float) -> (y: float) {
  zero = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
  r = GatherV2(w, n, zero:output:0) {Tparams=DT_FLOAT, Tindices=DT_INT32, Taxis=DT_INT32}
  y = AddV2(x, r:output:0) {T=DT_FLOAT}
  return y = y:z:0
}
func unique(n: int32, x: float, w: float) -> (m: int32, y: float, v: float) {
  p = MatMul(x, w) {T=DT_FLOAT}
  one = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
  m = AddV2(n, one:output:0) {T=DT_INT32}
  c = If(n, p:product:0) {Tcond=DT_INT32, Tin=[DT_FLOAT], Tout=[DT_FLOAT], then_branch=func one, else_branch=func inverse}
  return m = m:z:0
  return y = c:output:0
  return v = w
}
func inverse(x: float) -> (y: float) {
  zero = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
  y = Cumsum(x, zero:output:0) {T=DT_FLOAT, Tidx=DT_INT32}
  return y = y:out:0
}
`

// recursions are functions that call themselves with one less, and do something with the result.
var recursions = []struct{ name, body string }{
	{"calls and a product", `p = MatMul(f:output:0, w) {T=DT_FLOAT}
  y = Tanh(p:product:0) {T=DT_FLOAT}`},
	{"calls without a product", "y = Tanh(f:output:0) {T=DT_FLOAT}"},
	{"a call of a call", `g = PartitionedCall(less:z:0, f:output:0, w) {Tin=[DT_INT32, DT_FLOAT, DT_FLOAT], Tout=[DT_FLOAT], f=func f}
  p = MatMul(g:output:0, w) {T=DT_FLOAT}
  y = Tanh(p:product:0) {T=DT_FLOAT}`},
	{"calls, and the shape changes", `two = ConcatV2(f:output:0, f:output:0, zero:output:0) {N=2, T=DT_FLOAT, Tidx=DT_INT32}
  p = MatMul(two:output:0, w) {T=DT_FLOAT}
  y = Tanh(p:product:0) {T=DT_FLOAT}`},
	{"calls and a random number", `shape = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [2] values: 1 2>}
  r = RandomUniform(shape:output:0) {T=DT_INT32, dtype=DT_FLOAT}
  s = AddV2(f:output:0, r:output:0) {T=DT_FLOAT}
  y = Tanh(s:z:0) {T=DT_FLOAT}`},
	{"calls and an operation that has no rule", `p = MatMul(f:output:0, w) {T=DT_FLOAT}
  c = Cumsum(p:product:0, zero:output:0) {T=DT_FLOAT, Tidx=DT_INT32}
  y = Tanh(c:out:0) {T=DT_FLOAT}`},
	{"calls and a loop", `l = StatelessWhile(n, f:output:0, w) {T=[DT_INT32, DT_FLOAT, DT_FLOAT], cond=func less, body=func x}
  y = Tanh(l:output:1) {T=DT_FLOAT}`},
}

const calling = `
func f(n: int32, x: float, w: float) -> (y: float) {
  zero = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
  more = Less(zero:output:0, n) {T=DT_INT32}
  y = If(more:z:0, n, x, w) {Tcond=DT_BOOL, Tin=[DT_INT32, DT_FLOAT, DT_FLOAT], Tout=[DT_FLOAT], then_branch=func go, else_branch=func stop}
  return y = y:output:0
}
func stop(n: int32, x: float, w: float) -> (y: float) {
  return y = x
}
stateful func go(n: int32, x: float, w: float) -> (y: float) {
  zero = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
  one = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
  less = Sub(n, one:output:0) {T=DT_INT32}
  f = PartitionedCall(less:z:0, x, w) {Tin=[DT_INT32, DT_FLOAT, DT_FLOAT], Tout=[DT_FLOAT], f=func f}
  BODY
  return y = y:y:0
}
`

// TestFound prints what is found of loops and calls, and why some are not batched.
func TestFound(t *testing.T) {
	var w strings.Builder
	find := func(name string, g *graph.Graph, fetch ...graph.Output) {
		w.WriteString(name + "\n")
		_, err := compile.Make(t.Context(), g, compile.Spec{
			Fetches: fetch, Batch: true, Verify: true, Feeds: placeholders(g),
			Found: func(f batching.Finding) { w.WriteString(f.String()) },
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		w.WriteByte('\n')
	}
	for _, cell := range decoders.Cells {
		d, err := decoders.New(cell, 8, 10)
		if err != nil {
			t.Fatal(err)
		}
		find(cell, d.Graph, d.Fetches()...)
	}
	for _, l := range loops {
		g := graph.New()
		err := notation.Add(g, `n = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
x = Placeholder() {dtype=DT_FLOAT, shape=shape [1,2]}
w = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [2,2] values: 1 2 3 4>}
loop = While(n, x, w) {T=[DT_INT32, DT_FLOAT, DT_FLOAT], cond=func `+l.cond+`, body=func `+l.body+`}
`+library)

		if err != nil {
			t.Fatal(err)
		}
		find(l.name, g, g.Operation("loop").Output(1))
	}
	for _, x := range frames {
		g := frameOf(t, x.line, x.by)
		find(x.name, g, g.Operation("f/x_1").Output(0))
	}
	g := recorded(t)
	find("a frame that TensorFlow has written", g, g.Operation("state").Output(0), g.Operation("words_out").Output(0))
	for _, c := range recursions {
		g := graph.New()
		err := notation.Add(g, `n = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 3>}
x = Placeholder() {dtype=DT_FLOAT, shape=shape [1,2]}
w = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [2,2] values: 1 2 3 4>}
call = PartitionedCall(n, x, w) {Tin=[DT_INT32, DT_FLOAT, DT_FLOAT], Tout=[DT_FLOAT], f=func f}
`+strings.ReplaceAll(calling, "BODY", c.body)+library)

		if err != nil {
			t.Fatal(err)
		}
		find(c.name, g, g.Operation("call").Output(0))
	}
	m, err := trees.New(256, 10)
	if err != nil {
		t.Fatal(err)
	}
	find("TreeLSTM", m.Graph, m.Fetches()...)
	file := filepath.Join("testdata", "found.txt")
	if *rewriting {
		if err := os.WriteFile(file, []byte(w.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if w.String() != string(want) {
		t.Errorf("found:\n%s\nnot what %s has; -rewrite rewrites it", w.String(), file)
	}
}

func placeholders(g *graph.Graph) (list []graph.Output) {
	for _, n := range g.Nodes() {
		if n.Class() == graph.ClassPlaceholder {
			list = append(list, n.Output(0))
		}
	}
	return list
}
