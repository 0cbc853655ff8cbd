package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/troupe-go/troupe/serve/config"
)

// servingFlags are those of tensorflow_model_server, with its names. They are not in the
// help; docs/move-serving.md lists them.
type servingFlags struct {
	port, restPort                         int
	socket                                 string
	configFile, ssl, monitoring, savedTags string
	configPoll, filePoll                   float64
	restTimeoutMS, retryMicros             int64
	cors, anyLabels, warmUp                bool
	loading, retries, warmUpTimes          int
	sessionThreads, intraThreads           int
	channel                                string

	configured  bool // by a file, which has precedence over --model_base_path
	metricsPath string
	restTimeout time.Duration
	retryEvery  time.Duration
	maxAge      time.Duration
}

// ignored are flags without an effect here, because what they tune does not exist.
var ignored = []string{
	"rest_api_num_threads", "num_unload_threads", "grpc_max_threads", "flush_filesystem_caches",
	"remove_unused_fields_from_bundle_metagraph", "enable_profiler", "enable_signature_method_name_check",
	"num_tflite_pools", "num_tflite_interpreters_per_pool", "tensorflow_inter_op_parallelism",
}

// refused are flags whose effect is missing, and what to do instead.
var refused = map[string]string{
	"use_alts_credentials":                 "use --tls-cert and --client-ca",
	"platform_config_file":                 "only SavedModels are served",
	"tensorflow_session_config_file":       "use --threads, --timeout and --engine",
	"prefer_tflite_model":                  "only SavedModels are served",
	"xla_cpu_compilation_enabled":          "graphs are compiled anyway",
	"per_process_gpu_memory_fraction":      "use --session-memory",
	"mixed_precision":                      "models run with the types that they were saved with",
	"enable_per_model_batching_parameters": "use --batching_parameters_file, which holds for all models",
}

func (f *servingFlags) add(fl *pflag.FlagSet) {
	before := map[string]bool{}
	fl.VisitAll(func(flag *pflag.Flag) { before[flag.Name] = true })
	fl.IntVar(&f.port, "port", 8500, "port of gRPC; 0: not at all")
	fl.IntVar(&f.restPort, "rest_api_port", 8501, "port of REST; 0: not at all")
	fl.StringVar(&f.socket, "grpc_socket_path", "", "serve gRPC at a UNIX socket as well")
	fl.StringVar(&f.configFile, "model_config_file", "", "as --config")
	fl.Float64Var(&f.configPoll, "model_config_file_poll_wait_seconds", 0, "look whether the file has changed; 0: never")
	fl.Float64Var(&f.filePoll, "file_system_poll_wait_seconds", 1, "look for new versions; 0: never")
	fl.Int64Var(&f.restTimeoutMS, "rest_api_timeout_in_ms", 30_000, "of a REST request")
	fl.BoolVar(&f.cors, "rest_api_enable_cors_support", false, "let pages of other hosts call REST")
	fl.BoolVar(&f.anyLabels, "allow_version_labels_for_unavailable_models", false, "labels may name versions that are not available")
	fl.IntVar(&f.loading, "num_load_threads", 0, "load so many versions at a time; 0: 1")
	fl.IntVar(&f.retries, "max_num_load_retries", 5, "try so often again to load a version")
	fl.Int64Var(&f.retryMicros, "load_retry_interval_micros", 60_000_000, "so far apart")
	fl.BoolVar(&f.warmUp, "enable_model_warmup", true, "replay assets.extra/tf_serving_warmup_requests")
	fl.IntVar(&f.warmUpTimes, "num_request_iterations_for_warmup", 1, "so often")
	fl.StringVar(&f.ssl, "ssl_config_file", "", "an SSLConfig")
	fl.StringVar(&f.monitoring, "monitoring_config_file", "", "a MonitoringConfig")
	fl.StringVar(&f.savedTags, "saved_model_tags", "serve", "tags of the graph to serve, separated by commas")
	fl.IntVar(&f.sessionThreads, "tensorflow_session_parallelism", 0, "as --threads")
	fl.IntVar(&f.intraThreads, "tensorflow_intra_op_parallelism", 0, "as --threads")
	fl.StringVar(&f.channel, "grpc_channel_arguments", "", "grpc.max_connection_age_ms=N")
	for _, name := range ignored {
		fl.String(name, "", "ignored")
		fl.Lookup(name).NoOptDefVal = "true"
	}
	for name := range refused {
		fl.String(name, "", "refused")
		fl.Lookup(name).NoOptDefVal = "true"
	}
	fl.VisitAll(func(flag *pflag.Flag) { flag.Hidden = flag.Hidden || !before[flag.Name] })
}

