package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os/signal"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/cluster"
	"github.com/troupe-go/troupe/cluster/metrics"
	"github.com/troupe-go/troupe/files"
	"github.com/troupe-go/troupe/status"
)

// clusterFlags say how processes of a cluster reach each other.
type clusterFlags struct {
	token, cert, key, ca string
	bound                time.Duration
}

func (f *clusterFlags) add(fl *pflag.FlagSet) {
	fl.DurationVar(&f.bound, "failure-bound", 2*time.Second, "end a step within `DURATION` after a worker has failed; the same in all processes")
	fl.StringVar(&f.token, "cluster-token-file", "", "show and require the token in `FILE` between processes")
	fl.StringVar(&f.cert, "cluster-cert", "", "use TLS between processes, with the certificate in `FILE` (PEM)")
	fl.StringVar(&f.key, "cluster-key", "", "the key of --cluster-cert, in `FILE`")
	fl.StringVar(&f.ca, "cluster-ca", "", "require certificates of others signed by one in `FILE`")
}

// resolve reads the files.
func (f *clusterFlags) resolve() (o troupe.ClusterOptions, err error) {
	o.Bound = f.bound
	if f.bound < 100*time.Millisecond {
		return o, fmt.Errorf("--failure-bound %v is too short for networks: at least 100ms", f.bound)
	}
	if o.Token, err = readToken("cluster-token-file", f.token); err != nil || f.cert == "" && f.key == "" && f.ca == "" {
		return o, err
	}
	if f.cert == "" || f.key == "" || f.ca == "" {
		return o, fmt.Errorf("--cluster-cert, --cluster-key and --cluster-ca need each other")
	}
	pair, err := readPair("cluster-cert", f.cert, f.key)
	if err != nil {
		return o, err
	}
	pool, err := readAuthorities("cluster-ca", f.ca)
	if err != nil {
		return o, err
	}
	o.TLS = &tls.Config{Certificates: pair, RootCAs: pool, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert, MinVersion: tls.VersionTLS13}
	return o, nil
}

// clusterWorkerFlags are the flags of `troupe worker`.
type clusterWorkerFlags struct {
	cluster  clusterFlags
	options  cluster.WorkerOptions
	files    fileFlags
	memory   bytesFlag
	drain    time.Duration
	admin    string
	otlp     string
	sample   float64
	quiet    bool
	insecure bool
}

func clusterWorkerCommand() *cobra.Command {
	var f clusterWorkerFlags
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Run the parts of graphs that other processes place here",
		Long: `Worker runs a task of a cluster. Sessions whose target is troupe://HOST:PORT,HOST:PORT
place nodes on its devices by name: /job:NAME/task:N. Variables, queues and tables on a
worker belong to it, and are shared by name among sessions.

An address without a host can be reached from this machine only. Another one needs
--cluster-token-file or TLS, as whoever reaches a worker can run anything on it.

An interrupt drains the worker: it refuses new steps, waits for running ones for --drain,
and ends. Sessions see it as lost. Logs go to standard error, as JSON with worker,
session and step.`,
		Example: `  troupe worker --listen :2222
  troupe worker --listen 10.0.0.2:2222 --job ps --task 0 --cluster-token-file token
  troupe run model.pb --fetch y --target troupe://localhost:2222`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.options.Listen, "listen", ":2222", "listen at `ADDRESS`")
	fl.StringVar(&f.options.Advertise, "advertise", "", "tell others to connect to `ADDRESS` instead")
	fl.StringVar(&f.options.Job, "job", "worker", "the job's `NAME`")
	fl.IntVar(&f.options.Task, "task", 0, "the task's `NUMBER` in the job")
	fl.IntVar(&f.options.CPUs, "cpus", 1, "have `N` CPU devices")
	fl.IntVar(&f.options.Threads, "threads", 0, "run up to `N` kernels at a time; 0 is one per CPU")
	f.options.Engine = "actors"
	fl.Var(choiceFlag{&f.options.Engine, []string{"actors", "tokens", "sequential"}}, "engine", "run steps on `ENGINE`: actors, tokens or sequential")
	fl.IntVar(&f.options.MaxSteps, "max-steps", 0, "run at most `N` steps at a time; 0: no limit")
	fl.Var(&f.memory, "memory", "use at most this `SIZE` for tensors, such as 2GiB; 0: no limit")
	fl.DurationVar(&f.drain, "drain", 10*time.Second, "after an interrupt, wait at most `DURATION` for running steps")
	fl.StringVar(&f.admin, "admin", "", "serve /healthz, /readyz and /metrics at `ADDRESS`, without TLS and token")
	fl.StringVar(&f.otlp, "otlp", "", "send traces to the OpenTelemetry collector at `URL`, such as http://localhost:4318")
	fl.Float64Var(&f.sample, "trace-sample", 1, "trace `SHARE` of the steps that bring no trace of their own")
	fl.BoolVar(&f.quiet, "quiet", false, "log warnings and errors only")
	fl.BoolVar(&f.insecure, "insecure", false, "let other machines connect without a token and without TLS")
	f.files.add(cmd)
	f.cluster.add(fl)
	return cmd
}

