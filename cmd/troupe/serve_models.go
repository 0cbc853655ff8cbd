package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/troupe-go/troupe/plain"
	"github.com/troupe-go/troupe/serve"
	"github.com/troupe-go/troupe/serve/access"
	"github.com/troupe-go/troupe/serve/config"
	"github.com/troupe-go/troupe/serve/metrics"
	"github.com/troupe-go/troupe/serve/prediction"
	sessions "github.com/troupe-go/troupe/serve/session"
)

// modelServer serves models over HTTP and gRPC.
type modelServer struct {
	rest, grpc, admin, pprof string
	otlp                     string
	sample                   float64
	config                   string
	reread                   time.Duration
	path, name               string // as TensorFlow Serving's flags have them
	running, waiting, places int
	latest                   int
	watch, lame              time.Duration
	body                     int64
	connections              int
	memory                   bytesFlag
	rate                     float64
	burst                    int
	check                    bool
	serving                  servingFlags
	live, noPage             bool
	batch                    batchFlags
	trust                    trustFlags
	changed                  atomic.Bool // there has been a configuration after the first
}

func (m *modelServer) add(fl *pflag.FlagSet) {
	fl.StringVar(&m.rest, "rest", ":8501", "serve models at `ADDRESS`; \"\": not at all")
	fl.StringVar(&m.grpc, "grpc", ":8500", "serve models over gRPC at `ADDRESS`; \"\": not at all")
	fl.BoolVar(&m.live, "live", false, "show at /live/ what runs, for this machine or who has the token; \"troupe top\" reads it")
	fl.BoolVar(&m.noPage, "no-page", false, "do not serve the page of the models at /")
	fl.StringVar(&m.admin, "admin", "", "serve /healthz, /readyz and /metrics at `ADDRESS` as well, without TLS and token")
	fl.StringVar(&m.pprof, "pprof", "", "serve profiles of the process at `ADDRESS`, which must be loopback")
	fl.StringVar(&m.otlp, "otlp", "", "send traces to the OpenTelemetry collector at `URL`, such as http://localhost:4318")
	fl.Float64Var(&m.sample, "trace-sample", 1, "trace `SHARE` of the requests that bring no trace of their own")
	fl.StringVar(&m.config, "config", "", "serve the models in `FILE`: YAML, or TensorFlow Serving's models.config")
	fl.DurationVar(&m.reread, "config-watch", 2*time.Second, "look whether --config has changed every `DURATION`; 0: never")
	fl.StringVar(&m.path, "model_base_path", "", "serve the model in `DIR`, as TensorFlow Serving does")
	fl.StringVar(&m.name, "model_name", "default", "the `NAME` of the model in --model_base_path")
	fl.IntVar(&m.running, "running", 0, "run at most `N` requests of a model at a time; 0: one for each CPU")
	fl.IntVar(&m.waiting, "waiting", 0, "let at most `N` more requests of a model wait; 0: 64 times as many, and 256 for each CPU at least")
	fl.IntVar(&m.places, "places", 0, "run at most `N` requests of all models at a time; 0: one for each CPU")
	fl.IntVar(&m.latest, "latest", 1, "serve the `N` greatest versions of each model")
	fl.DurationVar(&m.watch, "watch", 2*time.Second, "look for new versions every `DURATION`; 0: never")
	fl.DurationVar(&m.lame, "lame-duck", 0, "after SIGTERM, go on serving for `DURATION` with /readyz at 503")
	fl.Int64Var(&m.body, "max-body", 0, "refuse requests of more than `BYTES`; 0: 64 MiB")
	fl.IntVar(&m.connections, "max-connections", 0, "keep at most `N` connections of clients; 0: what the limit of open files leaves")
	fl.Var(&m.memory, "max-models", "load models of at most `SIZE` together, such as 16GiB; 0: what the machine has")
	fl.Lookup("max-models").DefValue = "0" // is not shown
	fl.Float64Var(&m.rate, "rate", 0, "allow each client `N` requests a second; 0: any number")
	fl.IntVar(&m.burst, "burst", 0, "allow each client `N` requests at once; 0: those of a second")
	fl.BoolVar(&m.check, "check", false, "load and warm up the models, print them, and end")
	m.serving.add(fl)
	m.batch.add(fl)
	m.trust.add(fl)
}

// wanted reports whether there are models to serve.
func (m *modelServer) wanted(args []string) bool {
	return len(args) > 0 || m.path != "" || m.config != ""
}

// resolve checks flags, and brings those of TensorFlow Serving into ours.
func (m *modelServer) resolve(fl *pflag.FlagSet) error {
	if err := m.serving.apply(fl, m); err != nil {
		return err
	}
	if m.pprof != "" && !loopback(m.pprof) {
		return fmt.Errorf("--pprof %s: profiles are for this machine only; give a loopback address such as localhost:6060", m.pprof)
	}
	if m.sample < 0 || m.sample > 1 {
		return fmt.Errorf("--trace-sample %v is not between 0 and 1", m.sample)
	}
	if m.connections < 0 {
		return fmt.Errorf("--max-connections cannot be negative")
	}
	if m.rate < 0 || m.burst < 0 {
		return fmt.Errorf("--rate and --burst cannot be negative")
	}
	return nil
}

