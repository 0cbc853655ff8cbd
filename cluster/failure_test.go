package cluster_test

import (
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/troupe-go/troupe/cluster"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// failureBound is that of tests in which something fails.
const failureBound = 4 * time.Second

var (
	kills = flag.Int("kills", 2, "TestWorkersKilled kills `N` workers")
	cuts  = flag.Int("cuts", 2, "TestNetworkCuts cuts the network `N` times")
)

// A failing cluster is two worker processes and a session on them: task 0 has the loop, task 1
// a variable and the body.
type failing struct {
	t       *testing.T
	workers []*process
	graph   *session.Graph
	session *session.Session
}

// endless has a loop over two workers that goes round n times, and a variable on the second.
const endless = `
n = Placeholder() @/job:worker/task:0 {dtype=DT_INT32}
zero = Const() @/job:worker/task:0 {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
enter = Enter(zero) @/job:worker/task:0 {T=DT_INT32, frame_name="L", is_constant=false, parallel_iterations=10}
limit = Enter(n) @/job:worker/task:0 {T=DT_INT32, frame_name="L", is_constant=true, parallel_iterations=10}
merge = Merge(enter, next) @/job:worker/task:0 {N=2, T=DT_INT32}
less = Less(merge, limit) @/job:worker/task:0 {T=DT_INT32}
cond = LoopCond(less) @/job:worker/task:0
switch = Switch(merge, cond) @/job:worker/task:0 {T=DT_INT32}
body = Identity(switch:1) @/job:worker/task:0 {T=DT_INT32}
one = Const(^body) @/job:worker/task:1 {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
add = AddV2(body, one) @/job:worker/task:1 {T=DT_INT32}
next = NextIteration(add) @/job:worker/task:0 {T=DT_INT32}
exit = Exit(switch) @/job:worker/task:0 {T=DT_INT32}
w = VarHandleOp() @/job:worker/task:1 {container="", dtype=DT_FLOAT, shape=shape [], shared_name="w"}
five = Const() @/job:worker/task:1 {dtype=DT_FLOAT, value=Tensor<type: float shape: [] values: 5>}
assign = AssignVariableOp(w, five) @/job:worker/task:1 {dtype=DT_FLOAT}
read = ReadVariableOp(w) @/job:worker/task:1 {dtype=DT_FLOAT}
`

func newFailing(t *testing.T) *failing {
	f := &failing{t: t, graph: text(t, endless)}
	for i := range 2 {
		f.workers = append(f.workers, startProcess(t, processOptions{Task: i, Bound: failureBound}))
	}
	f.open(f.workers[0].address, f.workers[1].address)
	return f
}

func (f *failing) open(addresses ...string) {
	s, err := session.NewSession(f.graph, &session.SessionOptions{
		Target: "troupe://" + strings.Join(addresses, ","), Cluster: session.ClusterOptions{Bound: failureBound},
	})
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { s.Close() })
	f.session = s
}

// loop goes round the loop n times.
func (f *failing) loop(ctx context.Context, n int32) error {
	got, err := run(ctx, f.session, f.graph, map[string]*tensor.Tensor{"n": tensor.FromScalar(n)}, []string{"exit"}, nil)
	if err != nil {
		return err
	}
	v := tensor.ValueOf(got[0])
	if at := tensor.At0[int32](&v); at != n {
		return fmt.Errorf("the loop ended at %d, not %d", at, n)
	}
	return nil
}

// forever goes round the loop until it fails, and sends the error. It returns when both workers
// run the step; one that fails before, as on a machine that stands still for longer than the
// bound, is begun again.
func (f *failing) forever(ctx context.Context) chan error {
	f.t.Helper()
	for {
		failed := make(chan error, 1)
		go func() { failed <- f.loop(ctx, 1<<30) }()
		for len(failed) == 0 {
			all, errs, err := cluster.Ask(f.t.Context(), "troupe://"+f.workers[0].address+","+f.workers[1].address, &session.ClusterOptions{Bound: failureBound})
			if err != nil || errs[0] != nil || errs[1] != nil {
				f.t.Fatal(err, errs)
			}
			if all[0].Steps > 0 && all[1].Steps > 0 {
				return failed
			}
		}
		lostWorker(f.t, <-failed)
	}
}

// recovers waits until steps succeed again.
func (f *failing) recovers(what func() error) {
	f.t.Helper()
	var err error
	for range 50 {
		if err = what(); err == nil {
			return
		}
		if code := status.CodeOf(err); code != status.Unavailable && code != status.Aborted {
			break
		}
	}
	f.t.Fatalf("the session does not recover: %v", err)
}

func (f *failing) assign() error {
	_, err := run(f.t.Context(), f.session, f.graph, nil, nil, []string{"assign"})
	return err
}