func (f *clusterWorkerFlags) run(cmd *cobra.Command) error {
	c, err := f.cluster.resolve()
	if err != nil {
		return err
	}
	if f.sample < 0 || f.sample > 1 {
		return fmt.Errorf("--trace-sample %v: want a share between 0 and 1", f.sample)
	}
	if _, _, err := net.SplitHostPort(f.options.Listen); err != nil {
		return fmt.Errorf("--listen %q: %w", f.options.Listen, err)
	}
	level := zerolog.InfoLevel
	if f.quiet {
		level = zerolog.WarnLevel
	}
	log := zerolog.New(cmd.ErrOrStderr()).Level(level).With().Timestamp().Logger()
	o := f.options
	o.Bound, o.Token, o.TLS, o.Insecure, o.Logger = c.Bound, c.Token, c.TLS, f.insecure, &log
	o.MemoryLimit = int64(f.memory)
	o.Files = &files.Policy{Read: f.files.read, Write: f.files.write}
	ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGTERM)
	defer stop()
	if f.otlp != "" {
		tracer, flush, err := tracing(ctx, f.otlp, f.sample, &log)
		if err != nil {
			return fmt.Errorf("--otlp %q: %w", f.otlp, err)
		}
		defer flush()
		o.Tracer = tracer
	}
	m := metrics.New()
	o.Observe = m.Step
	if f.admin != "" {
		l, err := listen(f.admin)
		if err != nil {
			return err
		}
		server := &http.Server{Handler: m.Handler(), ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second, ErrorLog: errorLog(&log)}
		served := make(chan struct{})
		go func() {
			defer close(served)
			server.Serve(l) // until it is closed
		}()
		defer func() {
			server.Close()
			<-served
		}()
	}
	w, err := cluster.NewWorker(o)
	if err != nil {
		return failure{err}
	}
	m.Watch(w)
	fmt.Fprintf(cmd.OutOrStdout(), "%s at troupe://%s\n", w.Name(), w.Address())
	if out, ok := cmd.OutOrStdout().(interface{ Flush() error }); ok {
		out.Flush()
	}
	<-ctx.Done()
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), f.drain)
	defer cancel()
	drained := w.Drain(late)
	if err := w.Close(); err != nil {
		return failure{err}
	}
	if drained != nil {
		return failure{drained}
	}
	return nil
}

func clusterCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "cluster", Short: "Look at, find and reset the workers of a cluster"}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return fmt.Errorf("unknown command %q for %q: give status, discover or reset", args[0], cmd.CommandPath())
		}
		return cmd.Help()
	}
	cmd.AddCommand(clusterStatusCommand(), clusterDiscoverCommand(), clusterResetCommand())
	return cmd
}

