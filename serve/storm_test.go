package serve

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/serve/access"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// The long forms of these tests measure; the short ones only check what does not depend
// on time. docs/design/2026-11-27-serving-operation.md has the commands.
var (
	storm    = flag.Duration("storm", 300*time.Millisecond, "how long TestStorm sends more than the machine can do")
	products = flag.Int("products", 30, "products of matrices in the model of TestStorm")
	idle     = flag.Int("idle", 100, "how many idle connections TestIdle keeps")
	address  = flag.String("address", "", "where the clients of TestIdle and TestStorm connect")
	weights  = flag.Int("weights", 1<<18, "floats in the variable of the model that TestReloadBeside reloads")
)

// times are those that requests took.
type times struct {
	mu   sync.Mutex
	list []time.Duration
}

func (t *times) add(d time.Duration) {
	t.mu.Lock()
	t.list = append(t.list, d)
	t.mu.Unlock()
}

// part returns the time that a part of the requests did not exceed.
func (t *times) part(p float64) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.list) == 0 {
		return 0
	}
	slices.Sort(t.list)
	return t.list[min(len(t.list)-1, int(p*float64(len(t.list))))]
}

func (t *times) String() string {
	return fmt.Sprintf("%d requests, p50 %v, p99 %v, most %v", len(t.list), t.part(.5), t.part(.99), t.part(1))
}

// resident returns the process's memory in MiB.
func resident() int {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	pages, _ := strconv.Atoi(strings.Fields(string(text))[1])
	return pages * os.Getpagesize() >> 20
}

// heavy writes a model with a large variable: y = x + w[0].
func heavy(t testing.TB, dir string, n int, value float32) {
	t.Helper()
	g := graph.New()
	if err := notation.Add(g, `
x = Placeholder() {dtype=DT_FLOAT, shape=shape [?]}
w = VarHandleOp() {dtype=DT_FLOAT, shape=shape [`+strconv.Itoa(n)+`], shared_name="w"}
read = ReadVariableOp(w) {dtype=DT_FLOAT}
zero = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
first = GatherV2(read, zero, zero)
y = AddV2(x, first)
`); err != nil {
		t.Fatal(err)
	}
	all := make([]float32, n)
	for i := range all {
		all[i] = value
	}
	w, err := tensor.FromSlice(all, int64(n))
	if err != nil {
		t.Fatal(err)
	}
	os.MkdirAll(filepath.Dir(dir), 0o755)
	if err := model.Write(dir, model.Export{Graph: g, Variables: map[string]*tensor.Tensor{"w": w}, Signatures: map[string]model.ExportSignature{
		"serving_default": {Inputs: map[string]graph.Output{"x": g.Operation("x").Output(0)}, Outputs: map[string]graph.Output{"y": g.Operation("y").Output(0)}},
	}}); err != nil {
		t.Fatal(err)
	}
}

// slow writes a model that multiplies matrices for a while.
func slow(t testing.TB, dir string, products int) {
	text := `
x = Placeholder() {dtype=DT_FLOAT, shape=shape [?]}
axis = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [1] values: 0>}
sum = Sum(x, axis)
dims = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [2] values: 192 192>}
p0 = Fill(dims, sum)
`
	for i := range products {
		text += fmt.Sprintf("p%d = MatMul(p%d, p0)\n", i+1, i)
	}
	text += fmt.Sprintf(`both = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [2] values: 0 1>}
y = Sum(p%d, both)
`, products)
	write(t, dir, text, "serving_default: x -> y")
}

// paced calls f so many times a second until ctx ends, whether earlier calls have ended or
// not, and waits for those.
func paced(ctx context.Context, perSecond float64, f func()) {
	var group sync.WaitGroup
	defer group.Wait()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	begin := time.Now()
	for n := 0; ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for due := int(time.Since(begin).Seconds() * perSecond); n < due; n++ {
			group.Go(f)
		}
	}
}

