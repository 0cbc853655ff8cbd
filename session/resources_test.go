package session_test

import (
	"context"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
)

// stateful is a graph of a variable and a queue, in a container.
type stateful struct {
	builder
	value, read, take session.Output
	set, enqueue      *session.Operation
}

func newStateful(t *testing.T, container string) *stateful {
	b := build(t)
	s := &stateful{builder: b, value: b.placeholder("value", session.Float)}
	v := b.add("VarHandleOp", "v", map[string]any{"dtype": session.Float, "shape": session.MakeShape(64), "shared_name": "v", "container": container}).Output(0)
	s.set = b.add("AssignVariableOp", "set", map[string]any{"dtype": session.Float}, v, s.value)
	s.read = b.add("ReadVariableOp", "read", map[string]any{"dtype": session.Float}, v).Output(0)
	types := []session.DataType{session.Float}
	q := b.add("FIFOQueueV2", "q", map[string]any{"component_types": types, "shared_name": "q", "container": container}).Output(0)
	enqueue, err := b.AddOperation(session.OpSpec{Type: "QueueEnqueueV2", Name: "enqueue", Input: []session.Input{q, session.OutputList{s.value}}})
	if err != nil {
		t.Fatal(err)
	}
	s.enqueue = enqueue
	s.take = b.add("QueueDequeueV2", "take", map[string]any{"component_types": types}, q).Output(0)
	return s
}

func (s *stateful) assign(t *testing.T, in *session.Session, x float32, ops ...*session.Operation) {
	t.Helper()
	value := make([]float32, 64) // which takes memory of its own, as a scalar does not
	value[0] = x
	if _, err := in.Run(map[session.Output]*session.Tensor{s.value: tensorOf(t, value)}, nil, ops); err != nil {
		t.Fatal(err)
	}
}

// fetch returns the first element of an output.
func fetch(s *session.Session, o session.Output) (any, error) {
	out, err := s.RunContext(context.Background(), nil, []session.Output{o}, nil)
	if err != nil {
		return nil, err
	}
	return out[0].Value().([]float32)[0], nil
}

// Sessions that share resources see each other's variables and queues, also over other
// graphs and after the first is closed; a session of its own does not.
func TestSharedResources(t *testing.T) {
	for _, engine := range []string{"actors", "tokens", "messages", "sequential"} {
		resources := session.NewResources(1 << 20)
		a, b := newStateful(t, ""), newStateful(t, "")
		options := &session.SessionOptions{Engine: engine, Resources: resources}
		first, second, alone := a.open(options), b.open(options), b.open(&session.SessionOptions{Engine: engine})
		took := make(chan any)
		go func() {
			x, err := fetch(second, b.take)
			if err != nil {
				x = err
			}
			took <- x
		}()
		a.assign(t, first, 3, a.set, a.enqueue)
		if x := <-took; x != float32(3) {
			t.Errorf("%s: the queue has %v, want 3", engine, x)
		}
		if x, err := fetch(second, b.read); x != float32(3) {
			t.Errorf("%s: the other session reads %v, %v, want 3", engine, x, err)
		}
		if _, err := fetch(alone, b.read); session.CodeOf(err) != session.FailedPrecondition && session.CodeOf(err) != session.NotFound {
			t.Errorf("%s: a session of its own reads the variable: %v", engine, err)
		}
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
		if x, err := fetch(second, b.read); x != float32(3) {
			t.Errorf("%s: after the session that assigned it is closed, the variable is %v, %v", engine, x, err)
		}
		second.Close()
		if n := resources.Budget.Used(); n == 0 {
			t.Errorf("%s: nothing is charged to the resources", engine)
		}
		resources.Clear()
		if n := resources.Budget.Used(); n != 0 {
			t.Errorf("%s: %d bytes are charged after Clear", engine, n)
		}
	}
}

// Reset clears the containers that it names, or the default one, and ends who waits for
// their queues.
func TestResetContainers(t *testing.T) {
	resources := session.NewResources(-1)
	defer resources.Clear()
	plain, named := newStateful(t, ""), newStateful(t, "experiment")
	options := &session.SessionOptions{Resources: resources}
	in, there := plain.open(options), named.open(options)
	defer in.Close()
	defer there.Close()
	plain.assign(t, in, 1, plain.set)
	named.assign(t, there, 2, named.set, named.enqueue)
	if _, err := fetch(there, named.take); err != nil {
		t.Fatal(err)
	}
	waits := make(chan error)
	go func() {
		_, err := fetch(there, named.take)
		waits <- err
	}()
	for len(there.Inspect(t.Context(), 1)) == 0 {
	}
	resources.Reset("experiment")
	resources.Reset("experiment") // of the queue that the step may have made in the meantime
	there.Close()
	if err := <-waits; session.CodeOf(err) != session.Canceled {
		t.Errorf("a step that waits for a queue that was reset: %v", err)
	}
	if x, err := fetch(in, plain.read); x != float32(1) {
		t.Errorf("another container's variable is %v, %v", x, err)
	}
	resources.Reset()
	if x, err := fetch(in, plain.read); err == nil {
		t.Errorf("after Reset the variable is %v", x)
	}
}

