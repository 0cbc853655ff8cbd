package session_test

import (
	"context"
	"errors"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/troupe-go/troupe/session"
)

var engines = []string{"actors", "messages", "seeded:5", "sequential"}

func onEveryEngine(t *testing.T, test func(t *testing.T, o session.SessionOptions)) {
	for _, e := range engines {
		t.Run(e, func(t *testing.T) { test(t, session.SessionOptions{Engine: e}) })
	}
}

func TestRunFeedsFetchesAndTargets(t *testing.T) {
	onEveryEngine(t, func(t *testing.T, o session.SessionOptions) {
		b := build(t)
		x := b.placeholder("x", session.Float)
		neg := b.add("Neg", "neg", nil, x)
		s := b.open(&o)
		for _, c := range []struct{ in, want any }{
			{float32(2), float32(-2)},
			{[]float32{1, -2}, []float32{-1, 2}},
			{[][]float32{{1, 2}, {3, 4}}, [][]float32{{-1, -2}, {-3, -4}}},
		} {
			feeds := map[session.Output]*session.Tensor{x: tensorOf(t, c.in)}
			out, err := s.Run(feeds, []session.Output{neg.Output(0)}, []*session.Operation{neg})
			if err != nil {
				t.Fatal(err)
			}
			if got := out[0].Value(); !reflect.DeepEqual(got, c.want) {
				t.Errorf("-(%v) = %v", c.in, got)
			}
			if _, err := s.Run(feeds, nil, []*session.Operation{neg}); err != nil {
				t.Errorf("fetching nothing: %v", err)
			}
		}
	})
}

// Operations hands out copies of operations; outputs of theirs are the same.
func TestCopiesOfOperationsWillDo(t *testing.T) {
	b := build(t)
	x := b.placeholder("x", session.Float)
	b.add("Neg", "neg", nil, x)
	s := b.open(nil)
	ops := b.Operations()
	feed := session.Output{Op: &ops[0]}
	for range 2 { // the second time the program is found by its key
		out, err := s.Run(map[session.Output]*session.Tensor{feed: tensorOf(t, float32(3))},
			[]session.Output{{Op: &ops[1]}}, []*session.Operation{&ops[1]})
		if err != nil {
			t.Fatal(err)
		}
		if got := out[0].Value(); got != float32(-3) {
			t.Errorf("got %v", got)
		}
	}
}

