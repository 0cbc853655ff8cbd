package accelerators

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/devices/emulated"
	"github.com/troupe-go/troupe/session"
)

// variables is a graph with a variable that several programs use; of them one that scatters
// has no kernel on accelerators.
const variables = `
w = VarHandleOp() {dtype=DT_FLOAT, shape=shape [1,4], shared_name="w"}
start = Placeholder() {dtype=DT_FLOAT}
init = AssignVariableOp(w, start) {dtype=DT_FLOAT}
there = VarIsInitializedOp(w)
d = Placeholder() {dtype=DT_FLOAT}
add = AssignAddVariableOp(w, d) {dtype=DT_FLOAT}
sub = AssignSubVariableOp(w, d) {dtype=DT_FLOAT}
now = ReadVariableOp(w) {dtype=DT_FLOAT}
after = ReadVariableOp(w, ^add) {dtype=DT_FLOAT}
size = VariableShape(w) {out_type=DT_INT32}
at = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [2,2] values: 0 1 0 3>}
one = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [2] values: 1 1>}
destroy = DestroyResourceOp(w)
also = VarHandleOp() @/cpu:0 {dtype=DT_FLOAT, shape=shape [1,4], shared_name="w"}
host = ReadVariableOp(also) {dtype=DT_FLOAT}
scatter = ResourceScatterNdAdd(also, at, one) {T=DT_FLOAT, Tindices=DT_INT32}
count = VarHandleOp() {dtype=DT_INT32, shape=shape [], shared_name="count"}
three = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 3>}
counting = AssignVariableOp(count, three) {dtype=DT_INT32}
counted = ReadVariableOp(count) {dtype=DT_INT32}
`

// A variable's value goes to whatever changes it, and all programs see it.
func TestVariables(t *testing.T) {
	for _, engine := range []string{"actors", "tokens", "sequential", "messages"} {
		for _, apart := range []bool{false, true} {
			shared(t, session.SessionOptions{Engine: engine, SeparateSteps: apart, Devices: map[string]int{"EMULATED": 1}})
		}
	}
	if there(t, "GPU") {
		shared(t, session.SessionOptions{Devices: map[string]int{"GPU": 1}})
	}
}