// TestReloadBeside: while a model with large variables is reloaded again and again under
// load, no request fails, neither its own nor another model's; the process takes no more
// memory and goroutines in the end.
func TestReloadBeside(t *testing.T) {
	dir := t.TempDir()
	heavy(t, filepath.Join(dir, "heavy", "1"), *weights, 1)
	half(t, filepath.Join(dir, "half", "1"), "1")
	m := manager(t, Options{})
	for _, name := range []string{"heavy", "half"} {
		if err := m.Add(t.Context(), Config{Name: name, Path: filepath.Join(dir, name)}); err != nil {
			t.Fatal(err)
		}
	}
	measure := func(during func()) *times {
		steady := &times{}
		ctx, stop := context.WithCancel(context.Background())
		var clients sync.WaitGroup
		x := floats(t, 1, 2, 3)
		for _, name := range []string{"heavy", "half"} {
			clients.Go(func() {
				// A machine that cannot do so much is not asked for more: a refusal is the reload's.
				present := make(chan struct{}, 256)
				paced(ctx, 200, func() {
					present <- struct{}{}
					defer func() { <-present }()
					begin := time.Now()
					_, _, err := m.Predict(context.Background(), Spec{Model: name}, x)
					if err != nil {
						t.Errorf("%s: %v", name, err)
					}
					if name == "half" {
						steady.add(time.Since(begin))
					}
				})
			})
		}
		during()
		stop()
		clients.Wait()
		return steady
	}
	next := 2
	reload := func(n int) {
		for range n {
			heavy(t, filepath.Join(dir, "heavy", strconv.Itoa(next)), *weights, float32(next))
			if err := m.Refresh(t.Context()); err != nil {
				t.Error(err)
			}
			os.RemoveAll(filepath.Join(dir, "heavy", strconv.Itoa(next-1)))
			next++
		}
	}
	reload(min(3, *reloads)) // what stays is there
	debug.FreeOSMemory()
	before, goroutines := resident(), runtime.NumGoroutine()
	begin := time.Now()
	disturbed := measure(func() { reload(*reloads) })
	took := time.Since(begin)
	alone := measure(func() {
		for end := time.Now().Add(took); time.Now().Before(end); {
			heavy(t, filepath.Join(dir, "written"), *weights, 1) // as the writer of the other does
			os.RemoveAll(filepath.Join(dir, "written"))
		}
	})
	debug.FreeOSMemory()
	t.Logf("%d reloads of %d MiB in %v", *reloads, *weights>>18, took)
	t.Logf("the other model alone: %v", alone)
	t.Logf("beside the reloads:    %v", disturbed)
	t.Logf("memory %d MiB, then %d; goroutines %d, then %d", before, resident(), goroutines, runtime.NumGoroutine())
	if n := runtime.NumGoroutine(); n > goroutines+5 {
		t.Errorf("%d goroutines, %d more than before", n, n-goroutines)
	}
	out, n, err := m.Predict(t.Context(), Spec{Model: "heavy"}, floats(t, 0))
	if err != nil || int(n) != next-1 || out["y"].Value().([]float32)[0] != float32(next-1) {
		t.Errorf("version %d answers %v: %v", n, out, err)
	}
}

// storms is what the clients of TestStorm saw.
type storms struct {
	Before, After float64 // answers a second to four clients
	InTurn        float64 // accepted in short storms, of what four clients had answered in between
	Accepted      float64 // a second, of five times as many requests
	Refused       int64
	Crowded       int64         // whose connections were closed, as there were as many as may be
	Unsent        int64         // by clients that have as many requests under way as they can
	Median, Late  time.Duration // of those that were accepted; the 99th percentile
	Recovered     time.Duration // that the first request after it took
	Errors        []string
}

// A stormServer observes the requests of the slow model that were accepted.
type stormServer struct {
	full  int // requests of a full line
	mu    sync.Mutex
	begun time.Time
	all   times // that requests took
	wait  times // for their turns
	run   times
	ends  []time.Duration // when they were answered
}

