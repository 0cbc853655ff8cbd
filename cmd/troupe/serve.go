package main

import (
	"fmt"
	"net"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/files"
	sessions "github.com/troupe-go/troupe/serve/session"
	"github.com/troupe-go/troupe/session"
)

// serveFlags configure servers of models and of sessions.
type serveFlags struct {
	models            modelServer
	session           string
	cluster           []string // of JOB=ADDRESS,...
	away              workersFlags
	options           troupe.SessionOptions
	files             fileFlags
	sessions, threads int
	clientSessions    int
	idle              time.Duration
	memory            bytesFlag
	timeout, drain    time.Duration
	secrets           secrets
	quiet             bool
}

func serveCommand() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve [NAME=]MODEL... | serve --session ADDRESS",
		Short: "Serve models over HTTP and gRPC, or sessions to TensorFlow clients",
		Long: `Serve answers the requests of TensorFlow Serving's clients for models. A MODEL
is the folder of a SavedModel, or a folder with a SavedModel for each version, in folders
named 1, 2, 3 and so on. The greatest version is served; a new one replaces it when it
appears, and no request fails. A model has its folder's name unless NAME= precedes it:

  GET  /v1/models/NAME            its versions and their states
  GET  /v1/models/NAME/metadata   its signatures
  POST /v1/models/NAME:predict    {"instances": [...]} or {"inputs": ...}

and :classify, :regress, /versions/N, /healthz and /readyz; over gRPC PredictionService,
ModelService's GetModelStatus and health. Requests beyond --running and --waiting are
refused with 429, RESOURCE_EXHAUSTED. A page at / shows the models, their rates and
latencies, and has a form for each signature; with a token, open it as /#token=TOKEN.

With --session it runs the graphs of TensorFlow programs, whose sessions have its address
as their target: tf.compat.v1.Session("grpc://HOST:PORT"). These clients may use computation
and memory, up to the limits, and files below the directories of --read and --write.
With --cluster this process is all tasks of a cluster, parameter servers and workers, each
at its own address with its own devices and variables. With --workers, --workers-file or
--workers-srv the tasks are other processes ("troupe worker"), on this or other machines,
which run the nodes on their devices.

An address is HOST:PORT; without a host only this machine can connect. Who may connect is
limited by --token-file or by client certificates (--client-ca); a server of other machines
needs one of them, or --insecure. TensorFlow's Python package sends neither: serve it on
loopback or behind a proxy that authenticates.

After an interrupt the server refuses new requests, waits for running ones, and ends those
that still run after --drain.`,
		Example: `  troupe serve examples/serve/digits
  curl -d '{"instances": [...]}' localhost:8501/v1/models/digits:predict

  troupe serve --session :2222
  # in Python
  with tf.compat.v1.Session("grpc://localhost:2222") as s: ...

  troupe serve --cluster ps=:2222 --cluster worker=:2223,:2224
  troupe serve --session :2222 --workers ps=10.0.0.1:2222 --workers worker=10.0.0.2:2222,10.0.0.3:2222`,
		RunE: func(cmd *cobra.Command, args []string) error { return f.serve(cmd, args) },
	}
	fl := cmd.Flags()
	f.models.add(fl)
	f.away.add(fl)
	fl.StringVar(&f.session, "session", "", "serve sessions at `ADDRESS`, such as :2222")
	engineFlag(cmd, &f.options.Engine)
	rewriteFlag(cmd, &f.options.Rewrite)
	fl.IntVar(&f.threads, "threads", 0, "run at most `N` kernels of a session at a time; 0: as many as there are CPUs")
	mapFlag(fl, &f.options.MapFiles)
	fl.StringArrayVar(&f.cluster, "cluster", nil, "serve sessions as the tasks of a job: `JOB=ADDRESS,...`, an address for each task (repeatable)")
	fl.IntVar(&f.sessions, "max-sessions", 0, "allow at most `N` open sessions; 0: 1000")
	fl.IntVar(&f.clientSessions, "max-client-sessions", 0, "allow each client, a certificate or a host, at most `N` open sessions; 0: no limit of its own")
	fl.DurationVar(&f.idle, "idle-timeout", 0, "close sessions that are not used for `DURATION`; 0: never")
	fl.IntVar(&f.options.MaxConcurrentSteps, "max-steps", 0, "run at most `N` steps of a session at a time; 0: no limit")
	fl.Var(&f.memory, "session-memory", "allow each session this `SIZE` for tensors, such as 2GiB, and the shared variables and queues as many; 0: three quarters of the machine's memory")
	fl.Lookup("session-memory").DefValue = "0" // is not shown
	fl.DurationVar(&f.timeout, "timeout", 0, "end steps that run longer than `DURATION`; 0: no limit")
	fl.DurationVar(&f.drain, "drain", 10*time.Second, "after an interrupt, wait at most `DURATION` for running steps")
	f.secrets.add(fl)
	fl.BoolVar(&f.quiet, "quiet", false, "log errors only")
	insecure := fl.Bool("insecure", false, "serve other machines without a token or client certificates")
	fl.StringArrayVar(&f.files.read, "read", nil, "let graphs read files below `DIR` (repeatable)")
	fl.StringArrayVar(&f.files.write, "write", nil, "let graphs write files below `DIR` (repeatable)")
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if err := f.models.resolve(cmd.Flags()); err != nil {
			return err
		}
		f.secrets.ssl = f.models.serving.ssl
		wanted := f.models.wanted(args)
		if f.session == "" && f.cluster == nil && !wanted {
			return fmt.Errorf("nothing to serve: give a model, --config FILE, or --session ADDRESS")
		}
		if f.away.given() {
			if f.session == "" && f.cluster == nil {
				return fmt.Errorf("workers need --session ADDRESS")
			}
			if err := f.away.check(); err != nil {
				return err
			}
		} else if f.away.task != "" {
			return fmt.Errorf("--task needs --workers, --workers-file or --workers-srv")
		}
		if f.session != "" && f.cluster != nil {
			return fmt.Errorf("--session and --cluster exclude each other: --cluster has the addresses of all tasks")
		}
		type listener struct{ flag, address string }
		listeners := []listener{{"session", f.session}, {"rest", f.models.rest}, {"grpc", f.models.grpc}, {"admin", f.models.admin}}
		tasks, err := f.tasks()
		if err != nil {
			return err
		}
		for _, t := range tasks {
			listeners = append(listeners, listener{"cluster", t.address})
		}
		for _, l := range listeners {
			flag, address := l.flag, l.address
			if address == "" && flag != "cluster" || flag != "session" && flag != "cluster" && !wanted {
				continue
			}
			if _, _, err := net.SplitHostPort(address); err != nil {
				return fmt.Errorf("--%s %s is not an address: %v", flag, address, err)
			}
			if flag != "admin" && !loopback(address) && f.secrets.token == "" && f.secrets.ca == "" && f.secrets.ssl == "" && !*insecure {
				return fmt.Errorf("--%s %s: other machines could run anything here; give --token-file or --client-ca, or --insecure", flag, address)
			}
		}
		return f.secrets.check()
	}
	return cmd
}