// apply brings the flags that are given into those of m.
func (f *servingFlags) apply(fl *pflag.FlagSet, m *modelServer) (err error) {
	for name, instead := range refused {
		flag := fl.Lookup(name)
		if x, isNumber := strconv.ParseFloat(flag.Value.String(), 64); !flag.Changed || flag.Value.String() == "false" || isNumber == nil && x == 0 {
			continue
		}
		return fmt.Errorf("--%s is not supported: %s", name, instead)
	}
	address := func(name, other string, port int, target *string) error {
		switch {
		case !fl.Changed(name):
			return nil
		case fl.Changed(other):
			return fmt.Errorf("--%s and --%s are given both", name, other)
		case port < 0 || port > 65535:
			return fmt.Errorf("--%s %d is not a port", name, port)
		}
		*target = ":" + strconv.Itoa(port)
		if port == 0 {
			*target = ""
		}
		return nil
	}
	if err := address("port", "grpc", f.port, &m.grpc); err != nil {
		return err
	}
	if err := address("rest_api_port", "rest", f.restPort, &m.rest); err != nil {
		return err
	}
	if f.configFile != "" {
		if m.config != "" {
			return fmt.Errorf("--config and --model_config_file are given both")
		}
		m.config, f.configured = f.configFile, true
		m.reread = time.Duration(f.configPoll * float64(time.Second))
	}
	if fl.Changed("file_system_poll_wait_seconds") {
		m.watch = time.Duration(max(0, f.filePoll) * float64(time.Second))
	}
	if fl.Changed("rest_api_timeout_in_ms") {
		f.restTimeout = time.Duration(f.restTimeoutMS) * time.Millisecond
	}
	if f.retryEvery = time.Duration(f.retryMicros) * time.Microsecond; f.retryEvery <= 0 {
		f.retryEvery = time.Nanosecond
	}
	if f.channel != "" {
		for arg := range strings.SplitSeq(f.channel, ",") {
			name, value, _ := strings.Cut(strings.TrimSpace(arg), "=")
			ms, err := strconv.ParseInt(value, 10, 32)
			if name != "grpc.max_connection_age_ms" || err != nil {
				return fmt.Errorf("--grpc_channel_arguments %s is not supported: grpc.max_connection_age_ms=N is", arg)
			}
			f.maxAge = time.Duration(ms) * time.Millisecond
		}
	}
	if f.monitoring != "" {
		if f.metricsPath, err = config.ReadMonitoring(f.monitoring); err != nil {
			return fmt.Errorf("--monitoring_config_file: %w", err)
		}
	}
	return nil
}

// threads returns the number of threads that the flags ask for, or else n.
func (f *servingFlags) threads(n int) int { return max(n, f.sessionThreads, f.intraThreads) }

// tags returns the tags of the graph to serve.
func (f *servingFlags) tags() []string { return strings.Split(f.savedTags, ",") }

func sslConfig(name string) (*tls.Config, error) {
	c, err := config.ReadTLS(name)
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(c.Certificate, c.Key)
	if err != nil {
		return nil, err
	}
	t := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	if c.Verify {
		t.ClientAuth = tls.RequireAndVerifyClientCert
		t.ClientCAs = x509.NewCertPool()
		if !t.ClientCAs.AppendCertsFromPEM(c.ClientCA) {
			return nil, fmt.Errorf("%s has no certificate in custom_ca", name)
		}
	}
	return t, nil
}
