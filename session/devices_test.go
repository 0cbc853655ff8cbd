package session_test

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/wire"
)

// onTwoDevices runs a test on every engine with two CPU devices, played side by side and
// apart.
func onTwoDevices(t *testing.T, text string, test func(t *testing.T, s *session.Session, g *session.Graph)) {
	t.Helper()
	for _, e := range append(engines, "tokens") {
		for _, apart := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s,apart=%v", e, apart), func(t *testing.T) {
				g := parsed(t, text)
				s, err := session.NewSession(g, &session.SessionOptions{Engine: e, SeparateSteps: apart, Devices: map[string]int{"CPU": 2}})
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				test(t, s, g)
			})
		}
	}
}

func parsed(t *testing.T, text string) *session.Graph {
	t.Helper()
	def, err := notation.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	g := session.NewGraph()
	if err := g.Import(def, ""); err != nil {
		t.Fatal(err)
	}
	return g
}

// A kernel that fails on one device ends the step on all, and says where it was.
func TestDevicesFail(t *testing.T) {
	onTwoDevices(t, `
x = Placeholder() {dtype=DT_INT32}
ten = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 10>}
div = FloorDiv(ten, x) @/cpu:1 {T=DT_INT32}
y = Neg(div) @/cpu:0 {T=DT_INT32}
q = FIFOQueueV2() @/cpu:0 {component_types=[DT_INT32]}
never = QueueDequeueV2(q) @/cpu:0 {component_types=[DT_INT32]}
`, func(t *testing.T, s *session.Session, g *session.Graph) {
		x, y, never := g.Operation("x").Output(0), g.Operation("y").Output(0), g.Operation("never")
		for range 3 {
			_, err := s.Run(map[session.Output]*session.Tensor{x: tensorOf(t, int32(0))}, []session.Output{y}, []*session.Operation{never})
			e, ok := err.(*session.Error)
			if !ok || e.Code != session.InvalidArgument || e.Node != "div" || !strings.HasSuffix(e.Device, "CPU:1") {
				t.Fatalf("%v", err)
			}
			out, err := s.Run(map[session.Output]*session.Tensor{x: tensorOf(t, int32(5))}, []session.Output{y}, nil)
			if err != nil || out[0].Value() != int32(-2) {
				t.Fatalf("%v, %v", out, err)
			}
		}
	})
}

// A fetch that came dead from another device is told by its place among all fetches.
func TestDevicesDeadFetch(t *testing.T) {
	onTwoDevices(t, `
x = Placeholder() {dtype=DT_INT32}
p = Placeholder() {dtype=DT_BOOL}
s = Switch(x, p) @/cpu:1 {T=DT_INT32}
no = Neg(s) @/cpu:1 {T=DT_INT32}
yes = Neg(s:1) @/cpu:0 {T=DT_INT32}
`, func(t *testing.T, s *session.Session, g *session.Graph) {
		feeds := map[session.Output]*session.Tensor{g.Operation("x").Output(0): tensorOf(t, int32(3)), g.Operation("p").Output(0): tensorOf(t, true)}
		no, yes := g.Operation("no").Output(0), g.Operation("yes").Output(0)
		_, err := s.Run(feeds, []session.Output{yes, no}, nil)
		if session.CodeOf(err) != session.InvalidArgument || !strings.Contains(err.Error(), "Retval[1] does not have value") {
			t.Errorf("%v", err)
		}
		out, err := s.Run(feeds, []session.Output{yes}, nil)
		if err != nil || out[0].Value() != int32(-3) {
			t.Errorf("%v, %v", out, err)
		}
	})
}

// spanning counts to limit on one device and doubles on the other.
const spanning = `
limit = Placeholder() {dtype=DT_INT32}
zero = Const() @/cpu:0 {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
one = Const() @/cpu:1 {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
el = Enter(limit) @/cpu:0 {T=DT_INT32, frame_name="L", is_constant=true}
ei = Enter(zero) @/cpu:0 {T=DT_INT32, frame_name="L"}
ev = Enter(one) @/cpu:1 {T=DT_INT32, frame_name="L"}
mi = Merge(ei, ni) @/cpu:0 {N=2, T=DT_INT32}
mv = Merge(ev, nv) @/cpu:1 {N=2, T=DT_INT32}
less = Less(mi, el) @/cpu:0 {T=DT_INT32}
cond = LoopCond(less) @/cpu:0
si = Switch(mi, cond) @/cpu:0 {T=DT_INT32}
sv = Switch(mv, cond) @/cpu:1 {T=DT_INT32}
step = Const(^si) @/cpu:0 {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
ai = Add(si:1, step) @/cpu:0 {T=DT_INT32}
av = Add(sv:1, sv:1) @/cpu:1 {T=DT_INT32}
ni = NextIteration(ai) @/cpu:0 {T=DT_INT32}
nv = NextIteration(av) @/cpu:1 {T=DT_INT32}
i = Exit(si) @/cpu:0 {T=DT_INT32}
v = Exit(sv) @/cpu:1 {T=DT_INT32}
`

// A step on several devices that is cancelled ends, wherever it is.
func TestDevicesCancelled(t *testing.T) {
	onTwoDevices(t, spanning, func(t *testing.T, s *session.Session, g *session.Graph) {
		feeds := map[session.Output]*session.Tensor{g.Operation("limit").Output(0): tensorOf(t, int32(1<<31-1))}
		fetches := []session.Output{g.Operation("v").Output(0)}
		for range 3 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			_, err := s.RunContext(ctx, feeds, fetches, nil)
			cancel()
			if session.CodeOf(err) != session.DeadlineExceeded {
				t.Fatalf("%v", err)
			}
		}
		feeds[g.Operation("limit").Output(0)] = tensorOf(t, int32(20))
		if out, err := s.Run(feeds, fetches, nil); err != nil || out[0].Value() != int32(1<<20) {
			t.Errorf("%v, %v", out, err)
		}
	})
}

