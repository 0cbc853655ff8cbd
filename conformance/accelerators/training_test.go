package accelerators

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/devices/emulated"
	"github.com/troupe-go/troupe/gradients"
	"github.com/troupe-go/troupe/op"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

// A network is a perceptron of two layers that is trained by Adam, or with momentum. Rates
// and powers of beta are computed in the step.
type network struct {
	t       *testing.T
	session *session.Session
	graph   *session.Graph
	x, y    session.Output
	start   map[session.Output]*session.Tensor
	init    []*session.Operation
	loss    session.Output
	update  []*session.Operation
	weights []session.Output // and slots
}

func newNetwork(t *testing.T, o *session.SessionOptions) *network {
	t.Helper()
	s := op.NewScope().WithUniqueNames()
	n := &network{t: t, start: map[session.Output]*session.Tensor{}}
	variable := func(name string, v *session.Tensor) session.Output {
		h := op.VarHandleOp(s, v.DType(), session.MakeShape(v.Shape()...), op.VarHandleOpSharedName(name))
		p := op.Placeholder(s.SubScope(name), v.DType())
		n.start[p] = v
		n.init = append(n.init, op.AssignVariableOp(s, h, p))
		n.weights = append(n.weights, op.ReadVariableOp(s, h, v.DType()))
		return h
	}
	n.x, n.y = op.Placeholder(s.SubScope("x"), tensor.Float), op.Placeholder(s.SubScope("y"), tensor.Float)
	var handles, values []session.Output
	first := []*session.Tensor{ramp(6, 8), ramp(1, 8), ramp(8, 4), ramp(1, 4)}
	zeros := func(i int) *session.Tensor {
		z, err := tensor.New(tensor.Float, first[i].Shape()...)
		if err != nil {
			t.Fatal(err)
		}
		return z
	}
	for i, v := range first {
		h := variable(fmt.Sprint("w", i), v)
		handles, values = append(handles, h), append(values, op.ReadVariableOp(s, h, tensor.Float))
	}
	hidden := op.Tanh(s, op.AddV2(s, op.MatMul(s, n.x, values[0]), values[1]))
	logits := op.AddV2(s, op.MatMul(s, hidden, values[2]), values[3])
	entropy, _ := op.SoftmaxCrossEntropyWithLogits(s, logits, n.y)
	n.loss = op.Mean(s, entropy, op.Const(s.SubScope("all"), []int32{0}))
	g, err := s.Finalize()
	if err != nil {
		t.Fatal(err)
	}
	slopes, err := gradients.Dense(g, []session.Output{n.loss}, values, gradients.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s = op.NewScopeWithGraph(g).WithUniqueNames()
	number := func(x float32) session.Output { return op.Const(s, x) }
	power := variable("power", scalar(t, 0.9))
	now := op.ReadVariableOp(s, power, tensor.Float)
	read := s.WithControlDependencies(n.loss.Op, now.Op)
	for _, dw := range slopes {
		read = read.WithControlDependencies(dw.Op)
	}
	for i, h := range handles {
		m := variable(fmt.Sprint("m", i), zeros(i))
		if i%2 == 1 {
			n.update = append(n.update, op.ResourceApplyMomentum(read, h, m, number(0.1), slopes[i], number(0.9)))
			continue
		}
		v := variable(fmt.Sprint("v", i), zeros(i))
		n.update = append(n.update, op.ResourceApplyAdam(read, h, m, v, now, op.Square(s, now), number(0.05), number(0.9), number(0.99), number(1e-6), slopes[i]))
	}
	after := read.WithControlDependencies(n.update...)
	n.update = append(n.update, op.AssignSubVariableOp(after, power, op.Mul(s, now, number(0.1))))
	if n.graph, err = s.Finalize(); err != nil {
		t.Fatal(err)
	}
	if n.session, err = session.NewSession(n.graph, o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { n.session.Close() })
	return n
}

func scalar(t *testing.T, x float32) *session.Tensor {
	t.Helper()
	v, err := session.NewTensor(x)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func (n *network) begin() {
	n.t.Helper()
	if err := n.returning(func() error { _, err := n.session.Run(n.start, nil, n.init); return err }); err != nil {
		n.t.Fatal(err)
	}
}

// returning calls f until the device is there, if it was lost.
func (n *network) returning(f func() error) error {
	for {
		if err := f(); session.CodeOf(err) != session.Unavailable || n.t.Context().Err() != nil {
			return err
		}
	}
}

// step trains once.
func (n *network) step(m *session.RunMetadata) (*session.Tensor, error) {
	o := session.RunOptions{Metadata: m, Profile: m != nil}
	feeds := map[session.Output]*session.Tensor{n.x: ramp(5, 6), n.y: labels(n.t)}
	got, err := n.session.RunWithOptions(n.t.Context(), o, feeds, []session.Output{n.loss}, n.update)
	if err != nil {
		return nil, err
	}
	return got[0], nil
}

func labels(t *testing.T) *session.Tensor {
	t.Helper()
	rows := make([][]float32, 5)
	for i := range rows {
		rows[i] = make([]float32, 4)
		rows[i][i*3%4] = 1
	}
	y, err := session.NewTensor(rows)
	if err != nil {
		t.Fatal(err)
	}
	return y
}

// state returns all variables.
func (n *network) state() []*session.Tensor {
	n.t.Helper()
	all, err := n.session.Run(nil, n.weights, nil)
	if err != nil {
		n.t.Fatal(err)
	}
	return all
}

// A network learns on an accelerator what it learns on the CPU, and after the weights have
// come to the device no more crosses than examples and losses.
func TestTraining(t *testing.T) {
	const steps = 6
	var losses, weights []*session.Tensor
	for _, kind := range []string{"CPU", "EMULATED", "OPENCL", "GPU"} {
		if !there(t, kind) {
			continue
		}
		n := newNetwork(t, &session.SessionOptions{Devices: map[string]int{kind: 1}})
		n.begin()
		var m session.RunMetadata
		for step := range steps {
			loss, err := n.step(&m)
			if err != nil {
				t.Fatalf("%s: %v", kind, err)
			}
			if kind == "CPU" {
				losses = append(losses, loss)
				continue
			}
			if err := tensor.Compare(loss, losses[step], rough); err != nil {
				t.Errorf("%s: loss of step %d: %v", kind, step, err)
			}
			if step == 0 {
				continue // which uploads constants
			}
			for _, edge := range m.Transfers {
				if what, _, _ := strings.Cut(edge.Tensor, "/"); what != "x" && what != "y" && edge.Bytes > 8 { // shapes
					t.Errorf("%s: step %d: %+v", kind, step, edge)
				}
			}
			copied := map[string]int64{}
			for _, w := range m.Stats.Works {
				copied[w.Name] += w.Bytes
			}
			if examples := int64(4 * (5*6 + 5*4)); copied["write"] != examples+4 || copied["read"] != 4 { // a count, the loss
				t.Errorf("%s: step %d copied %v", kind, step, copied)
			}
		}
		before := n.state()
		if kind == "CPU" {
			weights = before
			continue
		}
		for i, w := range before {
			if err := tensor.Compare(w, weights[i], rough); err != nil {
				t.Errorf("%s: %v: %v", kind, n.weights[i], err)
			}
		}
	}
}

// What a lost device had of variables is lost, which is told with their names until they are
// assigned again.
func TestTrainingLost(t *testing.T) {
	n := newNetwork(t, &session.SessionOptions{Devices: map[string]int{"EMULATED": 1}})
	n.begin()
	first, err := n.step(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range emulated.Opened() {
		d.Lose("it was pulled out")
	}
	err = n.returning(func() error { _, err := n.step(nil); return err })
	if session.CodeOf(err) != session.FailedPrecondition || !regexp.MustCompile(`variable (power|w\d|m\d|v\d) has lost its value.*EMULATED:0`).MatchString(err.Error()) {
		t.Fatalf("after the loss: %v", err)
	}
	n.begin()
	again, err := n.step(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := tensor.Compare(again, first, tensor.Tolerance{Exact: true}); err != nil {
		t.Error(err)
	}
}
