package cluster_test

import (
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/troupe-go/troupe/cluster"
	"github.com/troupe-go/troupe/status"
)

// TestTrace runs a step over two workers that make spans, within one of the caller: all are
// of one trace.
func TestTrace(t *testing.T) {
	spans := tracetest.NewSpanRecorder()
	tracer := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)).Tracer("test")
	steps := make(chan cluster.Step, 8)
	var target string
	for i := range 2 {
		w := startWorker(t, cluster.WorkerOptions{Task: i, Tracer: tracer, Observe: func(s cluster.Step) { steps <- s }})
		target += "," + w.Address()
	}
	g := text(t, `
dims = Const() @/job:worker/task:1 {dtype=DT_INT32, value=Tensor<type: int32 shape: [1] values: 100000>}
five = Const() @/job:worker/task:1 {dtype=DT_FLOAT, value=Tensor<type: float shape: [] values: 5>}
fill = Fill(dims, five) @/job:worker/task:1 {T=DT_FLOAT, index_type=DT_INT32}
size = Size(fill) @/job:worker/task:0 {T=DT_FLOAT, out_type=DT_INT32}
`)
	s := newSession(t, "troupe://"+target[1:], g, "none")
	ctx, caller := tracer.Start(t.Context(), "caller")
	if _, err := run(ctx, s, g, nil, []string{"size"}, nil); err != nil {
		t.Fatal(err)
	}
	caller.End()
	for range 2 {
		if step := <-steps; step.Err != nil || step.Took <= 0 {
			t.Errorf("a step took %v and ended with %v", step.Took, status.From(step.Err))
		}
	}
	counts := map[string]int{}
	var step trace.SpanID
	for _, span := range spans.Ended() {
		counts[span.Name()]++
		if span.SpanContext().TraceID() != caller.SpanContext().TraceID() {
			t.Errorf("span %s is of another trace", span.Name())
		}
		switch span.Name() {
		case "step":
			if span.Parent().SpanID() != caller.SpanContext().SpanID() || !span.Parent().IsRemote() {
				t.Errorf("the parent of a step's span is %v", span.Parent())
			}
			for _, a := range span.Attributes() {
				if a.Key == "worker" && a.Value.AsString() == "/job:worker/task:0" {
					step = span.SpanContext().SpanID()
				}
			}
		}
	}
	for _, span := range spans.Ended() {
		if span.Name() == "fetch" && span.Parent().SpanID() != step {
			t.Errorf("the parent of a fetch is not the step of the worker that fetches")
		}
	}
	if counts["step"] != 2 || counts["fetch"] != 1 {
		t.Errorf("the spans are %v", counts)
	}
}
