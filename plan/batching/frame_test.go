package batching_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
)

// frame is a loop of Enter and Exit, as TensorFlow 1 writes it: a counter n, a row x, weights w and
// the constant ten. What stands for them in frames replaces lines.
const frame = `n = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
x = Placeholder() {dtype=DT_FLOAT, shape=shape [1,2]}
w = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [2,2] values: 1 2 3 4>}
f/e = Enter(n) {T=DT_INT32, frame_name="f"}
f/e_1 = Enter(x) {T=DT_FLOAT, frame_name="f"}
f/w = Enter(w) {T=DT_FLOAT, frame_name="f", is_constant=true}
f/m = Merge(f/e, f/n) {T=DT_INT32, N=2}
f/m_1 = Merge(f/e_1, f/n_1) {T=DT_FLOAT, N=2}
f/ten = Const(^f/m) {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 10>}
f/less = Less(f/m, f/ten) {T=DT_INT32}
f/going = LoopCond(f/less)
f/s = Switch(f/m, f/going) {T=DT_INT32}
f/s_1 = Switch(f/m_1, f/going) {T=DT_FLOAT}
f/i = Identity(f/s:1) {T=DT_INT32}
f/i_1 = Identity(f/s_1:1) {T=DT_FLOAT}
f/one = Const(^f/i) {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
f/add = AddV2(f/i, f/one) {T=DT_INT32}
f/p = MatMul(f/i_1, f/w) {T=DT_FLOAT}
f/y = Tanh(f/p) {T=DT_FLOAT}
f/n = NextIteration(f/add) {T=DT_INT32}
f/n_1 = NextIteration(f/y) {T=DT_FLOAT}
f/x_1 = Exit(f/s_1) {T=DT_FLOAT}
`

