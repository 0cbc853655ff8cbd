package accelerators

import (
	"strings"
	"testing"

	"github.com/troupe-go/troupe/session"
)

// counting has a variable that is assigned, added to, stepped down and read.
const counting = `
w = VarHandleOp() {dtype=DT_FLOAT, shape=shape [1,4], shared_name="w"}
start = Placeholder() {dtype=DT_FLOAT}
init = AssignVariableOp(w, start) {dtype=DT_FLOAT}
there = VarIsInitializedOp(w)
d = Placeholder() {dtype=DT_FLOAT}
rate = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [] values: 0.5>}
add = AssignAddVariableOp(w, d) {dtype=DT_FLOAT}
sub = AssignSubVariableOp(w, d) {dtype=DT_FLOAT}
now = ReadVariableOp(w) {dtype=DT_FLOAT}
after = ReadVariableOp(w, ^add) {dtype=DT_FLOAT}
both = Mul(now, after) {T=DT_FLOAT}
size = VariableShape(w) {out_type=DT_INT32}
`

func TestVariables(t *testing.T) {
	for _, engine := range []string{"actors", "sequential", "messages"} {
		g := parsed(t, counting)
		s, err := session.NewSession(g, &session.SessionOptions{Engine: engine, Devices: map[string]int{"EMULATED": 1}})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		out := func(name string) session.Output { return g.Operation(name).Output(0) }
		run := func(feeds map[session.Output]*session.Tensor, fetch string, targets ...string) *session.Tensor {
			t.Helper()
			var ops []*session.Operation
			for _, x := range targets {
				ops = append(ops, g.Operation(x))
			}
			var fetches []session.Output
			if fetch != "" {
				fetches = append(fetches, out(fetch))
			}
			got, err := s.Run(feeds, fetches, ops)
			if err != nil {
				t.Fatalf("%s: %v", engine, err)
			}
			if fetch == "" {
				return nil
			}
			return got[0]
		}
		if v := run(nil, "there").Value(); v != false {
			t.Error(v)
		}
		if _, err := s.Run(nil, []session.Output{out("now")}, nil); session.CodeOf(err) != session.FailedPrecondition || !strings.Contains(err.Error(), "w") {
			t.Error(err)
		}
		run(map[session.Output]*session.Tensor{out("start"): ramp(1, 4)}, "", "init")
		if v := run(nil, "there").Value(); v != true {
			t.Error(v)
		}
		run(map[session.Output]*session.Tensor{out("d"): ramp(1, 4)}, "", "add")
		t.Log(run(nil, "now"), run(nil, "size"))
		run(map[session.Output]*session.Tensor{out("d"): ramp(1, 4)}, "", "sub")
		t.Log(run(nil, "now"))
		t.Log(run(map[session.Output]*session.Tensor{out("d"): ramp(1, 4)}, "both"))
		t.Log(s.MemoryInUse())
	}
}
