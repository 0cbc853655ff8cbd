package session_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
)

// A step that is ended from outside says in its error what it was doing: where a
// loop was, which kernel waits, also in a function that is called, and who waits for it.
func TestErrorsOfEndedStepsReport(t *testing.T) {
	const text = `
loop/limit = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 2000000000>}
loop/zero = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
loop/enter = Enter(loop/zero) {frame_name="loop"}
loop/last = Enter(loop/limit) {frame_name="loop", is_constant=true}
loop/merge = Merge(loop/enter, loop/next)
loop/less = Less(loop/merge, loop/last)
loop/cond = LoopCond(loop/less)
loop/switch = Switch(loop/merge, loop/cond)
loop/one = Const(^loop/switch) {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
loop/add = AddV2(loop/switch:1, loop/one)
loop/next = NextIteration(loop/add)
loop/exit = Exit(loop/switch)

q = FIFOQueueV2() {component_types=[DT_INT32], shared_name="nothing"}
take = QueueDequeueV2(q) {component_types=[DT_INT32]}
x = Placeholder() {dtype=DT_INT32}
sum = AddV2(take, x)
called = StatefulPartitionedCall() {Tin=list(type) [], Tout=[DT_INT32], f=func wait}

func wait() -> (y: int32) {
  q = FIFOQueueV2() {component_types=[DT_INT32], shared_name="nothing"}
  got = QueueDequeueV2(q:handle:0) {component_types=[DT_INT32]}
  return y = got:components:0
}
`
	onEveryEngine(t, func(t *testing.T, o session.SessionOptions) {
		g := graph.New()
		if err := notation.Add(g, text); err != nil {
			t.Fatal(err)
		}
		s, err := session.NewSession(g, &o)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for _, c := range []struct{ fetch, kernel, waiting, at string }{
			{fetch: "loop/exit", at: " at loop["},
			{fetch: "sum", kernel: `"take" (QueueDequeueV2)`, waiting: `"sum" (AddV2) waits for take:0`},
			{fetch: "called", kernel: `"called/got" (QueueDequeueV2)`},
		} {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			feeds := map[session.Output]*session.Tensor{}
			if c.fetch == "sum" {
				feeds[g.Operation("x").Output(0)] = tensorOf(t, int32(1))
			}
			_, err := s.RunContext(ctx, feeds, []session.Output{g.Operation(c.fetch).Output(0)}, nil)
			cancel()
			var e *session.Error
			if !errors.As(err, &e) || e.Code != status.DeadlineExceeded || !errors.Is(err, context.DeadlineExceeded) || e.Report == nil {
				t.Errorf("%s: %v", c.fetch, err)
				continue
			}
			r := e.Report
			if c.at != "" && !strings.Contains(r.At, c.at) {
				t.Errorf("%s: at %q, want %q", c.fetch, r.At, c.at)
			}
			running := slices.Clone(r.Kernels)
			if e.Node != "" { // the kernel heard of the end before the step did
				running = append(running, `"`+e.Node+`" (`+e.Op+`)`)
			}
			if c.kernel != "" && !slices.Contains(running, c.kernel) {
				t.Errorf("%s: %v\n%v", c.fetch, err, r)
			}
			if c.waiting != "" && !slices.Contains(r.Waiting, c.waiting) {
				t.Errorf("%s: %v", c.fetch, r)
			}
			if o.Engine == "actors" && r.Step == "" {
				t.Errorf("%s: no address", c.fetch)
			}
		}
	})
}
