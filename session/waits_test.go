package session_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/session"
)

// Operations whose definitions call them stateless and that wait all the same: what
// TensorFlow 1 has behind references, and batches.
func TestStatelessOperationsWait(t *testing.T) {
	for name, text := range map[string]string{
		"queue": `
q = FIFOQueue() {component_types=[DT_INT32], capacity=4}
one = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
put = QueueEnqueue(q, one) {Tcomponents=[DT_INT32]}
y = QueueDequeue(q) {component_types=[DT_INT32]}
`,
		"barrier": `
b = Barrier() {component_types=[DT_INT32], shapes=list(shape) [[]]}
one = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [1] values: 1>}
key = Const() {dtype=DT_STRING, value=Tensor<type: string shape: [1] values: k>}
count = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
put = BarrierInsertMany(b, key, one) {T=DT_INT32, component_index=0}
take = BarrierTakeMany(b, count) {component_types=[DT_INT32]}
y = Identity(take:2) {T=DT_INT32}
`,
		"accumulator": `
a = ConditionalAccumulator() {dtype=DT_FLOAT, shape=shape []}
one = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
step = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [] values: 1>}
now = Const() {dtype=DT_INT64, value=Tensor<type: int64 shape: [] values: 0>}
put = AccumulatorApplyGradient(a, now, step) {dtype=DT_FLOAT}
sum = AccumulatorTakeGradient(a, one) {dtype=DT_FLOAT}
y = Cast(sum) {SrcT=DT_FLOAT, DstT=DT_INT32}
`,
		"batch": `
one = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [1] values: 1>}
put = Batch(one) {T=[DT_INT32], num_batch_threads=1, max_batch_size=1, batch_timeout_micros=0, grad_timeout_micros=0}
y = Unbatch(put, put:1, put:2) {T=DT_INT32, timeout_micros=1000000}
`,
	} {
		for _, engine := range []string{"actors", "tokens", "messages", "seeded:1", "sequential"} {
			g := session.NewGraph()
			if err := notation.Add(g, text); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			s, err := session.NewSession(g, &session.SessionOptions{Engine: engine})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			got, err := s.RunContext(ctx, nil, []session.Output{g.Operation("y").Output(0)}, []*session.Operation{g.Operation("put")})
			cancel()
			s.Close()
			if err != nil {
				t.Errorf("%s on %s: %v", name, engine, err)
			} else if text := fmt.Sprint(got[0].Value()); text != "1" && text != "[1]" {
				t.Errorf("%s on %s: got %s, want 1", name, engine, text)
			}
		}
	}
}
