package messages

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"go.uber.org/goleak"

	"github.com/troupe-go/troupe/actors"
	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/devices/cpu"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/nodes"
	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/control"
	_ "github.com/troupe-go/troupe/ops/math"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func TestMain(m *testing.M) {
	// The library counts what is sent to actors that are gone, for a second at a time.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/asynkron/protoactor-go/actor.NewDeadLetter.NewThrottle.func4.1"))
}

// TestCalled hands a number on, and calls hook before.
var hook atomic.Pointer[func() error]

func init() {
	registry.Define("TestCalled").Input("x: int32").Output("y: int32").Stateful()
	shape.Register(func(c *shape.Context) error { c.SetOutput(0, c.Input(0)); return nil }, "TestCalled")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) {
		return kernel.Func(func(_ *kernel.Context, in, out []tensor.Value) error {
			out[0] = in[0]
			if f := hook.Load(); f != nil {
				return (*f)()
			}
			return nil
		}), nil
	}, "TestCalled")
}

// calling lets f be called by every TestCalled while the test runs.
func calling(t testing.TB, f func() error) {
	hook.Store(&f)
	t.Cleanup(func() { hook.Store(nil) })
}

func compiled(t testing.TB, text string, fetches ...string) *nodes.Program {
	t.Helper()
	g := graph.New()
	if err := notation.Add(g, text); err != nil {
		t.Fatal(err)
	}
	var spec compile.Spec
	for _, f := range fetches {
		spec.Fetches = append(spec.Fetches, g.Operation(f).Output(0))
	}
	p, err := compile.Graph(context.Background(), g, spec)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func run(e *Engine, p *nodes.Program) ([]tensor.Value, error) {
	fetched := make([]tensor.Value, len(p.Fetches()))
	step := &kernel.Step{Context: context.Background(), Resources: resource.NewManager(), PerStep: resource.NewManager(), Pool: kerneltest.Serial{}}
	return fetched, e.Run(step, p, nil, fetched)
}

const loop = `
zero = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
ten = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 10>}
enter = Enter(zero) {frame_name="loop"}
last = Enter(ten) {frame_name="loop", is_constant=true}
merge = Merge(enter, next)
less = Less(merge, last)
cond = LoopCond(less)
switch = Switch(merge, cond)
one = Const(^switch) {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
called = TestCalled(switch:1)
add = AddV2(called, one)
next = NextIteration(add)
exit = Exit(switch)
`

// found reports whether an actor of that address is there.
func found(pid *actor.PID) bool {
	_, ok := actors.System().ProcessRegistry.Get(pid)
	return ok
}

// Nodes, frames and the step are actors of the library, spawned when first sent to,
// kept for the next step, and stopped with the engine.
func TestActors(t *testing.T) {
	e := New(actors.Config{})
	p := compiled(t, loop, "exit")
	var pids []*actor.PID
	for range 3 {
		if v, err := run(e, p); err != nil || tensor.At0[int32](&v[0]) != 10 {
			t.Fatalf("the loop gives %v, %v", v, err)
		}
		st := e.idle[0]
		if st.spawned != p.NumNodes() || len(e.idle) != 1 || len(st.seats) != 3 {
			t.Fatalf("%d of %d nodes have actors, on %d stages with %d frames", st.spawned, p.NumNodes(), len(e.idle), len(st.seats)-1)
		}
		pids = append(pids[:0], st.step.pid)
		for i := range st.nodes {
			pids = append(pids, st.nodes[i].pid)
			if want := st.step.pid.Id + "/" + st.graph.Flow.Name(int32(i)); st.nodes[i].pid.Id != want {
				t.Errorf("the actor of a node is %s, not %s", st.nodes[i].pid.Id, want)
			}
		}
		for _, f := range st.seats[1:] {
			pids = append(pids, f.pid)
		}
	}
	for _, pid := range pids {
		if !found(pid) {
			t.Errorf("there is no actor %v", pid)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	for _, pid := range pids {
		if found(pid) {
			t.Errorf("the actor %v outlives its engine", pid)
		}
	}
}

// A node is not spawned that no message goes to.
func TestSpawnedWhenSentTo(t *testing.T) {
	e := New(actors.Config{})
	defer e.Close()
	p := compiled(t, loop+"never = AddV2(enter, next)\nout = Exit(never)\nafter = Neg(out)\n", "exit", "after")
	if _, err := run(e, p); err == nil || !strings.Contains(err.Error(), `"never" (AddV2)`) && !strings.Contains(err.Error(), `"after" (Neg) waits for out:0`) {
		t.Errorf("the step hangs with %v", err)
	}
	st := e.idle[0]
	if n := st.nodes[p.Node("after")]; n.pid != nil {
		t.Errorf("%v was spawned, and nobody has sent to it", n.pid)
	}
}

// A kernel that panics is its node's failure: its supervisor fails the step, and
// stops the actors of the stage; the next step finds others.
func TestSupervision(t *testing.T) {
	for _, pool := range []actors.Pool{nil, cpu.NewPool(cpu.Options{Threads: 3})} {
		e := New(actors.Config{Pool: pool})
		p := compiled(t, loop, "exit")
		turns := 0
		calling(t, func() error {
			if turns++; turns == 4 {
				panic("as it likes")
			}
			return nil
		})
		_, err := run(e, p)
		var bad *status.Error
		if !errors.As(err, &bad) || !kernel.IsPanic(err) || bad.Node != "called" || bad.Tag != "loop[3]" || !strings.Contains(bad.Message, "as it likes") || bad.Device == "" {
			t.Errorf("a kernel that panics gives %v", err)
		}
		if len(e.idle) != 0 {
			t.Error("a stage is kept on which an actor has panicked")
		}
		if v, err := run(e, p); err != nil || tensor.At0[int32](&v[0]) != 10 {
			t.Errorf("afterwards the loop gives %v, %v", v, err)
		}
		e.Close()
		if p, ok := pool.(*cpu.Pool); ok {
			p.Close()
		}
	}
}

// Stages that have waited longest make room.
func TestIdleStages(t *testing.T) {
	e := New(actors.Config{})
	defer e.Close()
	var pids []*actor.PID
	for range 3 {
		if _, err := run(e, compiled(t, loop, "exit")); err != nil {
			t.Fatal(err)
		}
		pids = append(pids, e.idle[len(e.idle)-1].step.pid)
	}
	e.nodes += mostIdle - 1 // as if there were many
	if _, err := run(e, compiled(t, loop, "exit")); err != nil {
		t.Fatal(err)
	}
	e.nodes = 0
	for _, st := range e.idle {
		e.nodes += st.spawned
	}
	if found(pids[0]) {
		t.Error("the stage that has waited longest is still there")
	}
}

// An iteration of a loop allocates nothing.
func TestIterationsDoNotAllocate(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector allocates")
	}
	allocs := func(n int) float64 {
		e := New(actors.Config{})
		defer e.Close()
		p := compiled(t, strings.Replace(loop, "values: 10", fmt.Sprint("values: ", n), 1), "exit")
		return testing.AllocsPerRun(10, func() {
			if _, err := run(e, p); err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, many := allocs(10), allocs(1000); many > few+10 {
		t.Errorf("10 iterations allocate %v times, 1000 %v times", few, many)
	}
}

// BenchmarkWide times a graph of 256 kernels that each take 5 µs, on one core and on
// two: the median of steps.
func BenchmarkWide(b *testing.B) {
	var text strings.Builder
	text.WriteString("x = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}\n")
	var all []string
	for i := range 256 {
		fmt.Fprintf(&text, "a%d = TestCalled(x)\n", i)
		all = append(all, fmt.Sprintf("a%d", i))
	}
	fmt.Fprintf(&text, "sum = AddN(%s)\n", strings.Join(all, ", "))
	calling(b, func() error {
		for begin := time.Now(); time.Since(begin) < 5*time.Microsecond; {
		}
		return nil
	})
	alone := 0.0
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", threads), func(b *testing.B) {
			pool := cpu.NewPool(cpu.Options{Threads: threads})
			defer pool.Close()
			e := New(actors.Config{Pool: pool})
			defer e.Close()
			p := compiled(b, text.String(), "sum")
			var took []time.Duration
			for b.Loop() {
				begin := time.Now()
				if _, err := run(e, p); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(begin))
			}
			slices.Sort(took)
			median := float64(took[len(took)/2].Nanoseconds()) / 256
			b.ReportMetric(median, "ns/kernel")
			if threads == 1 {
				alone = median
			} else if alone > 0 {
				b.ReportMetric(alone/median, "times-as-fast")
			}
		})
	}
}

// BenchmarkNodes times chains of up to a million nodes: laying out a stage, the step that
// spawns an actor for each node, the step after it, and stopping them all; and counts
// the bytes that a node takes then. Each should cost as much whatever the length.
func BenchmarkNodes(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) { benchmarkNodes(b, n) })
	}
}