func (f *failing) read() error {
	_, err := run(f.t.Context(), f.session, f.graph, nil, []string{"read"}, nil)
	return err
}

// ends waits for a step that fails for a worker is lost since a moment, and logs how long it took.
func (f *failing) ends(failed chan error, what string, since time.Time) {
	f.t.Helper()
	lostWorker(f.t, <-failed)
	f.t.Logf("%s: the step ended after %v", what, time.Since(since).Round(time.Millisecond))
}

// held logs what the workers' processes have: it should be the same after many failures.
func (f *failing) held() {
	f.t.Helper()
	for _, w := range f.workers {
		all, errs, err := cluster.Ask(f.t.Context(), "troupe://"+w.address, &session.ClusterOptions{Bound: failureBound})
		if err != nil || errs[0] != nil {
			f.t.Log(err, errs)
			continue
		}
		var pages, resident int
		if b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", w.Process.Pid)); err == nil {
			fmt.Sscan(string(b), &pages, &resident)
		}
		f.t.Logf("%s: %d goroutines, %d MB resident, %d sessions, %d parts, %d parcels", all[0].Name, all[0].Goroutines, resident*os.Getpagesize()>>20, all[0].Sessions, all[0].Parts, all[0].Parcels)
	}
}

// lostWorker fails the test unless an error says that a worker is lost, and which.
func lostWorker(t *testing.T, err error) {
	t.Helper()
	if code := status.CodeOf(err); code != status.Unavailable && code != status.Aborted {
		t.Errorf("got %v, want UNAVAILABLE or ABORTED", err)
	} else if !strings.Contains(err.Error(), "/job:worker/task:") {
		t.Errorf("%v does not name the worker", err)
	}
}

func TestWorkerKilled(t *testing.T) {
	t.Parallel() // it mostly waits
	f := newFailing(t)
	f.recovers(f.assign)
	f.recovers(func() error { return f.loop(t.Context(), 10) })
	failed := f.forever(t.Context())
	f.workers[1].kill()
	lostWorker(t, <-failed)
	lostWorker(t, f.loop(t.Context(), 10))

	// A new process at the same address.
	again := startProcess(t, processOptions{Listen: f.workers[1].address, Task: 1, Bound: failureBound})
	if again.address != f.workers[1].address {
		t.Fatalf("the worker listens at %s", again.address)
	}
	f.recovers(func() error { return f.loop(t.Context(), 10) })
	wants(t, f.read(), status.FailedPrecondition, "variable w was lost", "/job:worker/task:1", "restarted")
	f.recovers(f.assign)
	if err := f.read(); err != nil {
		t.Error(err)
	}
}

// A proxy forwards bytes between a client and an address, until it is cut.
type proxy struct {
	net.Listener
	to string

	mu    sync.Mutex
	conns []net.Conn
	heal  [2]chan struct{} // of both directions; closed when that is not cut
	done  sync.WaitGroup
}

func newProxy(t *testing.T, to string) *proxy {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{Listener: l, to: to, heal: [2]chan struct{}{make(chan struct{}), make(chan struct{})}}
	p.uncut()
	p.done.Go(p.serve)
	t.Cleanup(func() {
		p.Close()
		p.uncut()
		p.reset()
		p.done.Wait()
	})
	return p
}

func (p *proxy) serve() {
	for {
		a, err := p.Accept()
		if err != nil {
			return
		}
		b, err := net.Dial("tcp", p.to)
		if err != nil {
			a.Close()
			continue
		}
		p.mu.Lock()
		p.conns = append(p.conns, a, b)
		p.mu.Unlock()
		p.done.Go(func() { p.pass(a, b, 0) })
		p.done.Go(func() { p.pass(b, a, 1) })
	}
}

// pass forwards bytes; while the direction is cut it holds them back.
func (p *proxy) pass(from, to net.Conn, direction int) {
	defer from.Close()
	defer to.Close()
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		if err != nil {
			return
		}
		p.mu.Lock()
		heal := p.heal[direction]
		p.mu.Unlock()
		<-heal
		if _, err := to.Write(buf[:n]); err != nil {
			return
		}
	}
}

// cut holds back all bytes of directions, without a sign.
func (p *proxy) cut(directions ...int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, d := range directions {
		p.heal[d] = make(chan struct{})
	}
}

func (p *proxy) uncut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, heal := range p.heal {
		select {
		case <-heal:
		default:
			close(heal)
		}
	}
}

// reset closes the connections.
func (p *proxy) reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		c.Close()
	}
	p.conns = nil
}