// Steps on several devices do not meet each other's.
func TestDevicesConcurrently(t *testing.T) {
	onTwoDevices(t, spanning, func(t *testing.T, s *session.Session, g *session.Graph) {
		call, err := s.MakeCallable([]session.Output{g.Operation("limit").Output(0)}, []session.Output{g.Operation("v").Output(0), g.Operation("i").Output(0)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for w := range int32(4) {
			wg.Go(func() {
				for n := range int32(8) {
					out, err := call.Call(t.Context(), tensorOf(t, n+w))
					if err != nil || out[0].Value() != int32(1)<<(n+w) || out[1].Value() != n+w {
						t.Errorf("%v, %v", out, err)
					}
				}
			})
		}
		wg.Wait()
	})
}

// What went between devices is counted by edge.
func TestTransfers(t *testing.T) {
	onTwoDevices(t, spanning, func(t *testing.T, s *session.Session, g *session.Graph) {
		var meta session.RunMetadata
		feeds := map[session.Output]*session.Tensor{g.Operation("limit").Output(0): tensorOf(t, int32(10))}
		_, err := s.RunWithOptions(t.Context(), session.RunOptions{Metadata: &meta, Profile: true}, feeds, []session.Output{g.Operation("v").Output(0)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		const cpu0, cpu1 = "/job:localhost/replica:0/task:0/device:CPU:0", "/job:localhost/replica:0/task:0/device:CPU:1"
		want := []session.Transfer{
			{Tensor: "cond:0", From: cpu0, To: cpu1, Count: 11, Bytes: 11},
			{Tensor: "v:0", From: cpu1, To: cpu0, Count: 1, Bytes: 4},
		}
		if !reflect.DeepEqual(meta.Transfers, want) {
			t.Errorf("%+v, want %+v", meta.Transfers, want)
		}
	})
}

// lines is a log that actors write, too.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func TestSessionDevices(t *testing.T) {
	config, err := proto.Marshal(&wire.ConfigProto{DeviceCount: map[string]int32{"CPU": 3, "GPU": 0}, LogDevicePlacement: true})
	if err != nil {
		t.Fatal(err)
	}
	var logged lines
	log := zerolog.New(&logged)
	g := parsed(t, `
x = Placeholder() {dtype=DT_FLOAT}
y = Neg(x) @/cpu:2 {T=DT_FLOAT}
`)
	s, err := session.NewSession(g, &session.SessionOptions{Config: config, Logger: &log})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	all, err := s.ListDevices()
	if err != nil || len(all) != 3 || !strings.HasSuffix(all[2].Name, "CPU:2") {
		t.Errorf("%v, %v", all, err)
	}
	x, y := g.Operation("x").Output(0), g.Operation("y").Output(0)
	out, err := s.Run(map[session.Output]*session.Tensor{x: tensorOf(t, float32(1))}, []session.Output{y}, nil)
	if err != nil || out[0].Value() != float32(-1) {
		t.Errorf("%v, %v", out, err)
	}
	if want := `"node":"y","op":"Neg","device":"/job:localhost/replica:0/task:0/device:CPU:2"`; !strings.Contains(logged.String(), want) {
		t.Errorf("the log lacks %s:\n%s", want, logged.String())
	}
	call, err := s.MakeCallable([]session.Output{x}, []session.Output{y}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if pieces, err := call.Pieces(t.Context()); err != nil || len(pieces) != 2 {
		t.Errorf("%v, %v", pieces, err)
	}
	if edges, err := call.Transfers(t.Context()); err != nil || len(edges) != 2 {
		t.Errorf("%v, %v", edges, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if edges, err := call.Transfers(ended); session.CodeOf(err) != session.Canceled || edges != nil {
		t.Errorf("%v, %v", edges, err)
	}

	for _, c := range []struct {
		o    session.SessionOptions
		code session.Code
	}{
		{session.SessionOptions{Devices: map[string]int{"CPU": 0}}, session.InvalidArgument},
		{session.SessionOptions{Devices: map[string]int{"CPU": -1}}, session.InvalidArgument},
		{session.SessionOptions{Devices: map[string]int{"CPU": 1 << 30}}, session.InvalidArgument},
		{session.SessionOptions{Devices: map[string]int{"ABACUS": 1}}, session.NotFound},
		{session.SessionOptions{Device: "cpu one"}, session.InvalidArgument},
	} {
		if s, err := session.NewSession(g, &c.o); session.CodeOf(err) != c.code {
			t.Errorf("%+v: %v", c.o, err)
			if err == nil {
				s.Close()
			}
		}
	}
	strict, err := session.NewSession(g, &session.SessionOptions{StrictPlacement: true})
	if err != nil {
		t.Fatal(err)
	}
	defer strict.Close()
	_, err = strict.Run(map[session.Output]*session.Tensor{x: tensorOf(t, float32(1))}, []session.Output{y}, nil)
	if session.CodeOf(err) != session.InvalidArgument || !strings.Contains(err.Error(), "Cannot assign a device for operation y") {
		t.Errorf("%v", err)
	}
}