// list returns what is to be served.
func (m *modelServer) list(args []string) ([]serve.Config, error) {
	var list []serve.Config
	if m.config != "" {
		models, err := config.Read(m.config)
		if err != nil {
			return nil, err
		}
		list = append(list, models...)
	}
	own := func(name, path string) {
		list = append(list, serve.Config{Name: name, Path: path, Policy: serve.Policy{Latest: m.latest}})
	}
	for _, arg := range args {
		name, path, named := strings.Cut(arg, "=")
		if !named {
			absolute, err := filepath.Abs(arg)
			if err != nil {
				return nil, err
			}
			name, path = filepath.Base(absolute), arg
		}
		own(name, path)
	}
	if m.path != "" && !m.serving.configured {
		own(m.name, m.path)
	}
	return list, nil
}

// serve serves models until ctx ends, and then what still runs for as long as drain.
func (m *modelServer) serve(ctx context.Context, cmd *cobra.Command, args []string, drain time.Duration, rules access.Rules, o sessions.Options) error {
	list, err := m.list(args)
	if err != nil {
		return unreadable{err}
	}
	if m.pprof != "" {
		sampleHeap(true)
	}
	set := metrics.New()
	options := serve.Options{
		Session: o.Session, Running: m.running, Waiting: m.waiting, Places: m.places, Timeout: o.Session.Timeout,
		Loading: m.serving.loading, Retries: m.serving.retries, RetryEvery: m.serving.retryEvery, Tags: m.serving.tags(),
		UnavailableLabels: m.serving.anyLabels, Logger: o.Logger, Requests: o.Logger,
	}
	observer := &paced{Observer: set}
	options.Observer = observer
	options.Session.Timeout = 0 // of the request, waiting included
	options.Session.BatchLoops = m.batch.loops
	if m.serving.warmUp {
		options.WarmUp = prediction.WarmUp(m.serving.warmUpTimes)
	}
	options.Memory = int64(m.memory)
	if m.otlp != "" {
		tracer, flush, err := tracing(ctx, m.otlp, m.sample, o.Logger)
		if err != nil {
			return fmt.Errorf("--otlp %s: %v", m.otlp, err)
		}
		defer flush()
		options.Tracer = tracer
	}
	if options.Batching, err = m.batch.batching(); err != nil {
		return err
	}
	models := serve.New(options)
	observer.models = models
	set.Watch(models)
	defer func() {
		late, cancel := context.WithTimeout(context.Background(), drain)
		defer cancel()
		models.Close(late) // whose error is that requests were ended
	}()
	if m.check {
		return m.checked(ctx, cmd, models, list)
	}
	f := front{m: m, o: o, rules: rules, models: models, set: set, metrics: set.Handler()}
	if err := f.listen(); err != nil {
		f.close()
		return err
	}
	f.start()
	wait, err := models.StartReconfigure(ctx, list)
	if err != nil {
		f.stop(0)
		return failure{err}
	}
	watching, end := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		m.watchAll(watching, models, args, o.Logger)
	}()
	if err := wait(); err != nil && !m.changed.Load() { // or else that is the configuration's, not the server's
		end()
		f.stop(0)
		<-watched
		return failure{err}
	}
	f.announce(cmd.OutOrStdout())
	err = f.wait(ctx)
	end()
	if err == nil && m.lame > 0 {
		models.Drain()
		f.idle(m.lame)
	}
	f.stop(drain)
	<-watched
	return err
}

// checked loads what is configured, and prints it.
func (m *modelServer) checked(ctx context.Context, cmd *cobra.Command, models *serve.Manager, list []serve.Config) error {
	var first error
	for _, c := range list {
		err := models.Add(ctx, c)
		if err != nil {
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", plain.Line(c.Name), plain.Line(err.Error()))
			if first == nil {
				first = err
			}
		}
		versions, _ := models.Status(serve.Spec{Model: c.Name})
		for _, v := range versions {
			text := ""
			if v.Err != nil {
				text = ": " + plain.Line(v.Err.Error())
				if first == nil {
					first = v.Err
				}
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s version %d %s%s\n", plain.Line(c.Name), v.Version, v.State, text)
		}
	}
	if first != nil {
		return failure{fmt.Errorf("not everything can be served")}
	}
	return nil
}

// watchAll looks for new versions, and reads the configuration again when its file has
// changed.
func (m *modelServer) watchAll(ctx context.Context, models *serve.Manager, args []string, log *zerolog.Logger) {
	versions, stop := ticker(m.watch)
	defer stop()
	done := make(chan struct{})
	defer func() { <-done }()
	go func() {
		defer close(done)
		models.Watch(ctx, versions)
	}()
	if m.config == "" {
		<-ctx.Done()
		return
	}
	files, stop := ticker(m.reread)
	defer stop()
	var changes sync.WaitGroup
	defer changes.Wait()
	last := stamp(m.config)
	for {
		select {
		case <-ctx.Done():
			return
		case <-files:
		}
		is := stamp(m.config)
		if is == last {
			continue
		}
		last = is
		list, err := m.list(args)
		var wait func() error
		if err == nil {
			wait, err = models.StartReconfigure(ctx, list)
		}
		m.changed.Store(m.changed.Load() || err == nil)
		changes.Go(func() { // the next change does not wait for models that hang
			if err == nil {
				err = wait()
			}
			switch {
			case ctx.Err() != nil:
			case err != nil:
				log.Error().Str("file", plain.Line(m.config)).Str("error", plain.Line(err.Error())).Msg("the configuration could not be read again, or not everything in it be served")
			default:
				log.Info().Str("file", plain.Line(m.config)).Int("models", len(list)).Msg("configured again")
			}
		})
	}
}