// frames are changes of frame: a line, and what takes its place.
var frames = []struct{ name, line, by string }{
	{"a frame", "", ""},
	{"a frame with a conditional", "f/y = Tanh(f/p) {T=DT_FLOAT}", `f/up = Less(f/i, f/ten) {T=DT_INT32}
f/c = Switch(f/p, f/up) {T=DT_FLOAT}
f/half = Const(^f/cf) {dtype=DT_FLOAT, value=Tensor<type: float shape: [] values: 0.5>}
f/cf = Identity(f/c) {T=DT_FLOAT}
f/no = Mul(f/cf, f/half) {T=DT_FLOAT}
f/yes = Tanh(f/c:1) {T=DT_FLOAT}
f/y = Merge(f/no, f/yes) {T=DT_FLOAT, N=2}`},
	{"a frame whose weights go round", "f/w = Enter(w) {T=DT_FLOAT, frame_name=\"f\", is_constant=true}", `f/e_2 = Enter(w) {T=DT_FLOAT, frame_name="f"}
f/m_2 = Merge(f/e_2, f/n_2) {T=DT_FLOAT, N=2}
f/s_2 = Switch(f/m_2, f/going) {T=DT_FLOAT}
f/w = Identity(f/s_2:1) {T=DT_FLOAT}
f/n_2 = NextIteration(f/w) {T=DT_FLOAT}`},
	{"a frame with a function", "f/y = Tanh(f/p) {T=DT_FLOAT}", "f/y = PartitionedCall(f/p) {Tin=[DT_FLOAT], Tout=[DT_FLOAT], f=func tanh1}"},
	{"a frame with an effect", "f/y = Tanh(f/p) {T=DT_FLOAT}", `f/r = RandomUniform(f/shape) {T=DT_INT32, dtype=DT_FLOAT}
f/shape = Const(^f/i) {dtype=DT_INT32, value=Tensor<type: int32 shape: [2] values: 1 2>}
f/y = AddV2(f/p, f/r) {T=DT_FLOAT}`},
	{"a frame of which something runs once more", "f/p = MatMul(f/i_1, f/w) {T=DT_FLOAT}", `f/v = Neg(f/w) {T=DT_FLOAT}
f/p = MatMul(f/i_1, f/v) {T=DT_FLOAT}`},
	{"a frame that goes round once more", "f/n_1 = NextIteration(f/y) {T=DT_FLOAT}", `f/z = Identity(f/m_1) {T=DT_FLOAT}
f/n_1 = NextIteration(f/z) {T=DT_FLOAT}`},
	{"a frame that takes the end of a variable", "f/y = Tanh(f/p) {T=DT_FLOAT}", `f/t = Tanh(f/s_1) {T=DT_FLOAT}
f/u = Merge(f/p, f/t) {T=DT_FLOAT, N=2}
f/y = Tanh(f/u) {T=DT_FLOAT}`},
	{"a frame that takes its number of inputs", "f/add = AddV2(f/i, f/one) {T=DT_INT32}", `f/add = AddV2(f/i, f/m_1:1) {T=DT_INT32}`},
	{"a frame that takes the test", "f/y = Tanh(f/p) {T=DT_FLOAT}", `f/t = Cast(f/going) {SrcT=DT_BOOL, DstT=DT_FLOAT}
f/y = Mul(f/p, f/t) {T=DT_FLOAT}`},
	{"a frame in a frame", "f/y = Tanh(f/p) {T=DT_FLOAT}", `g/e = Enter(f/p) {T=DT_FLOAT, frame_name="g"}
g/c = Enter(f/no) {T=DT_BOOL, frame_name="g", is_constant=true}
f/no = Const(^f/i) {dtype=DT_BOOL, value=Tensor<type: bool shape: [] values: false>}
g/m = Merge(g/e, g/n) {T=DT_FLOAT, N=2}
g/going = LoopCond(g/c)
g/s = Switch(g/m, g/going) {T=DT_FLOAT}
g/i = Identity(g/s:1) {T=DT_FLOAT}
g/n = NextIteration(g/i) {T=DT_FLOAT}
f/y = Exit(g/s) {T=DT_FLOAT}`},
	{"a frame of branches", "f/e_1 = Enter(x) {T=DT_FLOAT, frame_name=\"f\"}", `no = Const() {dtype=DT_BOOL, value=Tensor<type: bool shape: [] values: false>}
c = Switch(x, no) {T=DT_FLOAT}
f/e_1 = Enter(c) {T=DT_FLOAT, frame_name="f"}`},
	{"a frame in conditionals too deep", "f/e_1 = Enter(x) {T=DT_FLOAT, frame_name=\"f\"}", deep(70)},
	{"a frame whose constants wait", "f/n_1 = NextIteration(f/y) {T=DT_FLOAT}", "f/n_1 = NextIteration(f/y, ^f/add) {T=DT_FLOAT}"},
}

// deep returns an Enter behind so many Switches.
func deep(n int) string {
	var w strings.Builder
	w.WriteString("no = Const() {dtype=DT_BOOL, value=Tensor<type: bool shape: [] values: false>}\nc0 = Switch(x, no) {T=DT_FLOAT}\n")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&w, "c%d = Switch(c%d, no) {T=DT_FLOAT}\n", i, i-1)
	}
	fmt.Fprintf(&w, "f/e_1 = Enter(c%d) {T=DT_FLOAT, frame_name=\"f\"}", n-1)
	return w.String()
}

// frameOf returns a graph with a loop of Enter and Exit that was changed.
func frameOf(t *testing.T, line, by string) *graph.Graph {
	text := frame + "func tanh1(x: float) -> (y: float) {\n  y = Tanh(x) {T=DT_FLOAT}\n  return y = y:y:0\n}\n"
	if line != "" {
		if !strings.Contains(text, line) {
			t.Fatalf("no line %q", line)
		}
		text = strings.Replace(text, line, by, 1)
	}
	g := graph.New()
	if err := notation.Add(g, text); err != nil {
		t.Fatal(err)
	}
	return g
}

// recorded returns a graph that TensorFlow has written with control flow of version 1; see record.py.
func recorded(t *testing.T) *graph.Graph {
	def, err := os.ReadFile("testdata/tensorflow1.pb")
	if err != nil {
		t.Fatal(err)
	}
	g := graph.New()
	if err := g.Import(def, ""); err != nil {
		t.Fatal(err)
	}
	return g
}
