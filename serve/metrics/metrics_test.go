package metrics

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	_ "github.com/troupe-go/troupe/ops/all"
	"github.com/troupe-go/troupe/serve"
	"github.com/troupe-go/troupe/status"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const digits = "../../examples/serve/digits"

func get(t *testing.T, h http.Handler, method, path, body string) string {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader(body)))
	text, _ := io.ReadAll(w.Result().Body)
	return string(text)
}

// image is a request with one picture.
var image = `{"instances": [` + strings.Repeat("[", 1) + strings.TrimSuffix(strings.Repeat("["+strings.TrimSuffix(strings.Repeat("[0],", 8), ",")+"],", 8), ",") + `]]}`

func TestMetrics(t *testing.T) {
	m := New()
	models := serve.New(serve.Options{Observer: m, Batching: serve.Batching{Off: true}})
	m.Watch(models)
	defer models.Close(context.Background())
	if err := models.Add(t.Context(), serve.Config{Name: "digits", Path: digits}); err != nil {
		t.Fatal(err)
	}
	if err := models.Add(t.Context(), serve.Config{Name: "broken", Path: "testdata"}); err == nil {
		t.Fatal("a folder without a model is served")
	}
	h := serve.Handler(models, serve.HTTP{})
	for range 3 {
		if text := get(t, h, "POST", "/v1/models/digits:predict", image); !strings.Contains(text, "predictions") {
			t.Fatal(text)
		}
	}
	get(t, h, "POST", "/v1/models/digits:predict", `{"instances": [1]}`)
	get(t, h, "POST", "/v1/models/invented:predict", image)
	get(t, h, "GET", "/healthz", "")
	m.Batch(serve.Batch{Model: "digits", Signature: "serving_default", Requests: 2, Examples: 5, Padding: 3, Waited: time.Millisecond})
	text := get(t, m.Handler(), "GET", "/metrics", "")
	for _, want := range []string{
		`:tensorflow:serving:request_count{model_name="digits",status="OK"} 3`,
		`:tensorflow:serving:request_count{model_name="digits",status="INVALID_ARGUMENT"} 1`,
		`:tensorflow:serving:request_count{model_name="",status="NOT_FOUND"} 1`,
		`:tensorflow:serving:request_latency_count{API="predict",entrypoint="REST",model_name="digits"} 4`,
		`:tensorflow:serving:request_latency_bucket{API="predict",entrypoint="REST",model_name="digits",le="10"} `,
		`:tensorflow:serving:runtime_latency_count{API="Predict",model_name="digits",runtime="Troupe"} 3`,
		`:tensorflow:serving:request_example_count_total{model="digits"} 4`,
		`:tensorflow:cc:saved_model:load_attempt_count{model_path="` + digits + `",status="success"} 1`,
		`:tensorflow:core:graph_runs 3`,
		`:tensorflow:serving:batching:processed_batch_size_sum{model_name="digits",op_name="serving_default"} 8`,
		`:tensorflow:serving:batching_session:queuing_latency_sum 1000`,
		`troupe_serve_queue_seconds_count{model="digits"} 3`,
		`troupe_serve_run_seconds_count{model="digits"} 3`,
		`troupe_serve_version_state{model="digits",state="AVAILABLE",version="1"} 1`,
		`troupe_serve_running{model="digits"} 0`,
		`troupe_serve_ready 1`,
		`go_goroutines `,
	} {
		if !strings.Contains(text, "\n"+want) {
			t.Errorf("there is no %s", want)
		}
	}
	if strings.Contains(text, "invented") {
		t.Error("clients can make time series")
	}
	if t.Failed() {
		for line := range strings.Lines(text) {
			if !strings.HasPrefix(line, "#") && !strings.Contains(line, "bucket") && !strings.HasPrefix(line, "go_") {
				t.Log(line)
			}
		}
	}
	if err := models.Remove("digits"); err != nil {
		t.Error(err)
	}
	models.Close(context.Background())
	if text := get(t, m.Handler(), "GET", "/metrics", ""); strings.Contains(text, "model_path=") || strings.Contains(text, "AVAILABLE") {
		t.Error("a model that was removed is still reported")
	}
}

// TestCounter: a counter is read by its name, with slashes too, over all labels.
func TestCounter(t *testing.T) {
	m := New()
	for _, code := range []status.Code{status.OK, status.NotFound} {
		m.Request(&serve.Record{API: "REST", Method: "predict", Code: code})
	}
	for _, name := range []string{":tensorflow:serving:request_count", "/tensorflow/serving/request_count"} {
		if n, ok := m.Counter(name); n != 2 || !ok {
			t.Errorf("%s: %d, %t", name, n, ok)
		}
	}
	if n, ok := m.Counter("/tensorflow/serving/request_latency"); ok {
		t.Errorf("%d of what is no counter", n)
	}
}
