package actors_test

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"go.uber.org/goleak"

	"github.com/troupe-go/troupe/actors"
	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/kernel"
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

// The library throttles its log of dead letters on a goroutine that stays.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/asynkron/protoactor-go/actor.NewDeadLetter.NewThrottle.func4.1"))
}

// patience bounds what would otherwise hang; nothing waits for it to pass.
const patience = 20 * time.Second

// A gate is a kernel that says that it has come and waits until it is let go.
type gate struct{ came, pass chan struct{} }

var theGate = gate{make(chan struct{}), make(chan struct{})}

func (g gate) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	g.came <- struct{}{}
	select {
	case <-g.pass:
		out[0] = in[0]
		return nil
	case <-ctx.Step.Context.Done():
		return ctx.Err()
	}
}

func (g gate) Start(ctx *kernel.Context, in, out []tensor.Value, done func(error)) {
	go func() { done(g.Run(ctx, in, out)) }()
}

func init() {
	registry.Define("TestGate").Input("x: int32").Output("y: int32").Stateful()
	shape.Register(func(c *shape.Context) error { c.SetOutput(0, c.Input(0)); return nil }, "TestGate")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return theGate, nil }, "TestGate")
}

type caller struct{}

func (caller) Parallel(n, _ int, f func(lo, hi int)) { f(0, n) }
func (caller) Workers() int                          { return 1 }
func (caller) Expect(time.Duration)                  {}

// gated returns a program whose node "gate" waits.
func gated(t *testing.T) *nodes.Program {
	t.Helper()
	def, err := notation.Parse(`
x = Placeholder() {dtype=DT_INT32}
gate = TestGate(x)
sum = AddV2(x, gate) {T=DT_INT32}
`)

	if err != nil {
		t.Fatal(err)
	}
	g := graph.New()
	if err := g.Import(def, ""); err != nil {
		t.Fatal(err)
	}
	p, err := compile.Graph(context.Background(), g, compile.Spec{
		Feeds:   []graph.Output{g.Operation("x").Output(0)},
		Fetches: []graph.Output{g.Operation("sum").Output(0)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// start runs the program on a goroutine, to the gate.
func start(t *testing.T, e *actors.Engine, p *nodes.Program) <-chan error {
	t.Helper()
	ended := make(chan error, 1)
	go func() {
		step := &kernel.Step{Context: context.Background(), Resources: resource.NewManager(), PerStep: resource.NewManager(), Pool: caller{}}
		ended <- e.Run(step, p, []tensor.Value{tensor.Scalar(int32(3))}, make([]tensor.Value, 1))
	}()
	<-theGate.came
	return ended
}

func open(t *testing.T) *actors.Engine {
	e := actors.New(actors.Config{})
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// ask sends a message and waits for the answer.
func ask(t *testing.T, to *actor.PID, message any) any {
	t.Helper()
	answer, err := actors.System().Root.RequestFuture(to, message, patience).Result()
	if err != nil {
		t.Fatalf("%T to %v: %v", message, to, err)
	}
	return answer
}

// running asks the session actor for its only step.
func running(t *testing.T, e *actors.Engine) *actor.PID {
	t.Helper()
	steps := ask(t, e.PID(), &actors.Steps{}).(*actors.Running).Steps
	if len(steps) != 1 || steps[0].Address != actors.Address {
		t.Fatalf("running: %v", steps)
	}
	return steps[0]
}

func TestInspect(t *testing.T) {
	e := open(t)
	ended := start(t, e, gated(t))
	step := running(t, e)
	s := ask(t, step, &actors.Inspect{}).(*actors.Status)
	if s.Step.Id != step.Id || s.Report.Running != 1 || len(s.Report.Waiting) == 0 || s.Report.Waiting[0] != `"sum" (AddV2) waits for gate:0` {
		t.Errorf("the step answers %+v", s)
	}
	for node, want := range map[string]nodes.NodeState{
		"gate":     {Running: true, Inputs: []nodes.InputState{{From: "_arg_x:0:0", State: nodes.Live}}},
		"sum":      {Inputs: []nodes.InputState{{From: "_arg_x:0:0", State: nodes.Live}, {From: "gate:0", State: nodes.Missing}}},
		"_arg_x:0": {Acted: true},
	} {
		n := ask(t, actor.NewPID(actors.Address, step.Id+"/"+node), &actors.Inspect{}).(*actors.NodeStatus)
		if n.Node.Id != step.Id+"/"+node || n.Report.Node != node || len(n.Report.States) != 1 || !reflect.DeepEqual(n.Report.States[0], want) {
			t.Errorf("%s answers %+v, want %+v", node, n, want)
		}
	}
	_, err := actors.System().Root.RequestFuture(actor.NewPID(actors.Address, step.Id+"/nobody"), &actors.Inspect{}, patience).Result()
	if err != actor.ErrDeadLetter {
		t.Errorf("a node that does not exist: %v, want a dead letter", err)
	}
	if all := e.Reports(context.Background(), 4); len(all) != 1 || all[0].Step.Id != step.Id {
		t.Errorf("reports %v", all)
	}
	theGate.pass <- struct{}{}
	if err = <-ended; err != nil {
		t.Error(err)
	}
	if all := e.Reports(context.Background(), 4); len(all) != 0 {
		t.Errorf("reports of nothing: %v", all)
	}
}

func TestAbort(t *testing.T) {
	e := open(t)
	p := gated(t)
	for _, c := range []struct{ node, want string }{
		{"", "the step was aborted: enough"},
		{"/gate", `the step was aborted at node "gate": enough`},
	} {
		ended := start(t, e, p)
		actors.System().Root.Send(actor.NewPID(actors.Address, running(t, e).Id+c.node), &actors.Abort{Reason: "enough"})
		if err := <-ended; status.CodeOf(err) != status.Aborted || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	ended := start(t, e, p)
	actors.System().Root.Stop(running(t, e))
	if err := <-ended; status.CodeOf(err) != status.Aborted {
		t.Errorf("stopped: %v", err)
	}
	// The engine serves on.
	ended = start(t, e, p)
	theGate.pass <- struct{}{}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestEndedStep: an address does not outlive its step, not even if it has been
// used before; the next step does not get its letters.
func TestEndedStep(t *testing.T) {
	e := open(t)
	p := gated(t)
	ended := start(t, e, p)
	old := running(t, e)
	ask(t, old, &actors.Inspect{}) // the library remembers the process now
	theGate.pass <- struct{}{}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	ended = start(t, e, p)
	for _, to := range []*actor.PID{old, actor.NewPID(old.Address, old.Id), actor.NewPID(actors.Address, "nobody/0.1")} {
		if _, err := actors.System().Root.RequestFuture(to, &actors.Abort{Reason: "late"}, patience).Result(); err != actor.ErrDeadLetter {
			t.Errorf("%v: %v, want a dead letter", to, err)
		}
	}
	theGate.pass <- struct{}{}
	if err := <-ended; err != nil {
		t.Errorf("the next step: %v", err)
	}
}
