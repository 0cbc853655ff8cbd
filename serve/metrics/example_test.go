package metrics_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	_ "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/serve"
	"github.com/troupe-go/troupe/serve/metrics"
)

// A service shows its models' metrics to Prometheus.
func Example() {
	ctx := context.Background()
	m := metrics.New()
	models := serve.New(serve.Options{Observer: m})
	m.Watch(models)
	defer models.Close(ctx)
	if err := models.Add(ctx, serve.Config{Name: "digits", Path: "../../examples/serve/digits"}); err != nil {
		fmt.Println(err)
		return
	}
	mux := http.NewServeMux()
	mux.Handle("/v1/", serve.Handler(models, serve.HTTP{}))
	mux.Handle("/metrics", m.Handler())

	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	for line := range strings.Lines(w.Body.String()) {
		if strings.HasPrefix(line, "troupe_serve_version_state") {
			fmt.Print(line)
		}
	}
	// Output: troupe_serve_version_state{model="digits",state="AVAILABLE",version="1"} 1
}
