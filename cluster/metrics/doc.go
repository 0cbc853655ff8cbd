// Package metrics counts what a [cluster.Worker] does, as metrics for Prometheus.
//
//	m := metrics.New()
//	w, err := cluster.NewWorker(cluster.WorkerOptions{Observe: m.Step})
//	m.Watch(w)
//	mux.Handle("/", m.Handler())
//
// The metrics:
//
//	troupe_worker_step_seconds{code}: how long steps took, by what they ended with
//	troupe_worker_steps, troupe_worker_sessions, troupe_worker_parts: what runs and is registered
//	troupe_worker_parcels: large tensors that other workers have not fetched yet
//	troupe_worker_memory_bytes, troupe_worker_memory_limit_bytes: of tensors; a limit of 0 is none
//	troupe_worker_ready: 1, or 0 when the worker drains
//
// and those of the process and of the Go runtime. Handler also serves /healthz, which
// answers while the process does, and /readyz, which fails while the worker drains.
//
// All may be called at the same time.
package metrics
