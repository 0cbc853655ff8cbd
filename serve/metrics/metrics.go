package metrics

import (
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/troupe-go/troupe/serve"
)

// A Set of metrics is a [serve.Observer].
type Set struct {
	registry *prometheus.Registry

	requests, loads, loadTime, exampleTotal, failures *prometheus.CounterVec
	latency, runtime, examples, warming               *prometheus.HistogramVec
	batchSize, inputSize, padding, delay, queue, run  *prometheus.HistogramVec
	queuing                                           prometheus.Histogram
	runs, runTime                                     prometheus.Counter

	mu    sync.Mutex
	known map[string]bool // models
}

// The buckets of TensorFlow Serving's latencies, in microseconds, and of its sizes.
var (
	microseconds = prometheus.ExponentialBuckets(10, 1.8, 33)
	sizes        = prometheus.ExponentialBuckets(1, 2, 15)
	seconds      = prometheus.ExponentialBuckets(50e-6, 2, 20) // to 26 s
)

// New returns metrics with a registry of their own, which also has those of the process
// and of the Go runtime.
func New() *Set {
	m := &Set{registry: prometheus.NewRegistry(), known: map[string]bool{}}
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		v := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
		m.registry.MustRegister(v)
		return v
	}
	histogram := func(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
		v := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
		m.registry.MustRegister(v)
		return v
	}
	const of = ":tensorflow:serving:"
	m.requests = counter(of+"request_count", "Requests, by the code of the reply.", "model_name", "status")
	m.latency = histogram(of+"request_latency", "Microseconds of a request.", microseconds, "model_name", "API", "entrypoint")
	m.runtime = histogram(of+"runtime_latency", "Microseconds in which a request's graph runs.", microseconds, "model_name", "API", "runtime")
	m.examples = histogram(of+"request_example_counts", "Examples of a request.", sizes, "model")
	m.exampleTotal = counter(of+"request_example_count_total", "Examples.", "model")
	m.warming = histogram(of+"model_warmup_latency", "Microseconds of warming a version up.", microseconds, "model_path", "status")
	m.queuing = prometheus.NewHistogram(prometheus.HistogramOpts{Name: of + "batching_session:queuing_latency", Help: "Microseconds for which the first request of a batch waits.", Buckets: microseconds})
	m.batchSize = histogram(of+"batching:processed_batch_size", "Examples of a batch, padding included.", sizes, "model_name", "op_name")
	m.inputSize = histogram(of+"batching:input_batch_size", "Examples of a batch.", sizes, "model_name", "op_name")
	m.padding = histogram(of+"batching:padding_size", "Examples that were added to a batch.", sizes, "model_name", "op_name")
	m.delay = histogram(of+"batching:batch_delay_us", "Microseconds for which the first request of a batch waits.", microseconds, "model_name", "op_name")
	m.loads = counter(":tensorflow:cc:saved_model:load_attempt_count", "Attempts to load a version.", "model_path", "status")
	m.loadTime = counter(":tensorflow:cc:saved_model:load_latency", "Microseconds of loading.", "model_path")
	m.runs = prometheus.NewCounter(prometheus.CounterOpts{Name: ":tensorflow:core:graph_runs", Help: "Runs of graphs."})
	m.runTime = prometheus.NewCounter(prometheus.CounterOpts{Name: ":tensorflow:core:graph_run_time_usecs", Help: "Microseconds of runs of graphs."})
	m.queue = histogram("troupe_serve_queue_seconds", "Seconds for which a run waits for its turn.", seconds, "model")
	m.run = histogram("troupe_serve_run_seconds", "Seconds of a run.", seconds, "model")
	m.failures = counter("troupe_serve_load_failures_total", "Versions that could not be loaded.", "model")
	m.registry.MustRegister(m.queuing, m.runs, m.runTime, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Registry returns the registry, for metrics of one's own.
func (m *Set) Registry() *prometheus.Registry { return m.registry }

// Counter returns the sum of a counter over its labels, by its name with colons or, as
// TensorFlow Serving's clients write it, slashes; false if there is none of the name.
func (m *Set) Counter(name string) (sum int64, ok bool) {
	name = strings.ReplaceAll(name, "/", ":")
	families, err := m.registry.Gather()
	if err != nil {
		return 0, false
	}
	for _, f := range families {
		if f.GetName() == name && f.GetType().String() == "COUNTER" {
			for _, c := range f.GetMetric() {
				sum += int64(c.GetCounter().GetValue())
			}
			return sum, true
		}
	}
	return 0, false
}

// Handler returns the page that Prometheus reads.
func (m *Set) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4})
}

// name returns a model's name as a label.
func (m *Set) name(model string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.known[model] {
		return ""
	}
	return strings.ToValidUTF8(model, "\uFFFD")
}

