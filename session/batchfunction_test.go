package session_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

// batching calls Rows for batches of up to 8 rows, which wait for an hour to be full.
const batching = `
x = Placeholder() {dtype=DT_INT32, shape=shape [?]}
batched = BatchFunction(x) {Tin=[DT_INT32], Tcaptured=list(type) [], Tout=[DT_INT32, DT_INT32], f=func Rows, num_batch_threads=2, max_batch_size=8, batch_timeout_micros=3600000000}
waiting = BatchFunction(x) {Tin=[DT_INT32], Tcaptured=list(type) [], Tout=[DT_INT32], f=func Wait, num_batch_threads=1, max_batch_size=2, batch_timeout_micros=3600000000}
func Rows(x: int32) -> (y: int32, n: int32) {
  made = TestMade(x)
  dims = Shape(x) {T=DT_INT32, out_type=DT_INT32}
  ones = OnesLike(x) {T=DT_INT32}
  n = Mul(ones:y:0, dims:output:0) {T=DT_INT32}
  return y = made:y:0, n = n:z:0
}
func Wait(x: int32) -> (y: int32) {
  q = FIFOQueueV2() {component_types=[DT_INT32], shared_name="nothing"}
  got = QueueDequeueV2(q:handle:0) {component_types=[DT_INT32]}
  sum = AddV2(x, got:components:0) {T=DT_INT32}
  return y = sum:z:0
}
`

// Several steps share one call of a function, and each gets its own rows.
func TestBatchFunction(t *testing.T) {
	def, err := notation.Parse(batching)
	if err != nil {
		t.Fatal(err)
	}
	for _, engine := range []string{"actors", "messages", "sequential", "seeded:1"} {
		t.Run(engine, func(t *testing.T) {
			g := graph.New()
			if err := g.Import(def, ""); err != nil {
				t.Fatal(err)
			}
			s, err := session.NewSession(g, &session.SessionOptions{Engine: engine})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			call := func(ctx context.Context, op string, x ...int32) ([]*tensor.Tensor, error) {
				fed, _ := tensor.FromSlice(x, int64(len(x)))
				n := g.Operation(op)
				fetches := []graph.Output{n.Output(0)}
				if n.NumOutputs() > 1 {
					fetches = append(fetches, n.Output(1))
				}
				return s.RunContext(ctx, map[graph.Output]*tensor.Tensor{g.Operation("x").Output(0): fed}, fetches, nil)
			}
			for range 20 { // 4 callers of 2 rows fill a batch
				var callers sync.WaitGroup
				for i := range int32(4) {
					callers.Go(func() {
						got, err := call(t.Context(), "batched", i, -i)
						if err != nil {
							t.Error(err)
							return
						}
						y, n := got[0].Value().([]int32), got[1].Value().([]int32)
						if len(y) != 2 || y[0] != i || y[1] != -i || n[0] != 8 || n[1] != 8 {
							t.Errorf("caller %d: %v of %v rows", i, y, n)
						}
					})
				}
				callers.Wait()
			}

			// Who gives up does not take the others with it; when nobody waits any
			// more the call ends.
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			defer cancel()
			if _, err := call(ctx, "waiting", 1, 2); session.CodeOf(err) != session.DeadlineExceeded {
				t.Errorf("error %v, want DEADLINE_EXCEEDED", err)
			}
			if _, err := call(t.Context(), "waiting", 1, 2, 3); session.CodeOf(err) != session.InvalidArgument {
				t.Errorf("error %v, want INVALID_ARGUMENT", err)
			}
			ctx, cancel = context.WithTimeout(t.Context(), time.Millisecond)
			defer cancel()
			if _, err := call(ctx, "waiting", 1); session.CodeOf(err) != session.DeadlineExceeded { // in a batch that is not full
				t.Errorf("error %v, want DEADLINE_EXCEEDED", err)
			}
		})
	}
}
