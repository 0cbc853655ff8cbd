package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/plain"
	"github.com/troupe-go/troupe/status"
)

// benchFlags are the flags of `troupe bench`.
type benchFlags struct {
	feeds, fetches, targets []string
	signature               string
	tags                    []string
	json                    bool
	format                  string
	threads                 int
	mapFiles                bool
	callers                 int
	engine                  string
	rewrite                 string
	units                   string
	viaRun                  bool
	timeout                 time.Duration
	places                  deviceFlags
}

func benchCommand() *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use:   "bench MODEL | bench DIR [NAME]...",
		Short: "Time runs of a model or of benchmark graphs",
		Long: `Bench times runs of a model: of a SavedModel the signature serving_default, or the one
that --signature names; of a graph what --fetch and --target name; of a recorded case
its first step. Inputs are fed as for "troupe run". Numeric inputs that are not fed get
a ramp from -0.5 to 0.5 of the declared shape, with 1 for unknown dimensions.

With DIR it times the graphs that DIR/graphs.json lists, each in DIR/NAME.pb or
DIR/NAME.pb.gz: all of them, or those named.

The import and the first run, which includes compiling, are timed separately. Then come
samples of as many runs as take 10 ms, for at least a second and at least 5 samples.
The figures are the median and the best sample, for a run or for the unit of work that
graphs.json names. Feeds are made once; releasing results is part of the time. With
several callers all run at the same time, and a sample's time is divided by the number
of all their runs.

Runs use a Callable, or with --run Session.Run and its maps.

--max-memory and --max-time limit reading the model; --timeout limits each run.

` + modelHelp,
		Example: `  troupe bench my_model/
  troupe bench my_model/ --feed image=@cat.npy --callers 4
  troupe bench model.pb --feed x=[[1,2],[3,4]] --fetch y --engine sequential
  troupe bench benchmarks/graphs while_cond while_nested
  troupe bench benchmarks/graphs feed_fetch --callers 8 --run --format json`,
		Args: atLeastOne,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0], args[1:]) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.format, "format", "text", "print as `FORMAT`: text, or json, one object per graph with times in ns")
	complete(cmd, "format", "text", "json")
	fl.BoolVar(&f.json, "json", false, "the same as --format json")
	addFeeds(cmd, &f.feeds, "feed a tensor of MODEL: `NAME=VALUE`, NAME=@FILE, or @FILE.npz for all its arrays (repeatable)")
	fl.StringArrayVar(&f.fetches, "fetch", nil, "fetch the tensor `NAME` (repeatable)")
	fl.StringArrayVar(&f.targets, "target", nil, "run `NODE` without fetching from it (repeatable)")
	fl.StringVar(&f.signature, "signature", "", "run the signature `KEY` of a SavedModel")
	fl.StringSliceVar(&f.tags, "tags", nil, "use the SavedModel's graph with exactly these `TAGS`, separated by commas")
	fl.IntVar(&f.threads, "threads", 0, "run up to `N` kernels at a time; 0 is one per CPU")
	mapFlag(fl, &f.mapFiles)
	fl.IntVar(&f.callers, "callers", 1, "run from `N` goroutines at once")
	fl.DurationVar(&f.timeout, "timeout", 0, "fail if a run takes longer than this `DURATION`, such as 1.5s; 0 is no limit")
	fl.BoolVar(&f.viaRun, "run", false, "use Session.Run instead of a Callable")
	engineFlag(cmd, &f.engine)
	rewriteFlag(cmd, &f.rewrite)
	unitsFlag(cmd, &f.units)
	f.places.add(cmd)
	completeSignatures(cmd)
	return cmd
}

// A benchRow is what graphs.json says of a graph.
type benchRow struct {
	Feeds map[string]benchFeed `json:"feeds"`
	Fetch string               `json:"fetch"` // a tensor, or a node to run
	Work  float64              `json:"work"`  // units that one run does
	Unit  string               `json:"unit"`
	Nodes int                  `json:"nodes"`
}

// A benchFeed is a tensor to feed: filled with Value, a number, or with the
// ramp in which element i is i mod 97 / 97 − 0.5.
type benchFeed struct {
	DType string          `json:"dtype"`
	Shape []int64         `json:"shape"`
	Value json.RawMessage `json:"value"`
}

// A benchResult is a line of the output.
type benchResult struct {
	Peer     string  `json:"peer"`
	Graph    string  `json:"graph"`
	Unit     string  `json:"unit"`
	MedianNS float64 `json:"median_ns"`
	BestNS   float64 `json:"best_ns"`
	FirstMS  float64 `json:"first_ms"`
	ImportMS float64 `json:"import_ms"`
}