func benchmarkNodes(b *testing.B, n int) {
	var text strings.Builder
	text.WriteString("a0 = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}\n")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&text, "a%d = Identity(a%d)\n", i, i-1)
	}
	p := compiled(b, text.String(), fmt.Sprintf("a%d", n-1))
	text.Reset()
	e := New(actors.Config{})
	var before, after runtime.MemStats
	each := func(since time.Time, what string) {
		b.ReportMetric(float64(time.Since(since).Nanoseconds())/float64(n), "ns/node-"+what)
	}
	for b.Loop() {
		runtime.GC()
		runtime.ReadMemStats(&before)
		begin := time.Now()
		st := newStage(e, p)
		each(begin, "laid-out")
		for i := range 2 {
			step := &kernel.Step{Context: context.Background(), Resources: resource.NewManager(), PerStep: resource.NewManager(), Pool: kerneltest.Serial{}}
			begin := time.Now()
			if err := st.run(step, nil, make([]tensor.Value, 1)); err != nil {
				b.Fatal(err)
			}
			each(begin, fmt.Sprintf("in-step-%d", i+1))
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(n), "B/node")
		begin = time.Now()
		st.close()
		each(begin, "stopped")
	}
	b.ReportMetric(0, "ns/op") // which the garbage collections are in
}