// TestNetworkCuts cuts the connections through which others reach the second worker: both
// directions, one of them, or by ending them.
func TestNetworkCuts(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // a free port for the worker
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	p := newProxy(t, address)
	f := &failing{t: t, graph: text(t, endless)}
	f.workers = []*process{
		startProcess(t, processOptions{Task: 0, Bound: failureBound}),
		startProcess(t, processOptions{Task: 1, Bound: failureBound, Listen: address, Advertise: p.Addr().String()}),
	}
	if f.workers[1].address != p.Addr().String() {
		t.Fatalf("the worker is advertised as %s", f.workers[1].address)
	}
	f.open(f.workers[0].address, p.Addr().String())
	f.recovers(f.assign)
	kinds := []string{"both directions are cut", "what goes to the worker is cut", "what comes from the worker is cut", "the connections end"}
	for i := range *cuts {
		failed := f.forever(t.Context())
		began := time.Now()
		switch i % len(kinds) {
		case 0:
			p.cut(0, 1)
		case 1:
			p.cut(0)
		case 2:
			p.cut(1)
		case 3:
			p.cut(0, 1)
			p.reset()
		}
		f.ends(failed, fmt.Sprintf("cut %d, %s", i+1, kinds[i%len(kinds)]), began)
		p.uncut()
		f.recovers(func() error { return f.loop(t.Context(), 10) })
		f.recovers(f.read) // the process has lived on
		if i == 4 || i == *cuts-1 {
			f.held()
		}
	}
}

// TestWorkersKilled kills workers while steps run, over and over.
func TestWorkersKilled(t *testing.T) {
	t.Parallel() // it mostly waits
	f := newFailing(t)
	for i := range *kills {
		failed := f.forever(t.Context())
		victim := i % 2
		began := time.Now()
		f.workers[victim].kill()
		f.ends(failed, fmt.Sprintf("kill %d", i+1), began)
		f.workers[victim] = startProcess(t, processOptions{Listen: f.workers[victim].address, Task: victim, Bound: failureBound})
		f.recovers(func() error { return f.loop(t.Context(), 10) })
	}
}

func TestCancelledStep(t *testing.T) {
	f := newFailing(t)
	ctx, cancel := context.WithCancel(t.Context())
	failed := f.forever(ctx)
	cancel()
	wants(t, <-failed, status.Canceled)
	if err := f.loop(t.Context(), 10); err != nil {
		t.Error(err)
	}
}

func TestClosedSession(t *testing.T) {
	f := newFailing(t)
	failed := f.forever(t.Context())
	f.session.Close()
	wants(t, <-failed, status.Canceled)
}

// TestDrain lets a step end, and refuses others.
func TestDrain(t *testing.T) {
	w := startWorker(t, cluster.WorkerOptions{})
	g := text(t, "q = FIFOQueueV2() {component_types=[DT_INT32], shapes=[], capacity=1, container=\"\", shared_name=\"q\"}\n"+
		"d = QueueDequeueV2(q) {component_types=[DT_INT32], timeout_ms=-1}\n"+
		"one = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}\n"+
		"e = QueueEnqueueV2(q, one) {Tcomponents=[DT_INT32], timeout_ms=-1}\n")
	s := newSession(t, "troupe://"+w.Address(), g)
	for range 2 { // both programs are registered
		if _, err := run(t.Context(), s, g, nil, nil, []string{"e"}); err != nil {
			t.Fatal(err)
		}
		if _, err := run(t.Context(), s, g, nil, []string{"d"}, nil); err != nil {
			t.Fatal(err)
		}
	}
	took := make(chan error, 1)
	go func() {
		_, err := run(t.Context(), s, g, nil, []string{"d"}, nil)
		took <- err
	}()
	for w.Status().Steps == 0 {
	}
	drained := make(chan error, 1)
	go func() { drained <- w.Drain(t.Context()) }()
	for !w.Status().Draining {
	}
	_, err := run(t.Context(), s, g, nil, nil, []string{"e"})
	wants(t, err, status.Unavailable, "draining", "/job:worker/task:0")
	s.Close()
	wants(t, <-took, status.Canceled)
	if err := <-drained; err != nil {
		t.Error(err)
	}
}

// TestForgottenSessions opens sessions that end: the worker forgets their processes.
func TestForgottenSessions(t *testing.T) {
	w := startProcess(t, processOptions{Bound: time.Second})
	target, o := "troupe://"+w.address, &session.ClusterOptions{Bound: time.Second}
	g := trivial(t)
	for range 3 {
		for { // on a busy machine the bound may be short
			s, err := session.NewSession(g, &session.SessionOptions{Target: target, Cluster: *o})
			if err == nil {
				_, err = run(t.Context(), s, g, nil, []string{"c"}, nil)
				s.Close()
			}
			if err == nil {
				break
			}
			if code := status.CodeOf(err); code != status.Unavailable && code != status.Aborted {
				t.Fatal(err)
			}
		}
	}
	for {
		all, errs, err := cluster.Ask(t.Context(), target, o)
		if err != nil {
			t.Fatal(err)
		}
		if errs[0] == nil && all[0].Peers == 0 {
			break
		}
	}
}