func (f *benchFlags) run(cmd *cobra.Command, dir string, names []string) error {
	if f.callers < 1 {
		return fmt.Errorf("--callers %d: must be at least 1", f.callers)
	}
	if f.format != "text" && f.format != "json" {
		return fmt.Errorf("unknown --format %s: use text or json", f.format)
	}
	f.json = f.json || f.format == "json"
	data, err := os.ReadFile(filepath.Join(dir, "graphs.json"))
	switch {
	case err != nil && len(names) == 0:
		return f.model(cmd, dir)
	case err != nil:
		return err
	case len(f.feeds)+len(f.fetches)+len(f.targets)+len(f.tags) > 0 || f.signature != "":
		return fmt.Errorf("--feed, --fetch, --target, --signature and --tags need a MODEL; %s/graphs.json has its own feeds and fetches", dir)
	}
	table := map[string]benchRow{}
	if err := json.Unmarshal(data, &table); err != nil {
		return fmt.Errorf("graphs.json: %w", err)
	}
	if len(names) == 0 {
		for name := range table {
			names = append(names, name)
		}
		sort.Strings(names)
	}
	failed := false
	for _, name := range names {
		row, ok := table[name]
		if !ok {
			return fmt.Errorf("graphs.json has no graph %q%s", name, status.DidYouMean(name, maps.Keys(table)))
		}
		result, err := f.measure(cmd, dir, name, row)
		if err != nil && cmd.Context().Err() != nil {
			return failure{err} // it was interrupted, and so are the others
		}
		if err != nil {
			failed = true
			fmt.Fprintf(cmd.ErrOrStderr(), "%s: %v\n", name, err)
			continue
		}
		if err := f.print(cmd.OutOrStdout(), result); err != nil {
			return err
		}
	}
	if failed {
		return failure{}
	}
	return nil
}

// timeText returns a time in the unit that gives it one to three digits before the point.
func timeText(ns float64) string {
	unit, rest := "ns", ns
	for _, larger := range []struct {
		name string
		ns   float64
	}{{"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}} {
		if ns >= 0.9995*larger.ns {
			unit, rest = larger.name, ns/larger.ns
		}
	}
	digits := 3
	switch {
	case unit == "s" && rest >= 1000:
		digits = 0
	case rest >= 100:
		digits = 1
	case rest >= 10:
		digits = 2
	}
	return strconv.FormatFloat(rest, 'f', digits, 64) + " " + unit
}

func (f *benchFlags) print(w io.Writer, r benchResult) error {
	if f.json {
		return json.NewEncoder(w).Encode(r)
	}
	_, err := fmt.Fprintf(w, "%-24s %10s per %s (best %s), first run %s, import %s\n",
		plain.Line(r.Graph), timeText(r.MedianNS), r.Unit, timeText(r.BestNS), timeText(r.FirstMS*1e6), timeText(r.ImportMS*1e6))
	return err
}

// measure imports a graph and times its runs.
func (f *benchFlags) measure(cmd *cobra.Command, dir, name string, row benchRow) (benchResult, error) {
	r := benchResult{Peer: "troupe", Graph: name, Unit: row.Unit}
	def, err := readGraph(filepath.Join(dir, name+".pb"))
	if err != nil {
		return r, err
	}
	g := troupe.NewGraph()
	imported := startClock()
	if err := g.Import(def, ""); err != nil {
		return r, err
	}
	r.ImportMS = imported.ms()
	sess, err := troupe.NewSession(g, f.options(&model{dir: dir}))
	if err != nil {
		return r, err
	}
	defer sess.Close()
	b, err := newBench(cmd.Context(), sess, g, row, f.viaRun)
	if err != nil {
		return r, err
	}
	loaded(cmd)
	return f.time(r, b, row.Work)
}

func (f *benchFlags) options(m *model) *troupe.SessionOptions {
	return f.places.set(&troupe.SessionOptions{Engine: f.engine, Rewrite: f.rewrite, Units: f.units, Threads: f.threads, Timeout: f.timeout, Files: new(fileFlags).policy(m), MapFiles: f.mapFiles})
}

// time times the first run and samples of more, each of so many units of work.
func (f *benchFlags) time(r benchResult, b *bench, work float64) (benchResult, error) {
	compiling := startClock()
	if err := b.prepare(); err != nil {
		return r, err
	}
	r.FirstMS = compiling.ms()
	paceCollector(b.session.MemoryInUse()) // what compiling has left is not to be collected while runs are timed
	running := startClock()
	if err := b.newCaller()(1); err != nil {
		return r, err
	}
	r.FirstMS += running.ms()
	times, err := b.sample(f.callers)
	if err != nil {
		return r, err
	}
	r.MedianNS = times[len(times)/2] / work
	r.BestNS = times[0] / work
	return r, nil
}