// serve serves until the command is interrupted.
func (f *serveFlags) serve(cmd *cobra.Command, args []string) error {
	o, err := f.resolve(cmd)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGTERM)
	defer stop()
	tick, end := ticker(f.secrets.watch)
	defer end()
	go f.secrets.follow(ctx, tick, o.Logger)
	if f.session == "" && f.cluster == nil {
		return f.models.serve(ctx, cmd, args, f.drain, f.secrets.rules(), o)
	}
	if f.models.wanted(args) {
		return fmt.Errorf("models and --session are served by a process each")
	}
	tasks, err := f.tasks()
	if err != nil {
		return err
	}
	switch {
	case f.away.given():
		var as task
		if o.Workers, as, o.Session.Cluster, err = f.away.resolve(ctx); err != nil {
			return err
		}
		if as.address = f.session; f.cluster == nil {
			tasks = []task{as}
		}
	case f.cluster == nil:
		tasks = []task{{"localhost", 0, f.session}}
	default:
		o.Cluster = map[string]int{}
		for _, t := range tasks {
			o.Cluster[t.job]++
		}
	}
	server, err := sessions.New(o)
	if err != nil {
		return err
	}
	var listeners []net.Listener
	for _, t := range tasks {
		l, err := listen(t.address)
		if err != nil {
			for _, l := range listeners {
				l.Close()
			}
			server.Close()
			return err
		}
		listeners = append(listeners, l)
		as := ""
		if f.cluster != nil || o.Workers != nil {
			as = fmt.Sprintf(" as /job:%s/task:%d", t.job, t.number)
		}
		fmt.Fprintf(cmd.OutOrStdout(), "serving sessions at grpc://%s%s\n", l.Addr(), as)
	}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		<-ctx.Done()
		late := make(chan struct{})
		timer := time.AfterFunc(f.drain, func() { close(late) })
		defer timer.Stop()
		server.Drain(late)
	}()
	if f.away.given() {
		go f.away.follow(ctx, server, o.Workers, o.Session.Cluster, o.Logger)
	}
	served := make(chan error)
	for i, t := range tasks {
		go func() { served <- server.ServeTask(listeners[i], t.job, t.number) }()
	}
	var first error
	for range tasks {
		if err := <-served; err != nil && first == nil {
			first = failure{err}
			server.Close()
		}
	}
	if first != nil {
		return first
	}
	<-stopped
	return nil
}

// A task is one of a cluster, with its address.
type task struct {
	job     string
	number  int
	address string
}

// tasks reads --cluster.
func (f *serveFlags) tasks() ([]task, error) { return jobs("cluster", f.cluster) }

// jobs reads the addresses of the tasks of jobs, as flags have them.
func jobs(flag string, texts []string) (all []task, err error) {
	seen := map[string]bool{}
	for _, text := range texts {
		job, addresses, ok := strings.Cut(text, "=")
		if !ok || job == "" || addresses == "" {
			return nil, fmt.Errorf("--%s %s: write JOB=ADDRESS,ADDRESS, an address for each task", flag, text)
		}
		if seen[job] {
			return nil, fmt.Errorf("--%s: job %s given more than once", flag, job)
		}
		seen[job] = true
		for i, address := range strings.Split(addresses, ",") {
			all = append(all, task{job, i, address})
		}
	}
	return all, nil
}

// resolve makes the server's options.
func (f *serveFlags) resolve(cmd *cobra.Command) (sessions.Options, error) {
	level := zerolog.InfoLevel
	if f.quiet {
		level = zerolog.ErrorLevel
	}
	log := zerolog.New(cmd.ErrOrStderr()).Level(level).With().Timestamp().Logger()
	o := sessions.Options{Session: session.SessionOptions(f.options), MaxSessions: f.sessions, MaxClientSessions: f.clientSessions, IdleTimeout: f.idle, Logger: &log}
	o.Session.Threads, o.Session.MemoryLimit, o.Session.Timeout = f.models.serving.threads(f.threads), int64(f.memory), f.timeout
	o.Session.Files = &files.Policy{Read: f.files.read, Write: f.files.write}
	if err := f.secrets.read(); err != nil {
		return o, err
	}
	o.Known, o.TLS = f.secrets.known(), f.secrets.tls()
	return o, nil
}