// Request counts a request.
func (m *Set) Request(r *serve.Record) {
	name := m.name(r.Model)
	m.requests.WithLabelValues(name, r.Code.String()).Inc()
	entrypoint := r.API
	if r.API == "gRPC" {
		entrypoint = "GRPC"
	}
	m.latency.WithLabelValues(name, r.Method, entrypoint).Observe(float64(r.Took.Nanoseconds()) / 1e3)
	if r.Run > 0 {
		m.runtime.WithLabelValues(name, title(r.Method), "Troupe").Observe(float64(r.Run.Nanoseconds()) / 1e3)
	}
	if r.Examples > 0 {
		m.examples.WithLabelValues(name).Observe(float64(r.Examples))
		m.exampleTotal.WithLabelValues(name).Add(float64(r.Examples))
	}
}

func title(method string) string {
	if method == "" {
		return ""
	}
	return strings.ToUpper(method[:1]) + method[1:]
}

// Run counts a run.
func (m *Set) Run(r serve.Run) {
	name := m.name(r.Model)
	m.runs.Inc()
	m.runTime.Add(float64(r.Took.Microseconds()))
	m.queue.WithLabelValues(name).Observe(r.Wait.Seconds())
	m.run.WithLabelValues(name).Observe(r.Took.Seconds())
}

// Batch counts a batch.
func (m *Set) Batch(b serve.Batch) {
	labels := []string{m.name(b.Model), b.Signature}
	us := float64(b.Waited.Nanoseconds()) / 1e3
	m.queuing.Observe(us)
	m.delay.WithLabelValues(labels...).Observe(us)
	m.inputSize.WithLabelValues(labels...).Observe(float64(b.Examples))
	m.padding.WithLabelValues(labels...).Observe(float64(b.Padding))
	m.batchSize.WithLabelValues(labels...).Observe(float64(b.Examples + b.Padding))
}

// Load counts an attempt to load a version.
func (m *Set) Load(l serve.Load) {
	m.mu.Lock()
	m.known[l.Model] = true
	m.mu.Unlock()
	outcome := "success"
	if l.Err != nil {
		outcome = "fail"
		m.failures.WithLabelValues(m.name(l.Model)).Inc()
	}
	path := strings.ToValidUTF8(l.Path, "\uFFFD")
	m.loads.WithLabelValues(path, outcome).Inc()
	m.loadTime.WithLabelValues(path).Add(float64(l.Took.Microseconds()))
	if l.Warming > 0 {
		m.warming.WithLabelValues(path, outcome).Observe(float64(l.Warming.Nanoseconds()) / 1e3)
	}
}

// Unload forgets the metrics of a version's folder, so that they do not pile up.
func (m *Set) Unload(l serve.Load) {
	labels := prometheus.Labels{"model_path": strings.ToValidUTF8(l.Path, "\uFFFD")}
	m.loads.DeletePartialMatch(labels)
	m.loadTime.DeletePartialMatch(labels)
	m.warming.DeletePartialMatch(labels)
}

// Watch adds the states of a manager's models and versions, which are read when
// Prometheus asks for them.
func (m *Set) Watch(models *serve.Manager) { m.registry.MustRegister(&states{models}) }

type states struct{ m *serve.Manager }

var (
	readyDesc   = prometheus.NewDesc("troupe_serve_ready", "1 if every model has a version to serve.", nil, nil)
	runningDesc = prometheus.NewDesc("troupe_serve_running", "Requests that run.", []string{"model"}, nil)
	waitingDesc = prometheus.NewDesc("troupe_serve_waiting", "Requests that wait for their turn.", []string{"model"}, nil)
	stateDesc   = prometheus.NewDesc("troupe_serve_version_state", "1 for the state of a version.", []string{"model", "version", "state"}, nil)
)

// Describe implements prometheus.Collector.
func (s *states) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{readyDesc, runningDesc, waitingDesc, stateDesc} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (s *states) Collect(out chan<- prometheus.Metric) {
	ready := 0.
	if s.m.Ready() {
		ready = 1
	}
	out <- prometheus.MustNewConstMetric(readyDesc, prometheus.GaugeValue, ready)
	for _, name := range s.m.Models() {
		label := strings.ToValidUTF8(name, "\uFFFD")
		running, waiting := s.m.Queue(name)
		out <- prometheus.MustNewConstMetric(runningDesc, prometheus.GaugeValue, float64(running), label)
		out <- prometheus.MustNewConstMetric(waitingDesc, prometheus.GaugeValue, float64(waiting), label)
		list, err := s.m.Status(serve.Spec{Model: name})
		if err != nil {
			continue
		}
		for _, v := range list {
			out <- prometheus.MustNewConstMetric(stateDesc, prometheus.GaugeValue, 1, label, strconv.FormatInt(v.Version, 10), v.State.String())
		}
	}
}