func TestAnyTensorMayBeFed(t *testing.T) {
	b := build(t)
	x := b.placeholder("x", session.Float)
	y := b.add("Neg", "y", nil, x).Output(0)
	z := b.add("Square", "z", nil, y).Output(0)
	out, err := b.open(nil).Run(map[session.Output]*session.Tensor{y: tensorOf(t, float32(5))}, []session.Output{z, z}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if out[0].Value() != float32(25) || out[1].Value() != float32(25) {
		t.Errorf("got %v, %v", out[0], out[1])
	}
}

func TestErrors(t *testing.T) {
	b, other := build(t), build(t)
	x := b.placeholder("x", session.Float)
	y := b.add("Neg", "y", nil, x).Output(0)
	p := b.placeholder("p", session.Bool)
	sw := b.add("Switch", "switch", nil, x, p)
	foreign := other.placeholder("x", session.Float)
	one := tensorOf(t, float32(1))
	feed := func(pairs ...any) map[session.Output]*session.Tensor {
		m := map[session.Output]*session.Tensor{}
		for i := 0; i < len(pairs); i += 2 {
			v, _ := pairs[i+1].(*session.Tensor)
			m[pairs[i].(session.Output)] = v
		}
		return m
	}
	onEveryEngine(t, func(t *testing.T, o session.SessionOptions) {
		s := b.open(&o)
		for _, c := range []struct {
			name    string
			feeds   map[session.Output]*session.Tensor
			fetches []session.Output
			targets []*session.Operation
			code    session.Code
			words   string
		}{
			{"fed and fetched", feed(x, one), []session.Output{x}, nil, session.InvalidArgument, "is both fed and fetched"},
			{"wrong type", feed(x, tensorOf(t, int32(1))), []session.Output{y}, nil, session.InvalidArgument, "Expects arg[0] to be float but int32 is provided"},
			{"nil tensor", feed(x, nil), []session.Output{y}, nil, session.InvalidArgument, "is nil"},
			{"not fed", nil, []session.Output{y}, nil, session.InvalidArgument, "must feed a value for placeholder tensor 'x'"},
			{"dead", feed(x, one, p, tensorOf(t, true)), []session.Output{sw.Output(0)}, nil, session.InvalidArgument, "Retval[0] does not have value"},
			{"nothing to do", feed(x, one), nil, nil, session.InvalidArgument, "at least one target"},
			{"no such output", nil, []session.Output{y.Op.Output(1)}, nil, session.OutOfRange, "y:1"},
			{"zero fetch", nil, []session.Output{{}}, nil, session.InvalidArgument, "zero Output"},
			{"fetch of a nil node", nil, []session.Output{(*session.Operation)(nil).Output(0)}, nil, session.InvalidArgument, "Graph.Operation gives for a name"},
			{"zero feed", feed(session.Output{}, one), []session.Output{y}, nil, session.InvalidArgument, "zero Output"},
			{"nil target", nil, nil, []*session.Operation{nil}, session.InvalidArgument, "nil"},
			{"foreign fetch", nil, []session.Output{foreign}, nil, session.NotFound, "another graph"},
			{"foreign feed", feed(foreign, one), []session.Output{y}, nil, session.NotFound, "another graph"},
			{"foreign target", nil, nil, []*session.Operation{foreign.Op}, session.NotFound, "another graph"},
		} {
			out, err := s.Run(c.feeds, c.fetches, c.targets)
			var e *session.Error
			if !errors.As(err, &e) || e.Code != c.code || !strings.Contains(e.Message, c.words) || out != nil {
				t.Errorf("%s: %v, %v; want %v %q", c.name, out, err, c.code, c.words)
			}
		}
		// What went wrong leaves the session usable.
		if out, err := s.Run(feed(x, one), []session.Output{y}, nil); err != nil || out[0].Value() != float32(-1) {
			t.Errorf("afterwards: %v, %v", out, err)
		}
	})
}

func TestDeadTargetIsFine(t *testing.T) {
	b := build(t)
	sw := b.add("Switch", "switch", nil, b.constant("c", float32(1)), b.constant("p", true))
	dead := b.add("Neg", "dead", nil, sw.Output(0))
	if _, err := b.open(nil).Run(nil, nil, []*session.Operation{dead}); err != nil {
		t.Error(err)
	}
}

func TestGraphMayGrow(t *testing.T) {
	b := build(t)
	s := b.open(nil)
	y := b.constant("x", int32(1))
	for i := range 5 {
		y = b.add("Add", string(rune('a'+i)), nil, y, y).Output(0)
		out, err := s.Run(nil, []session.Output{y}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := out[0].Value(); got != int32(2)<<i {
			t.Errorf("after %d doublings: %v", i+1, got)
		}
	}
}

func TestOptionsThatMakeNoSense(t *testing.T) {
	for _, o := range []session.SessionOptions{
		{Engine: "warp"}, {Engine: "seeded"}, {Engine: "seeded:x"}, {Threads: -1}, {MaxConcurrentSteps: -1},
		{Timeout: -1}, {Config: []byte{0xff}}, {Target: "grpc://somewhere"},
	} {
		if s, err := session.NewSession(session.NewGraph(), &o); err == nil {
			s.Close()
			t.Errorf("%+v: no error", o)
		}
	}
	if _, err := session.NewSession(nil, nil); err == nil {
		t.Error("nil graph: no error")
	}
}

func TestConfigProto(t *testing.T) {
	b := build(t)
	for _, config := range [][]byte{{0x28, 0x01}, {0x10, 0x02}, {}} {
		s := b.open(&session.SessionOptions{Config: config})
		if devices, err := s.ListDevices(); err != nil || len(devices) == 0 || devices[0].Type != "CPU" {
			t.Errorf("%x: %v, %v", config, devices, err)
		}
	}
	// operation_timeout_in_ms: 20
	s := b.open(&session.SessionOptions{Config: []byte{0x58, 20}})
	_, err := s.Run(nil, []session.Output{b.endless("loop")}, nil)
	if session.CodeOf(err) != session.DeadlineExceeded {
		t.Error(err)
	}
}

func TestDeviceString(t *testing.T) {
	d := session.Device{Name: "foo", Type: "bar", MemoryLimitBytes: 12345}
	if got, want := d.String(), `(Device: name "foo", type bar, memory limit 12345 bytes)`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	d.MemoryLimitBytes = -1
	if got, want := d.String(), `(Device: name "foo", type bar, no memory limit)`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestCancellation(t *testing.T) {
	onEveryEngine(t, func(t *testing.T, o session.SessionOptions) {
		b := build(t)
		exit := b.endless("loop")
		s := b.open(&o)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		_, err := s.RunContext(ctx, nil, []session.Output{exit}, nil)
		if session.CodeOf(err) != session.DeadlineExceeded || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("deadline: %v", err)
		}
		_, err = s.RunWithOptions(t.Context(), session.RunOptions{Timeout: 20 * time.Millisecond}, nil, []session.Output{exit}, nil)
		if session.CodeOf(err) != session.DeadlineExceeded {
			t.Errorf("timeout of the run: %v", err)
		}
		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(20*time.Millisecond, cancel)
		if _, err = s.RunContext(ctx, nil, []session.Output{exit}, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("cancellation: %v", err)
		}
	})
}

func TestConcurrentSteps(t *testing.T) {
	b := build(t)
	exit := b.endless("loop")
	y := b.add("Neg", "y", nil, b.constant("x", float32(1))).Output(0)
	s := b.open(&session.SessionOptions{MaxConcurrentSteps: 1})
	running, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { s.RunContext(running, nil, []session.Output{exit}, nil) })
	for len(s.Inspect(t.Context(), 1)) == 0 {
		runtime.Gosched()
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := s.RunContext(ctx, nil, []session.Output{y}, nil); session.CodeOf(err) != session.DeadlineExceeded {
		t.Errorf("a second step while one runs: %v", err)
	}
	stop()
	if _, err := s.Run(nil, []session.Output{y}, nil); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	wg.Wait()
}

func TestMemoryLimit(t *testing.T) {
	b := build(t)
	x := b.placeholder("x", session.Float)
	y := b.add("Neg", "y", nil, x).Output(0)
	s := b.open(&session.SessionOptions{MemoryLimit: 1 << 20})
	run := func(n int) error {
		_, err := s.Run(map[session.Output]*session.Tensor{x: tensorOf(t, make([]float32, n))}, []session.Output{y}, nil)
		return err
	}
	if err := run(1 << 10); err != nil {
		t.Error(err)
	}
	if err := run(1 << 20); session.CodeOf(err) != session.ResourceExhausted {
		t.Errorf("4 MiB under a limit of 1 MiB: %v", err)
	}
	for range 100 { // what has been let go does not count
		if err := run(1 << 16); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.MemoryInUse(); n != 0 {
		t.Errorf("%d bytes in use between steps", n)
	}
}

func TestMetadata(t *testing.T) {
	b := build(t)
	y := b.add("Neg", "y", nil, b.constant("x", float32(1))).Output(0)
	s := b.open(&session.SessionOptions{Engine: "sequential"})
	var m session.RunMetadata
	var first int64
	for range 2 {
		first = m.StepID
		if _, err := s.RunWithOptions(t.Context(), session.RunOptions{Metadata: &m}, nil, []session.Output{y}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if first <= 0 || m.StepID <= first || m.Engine != "sequential" || m.Nodes < 2 || m.Elapsed <= 0 {
		t.Errorf("%+v", m)
	}
}

// Tensors that go in and out share nothing that Reshape would change.
func TestFetchedTensorsAreTheCallers(t *testing.T) {
	b := build(t)
	x := b.placeholder("x", session.Float)
	y := b.add("Identity", "y", nil, x).Output(0)
	c := b.constant("c", []float32{1, 2, 3, 4})
	s := b.open(nil)
	in := tensorOf(t, []float32{1, 2, 3, 4})
	for range 2 {
		out, err := s.Run(map[session.Output]*session.Tensor{x: in}, []session.Output{y, y, c}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, o := range out {
			if got := o.Shape(); !reflect.DeepEqual(got, []int64{4}) {
				t.Errorf("fetch %d has shape %v", i, got)
			}
			if err := o.Reshape([]int64{2, 2}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := in.Shape(); !reflect.DeepEqual(got, []int64{4}) {
		t.Errorf("what was fed has shape %v", got)
	}
}
