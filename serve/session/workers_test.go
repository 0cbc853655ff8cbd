package session

import (
	"net"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/cluster"
	"github.com/troupe-go/troupe/serve/session/master"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor/tensorproto"
	"github.com/troupe-go/troupe/wire"
)

// workerBound is long enough for a busy machine.
const workerBound = 20 * time.Second

// startTask starts a worker in this process.
func startTask(t *testing.T, listen, job string, task int, bound time.Duration) *cluster.Worker {
	t.Helper()
	if testing.Short() {
		t.Skip("Proto.Actor's remote sets gRPC's logger at each start, while servers run: the race detector objects")
	}
	w, err := cluster.NewWorker(cluster.WorkerOptions{Listen: listen, Job: job, Task: task, Bound: bound})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

// away has options for sessions on a parameter server and two workers.
func away(t *testing.T, bound time.Duration) (o Options, tasks []*cluster.Worker) {
	ps := startTask(t, "", "ps", 0, bound)
	a, b := startTask(t, "", "worker", 0, bound), startTask(t, "", "worker", 1, bound)
	o.Workers = map[string][]string{"ps": {ps.Address()}, "worker": {a.Address(), b.Address()}}
	o.Session.Cluster.Bound = bound
	return o, []*cluster.Worker{ps, a, b}
}

// Sessions of two tasks' addresses share the parameter server's variable; each has one of its
// own of that name. Each part runs on its worker's process.
func TestWorkers(t *testing.T) {
	o, tasks := away(t, workerBound)
	_, clients := startCluster(t, o, 1, 2)
	a, b := clients[0], clients[1]
	first, second := a.create(replicated), b.create(replicated)
	if _, code, e := a.run(first, map[string]float32{"x:0": 5}, nil, "set", "set_mine"); code != 0 {
		t.Fatal(e)
	}
	if _, code, e := b.run(second, map[string]float32{"x:0": 7}, nil, "set_mine"); code != 0 {
		t.Fatal(e)
	}
	if got, code, e := b.run(second, nil, []string{"v:0", "mine:0"}); code != 0 || got[0] != 5 || got[1] != 7 {
		t.Error(got, e)
	}
	if got, code, e := a.run(first, nil, []string{"v:0", "mine:0"}); code != 0 || got[0] != 5 || got[1] != 5 {
		t.Error(got, e)
	}
	for _, w := range tasks {
		if w.Status().Finished == 0 {
			t.Errorf("no step has run on %s", w.Name())
		}
	}

	other := b.create(`y = Const() @/job:nobody {dtype=DT_FLOAT, value=Tensor<type: float shape: [] values: 1>}`)
	if _, code, e := b.run(other, nil, []string{"y:0"}); code != codes.InvalidArgument || !strings.Contains(e, "/job:nobody") || !strings.Contains(e, "/job:worker/replica:0/task:1") {
		t.Errorf("%v %s", code, e)
	}

	// A reset of the parameter servers leaves the workers' variables, and other tasks' sessions.
	if _, err := call[master.ResetResponse](a, "Reset", &master.ResetRequest{DeviceFilters: []string{"/job:ps"}}); err != nil {
		t.Fatal(err)
	}
	if got, code, e := b.run(second, nil, []string{"mine:0"}); code != 0 || got[0] != 7 {
		t.Error(got, e)
	}
	if _, code, _ := b.run(second, nil, []string{"v:0"}); code != codes.FailedPrecondition {
		t.Errorf("a variable that was reset: %v", code)
	}
	if _, code, _ := a.run(first, nil, []string{"mine:0"}); code != codes.Aborted {
		t.Errorf("a session that was reset: %v", code)
	}
}

// A step on workers that is fed and fetched in parts.
func TestWorkersPartialRun(t *testing.T) {
	o, _ := away(t, workerBound)
	_, clients := startCluster(t, o, 1)
	c := clients[0]
	h := c.create(`
x = Placeholder() @/job:worker/task:1 {dtype=DT_FLOAT}
y = Placeholder() @/job:ps/task:0 {dtype=DT_FLOAT}
square = Mul(x, x) @/job:worker/task:1 {T=DT_FLOAT}
sum = AddV2(square, y) @/job:ps/task:0 {T=DT_FLOAT}
`)
	p, err := call[master.PartialRunSetupResponse](c, "PartialRunSetup", &master.PartialRunSetupRequest{SessionHandle: h, Feed: []string{"x:0", "y:0"}, Fetch: []string{"square:0", "sum:0"}})
	if err != nil {
		t.Fatal(err)
	}
	for i, part := range []struct {
		feed  string
		value float32
		fetch string
		want  float32
	}{{"x:0", 3, "square:0", 9}, {"y:0", 5, "sum:0", 14}} {
		r, err := call[master.RunStepResponse](c, "RunStep", &master.RunStepRequest{SessionHandle: h, PartialRunHandle: p.GetPartialRunHandle(), Fetch: []string{part.fetch},
			Feed: []*master.NamedTensorProto{{Name: part.feed, Tensor: c.tensor(part.value)}}})
		if err != nil || len(r.GetTensor()) != 1 {
			t.Fatal(i, r, err)
		}
		if got, err := tensorproto.Unmarshal(r.GetTensor()[0].GetTensor(), 0); err != nil || got.Value().(float32) != part.want {
			t.Errorf("part %d: %v, %v, want %v", i, got, err, part.want)
		}
	}
}

// Devices are listed with the incarnations of the workers, those that filters let through.
func TestWorkersDevices(t *testing.T) {
	o, tasks := away(t, workerBound)
	_, clients := startCluster(t, o, 2)
	c := clients[0]
	list := func(config *wire.ConfigProto) (local, remote []*wire.DeviceAttributes) {
		t.Helper()
		b, err := proto.Marshal(config)
		if err != nil {
			t.Fatal(err)
		}
		r, err := call[master.CreateSessionResponse](c, "CreateSession", &master.CreateSessionRequest{Config: b})
		if err != nil {
			t.Fatal(err)
		}
		devices, err := call[master.ListDevicesResponse](c, "ListDevices", &master.ListDevicesRequest{SessionHandle: r.GetSessionHandle()})
		if err != nil {
			t.Fatal(err)
		}
		return devices.GetLocalDevice(), devices.GetRemoteDevice()
	}
	local, remote := list(&wire.ConfigProto{DeviceCount: map[string]int32{"CPU": 4, "GPU": 0}, AllowSoftPlacement: true})
	if len(local) != 1 || len(remote) != 2 || local[0].GetName() != "/job:worker/replica:0/task:1/device:CPU:0" {
		t.Fatal(local, remote)
	}
	for _, d := range append(local, remote...) {
		found := false
		for _, w := range tasks {
			for _, own := range w.Status().Devices {
				found = found || own.Name == d.GetName() && own.Incarnation == d.GetIncarnation()
			}
		}
		if !found {
			t.Errorf("no worker has %v", d)
		}
	}
	if local, remote = list(&wire.ConfigProto{DeviceFilters: []string{"/job:ps"}}); len(local) != 1 || len(remote) != 1 {
		t.Error(local, remote)
	}
	all, err := call[master.ListDevicesResponse](c, "ListDevices", &master.ListDevicesRequest{})
	if err != nil || len(all.GetLocalDevice()) != 1 || len(all.GetRemoteDevice()) != 2 {
		t.Error(all, err)
	}
}

// A worker that is gone ends steps with its name; the session goes on with the next one at its
// address.
func TestWorkerLost(t *testing.T) {
	const bound = 2 * time.Second
	o, tasks := away(t, bound)
	_, clients := startCluster(t, o, 1)
	c := clients[0]
	h := c.create(replicated)
	if _, code, e := c.run(h, map[string]float32{"x:0": 5}, nil, "set"); code != 0 {
		t.Fatal(e)
	}
	address := tasks[0].Address()
	tasks[0].Close()
	_, code, e := c.run(h, nil, []string{"v:0"})
	if code != codes.Unavailable && code != codes.Aborted || !strings.Contains(e, "/job:ps/task:0") {
		t.Errorf("%v %s", code, e)
	}
	if _, err := call[master.ListDevicesResponse](c, "ListDevices", &master.ListDevicesRequest{SessionHandle: h}); err == nil || !strings.Contains(err.Error(), "/job:ps/task:0") {
		t.Error(err)
	}
	startTask(t, address, "ps", 0, bound)
	for range 50 {
		if _, code, e = c.run(h, map[string]float32{"x:0": 6}, nil, "set"); code == 0 {
			break
		}
	}
	if code != 0 {
		t.Fatalf("the session does not recover: %v %s", code, e)
	}
	if got, code, e := c.run(h, nil, []string{"v:0"}); code != 0 || got[0] != 6 {
		t.Error(got, code, e)
	}
}

// Configurations that cannot be are refused.
func TestWorkersOptions(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	for _, o := range []Options{
		{Workers: map[string][]string{}},
		{Workers: map[string][]string{"ps": nil}},
		{Workers: map[string][]string{"ps": {"nonsense"}}},
		{Workers: map[string][]string{"ps": {"a:1", "a:1"}}},
		{Workers: map[string][]string{"ps": {"a:1,b:2"}}},
		{Workers: map[string][]string{"ps": {"a:1"}}, Cluster: map[string]int{"ps": 1}},
		{Workers: map[string][]string{"ps": {"a:1"}}, Session: session.SessionOptions{Target: "troupe://a:1"}},
	} {
		if s, err := New(o); err == nil {
			s.Close()
			t.Errorf("%v is accepted", o.Workers)
		}
	}
	w := startTask(t, "", "worker", 0, workerBound)
	o := Options{Workers: map[string][]string{"ps": {w.Address()}}}
	o.Session.Cluster.Bound = workerBound
	_, clients := startCluster(t, o, 0)
	_, err = call[master.CreateSessionResponse](clients[0], "CreateSession", &master.CreateSessionRequest{})
	if err == nil || !strings.Contains(err.Error(), "/job:worker/task:0") {
		t.Errorf("a worker that is another task: %v", err)
	}
}

// The metadata of a step has what its nodes cost on each worker.
func TestWorkersMetadata(t *testing.T) {
	o, _ := away(t, workerBound)
	_, clients := startCluster(t, o, 1)
	c := clients[0]
	h := c.create(replicated)
	r, err := call[master.RunStepResponse](c, "RunStep", &master.RunStepRequest{SessionHandle: h, Target: []string{"set", "set_mine"}, Options: &wire.RunOptions{TraceLevel: wire.RunOptions_FULL_TRACE},
		Feed: []*master.NamedTensorProto{{Name: "x:0", Tensor: c.tensor(4)}}})
	if err != nil {
		t.Fatal(err)
	}
	m := &wire.RunMetadata{}
	if err := proto.Unmarshal(r.GetMetadata(), m); err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, d := range m.GetStepStats().GetDevStats() {
		got[d.Device] = len(d.NodeStats) > 0
	}
	for _, device := range []string{"/job:ps/replica:0/task:0/device:CPU:0", "/job:worker/replica:0/task:0/device:CPU:0"} {
		if !got[device] {
			t.Errorf("no step stats of %s, only %v", device, got)
		}
	}
	if !costGraph(r.GetMetadata()) {
		t.Error("no cost graph")
	}
}

// TestWorkersComeAndGo adds a worker and takes one away while sessions are open: those that open
// later have the new ones, the others go on without what they do not need.
func TestWorkersComeAndGo(t *testing.T) {
	const bound = 4 * time.Second
	ps, first := startTask(t, "", "ps", 0, bound), startTask(t, "", "worker", 0, bound)
	o := Options{Workers: map[string][]string{"ps": {ps.Address()}, "worker": {first.Address()}}}
	o.Session.Cluster.Bound = bound
	s, clients := startCluster(t, o, 1)
	c := clients[0]
	const program = `
v = VariableV2() @/job:ps/task:0 {dtype=DT_FLOAT, shape=shape [], shared_name="v"}
x = Placeholder() {dtype=DT_FLOAT}
set = Assign(v, x) @/job:ps/task:0 {T=DT_FLOAT}
here = Identity(v) {T=DT_FLOAT}
there = Square(v) @/job:worker/task:1 {T=DT_FLOAT}
`
	before := c.create(program)
	if _, code, e := c.run(before, map[string]float32{"x:0": 5}, nil, "set"); code != 0 {
		t.Fatal(e)
	}

	second := startTask(t, "", "worker", 1, bound)
	both := map[string][]string{"ps": {ps.Address()}, "worker": {first.Address(), second.Address()}}
	if err := s.SetWorkers(both); err != nil {
		t.Fatal(err)
	}
	if _, code, e := c.run(before, nil, []string{"there:0"}); code != codes.InvalidArgument {
		t.Errorf("a session of before has a worker that came: %v %s", code, e)
	}
	between := c.create(program)
	if got, code, e := c.run(between, nil, []string{"there:0"}); code != 0 || got[0] != 25 {
		t.Error(got, e)
	}
	if second.Status().Finished == 0 {
		t.Error("no step has run on the worker that came")
	}

	second.Close()
	if err := s.SetWorkers(o.Workers); err != nil {
		t.Fatal(err)
	}
	if _, code, e := c.run(between, nil, []string{"there:0"}); code != codes.Unavailable || !strings.Contains(e, "/job:worker/task:1") {
		t.Errorf("a step on a worker that has left: %v %s", code, e)
	}
	for name, h := range map[string]string{"before": before, "between": between, "after": c.create(program)} {
		if got, code, e := c.run(h, nil, []string{"here:0"}); code != 0 || got[0] != 5 {
			t.Errorf("the session of %s: %v %s", name, got, e)
		}
	}
	if err := s.SetWorkers(map[string][]string{"ps": {ps.Address()}}); status.CodeOf(err) != status.FailedPrecondition {
		t.Errorf("without the task that is served: %v", err)
	}
	if err := s.SetWorkers(map[string][]string{"ps": {"nowhere"}}); status.CodeOf(err) != status.InvalidArgument {
		t.Errorf("an address without a port: %v", err)
	}
}
