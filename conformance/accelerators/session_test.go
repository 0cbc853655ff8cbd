package accelerators

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/devices/emulated"
	"github.com/troupe-go/troupe/devices/opencl"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

// parsed returns a graph of a text.
func parsed(t testing.TB, text string) *session.Graph {
	t.Helper()
	def, err := notation.Parse(text)
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
				layer(t, session.SessionOptions{Engine: engine, SeparateSteps: apart, Devices: map[string]int{"EMULATED": 1}}, "EMULATED")
			})
		}
	}
}

// The same on an OpenCL device.
func TestSessionOpenCL(t *testing.T) {
	opened(t, opencl.Open) // or skip the test
	layer(t, session.SessionOptions{Devices: map[string]int{"OPENCL": 1}}, "OPENCL")
}

// And on a GPU, which is a simulated one where there is no other.
func TestSessionCUDA(t *testing.T) {
	gpus(t, 1)
	for _, engine := range []string{"actors", "messages:5"} {
		layer(t, session.SessionOptions{Engine: engine, Devices: map[string]int{"GPU": 1}}, "GPU")
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

// perceptron has constant weights, asks for no device, and looks at a shape.
const perceptron = `
x = Placeholder() {dtype=DT_FLOAT}
w = Placeholder() {dtype=DT_FLOAT}
b = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [4] values: 1 -2 0.5 0>}
xw = MatMul(x, w) {T=DT_FLOAT}
h = BiasAdd(xw, b) {T=DT_FLOAT}
relu = Relu(h) {T=DT_FLOAT}
size = Shape(relu) {T=DT_FLOAT, out_type=DT_INT32}
zero = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [] values: 0>}
none = Fill(size, zero) {T=DT_FLOAT, index_type=DT_INT32}
sum = AddV2(relu, none) {T=DT_FLOAT}
flat = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [2] values: 2 -1>}
wide = Reshape(sum, flat) {T=DT_FLOAT, Tshape=DT_INT32}
y = Softmax(wide) {T=DT_FLOAT}
best = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
label = ArgMax(y, best) {T=DT_FLOAT, Tidx=DT_INT32, output_type=DT_INT64}
`

// A perceptron gives on accelerators what it gives on the CPU.
func TestSessionPerceptron(t *testing.T) {
	results := map[string][]*tensor.Tensor{}
	for _, kind := range []string{"CPU", "EMULATED", "OPENCL", "GPU"} {
		if !there(t, kind) {
			continue
		}
		g := parsed(t, perceptron)
		s, err := session.NewSession(g, &session.SessionOptions{Devices: map[string]int{kind: 1}})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		out := func(name string) session.Output { return g.Operation(name).Output(0) }
		got, err := s.Run(map[session.Output]*session.Tensor{out("x"): ramp(3, 6), out("w"): ramp(6, 4)}, []session.Output{out("y"), out("label")}, nil)
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		results[kind] = got
		for i := range got {
			if err := tensor.Compare(got[i], results["CPU"][i], rough); err != nil {
				t.Errorf("%s: %v", kind, err)
			}
		}
	}
}

// A step's timeline has the works of each stream in turn; constants are written in the
// first step alone, and again when the device has lost them.
func TestSessionTimeline(t *testing.T) {
	for _, kind := range []string{"EMULATED", "OPENCL", "GPU"} {
		if !there(t, kind) {
			continue
		}
		g := parsed(t, perceptron)
		s, err := session.NewSession(g, &session.SessionOptions{Devices: map[string]int{kind: 1}})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		out := func(name string) session.Output { return g.Operation(name).Output(0) }
		feeds := map[session.Output]*session.Tensor{out("x"): ramp(3, 6), out("w"): ramp(6, 4)}
		var m session.RunMetadata
		run := func() (writes, bytes int64) {
			t.Helper()
			_, err := s.RunWithOptions(t.Context(), session.RunOptions{Metadata: &m, Profile: true}, feeds, []session.Output{out("y")}, nil)
			if err != nil && session.CodeOf(err) != session.Unavailable {
				t.Fatalf("%s: %v", kind, err)
			}
			ends := map[string]int64{}
			for _, w := range m.Stats.Works {
				if !strings.Contains(w.Device, kind+":0") || w.Begin < ends[w.Stream] || w.End < w.Begin {
					t.Errorf("%s: %+v after %d", kind, w, ends[w.Stream])
				}
				ends[w.Stream] = w.End
				if w.Name == "write" {
					writes, bytes = writes+1, bytes+w.Bytes
				}
			}
			late := ends["device-to-host"] < ends["host-to-device"] && kind != "GPU" // which is asked for the one stream after the other
			if err == nil && (len(ends) != 3 || ends["compute"] == 0 || late) {
				t.Errorf("%s: streams %v", kind, ends)
			}
			return writes, bytes
		}
		first, _ := run()
		held := m.Devices[0].InUse
		for range 3 {
			writes, bytes := run()
			if writes != 2 || bytes != 4*(3*6+6*4) { // x and w
				t.Errorf("%s: %d writes of %d bytes, after %d in the first step", kind, writes, bytes, first)
			}
			if d := m.Devices; len(d) != 1 || d[0].InUse != held || held == 0 || d[0].Limit == 0 || d[0].Peak <= held {
				t.Errorf("%s: memory %+v, with %d bytes in use before", kind, d, held)
			}
		}
		drawn(t, m.Stats, kind)
		if first <= 2 {
			t.Errorf("%s: %d writes in the first step", kind, first)
		}
		if kind != "EMULATED" {
			continue
		}
		for _, d := range emulated.Opened() {
			d.Lose("it was pulled out")
		}
		for writes, _ := run(); writes < first; writes, _ = run() {
			if t.Context().Err() != nil {
				t.Fatal("constants do not come back")
			}
		}
	}
}

// What is received comes into an accelerator's memory when it is about to be used: a chain
// that takes many tensors needs room for a few, and gives the same answer. So it does within
// a loop, and in a program that may wait for an element of a queue.
func TestSessionLate(t *testing.T) {
	const links, n = 40, 1024
	chain := func(y, w string) (text string) {
		text = "y0 = Neg(" + y + ") {T=DT_FLOAT}\n"
		for i := range links {
			text += fmt.Sprintf("y%d = Sub(%s, y%d) {T=DT_FLOAT}\n", i+1, fmt.Sprintf(w, i), i)
		}
		return text
	}
	feeds, products := "x = Placeholder() {dtype=DT_FLOAT}\n", ""
	for i := range links {
		feeds += fmt.Sprintf("w%d = Placeholder() {dtype=DT_FLOAT}\n", i)
		products += fmt.Sprintf("e%[1]d = Enter(w%[1]d) @/cpu:0 {T=DT_FLOAT, frame_name=\"L\", is_constant=true}\np%[1]d = Mul(e%[1]d, one) @/cpu:0 {T=DT_FLOAT}\n", i)
	}
	for _, c := range []struct {
		name, text, fetch string
		times             int // that the chain is gone through
	}{
		{"fed", feeds + chain("x", "w%d"), fmt.Sprintf("y%d", links), 1},
		{"beside a queue", feeds + chain("x", "w%d") + `
q = FIFOQueueV2() @/cpu:0 {component_types=[DT_FLOAT], shared_name="q"}
put = QueueEnqueueV2(q, x) @/cpu:0 {Tcomponents=[DT_FLOAT]}
got = QueueDequeueV2(q) @/cpu:0 {component_types=[DT_FLOAT]}
`, fmt.Sprintf("y%d", links), 1},
		{"in a loop", feeds + `
zero = Const() @/cpu:0 {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
three = Const() @/cpu:0 {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 3>}
unit = Const() @/cpu:0 {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
unity = Const() @/cpu:0 {dtype=DT_FLOAT, value=Tensor<type: float shape: [] values: 1>}
i/enter = Enter(zero) @/cpu:0 {T=DT_INT32, frame_name="L"}
x/enter = Enter(x) {T=DT_FLOAT, frame_name="L"}
end = Enter(three) @/cpu:0 {T=DT_INT32, frame_name="L", is_constant=true}
step = Enter(unit) @/cpu:0 {T=DT_INT32, frame_name="L", is_constant=true}
i = Merge(i/enter, i/next) @/cpu:0 {N=2, T=DT_INT32}
u = Merge(x/enter, x/next) {N=2, T=DT_FLOAT}
less = Less(i, end) @/cpu:0 {T=DT_INT32}
cond = LoopCond(less) @/cpu:0
i/switch = Switch(i, cond) @/cpu:0 {T=DT_INT32}
x/switch = Switch(u, cond) {T=DT_FLOAT}
i/add = AddV2(i/switch:1, step) @/cpu:0 {T=DT_INT32}
i/next = NextIteration(i/add) @/cpu:0 {T=DT_INT32}
one = Enter(unity) @/cpu:0 {T=DT_FLOAT, frame_name="L", is_constant=true}
` + products + chain("x/switch:1", "p%d") + fmt.Sprintf("x/next = NextIteration(y%d) {T=DT_FLOAT}\n", links) + `
y = Exit(x/switch) {T=DT_FLOAT}
`, "y", 3},
	} {
		for _, o := range []session.SessionOptions{{}, {Engine: "tokens"}, {Engine: "sequential"}, {Engine: "seeded:5"}, {Engine: "messages"}, {SeparateSteps: true}} {
			o.Devices, o.Rewrite = map[string]int{"EMULATED": 1}, "none"
			g := parsed(t, c.text)
			s, err := session.NewSession(g, &o)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			out := func(name string) session.Output { return g.Operation(name).Output(0) }
			feeds, want := map[session.Output]*session.Tensor{out("x"): ramp(1, n)}, floats(ramp(1, n))
			for i := range links {
				w := ramp(1, n)
				for j := range want {
					floats(w)[j] *= float32(i)
				}
				feeds[out(fmt.Sprintf("w%d", i))] = w
			}
			for range c.times {
				for j := range want {
					want[j] = -want[j]
					for i := range links {
						want[j] = floats(feeds[out(fmt.Sprintf("w%d", i))])[j] - want[j]
					}
				}
			}
			fetches := []session.Output{out(c.fetch)}
			var targets []*session.Operation
			if got := g.Operation("got"); got != nil {
				fetches, targets = append(fetches, got.Output(0)), append(targets, g.Operation("put"))
			}
			var m session.RunMetadata
			got, err := s.RunWithOptions(t.Context(), session.RunOptions{Metadata: &m}, feeds, fetches, targets)
			if err != nil {
				t.Fatalf("%s: %+v: %v", c.name, o, err)
			}
			if !slices.Equal(floats(got[0]), want) {
				t.Errorf("%s: %+v: another answer", c.name, o)
			}
			if most := int64(10 * n * 4); m.Devices[0].Peak > most {
				t.Errorf("%s: %+v: %d bytes of the device's memory, want at most %d", c.name, o, m.Devices[0].Peak, most)
			}
		}
	}
}

// Nothing is kept back behind an operation that waits for what no edge says, here for an
// element that the step puts into a queue once it has received v.
func TestSessionLateQueue(t *testing.T) {
	g := parsed(t, `
q = FIFOQueueV2() @/cpu:0 {component_types=[DT_FLOAT]}
taken = QueueDequeueV2(q) @/cpu:0 {component_types=[DT_FLOAT]}
a1 = Neg(taken) @/device:EMULATED:0 {T=DT_FLOAT}
a2 = Neg(a1) @/device:EMULATED:0 {T=DT_FLOAT}
a3 = Neg(a2) @/device:EMULATED:0 {T=DT_FLOAT}
v = Placeholder() @/cpu:0 {dtype=DT_FLOAT}
v1 = Neg(v) @/cpu:0 {T=DT_FLOAT}
v2 = Neg(v1) @/cpu:0 {T=DT_FLOAT}
v3 = Neg(v2) @/cpu:0 {T=DT_FLOAT}
v4 = Neg(v3) @/cpu:0 {T=DT_FLOAT}
v5 = Neg(v4) @/cpu:0 {T=DT_FLOAT}
v6 = Neg(v5) @/cpu:0 {T=DT_FLOAT}
r = Neg(v6) @/device:EMULATED:0 {T=DT_FLOAT}
put = QueueEnqueueV2(q, r) @/cpu:0 {Tcomponents=[DT_FLOAT]}
`)
	s, err := session.NewSession(g, &session.SessionOptions{Devices: map[string]int{"EMULATED": 1}, Rewrite: "none", Timeout: 20 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	v := ramp(2, 3)
	got, err := s.Run(map[session.Output]*session.Tensor{g.Operation("v").Output(0): v}, []session.Output{g.Operation("a3").Output(0)}, []*session.Operation{g.Operation("put")})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(floats(got[0]), floats(v)) {
		t.Errorf("it is %v", floats(got[0]))
	}
}

// A constant that several devices read, or that asks for a CPU, is written to each
// accelerator in the first step alone, also where somebody waits for it.
func TestSessionConstants(t *testing.T) {
	g := parsed(t, strings.ReplaceAll(`
x = Placeholder() @/cpu:0 {dtype=DT_FLOAT}
c = Const() @/cpu:0 {dtype=DT_FLOAT, value=Tensor<type: float shape: [64] values: SPLAT>}
d = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [64] values: SPLAT>}
waits = NoOp(^d)
y0 = Mul(x, c) @/device:EMULATED:0 {T=DT_FLOAT}
y1 = Sub(y0, c) @/device:EMULATED:1 {T=DT_FLOAT}
y2 = Mul(y1, d) @/device:EMULATED:0 {T=DT_FLOAT}
y3 = Sub(y2, d) @/device:EMULATED:1 {T=DT_FLOAT}
z = Neg(c) @/cpu:0 {T=DT_FLOAT}
`, "SPLAT", strings.Repeat(" 3", 64)))
	s, err := session.NewSession(g, &session.SessionOptions{Devices: map[string]int{"EMULATED": 2}, Rewrite: "none"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	out := func(name string) session.Output { return g.Operation(name).Output(0) }
	for step, constants := range []int{4, 0, 0} {
		var m session.RunMetadata
		got, err := s.RunWithOptions(t.Context(), session.RunOptions{Metadata: &m, Profile: true},
			map[session.Output]*session.Tensor{out("x"): ramp(1, 64)}, []session.Output{out("y3"), out("z"), out("c")}, []*session.Operation{g.Operation("waits")})
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range floats(ramp(1, 64)) {
			if want := (x*3-3)*3 - 3; floats(got[0])[i] != want || floats(got[1])[i] != -3 || floats(got[2])[i] != 3 {
				t.Fatalf("element %d is %g, want %g", i, floats(got[0])[i], want)
			}
		}
		writes := 0
		for _, w := range m.Stats.Works {
			if w.Name == "write" {
				writes++
			}
		}
		if want := 1 + constants; writes != want { // x; y0, y1 and y2 are copied between the devices
			t.Errorf("step %d: %d writes, want %d", step, writes, want)
		}
	}
}

// A kernel that fails on the device fails the step, though nobody asks for what it makes.
func TestSessionUnasked(t *testing.T) {
	g := parsed(t, `
x = Placeholder() {dtype=DT_FLOAT}
at = Placeholder() {dtype=DT_INT32}
axis = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
rows = GatherV2(x, at, axis) @/device:EMULATED:0 {Tparams=DT_FLOAT, Tindices=DT_INT32, Taxis=DT_INT32}
more = Neg(rows) @/device:EMULATED:0 {T=DT_FLOAT}
y = Neg(x) @/device:EMULATED:0 {T=DT_FLOAT}
`)
	for _, o := range []session.SessionOptions{{}, {Engine: "tokens"}, {Engine: "sequential"}, {Engine: "messages"}, {SeparateSteps: true}} {
		o.Devices = map[string]int{"EMULATED": 1}
		s, err := session.NewSession(g, &o)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		out := func(name string) session.Output { return g.Operation(name).Output(0) }
		for _, index := range []int32{0, 7, 2, 8} {
			feeds := map[session.Output]*session.Tensor{out("x"): ramp(3, 4), out("at"): list(index)}
			got, err := s.Run(feeds, []session.Output{out("y")}, []*session.Operation{g.Operation("more")})
			switch {
			case index > 2 && (session.CodeOf(err) != session.InvalidArgument || !strings.Contains(err.Error(), "rows")):
				t.Errorf("%+v: row %d of 3: %v", o, index, err)
			case index < 3 && (err != nil || floats(got[0])[1] != -floats(ramp(3, 4))[1]):
				t.Errorf("%+v: row %d: %v", o, index, err)
			}
		}
	}
}

// drawn checks that a trace has each work on the track of its stream, in a process of its
// device.
func drawn(t *testing.T, s *session.StepStats, kind string) {
	t.Helper()
	var file bytes.Buffer
	if err := s.WriteTrace(&file); err != nil {
		t.Fatal(err)
	}
	var trace struct {
		TraceEvents []struct {
			Name, Cat, Ph string
			Pid, Tid      int
			Args          struct{ Name string }
		}
	}
	if err := json.Unmarshal(file.Bytes(), &trace); err != nil {
		t.Fatal(err)
	}
	var works []string
	for _, e := range trace.TraceEvents {
		if e.Cat != "work" {
			continue
		}
		device, stream := "", ""
		for _, m := range trace.TraceEvents {
			switch {
			case m.Ph == "M" && m.Name == "process_name" && m.Pid == e.Pid:
				device = m.Args.Name
			case m.Ph == "M" && m.Name == "thread_name" && m.Pid == e.Pid && m.Tid == e.Tid:
				stream = m.Args.Name
			}
		}
		works = append(works, device+" "+stream+" "+e.Name)
	}
	var want []string
	for _, w := range s.Works {
		want = append(want, w.Device+" "+w.Stream+" "+w.Name)
	}
	if !slices.Equal(works, want) {
		t.Errorf("%s: the trace has %q, want %q", kind, works, want)
	}
}

// A session goes on after an accelerator is lost, whose steps fail with its name.
func TestSessionLost(t *testing.T) {
	g := parsed(t, perceptron)
	s, err := session.NewSession(g, &session.SessionOptions{Devices: map[string]int{"EMULATED": 1}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	out := func(name string) session.Output { return g.Operation(name).Output(0) }
	run := func() error {
		_, err := s.Run(map[session.Output]*session.Tensor{out("x"): ramp(3, 6), out("w"): ramp(6, 4)}, []session.Output{out("y")}, nil)
		return err
	}
	if err := run(); err != nil {
		t.Fatal(err)
	}
	for lost := range 5 { // a supervisor has enough of ten within seconds
		for _, d := range emulated.Opened() {
			d.Lose("it was pulled out")
		}
		for err := run(); err != nil; err = run() { // until it is there again
			if session.CodeOf(err) != session.Unavailable || !strings.Contains(err.Error(), "EMULATED:0") {
				t.Fatalf("loss %d: %v", lost, err)
			}
			if t.Context().Err() != nil {
				t.Fatal(err)
			}
		}
	}
}

// ramp returns a matrix of numbers of both signs.
func ramp(dims ...int64) *tensor.Tensor {
	t, err := tensor.New(tensor.Float, dims...)
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
