package session_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/kernel"
	_ "github.com/troupe-go/troupe/ops/all"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/tensor"
)

// called is a graph of kernels that call functions, by MapDefun, RemoteCall and For.
const called = `
slices = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [3] values: 1 2 3>}
cpu = Const() {dtype=DT_STRING, value=Tensor<type: string shape: [] values: "/device:CPU:0">}
one = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}

counted = MapDefun(slices) {Targuments=[DT_INT32], f=func Counted, output_shapes=list(shape) [[]], output_types=[DT_INT32]}

meeting = MapDefun(slices) {Targuments=[DT_INT32], f=func Take, output_shapes=list(shape) [[]], output_types=[DT_INT32]}
queue = FIFOQueueV2() {component_types=[DT_INT32], shared_name="meeting"}
put = QueueEnqueueManyV2(queue, slices) {Tcomponents=[DT_INT32]}

forever = RemoteCall(cpu, one) {Tin=[DT_INT32], Tout=[DT_INT32], f=func Forever}
panics = RemoteCall(cpu, one) {Tin=[DT_INT32], Tout=[DT_INT32], f=func Panics}
missing = RemoteCall(cpu, one) {Tin=[DT_INT32], Tout=[DT_INT32], f=func Nobody}
wrong = RemoteCall(cpu, one) {Tin=[DT_INT32], Tout=[DT_STRING], f=func Counted}
large = RemoteCall(cpu, one) {Tin=[DT_INT32], Tout=[DT_INT32], f=func Large}
waits = MapDefun(slices) {Targuments=[DT_INT32], f=func TakeNothing, output_shapes=list(shape) [[]], output_types=[DT_INT32]}

func Counted(x: int32) -> (y: int32) {
  made = TestMade(x)
  return y = made:y:0
}
func Take(x: int32) -> (y: int32) {
  q = FIFOQueueV2() {component_types=[DT_INT32], shared_name="meeting"}
  got = QueueDequeueV2(q:handle:0) {component_types=[DT_INT32]}
  return y = got:components:0
}
func TakeNothing(x: int32) -> (y: int32) {
  q = FIFOQueueV2() {component_types=[DT_INT32], shared_name="nothing"}
  got = QueueDequeueV2(q:handle:0) {component_types=[DT_INT32]}
  return y = got:components:0
}
func Forever(x: int32) -> (y: int32) {
  here = Const() {dtype=DT_STRING, value=Tensor<type: string shape: [] values: "/device:CPU:0">}
  again = RemoteCall(here:output:0, x) {Tin=[DT_INT32], Tout=[DT_INT32], f=func Forever}
  return y = again:output:0
}
func Panics(x: int32) -> (y: int32) {
  now = TestPanics(x)
  return y = now:y:0
}
func Large(x: int32) -> (y: int32) {
  dims = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [1] values: 100000000>}
  fill = Fill(dims:output:0, x) {T=DT_INT32, index_type=DT_INT32}
  return y = fill:output:0
}
`

// kernelsMade counts the kernels of TestMade.
var kernelsMade atomic.Int64

func init() {
	for op, f := range map[string]kernel.Factory{
		"TestMade": func(*kernel.Construction) (kernel.Kernel, error) {
			kernelsMade.Add(1)
			return kernel.Func(func(_ *kernel.Context, in, out []tensor.Value) error {
				out[0] = in[0]
				return nil
			}), nil
		},
		"TestPanics": func(*kernel.Construction) (kernel.Kernel, error) {
			return kernel.Func(func(*kernel.Context, []tensor.Value, []tensor.Value) error { panic("at the disco") }), nil
		},
	} {
		registry.Define(op).Input("x: int32").Output("y: int32").Stateful()
		shape.Register(func(c *shape.Context) error { c.SetOutput(0, c.Input(0)); return nil }, op)
		kernel.ForAll(f, op)
	}
}

// Kernels call functions on every engine, with one thread and with several.
func TestCalledFunctions(t *testing.T) {
	def, err := notation.Parse(called)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []session.SessionOptions{
		{Engine: "actors", Threads: 4}, {Engine: "actors", Threads: 1}, {Engine: "tokens", Threads: 2},
		{Engine: "messages", Threads: 1}, {Engine: "sequential", Threads: 1}, {Engine: "seeded:5", Threads: 3},
	} {
		t.Run(o.Engine, func(t *testing.T) {
			g := graph.New()
			if err := g.Import(def, ""); err != nil {
				t.Fatal(err)
			}
			o.MemoryLimit = 64 << 20
			o.MaxConcurrentSteps = 1 // calls are no steps of their own
			s, err := session.NewSession(g, &o)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			run := func(ctx context.Context, fetch string, targets ...string) (any, error) {
				var nodes []*graph.Node
				for _, name := range targets {
					nodes = append(nodes, g.Operation(name))
				}
				got, err := s.RunContext(ctx, nil, []graph.Output{g.Operation(fetch).Output(0)}, nodes)
				if err != nil {
					return nil, err
				}
				return got[0].Value(), nil
			}

			// A function is compiled once, whoever calls it how often.
			before := kernelsMade.Load()
			for range 5 {
				if got, err := run(t.Context(), "counted"); err != nil || len(got.([]int32)) != 3 {
					t.Fatal(got, err)
				}
			}
			if _, err := run(t.Context(), "counted", "one"); err != nil { // another program
				t.Fatal(err)
			}
			if made := kernelsMade.Load() - before; made != 1 {
				t.Errorf("%d kernels made, want 1", made)
			}

			// What a function waits for may come from the step that waits for it.
			got, err := run(t.Context(), "meeting", "put")
			if err != nil {
				t.Fatal(err)
			}
			sum := int32(0)
			for _, x := range got.([]int32) {
				sum += x
			}
			if sum != 6 {
				t.Errorf("%v", got)
			}

			for _, c := range []struct {
				fetch string
				code  session.Code
				words string
			}{
				{"forever", session.ResourceExhausted, "calls itself more than 4096 deep"},
				{"panics", session.Internal, "at the disco"},
				{"missing", session.NotFound, "Function Nobody is not defined"},
				{"wrong", session.InvalidArgument, "int32"},
				{"large", session.ResourceExhausted, "out of memory"},
			} {
				if _, err := run(t.Context(), c.fetch); session.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.words) {
					t.Errorf("%s: %v, want %v with %q", c.fetch, err, c.code, c.words)
				}
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			defer cancel()
			if _, err := run(ctx, "waits"); session.CodeOf(err) != session.DeadlineExceeded {
				t.Errorf("%v, want DEADLINE_EXCEEDED", err)
			}
			ctx, stop := context.WithCancel(t.Context())
			time.AfterFunc(time.Millisecond, stop)
			if _, err := run(ctx, "waits"); session.CodeOf(err) != session.Canceled {
				t.Errorf("%v, want CANCELLED", err)
			}
			if used := s.MemoryInUse(); used != 3*(4+16) && used != 0 { // what the queue has
				t.Errorf("%d bytes in use", used)
			}
		})
	}
}
