package metrics_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/cluster"
	"github.com/troupe-go/troupe/cluster/metrics"
	"github.com/troupe-go/troupe/op"
)

// A worker shows its metrics to Prometheus.
func Example() {
	m := metrics.New()
	w, err := cluster.NewWorker(cluster.WorkerOptions{Observe: m.Step})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer w.Close()
	m.Watch(w)

	s := op.NewScope()
	y := op.Add(s, op.Const(s.SubScope("a"), float32(1)), op.Const(s.SubScope("b"), float32(2)))
	graph, err := s.Finalize()
	if err != nil {
		fmt.Println(err)
		return
	}
	session, err := troupe.NewSession(graph, &troupe.SessionOptions{Target: "troupe://" + w.Address()})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer session.Close()
	if _, err := session.RunContext(context.Background(), nil, []troupe.Output{y}, nil); err != nil {
		fmt.Println(err)
		return
	}

	page := httptest.NewRecorder()
	m.Handler().ServeHTTP(page, httptest.NewRequest("GET", "/metrics", nil))
	for line := range strings.Lines(page.Body.String()) {
		if strings.HasPrefix(line, "troupe_worker_step_seconds_count") || strings.HasPrefix(line, "troupe_worker_ready") {
			fmt.Print(line)
		}
	}
	// Output:
	// troupe_worker_ready 1
	// troupe_worker_step_seconds_count{code="OK"} 1
}
