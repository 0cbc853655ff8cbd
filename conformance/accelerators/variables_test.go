package accelerators

import (
	"slices"
	"strings"
	"testing"

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
			shared(t, session.SessionOptions{Engine: engine, Apart: apart, Devices: map[string]int{"EMULATED": 1}})
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
