// Package metrics counts what a [serve.Manager] does, as metrics for Prometheus.
//
//	m := metrics.New()
//	models := serve.New(serve.Options{Observer: m})
//	m.Watch(models)
//	mux.Handle("/metrics", m.Handler())
//
// Where TensorFlow Serving has a metric, the name, the labels and the buckets are its
// own, times in microseconds included:
//
//	:tensorflow:serving:request_count{model_name,status}
//	:tensorflow:serving:request_latency{model_name,API,entrypoint}
//	:tensorflow:serving:runtime_latency{model_name,API,runtime}
//	:tensorflow:serving:request_example_counts{model}, request_example_count_total{model}
//	:tensorflow:serving:model_warmup_latency{model_path,status}
//	:tensorflow:serving:batching_session:queuing_latency
//	:tensorflow:serving:batching:processed_batch_size{model_name,op_name}
//	:tensorflow:serving:batching:input_batch_size{model_name,op_name}, padding_size, batch_delay_us
//	:tensorflow:cc:saved_model:load_attempt_count{model_path,status}, load_latency{model_path}
//	:tensorflow:core:graph_runs, graph_run_time_usecs
//
// Others begin with troupe_serve_ and are in seconds and bytes, as Prometheus wants it:
//
//	troupe_serve_queue_seconds{model}, troupe_serve_run_seconds{model}
//	troupe_serve_running{model}, troupe_serve_waiting{model}
//	troupe_serve_version_state{model,version,state}
//	troupe_serve_load_failures_total{model}
//	troupe_serve_ready
//
// Requests for models that were never loaded are counted under the name "": clients
// cannot make time series.
package metrics