func clusterStatusCommand() *cobra.Command {
	var f clusterFlags
	var asJSON bool
	var wait time.Duration
	cmd := &cobra.Command{
		Use:   "status TARGET",
		Short: "Print the state of workers",
		Long: `Status asks each worker of a target, and prints one line for each. It exits with 1 if a
worker cannot be reached or is draining, so that it is also a check of health: of one
worker with that worker as the target.`,
		Example: `  troupe cluster status troupe://localhost:2222,localhost:2223
  troupe cluster status troupe://10.0.0.2:2222 --json --cluster-token-file token`,
		Args: oneTarget,
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := f.resolve()
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), wait)
			defer cancel()
			all, errs, err := cluster.Ask(ctx, args[0], &o)
			if err != nil {
				return failure{err}
			}
			if asJSON {
				err = json.NewEncoder(cmd.OutOrStdout()).Encode(all)
			} else {
				err = printWorkers(cmd, all, errs)
			}
			if err != nil {
				return failure{err}
			}
			for i, e := range errs {
				if e != nil || all[i].Draining {
					return failure{}
				}
			}
			return nil
		},
	}
	fl := cmd.Flags()
	fl.BoolVar(&asJSON, "json", false, "print JSON")
	fl.DurationVar(&wait, "wait", reachPatience, "wait at most `DURATION` for a worker")
	f.add(fl)
	return cmd
}

// printWorkers prints a line for each worker.
func printWorkers(cmd *cobra.Command, all []cluster.Status, errs []error) error {
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "worker\taddress\tstate\tdevices\tsessions\tsteps\tended\tfailed\tmemory\tup")
	for i, s := range all {
		if errs[i] != nil {
			fmt.Fprintf(w, "?\t%s\tunreachable: %s\n", s.Address, status.From(errs[i]).Message)
			continue
		}
		state := "ready"
		if s.Draining {
			state = "draining"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%v\n", s.Name, s.Address, state, len(s.Devices), s.Sessions, s.Steps, s.Finished, s.Failed, s.MemoryUsed, s.Uptime.Round(time.Second))
	}
	return w.Flush()
}

func clusterResetCommand() *cobra.Command {
	var f clusterFlags
	cmd := &cobra.Command{
		Use:   "reset TARGET [CONTAINER...]",
		Short: "Clear containers of variables, queues and tables on workers",
		Long:  `Reset clears the named containers on each worker of a target, localhost, the default container, if none is named.`,
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := f.resolve()
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), 5*time.Second)
			defer cancel()
			if err := cluster.Reset(ctx, args[0], &o, args[1:]...); err != nil {
				return failure{err}
			}
			return nil
		},
	}
	f.add(cmd.Flags())
	return cmd
}

// oneTarget returns the rule of commands that are given a TARGET and nothing else but flags.
func oneTarget(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return fmt.Errorf("%s takes one TARGET, with commas between addresses: troupe://HOST:PORT,HOST:PORT", cmd.CommandPath())
	}
	return atLeastOne(cmd, args)
}

// reachPatience is how long a command waits for workers, which may just have been started.
const reachPatience = 2 * time.Second

// reach fails if a worker of a target cannot be reached. A session would wait longer for it.
func reach(ctx context.Context, target string, o *troupe.ClusterOptions) error {
	if !strings.HasPrefix(target, "troupe://") {
		return nil // the session says what is wrong with it
	}
	ctx, cancel := context.WithTimeout(ctx, reachPatience)
	defer cancel()
	all, errs, err := cluster.Ask(ctx, target, o)
	for i, e := range errs {
		if e != nil {
			return status.Errorf(status.Unavailable, "worker at %s cannot be reached: %s", all[i].Address, status.From(e).Message)
		}
	}
	return err
}

// away takes the target of other processes out of the nodes that --target names.
func (f *runFlags) away() (target string, err error) {
	var nodes []string
	for _, t := range f.targets {
		switch {
		case !strings.Contains(t, "://"):
			nodes = append(nodes, t)
		case target != "":
			return "", fmt.Errorf("--target %s and --target %s: a session has one target", target, t)
		default:
			target = t
		}
	}
	f.targets = nodes
	return target, nil
}
