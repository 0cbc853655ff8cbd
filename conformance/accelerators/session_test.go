package accelerators

import (
	"fmt"
	"math"
	"strings"
	"testing"

	_ "github.com/troupe-go/troupe/devices/emulated"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

// parsed is a graph of a text.
func parsed(t *testing.T, text string) *session.Graph {
	t.Helper()
	def, err := graph.ParseText(text)
	if err != nil {
		t.Fatal(err)
	}
	g := session.NewGraph()
	if err := g.Import(def, ""); err != nil {
		t.Fatal(err)
	}
	return g
}

// A value goes from the CPU to an accelerator, through a product and what follows it, and
// back.
func TestSessionEmulated(t *testing.T) {
	for _, engine := range []string{"actors", "tokens", "sequential", "seeded:3", "messages", "messages:5"} {
		for _, apart := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s,apart=%v", engine, apart), func(t *testing.T) {
				layer(t, session.SessionOptions{Engine: engine, Apart: apart, Devices: map[string]int{"EMULATED": 1}}, "EMULATED")
			})
		}
	}
}

// layer runs a layer of a network on a device of that type.
func layer(t *testing.T, o session.SessionOptions, kind string) {
	g := parsed(t, strings.ReplaceAll(`
x = Placeholder() @/cpu:0 {dtype=DT_FLOAT}
w = Placeholder() @/cpu:0 {dtype=DT_FLOAT}
xw = MatMul(x, w) @/device:KIND:0 {T=DT_FLOAT}
y = Relu(xw) @/device:KIND:0 {T=DT_FLOAT}
`, "KIND", kind))
	s, err := session.NewSession(g, &o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const m, k, n = 3, 17, 5
	x, w := ramp(m, k), ramp(k, n)
	out := func(name string) session.Output { return g.Operation(name).Output(0) }
	for range 3 {
		got, err := s.Run(map[session.Output]*session.Tensor{out("x"): x, out("w"): w}, []session.Output{out("y"), out("xw")}, nil)
		if err != nil {
			t.Fatal(err)
		}
		xs, ws, ys := floats(x), floats(w), floats(got[0])
		for i := range m {
			for j := range n {
				var sum float64
				for l := range k {
					sum += float64(xs[i*k+l]) * float64(ws[l*n+j])
				}
				if got := float64(ys[i*n+j]); math.Abs(got-max(sum, 0)) > 1e-4 {
					t.Fatalf("y[%d, %d] is %g, want %g", i, j, got, max(sum, 0))
				}
			}
		}
	}
	call, err := s.MakeCallable([]session.Output{out("x"), out("w")}, []session.Output{out("y")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	pieces, err := call.Pieces(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ops := map[string]string{}
	for _, p := range pieces {
		for _, n := range p.Nodes {
			ops[n.Type()] = p.Device
		}
	}
	for _, op := range []string{"MatMul", "Relu", "_Upload", "_Download"} {
		if !strings.Contains(ops[op], kind+":0") {
			t.Errorf("%s is on %q", op, ops[op])
		}
	}
}

// ramp is a matrix of numbers of both signs.
func ramp(rows, columns int) *tensor.Tensor {
	t, err := tensor.New(tensor.Float, int64(rows), int64(columns))
	if err != nil {
		panic(err)
	}
	data := floats(t)
	for i := range data {
		data[i] = float32(i*7%23-11) / 8
	}
	return t
}

func floats(t *tensor.Tensor) []float32 {
	data, err := tensor.Data[float32](t)
	if err != nil {
		panic(err)
	}
	return data
}
