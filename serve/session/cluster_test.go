package session

import (
	"net"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	grpcstatus "google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/serve/session/master"
	"github.com/troupe-go/troupe/wire"
)

// startCluster serves the tasks, and returns a client for each.
func startCluster(t *testing.T, o Options, tasks ...int) (*Server, []*client) {
	t.Helper()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error)
	var clients []*client
	for _, i := range tasks {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		job, _ := s.members.Load().tasks[i].Job()
		task, _ := s.members.Load().tasks[i].Task()
		go func() { served <- s.ServeTask(l, job, task) }()
		conn, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			t.Fatal(err)
		}
		clients = append(clients, &client{t: t, conn: conn})
	}
	t.Cleanup(func() {
		for _, c := range clients {
			c.conn.Close()
		}
		s.Close()
		for range clients {
			if err := <-served; err != nil {
				t.Error(err)
			}
		}
	})
	return s, clients
}

// A variable on the parameter server, and one on whichever task runs it, under the same
// names in both workers' graphs.
const replicated = `
v = VariableV2() @/job:ps/task:0 {dtype=DT_FLOAT, shape=shape [], shared_name="v"}
mine = VariableV2() {dtype=DT_FLOAT, shape=shape [], shared_name="v"}
x = Placeholder() {dtype=DT_FLOAT}
set = Assign(v, x)
set_mine = Assign(mine, x)
`

// Two workers share the parameter server's variable; each has one of its own of that name.
func TestCluster(t *testing.T) {
	s, clients := startCluster(t, Options{Cluster: map[string]int{"ps": 1, "worker": 2}}, 1, 2)
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
	devices, err := call[master.ListDevicesResponse](b, "ListDevices", &master.ListDevicesRequest{SessionHandle: second})
	if err != nil || devices.GetLocalDevice()[0].GetName() != "/job:worker/replica:0/task:1/device:CPU:0" || len(devices.GetRemoteDevice()) != 2 {
		t.Error(devices, err)
	}

	other := b.create(`y = Const() @/job:nobody {dtype=DT_FLOAT, value=Tensor<type: float shape: [] values: 1>}`)
	if _, code, e := b.run(other, nil, []string{"y:0"}); code != codes.InvalidArgument || !strings.Contains(e, "/job:nobody") || !strings.Contains(e, "/job:worker/replica:0/task:1") {
		t.Errorf("%v %s", code, e)
	}
	config, err := proto.Marshal(&wire.ConfigProto{DeviceFilters: []string{"/job:ps"}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := call[master.CreateSessionResponse](b, "CreateSession", &master.CreateSessionRequest{Config: config})
	if err != nil {
		t.Fatal(err)
	}
	devices, err = call[master.ListDevicesResponse](b, "ListDevices", &master.ListDevicesRequest{SessionHandle: r.GetSessionHandle()})
	if err != nil || len(devices.GetLocalDevice()) != 1 || len(devices.GetRemoteDevice()) != 1 {
		t.Error(devices, err)
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
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.ServeTask(l, "worker", 2); err == nil {
		t.Error("a task that the cluster does not have is served")
	}
	for _, bad := range []map[string]int{{}, {"ps": 0}, {"1": 1}, {"ps": mostTasks + 1}} {
		if _, err := New(Options{Cluster: bad}); err == nil {
			t.Errorf("a cluster of %v", bad)
		}
	}
}

// Clients have so many sessions and no more; sessions that nobody uses are closed.
func TestClients(t *testing.T) {
	s, clients := startCluster(t, Options{MaxClientSessions: 2}, 0)
	c := clients[0]
	h := c.create(sum)
	c.create(sum)
	_, err := call[master.CreateSessionResponse](c, "CreateSession", &master.CreateSessionRequest{})
	if grpcstatus.Code(err) != codes.ResourceExhausted || !strings.Contains(err.Error(), "127.0.0.1") {
		t.Error(err)
	}
	before := time.Now()
	c.run(h, nil, []string{"one:0"})
	if n := s.sweep(before); n != 1 || s.Sessions() != 1 {
		t.Errorf("%d sessions closed, %d left", n, s.Sessions())
	}
	if _, code, e := c.run(h, nil, []string{"one:0"}); code != 0 {
		t.Error(e)
	}
}
