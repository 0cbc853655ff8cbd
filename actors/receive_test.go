package actors_test

import (
	"context"
	"testing"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/troupe-go/troupe/actors"
	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/sequential"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A recv is the kernel of a node that waits for a token from outside.
type recv struct{}

func (recv) Receives() {}
func (recv) Run(*kernel.Context, []tensor.Value, []tensor.Value) error {
	return status.Errorf(status.Unimplemented, "no token can come")
}
func (r recv) Start(ctx *kernel.Context, in, out []tensor.Value, done func(error)) {
	done(r.Run(ctx, in, out))
}

func init() {
	registry.Define("TestRecv").Output("y: int32").Stateful()
	shape.Register(func(c *shape.Context) error { c.SetOutput(0, shape.Shape{}); return nil }, "TestRecv")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return recv{}, nil }, "TestRecv")
}

// receiving returns a program that waits at its gate and then for tokens at b; a waits
// for one from the beginning.
func receiving(t *testing.T) *nodes.Program {
	t.Helper()
	g := graph.New()
	if err := notation.Add(g, `
x = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
a = TestRecv()
gate = TestGate(x)
b = TestRecv(^gate)
sum = AddV2(a, b) {T=DT_INT32}
`); err != nil {
		t.Fatal(err)
	}
	p, err := compile.Graph(context.Background(), g, compile.Spec{Fetches: []graph.Output{g.Operation("sum").Output(0)}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func drive(e nodes.Engine, p *nodes.Program, ctx context.Context) (int32, error) {
	step := &kernel.Step{Context: ctx, Resources: resource.NewManager(), PerStep: resource.NewManager(), Pool: caller{}}
	out := make([]tensor.Value, 1)
	if err := e.Run(step, p, nil, out); err != nil {
		return 0, err
	}
	return tensor.At0[int32](&out[0]), nil
}

// TestDeliver: a token reaches the node that waits for it, and the one that will;
// nonsense is refused, and the step goes on.
func TestDeliver(t *testing.T) {
	e := open(t)
	p := receiving(t)
	for _, dead := range []bool{false, true} {
		var got int32
		ended := make(chan error, 1)
		go func() {
			var err error
			got, err = drive(e, p, context.Background())
			ended <- err
		}()
		<-theGate.came
		step := running(t, e)
		node := func(name string) *actor.PID { return actor.NewPID(actors.Address, step.Id+"/"+name) }
		for _, c := range []struct {
			to   *actor.PID
			m    actors.Deliver
			want status.Code
		}{
			{step, actors.Deliver{Value: tensor.Scalar(int32(1))}, status.InvalidArgument},
			{node("sum"), actors.Deliver{Value: tensor.Scalar(int32(1))}, status.InvalidArgument},
			{node("_retval_sum:0"), actors.Deliver{Value: tensor.Scalar(int32(1))}, status.InvalidArgument},
			{node("a"), actors.Deliver{Value: tensor.Scalar(float32(1))}, status.InvalidArgument},
			{node("a"), actors.Deliver{}, status.InvalidArgument},
			{node("a"), actors.Deliver{Value: tensor.Scalar(int32(1)), Dead: true}, status.InvalidArgument},
			{node("a"), actors.Deliver{Value: tensor.Scalar(int32(30)), Tag: "loop[0]"}, status.OK},
			{node("b"), actors.Deliver{Value: tensor.Scalar(int32(4))}, status.OK},
			{node("b"), actors.Deliver{Value: tensor.Scalar(int32(5))}, status.AlreadyExists},
		} {
			answer := ask(t, c.to, &c.m).(*actors.Delivered)
			if status.CodeOf(answer.Err) != c.want {
				t.Errorf("%+v to %v: %v, want %v", c.m, c.to, answer.Err, c.want)
			}
		}
		m := actors.Deliver{Value: tensor.Scalar(int32(3))}
		if dead {
			m = actors.Deliver{Dead: true}
		}
		if answer := ask(t, node("a"), &m).(*actors.Delivered); answer.Err != nil {
			t.Error(answer.Err)
		}
		theGate.pass <- struct{}{}
		err := <-ended
		if !dead && (err != nil || got != 7) {
			t.Errorf("%v, %v, want 7", got, err)
		}
		if dead && status.CodeOf(err) != status.InvalidArgument { // the fetch is dead
			t.Errorf("%v, want that the fetch is dead", err)
		}
	}
}

// TestReceiverGivesUp: a node that waits for a token ends with its step, and fails
// where no token can come.
func TestReceiverGivesUp(t *testing.T) {
	e := open(t)
	p := receiving(t)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		_, err := drive(e, p, ctx)
		ended <- err
	}()
	<-theGate.came
	cancel()
	if err := <-ended; status.CodeOf(err) != status.Canceled {
		t.Error(err)
	}
	if _, err := drive(sequential.New(nil), p, context.Background()); status.CodeOf(err) != status.Unimplemented {
		t.Error(err)
	}
}