func (s *stormServer) Request(r *Record) {
	if r.Model != "slow" || r.Err != nil {
		return
	}
	s.all.add(r.Took)
	s.wait.add(r.Wait)
	s.run.add(r.Run)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.begun.IsZero() {
		s.begun = time.Now()
	}
	s.ends = append(s.ends, time.Since(s.begun))
}

func (s *stormServer) Run(Run)     {}
func (s *stormServer) Batch(Batch) {}
func (s *stormServer) Load(Load)   {}
func (s *stormServer) Unload(Load) {}

// slowest returns the longest time in which as many requests were answered as a full line has.
func (s *stormServer) slowest() (most time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := s.full; i < len(s.ends); i++ {
		most = max(most, s.ends[i]-s.ends[i-s.full])
	}
	return most
}

func (s *stormServer) String() string {
	return fmt.Sprintf("%v; waiting: %v; running: %v; a full line took %v at most", &s.all, &s.wait, &s.run, s.slowest())
}

// TestStorm: of five times as many requests as the machine can answer, those that are
// accepted are answered, and the others refused at once; another model goes on.
func TestStorm(t *testing.T) {
	dir := t.TempDir()
	slow(t, filepath.Join(dir, "slow"), *products)
	half(t, filepath.Join(dir, "half"), "1")
	full := Options{}.atATime() + stormWaiting
	within := &stormServer{full: full}
	m := manager(t, Options{Observer: within})
	for _, c := range []Config{{Name: "slow", Path: filepath.Join(dir, "slow"), Waiting: stormWaiting}, {Name: "half", Path: filepath.Join(dir, "half")}} {
		if err := m.Add(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	server := httptest.NewUnstartedServer(Handler(m, HTTP{}))
	connections := access.NewConnections(stormConnections, nil)
	server.Listener, server.Config.ConnState = connections.Listen(server.Listener), connections.State
	server.Start()
	defer server.Close()
	debug.FreeOSMemory()
	memory, goroutines := resident(), runtime.NumGoroutine()
	// The clients are in another process: here they would wait for processors behind the model.
	clients := exec.Command(os.Args[0], "-test.run", "^TestStormClients$", "-storm", storm.String(), "-address", server.Listener.Addr().String())
	clients.Stderr = os.Stderr
	out, err := clients.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := clients.Start(); err != nil {
		t.Fatal(err)
	}
	var small times
	ctx, stop := context.WithCancel(context.Background())
	var group sync.WaitGroup
	group.Go(func() {
		x := floats(t, 1)
		for tick := time.Tick(5 * time.Millisecond); ctx.Err() == nil; <-tick {
			begin := time.Now()
			if _, _, err := m.Predict(context.Background(), Spec{Model: "half"}, x); err != nil {
				t.Error(err)
			}
			small.add(time.Since(begin))
		}
	})
	var saw storms
	err = json.NewDecoder(out).Decode(&saw)
	most := resident()
	stop()
	group.Wait()
	io.Copy(io.Discard, out)
	if e := clients.Wait(); err != nil || e != nil {
		t.Fatalf("clients: %v, %v", err, e)
	}
	for _, e := range saw.Errors {
		t.Error(e)
	}
	bound := func(rate float64) time.Duration {
		return time.Duration(float64(time.Second) * float64(full) / rate).Round(time.Millisecond)
	}
	t.Logf("capacity %.1f requests/s before, %.1f after; in short turns %.0f%% of it are accepted", saw.Before, saw.After, 100*saw.InTurn)
	t.Logf("at five times the first: %.1f accepted/s, %d refused; p50 %v, p99 %v; a full queue takes %v at this rate", saw.Accepted, saw.Refused, saw.Median, saw.Late, bound(saw.Accepted))
	if saw.Crowded+saw.Unsent > 0 {
		t.Logf("%d connections were closed, as there were %d; %d requests were not sent", saw.Crowded, stormConnections, saw.Unsent)
	}
	t.Logf("in the server: %v", within)
	t.Logf("another model meanwhile: %v", &small)
	t.Logf("first request after it: %v; memory %d MiB, then %d; goroutines %d, then %d", saw.Recovered, memory, most, goroutines, runtime.NumGoroutine())
	if running, waiting := m.Queue("slow"); running+waiting != 0 {
		t.Errorf("%d requests run and %d wait in the end", running, waiting)
	}
}

const (
	stormWaiting     = 28
	stormConnections = 2048 // that the server of TestStorm may have
	stormAsked       = 4096 // requests that its clients have under way at most
)

// TestStormClients is the other process of TestStorm.
func TestStormClients(t *testing.T) {
	if *address == "" {
		t.Skip("it is a part of TestStorm")
	}
	client := newPosts(*address, "/v1/models/slow:predict", `{"inputs": [0.001, 0.002]}`)
	defer client.close()
	var saw storms
	var mu sync.Mutex
	failed := func(format string, a ...any) {
		mu.Lock()
		defer mu.Unlock()
		if len(saw.Errors) < 10 {
			saw.Errors = append(saw.Errors, fmt.Sprintf(format, a...))
		}
	}
	var accepted, refused, crowded, unsent atomic.Int64
	present := make(chan struct{}, stormAsked)
	ask := func(took *times) {
		select {
		case present <- struct{}{}:
			defer func() { <-present }()
		default:
			unsent.Add(1)
			return
		}
		begin := time.Now()
		code, later, err := client.ask()
		switch {
		case errors.Is(err, errCrowded):
			crowded.Add(1)
		case err != nil:
			failed("%v", err)
		case code == http.StatusOK:
			took.add(time.Since(begin))
			accepted.Add(1)
		case code == http.StatusTooManyRequests:
			if !later {
				failed("a refusal says not when to come again")
			}
			refused.Add(1)
		default:
			failed("HTTP status %d", code)
		}
	}
	// What the machine can do, asked by a few clients.
	capacity := func(d time.Duration) float64 {
		ctx, stop := context.WithTimeout(context.Background(), d)
		defer stop()
		accepted.Store(0)
		begin := time.Now()
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				for ctx.Err() == nil {
					ask(&times{})
				}
			})
		}
		group.Wait()
		return float64(accepted.Load()) / time.Since(begin).Seconds()
	}
	saw.Before = capacity(*storm / 3)
	accepted.Store(0)
	var stormed times
	ctx, stop := context.WithTimeout(context.Background(), *storm)
	defer stop()
	begin := time.Now()
	paced(ctx, 5*saw.Before, func() { ask(&stormed) })
	saw.Accepted, saw.Refused = float64(accepted.Load())/time.Since(begin).Seconds(), refused.Load()
	saw.Crowded, saw.Unsent = crowded.Load(), unsent.Load()
	saw.Median, saw.Late = stormed.part(.5), stormed.part(.99)
	begin = time.Now()
	ask(&times{})
	saw.Recovered = time.Since(begin)
	saw.After = capacity(*storm / 3)
	// The same in short turns, so that other work on the machine disturbs both alike.
	const turns = 12
	short := *storm / turns
	between, during := 0.0, 0.0
	for range turns {
		rate := capacity(short)
		accepted.Store(0)
		ctx, stop := context.WithTimeout(context.Background(), short)
		begin := time.Now()
		paced(ctx, 5*rate, func() { ask(&times{}) })
		stop()
		between, during = between+rate, during+float64(accepted.Load())/time.Since(begin).Seconds()
	}
	saw.InTurn = during / between
	json.NewEncoder(os.Stdout).Encode(saw)
}