// Tables and iterators without a name to share belong to their session, also where sessions
// share resources and the graphs have nodes of the same names.
func TestUnnamedResources(t *testing.T) {
	const text = `
t = HashTableV2() {key_dtype=DT_INT64, value_dtype=DT_FLOAT, USE}
k = Const() {dtype=DT_INT64, value=Tensor<type: int64 shape: [1] values: 1>}
v = Placeholder() {dtype=DT_FLOAT}
insert = LookupTableImportV2(t, k, v) {Tin=DT_INT64, Tout=DT_FLOAT}
size = LookupTableSizeV2(t)
i = OneShotIterator() {dataset_factory=func Data, output_types=[DT_INT64], output_shapes=list(shape) [[]]}
next = IteratorGetNext(i) {output_types=[DT_INT64], output_shapes=list(shape) [[]]}
stateful func Data() -> (d: variant) {
  zero = Const() {dtype=DT_INT64, value=Tensor<type: int64 shape: [] values: 0>}
  one = Const() {dtype=DT_INT64, value=Tensor<type: int64 shape: [] values: 1>}
  range = RangeDataset(zero:output:0, one:output:0, one:output:0) {output_types=[DT_INT64], output_shapes=list(shape) [[]]}
  return d = range:handle:0
}
`
	shared := session.NewResources(0)
	for _, c := range []struct {
		use    string
		second int64 // entries of the table that the second session finds
	}{{"shared_name=''", 0}, {"shared_name='name'", 1}, {"use_node_name_sharing=true", 1}} {
		for k, want := range []int64{0, c.second} {
			g := parsed(t, strings.Replace(text, "USE", c.use, 1))
			s, err := session.NewSession(g, &session.SessionOptions{Resources: shared})
			if err != nil {
				t.Fatal(err)
			}
			for _, fetch := range []string{"size", "next"} {
				got, err := s.Run(nil, []session.Output{g.Operation(fetch).Output(0)}, nil)
				if err != nil {
					t.Fatalf("%s, session %d, %s: %v", c.use, k, fetch, err)
				}
				if n := got[0].Value().(int64); fetch == "size" && n != want {
					t.Errorf("%s, session %d: %d entries, not %d", c.use, k, n, want)
				}
			}
			if _, err := s.Run(map[session.Output]*session.Tensor{g.Operation("v").Output(0): tensorOf(t, []float32{4})}, nil, []*session.Operation{g.Operation("insert")}); err != nil {
				t.Fatal(err)
			}
			s.Close()
		}
	}
}

// A session with several processes has devices and containers of each.
func TestProcesses(t *testing.T) {
	shared := session.NewResources(0)
	open := func(text string, processes ...string) (*session.Session, *session.Graph, error) {
		g := parsed(t, text)
		s, err := session.NewSession(g, &session.SessionOptions{Processes: processes, Resources: shared})
		if err == nil {
			t.Cleanup(func() { s.Close() })
		}
		return s, g, err
	}
	const text = `
v = VarHandleOp() {dtype=DT_FLOAT, shape=shape [], shared_name="v"}
x = Placeholder() {dtype=DT_FLOAT}
set = AssignVariableOp(v, x) {dtype=DT_FLOAT}
read = ReadVariableOp(v) {dtype=DT_FLOAT}
`
	s, g, err := open(text, "/job:worker/task:1", "/job:ps/task:0")
	if err != nil {
		t.Fatal(err)
	}
	all, err := s.ListDevices()
	if err != nil || len(all) != 2 || all[0].Name != "/job:worker/replica:0/task:1/device:CPU:0" || all[1].Name != "/job:ps/replica:0/task:0/device:CPU:0" {
		t.Error(all, err)
	}
	if _, err := s.Run(map[session.Output]*session.Tensor{g.Operation("x").Output(0): tensorOf(t, float32(3))}, nil, []*session.Operation{g.Operation("set")}); err != nil {
		t.Fatal(err)
	}
	other, g, err := open(text, "/job:worker/task:0")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Run(nil, []session.Output{g.Operation("read").Output(0)}, nil); status.CodeOf(err) != status.FailedPrecondition && status.CodeOf(err) != status.NotFound {
		t.Errorf("another process has the variable, too: %v", err)
	}
	for _, bad := range [][]string{{}, {"/job:ps"}, {"/task:0"}, {"/job:ps/task:0/cpu:0"}, {"?"}, {"/job:ps/task:0", "/job:ps/replica:0/task:0"}} {
		if _, _, err := open(text, bad...); status.CodeOf(err) != status.InvalidArgument {
			t.Errorf("processes %q: %v", bad, err)
		}
	}
}