func shared(t *testing.T, o session.SessionOptions) {
	g := parsed(t, variables)
	s, err := session.NewSession(g, &o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	out := func(name string) session.Output { return g.Operation(name).Output(0) }
	start, d := ramp(1, 4), ramp(1, 4)
	var m session.RunMetadata
	run := func(fetch string, targets ...string) *session.Tensor {
		t.Helper()
		var ops []*session.Operation
		for _, x := range targets {
			ops = append(ops, g.Operation(x))
		}
		var fetches []session.Output
		if fetch != "" {
			fetches = []session.Output{out(fetch)}
		}
		feeds := map[session.Output]*session.Tensor{out("start"): start, out("d"): d}
		got, err := s.RunWithOptions(t.Context(), session.RunOptions{Metadata: &m}, feeds, fetches, ops)
		if err != nil {
			t.Fatalf("%+v: %v", o, err)
		}
		if fetch == "" {
			return nil
		}
		return got[0]
	}
	holds := func(what string, device bool, times float32, more ...float32) {
		t.Helper()
		want := floats(ramp(1, 4))
		for i := range want {
			want[i] = want[i] * times
			if more != nil {
				want[i] += more[i]
			}
		}
		run("there")
		if used := m.Devices[0].InUse > 0; used != device {
			t.Errorf("%+v: %s: %d bytes of the device are in use, %d of the host", o, what, m.Devices[0].InUse, s.MemoryInUse())
		}
		for _, name := range []string{"now", "host"} {
			if got := floats(run(name)); !slices.Equal(got, want) {
				t.Errorf("%+v: %s: %s is %v, want %v", o, what, name, got, want)
			}
		}
	}
	if run("there").Value() != false {
		t.Error("there is a variable before the first assignment")
	}
	if _, err := s.Run(nil, []session.Output{out("now")}, nil); session.CodeOf(err) != session.FailedPrecondition || !strings.Contains(err.Error(), "variable w") {
		t.Error(err)
	}
	run("", "init")
	if run("there").Value() != true {
		t.Error("there is no variable after the first assignment")
	}
	holds("assigned", true, 1)
	run("", "add")
	holds("added to", true, 2)
	if got := floats(run("after")); got[0] != 3*start.Value().([][]float32)[0][0] {
		t.Errorf("after an addition: %v", got)
	}
	run("", "sub")
	holds("subtracted from", true, 2)
	if got := run("size").Value(); !slices.Equal(got.([]int32), []int32{1, 4}) {
		t.Errorf("shape %v", got)
	}
	run("", "scatter")
	holds("scattered to, by the CPU", false, 2, 0, 1, 0, 1)
	run("", "add")
	holds("added to again", true, 3, 0, 1, 0, 1)
	run("", "counting")
	if run("counted").Value() != int32(3) {
		t.Error("a counter of int32")
	}
	run("", "destroy")
	run("there")
	if m.Devices[0].InUse != 0 {
		t.Errorf("%+v: %d bytes are in use after the end", o, m.Devices[0].InUse)
	}
}

// A step that wants a variable's value from a device that does not get on ends when it is
// cancelled, be it on the CPU or on another device, and keeps nobody from the variable.
func TestVariablesHeld(t *testing.T) {
	text := variables + `
other = VarHandleOp() @/device:EMULATED:0 {dtype=DT_FLOAT, shape=shape [1,4], shared_name="w"}
there = ReadVariableOp(other) {dtype=DT_FLOAT}
more = AssignAddVariableOp(other, d) {dtype=DT_FLOAT}
`
	g := parsed(t, strings.ReplaceAll(strings.Replace(text, "there = VarIs", "is = VarIs", 1), "w = VarHandleOp() {", "w = VarHandleOp() @/device:EMULATED:1 {"))
	s, err := session.NewSession(g, &session.SessionOptions{Devices: map[string]int{"EMULATED": 2}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	out := func(name string) session.Output { return g.Operation(name).Output(0) }
	feeds := map[session.Output]*session.Tensor{out("start"): ramp(1, 4), out("d"): ramp(1, 4)}
	target := func(ctx context.Context, name string) error {
		_, err := s.RunContext(ctx, feeds, nil, []*session.Operation{g.Operation(name)})
		return err
	}
	read := func(ctx context.Context, name string) ([]float32, error) {
		got, err := s.RunContext(ctx, feeds, []session.Output{out(name)}, nil)
		if err != nil {
			return nil, err
		}
		return floats(got[0]), nil
	}
	times := func(n float32) []float32 {
		want := slices.Clone(floats(ramp(1, 4)))
		for i := range want {
			want[i] *= n
		}
		return want
	}
	for _, name := range []string{"init", "add"} {
		if err := target(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	opened := emulated.Opened()
	i := slices.IndexFunc(opened, func(d *emulated.Device) bool { return strings.HasSuffix(d.Attributes().Name, ":1") })
	release := opened[i].Hold()
	for _, name := range []string{"host", "scatter", "there", "more"} {
		ctx, cancel := context.WithCancel(t.Context())
		came := make(chan error, 1)
		go func() {
			if name == "host" || name == "there" {
				_, err := read(ctx, name)
				came <- err
			} else {
				came <- target(ctx, name)
			}
		}()
		if err := target(t.Context(), "is"); err != nil { // nobody is kept from the variable
			t.Error(err)
		}
		cancel()
		if err := <-came; session.CodeOf(err) != session.Canceled {
			t.Errorf("%s: %v", name, err)
		}
	}
	release()
	for _, name := range []string{"host", "there", "now"} {
		if got, err := read(t.Context(), name); err != nil || !slices.Equal(got, times(2)) {
			t.Errorf("%s is %v, want %v; %v", name, got, times(2), err)
		}
	}
	if err := target(t.Context(), "more"); err != nil {
		t.Error(err)
	}
	if got, err := read(t.Context(), "host"); err != nil || !slices.Equal(got, times(3)) {
		t.Errorf("it is %v, want %v; %v", got, times(3), err)
	}
}