// TestIdle: connections on which nothing is asked do not keep others from being served.
func TestIdle(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "half")
	half(t, dir, "1")
	m := manager(t, Options{})
	if err := m.Add(t.Context(), Config{Name: "half", Path: dir}); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(Handler(m, HTTP{}))
	defer server.Close()
	before, goroutines := resident(), runtime.NumGoroutine()
	// The other ends are in another process, which has descriptors of its own.
	clients := exec.Command(os.Args[0], "-test.run", "^TestIdleClients$", "-idle", strconv.Itoa(*idle), "-address", server.Listener.Addr().String())
	in, err := clients.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := clients.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := clients.Start(); err != nil {
		t.Fatal(err)
	}
	defer clients.Wait()
	defer in.Close()
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != fmt.Sprint(*idle, " are open") {
		t.Fatalf("clients: %s", lines.Text())
	}
	var took times
	for range 100 {
		begin := time.Now()
		r, err := server.Client().Post(server.URL+"/v1/models/half:predict", "application/json", strings.NewReader(`{"instances": [1]}`))
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, r.Body)
		r.Body.Close()
		took.add(time.Since(begin))
	}
	t.Logf("%d idle connections take %d MiB and %d goroutines; %v", *idle, resident()-before, runtime.NumGoroutine()-goroutines, &took)
}

