package prediction

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	grpcstatus "google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/serve"
	"github.com/troupe-go/troupe/serve/internal/unary"
	"github.com/troupe-go/troupe/serve/prediction/messages"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/tensorproto"
	"github.com/troupe-go/troupe/wire"
)

// double writes a model that doubles x.
func double(t *testing.T) string {
	g := graph.New()
	if err := notation.Add(g, `
x = Placeholder() {dtype=DT_FLOAT, shape=shape [?]}
y = AddV2(x, x)
`); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "1")
	if err := model.Write(dir, model.Export{Graph: g, Signatures: map[string]model.ExportSignature{
		"serving_default": {Inputs: map[string]graph.Output{"x": g.Operation("x").Output(0)}, Outputs: map[string]graph.Output{"y": g.Operation("y").Output(0)}},
	}}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// request is a predict request of n numbers.
func request(t *testing.T, signature string, n int) *messages.PredictRequest {
	x, err := tensor.FromSlice(make([]float32, n), int64(n))
	if err != nil {
		t.Fatal(err)
	}
	b, err := tensorproto.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	return &messages.PredictRequest{ModelSpec: &messages.ModelSpec{Name: "m", SignatureName: signature}, Inputs: map[string][]byte{"x": b}}
}

type runs struct{ n int }

func (r *runs) Request(*serve.Record) {}
func (r *runs) Run(serve.Run)         { r.n++ }
func (r *runs) Batch(serve.Batch)     {}
func (r *runs) Load(serve.Load)       {}
func (r *runs) Unload(serve.Load)     {}

// TestWarmUp: the requests that a version brings run before it is served; a damaged file,
// or one that fails, keeps it out.
func TestWarmUp(t *testing.T) {
	dir := double(t)
	record := func(number protowire.Number, q proto.Message) []byte {
		b, err := proto.Marshal(q)
		if err != nil {
			t.Fatal(err)
		}
		log := protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), b)
		return wire.AppendRecord(nil, protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), log))
	}
	good, bad := record(logPredict, request(t, "", 3)), record(logPredict, request(t, "none", 3))
	os.MkdirAll(filepath.Join(dir, "assets.extra"), 0o755)
	damaged := bytes.Clone(good)
	damaged[20]++
	for name, c := range map[string]struct {
		file []byte
		runs int
		code status.Code
		text string
	}{
		"two":         {append(bytes.Clone(good), good...), 4, status.OK, ""},
		"bad":         {append(bytes.Clone(good), bad...), 2, status.InvalidArgument, "record 1"},
		"cut":         {good[:len(good)-1], 0, status.DataLoss, "ends early"},
		"damaged":     {damaged, 0, status.DataLoss, "damaged"},
		"other":       {record(logSessionRun, request(t, "", 1)), 0, status.Unimplemented, "record 0"},
		"too many":    {bytes.Repeat(good, maxWarmUps+1), 2 * maxWarmUps, status.InvalidArgument, "more than"},
		"huge length": {append([]byte{255, 255, 255, 255, 255, 255, 255, 255}, good[8:]...), 0, status.DataLoss, "length"},
	} {
		os.WriteFile(filepath.Join(dir, "assets.extra", "tf_serving_warmup_requests"), c.file, 0o644)
		seen := &runs{}
		m := serve.New(serve.Options{WarmUp: WarmUp(2), Observer: seen})
		err := m.Add(t.Context(), serve.Config{Name: "m", Path: dir})
		if status.CodeOf(err) != c.code || seen.n != c.runs || err != nil && !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %d runs, %v", name, seen.n, err)
		}
		m.Close(context.Background())
	}
}

// TestObserve: a call is logged in a line, and its spans continue its client's trace.
func TestObserve(t *testing.T) {
	var lines bytes.Buffer
	log := zerolog.New(&lines)
	spans := tracetest.NewSpanRecorder()
	provider := trace.NewTracerProvider(trace.WithSpanProcessor(spans))
	m := serve.New(serve.Options{Requests: &log, Tracer: provider.Tracer("test")})
	defer m.Close(context.Background())
	if err := m.Add(t.Context(), serve.Config{Name: "m", Path: double(t)}); err != nil {
		t.Fatal(err)
	}
	s := &server{m: m}
	call := func(q *messages.PredictRequest) error {
		ctx := metadata.NewIncomingContext(t.Context(), metadata.Pairs("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"))
		_, err := Observe(m)(ctx, q, &grpc.UnaryServerInfo{FullMethod: "/tensorflow.serving.PredictionService/Predict"}, func(ctx context.Context, q any) (any, error) {
			response, err := s.predict(ctx, q.(*messages.PredictRequest))
			if err != nil {
				return nil, unary.Error(err)
			}
			return response, nil
		})
		return err
	}
	if err := call(request(t, "", 3)); err != nil {
		t.Fatal(err)
	}
	if err := call(request(t, "none", 3)); grpcstatus.Code(err) != codes.FailedPrecondition {
		t.Fatal(err)
	}
	got := strings.Split(strings.TrimSpace(lines.String()), "\n")
	if len(got) != 2 {
		t.Fatal(lines.String())
	}
	for i, want := range [][]string{
		{`"api":"gRPC","method":"Predict"`, `"model":"m","version":1,"signature":"serving_default","examples":3`, `"code":"OK"`, `"trace":"0af7651916cd43dd8448eb211c80319c"`, `"wait":`, `"run":`},
		{`"code":"FAILED_PRECONDITION"`, `"error":"FAILED_PRECONDITION: Serving signature key`},
	} {
		for _, w := range want {
			if !strings.Contains(got[i], w) {
				t.Errorf("%s has no %s", got[i], w)
			}
		}
	}
	var names []string
	for _, s := range spans.Ended() {
		names = append(names, s.Name())
		if id := s.SpanContext().TraceID().String(); id != "0af7651916cd43dd8448eb211c80319c" {
			t.Errorf("span %s is of trace %s", s.Name(), id)
		}
	}
	if text := strings.Join(names, ", "); text != "wait, run, gRPC Predict, gRPC Predict" {
		t.Error(text)
	}
}
