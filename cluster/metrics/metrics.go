package metrics

import (
	"net/http"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/troupe-go/troupe/cluster"
	"github.com/troupe-go/troupe/status"
)

// A Set has the metrics of a worker.
type Set struct {
	registry *prometheus.Registry
	steps    *prometheus.HistogramVec
	worker   atomic.Pointer[cluster.Worker]
}

// New returns metrics with a registry of their own.
func New() *Set {
	m := &Set{
		registry: prometheus.NewRegistry(),
		steps: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "troupe_worker_step_seconds", Help: "Seconds of a step, by its code.", Buckets: prometheus.ExponentialBuckets(50e-6, 2, 24), // to 7 minutes
		}, []string{"code"}),
	}
	m.registry.MustRegister(m.steps, gauges{m}, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Registry returns the registry, for metrics of one's own.
func (m *Set) Registry() *prometheus.Registry { return m.registry }

// Step counts a step: the observer of [cluster.WorkerOptions].
func (m *Set) Step(s cluster.Step) {
	m.steps.WithLabelValues(status.CodeOf(s.Err).String()).Observe(s.Took.Seconds())
}

// Watch adds what a worker has, which is read when Prometheus asks for it.
func (m *Set) Watch(w *cluster.Worker) { m.worker.Store(w) }

// Handler serves /metrics, /healthz and /readyz.
func (m *Set) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4}))
	mux.HandleFunc("GET /healthz", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if worker := m.worker.Load(); worker == nil || worker.Status().Draining {
			http.Error(w, "the worker takes no steps", http.StatusServiceUnavailable)
		}
	})
	return mux
}

// gauges are the metrics of what a worker has.
type gauges struct{ *Set }

func gauge(name, help string) *prometheus.Desc {
	return prometheus.NewDesc("troupe_worker_"+name, help, nil, nil)
}

var (
	ready    = gauge("ready", "1 if the worker takes steps.")
	running  = gauge("steps", "Steps that run.")
	sessions = gauge("sessions", "Sessions that have state or parts of graphs.")
	parts    = gauge("parts", "Registered parts of graphs.")
	parcels  = gauge("parcels", "Large tensors that other workers have not fetched yet.")
	memory   = gauge("memory_bytes", "Bytes of tensors of steps and resources.")
	limit    = gauge("memory_limit_bytes", "Limit of the bytes of tensors; 0: none.")
)

// Describe implements prometheus.Collector.
func (g gauges) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{ready, running, sessions, parts, parcels, memory, limit} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (g gauges) Collect(out chan<- prometheus.Metric) {
	w := g.worker.Load()
	if w == nil {
		return
	}
	s := w.Status()
	takes := 1.
	if s.Draining {
		takes = 0
	}
	for d, v := range map[*prometheus.Desc]float64{
		ready: takes, running: float64(s.Steps), sessions: float64(s.Sessions), parts: float64(s.Parts), parcels: float64(s.Parcels),
		memory: float64(s.MemoryUsed), limit: float64(s.MemoryLimit),
	} {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v)
	}
}