// TestIdleClients is the other process of TestIdle: it opens connections until its input ends.
func TestIdleClients(t *testing.T) {
	if *address == "" {
		t.Skip("it is a part of TestIdle")
	}
	for i := range *idle {
		c, err := net.Dial("tcp", *address)
		if err != nil {
			t.Fatalf("connection %d: %v", i, err)
		}
		defer c.Close()
	}
	fmt.Println(*idle, "are open")
	io.Copy(io.Discard, os.Stdin)
}

// TestKilled: clients that go away in the middle of a request, or of its answer, leave
// nothing behind.
func TestKilled(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "slow")
	slow(t, dir, 3)
	m := manager(t, Options{Running: 2})
	if err := m.Add(t.Context(), Config{Name: "slow", Path: dir}); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(Handler(m, HTTP{}))
	body := `{"inputs": [0.001, 0.002]}`
	head := "POST /v1/models/slow:predict HTTP/1.1\r\nHost: x\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n"
	for i := range 200 {
		c, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(c, (head + body)[:len(head)*(1+i%3)/3+len(body)*(i%3)/2])
		c.Close()
	}
	server.Close() // waits for requests that are answered
	if running, waiting := m.Queue("slow"); running+waiting != 0 {
		t.Errorf("%d requests run and %d wait", running, waiting)
	}
	if _, _, err := m.Predict(t.Context(), Spec{Model: "slow"}, floats(t, 1)); err != nil {
		t.Error(err)
	}
}

// TestDeadlines: a request ends at the time that its header says.
func TestDeadlines(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "slow")
	slow(t, dir, 3)
	m := manager(t, Options{Running: 1})
	if err := m.Add(t.Context(), Config{Name: "slow", Path: dir}); err != nil {
		t.Fatal(err)
	}
	u, err := m.Use(Spec{Model: "slow"})
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	w, err := u.v.line.turn(t.Context()) // another runs
	if err != nil {
		t.Fatal(err)
	}
	defer u.v.line.end(w)
	h := Handler(m, HTTP{})
	for _, c := range []struct {
		name, value string
		code        int
	}{
		{"X-Request-Timeout", "0.001", http.StatusGatewayTimeout}, {"X-Request-Timeout", "1ms", http.StatusGatewayTimeout},
		{"Grpc-Timeout", "1m", http.StatusGatewayTimeout}, {"Grpc-Timeout", "999999999n", http.StatusBadRequest},
		{"Grpc-Timeout", "m", http.StatusBadRequest}, {"X-Request-Timeout", "-1", http.StatusBadRequest}, {"X-Request-Timeout", "soon", http.StatusBadRequest},
		{"X-Request-Timeout", "NaN", http.StatusBadRequest},
	} {
		r := httptest.NewRequest("POST", "/v1/models/slow:predict", strings.NewReader(`{"inputs": [1]}`))
		r.Header.Set(c.name, c.value)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != c.code {
			t.Errorf("%s: %s: %d %s", c.name, c.value, w.Code, w.Body)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, _, err := m.Predict(ctx, Spec{Model: "slow"}, floats(t, 1)); status.CodeOf(err) != status.DeadlineExceeded {
		t.Error(err)
	}
}
