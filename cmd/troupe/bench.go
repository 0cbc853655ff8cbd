package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/files"
)

// benchFlags are the flags of `troupe bench`.
type benchFlags struct {
	json    bool
	threads int
	callers int
	engine  string
	rewrite string
	viaRun  bool
}

func benchCommand() *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use:   "bench DIR [NAME]...",
		Short: "Measure runs of benchmark graphs",
		Long: `Bench times the graphs that DIR/graphs.json lists, each in DIR/NAME.pb or
DIR/NAME.pb.gz, all of them or those named: one first run, timed apart as the
import is, then samples of as many runs as take 10 ms, for at least a second and
at least 5 samples.
The figures are nanoseconds for a unit of the graph's work: the median and the
best sample. Feeds are made once; results are let go inside the timing. With
several callers all run at once, and a sample's time is divided by all of
their runs.

Runs go through a Callable, or with --run through Session.Run and its maps.`,
		Example: `  troupe bench bench/ while_cond while_nested
  troupe bench bench/ feed_fetch --callers 8 --run --json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0], args[1:]) },
	}
	fl := cmd.Flags()
	fl.BoolVar(&f.json, "json", false, "print a JSON object for each graph")
	fl.IntVar(&f.threads, "threads", 0, "`N` kernels may run at a time, 0 for one a CPU")
	fl.IntVar(&f.callers, "callers", 1, "run from `N` goroutines at once")
	fl.BoolVar(&f.viaRun, "run", false, "go through Session.Run instead of a Callable")
	engineFlag(cmd, &f.engine)
	rewriteFlag(cmd, &f.rewrite)
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
	data, err := os.ReadFile(filepath.Join(dir, "graphs.json"))
	if err != nil {
		return err
	}
	table := map[string]benchRow{}
	if err := json.Unmarshal(data, &table); err != nil {
		return fmt.Errorf("graphs.json: %w", err)
	}
	if f.callers < 1 {
		return fmt.Errorf("--callers %d: at least one is needed", f.callers)
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
			return fmt.Errorf("graphs.json has no graph %q", name)
		}
		result, err := f.measure(cmd, dir, name, row)
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

func (f *benchFlags) print(w io.Writer, r benchResult) error {
	if f.json {
		return json.NewEncoder(w).Encode(r)
	}
	_, err := fmt.Fprintf(w, "%-24s %12.4g ns a %s (best %.4g), first run %.3g ms, import %.3g ms\n",
		r.Graph, r.MedianNS, r.Unit, r.BestNS, r.FirstMS, r.ImportMS)
	return err
}

// measure imports a graph and times its runs.
func (f *benchFlags) measure(cmd *cobra.Command, dir, name string, row benchRow) (benchResult, error) {
	r := benchResult{Peer: "troupe", Graph: name, Unit: row.Unit}
	def, err := readModel(filepath.Join(dir, name+".pb"))
	if err != nil {
		return r, err
	}
	g := troupe.NewGraph()
	imported := startClock()
	if err := g.Import(def, ""); err != nil {
		return r, err
	}
	r.ImportMS = imported.ms()
	sess, err := troupe.NewSession(g, &troupe.SessionOptions{Engine: f.engine, Rewrite: f.rewrite, Threads: f.threads, Files: &files.Policy{Read: []string{dir}}})
	if err != nil {
		return r, err
	}
	defer sess.Close()
	b, err := newBench(cmd.Context(), sess, g, row, f.viaRun)
	if err != nil {
		return r, err
	}
	first := startClock()
	if err := b.prepare(); err != nil {
		return r, err
	}
	if err := b.newCaller()(1); err != nil {
		return r, err
	}
	r.FirstMS = first.ms()
	times, err := b.sample(f.callers)
	if err != nil {
		return r, err
	}
	r.MedianNS = times[len(times)/2] / row.Work
	r.BestNS = times[0] / row.Work
	return r, nil
}
