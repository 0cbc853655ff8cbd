package main

import (
	"fmt"
	"io"
	"net"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/conformance"
	"github.com/troupe-go/troupe/plain"
	"github.com/troupe-go/troupe/serve/client"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/view/live"
)

// runFlags are the flags of `troupe run`.
type runFlags struct {
	feeds, fetches, targets []string
	workers                 string // the session's target, of --target
	cluster                 clusterFlags
	clusterOptions          troupe.ClusterOptions
	signature               string
	tags                    []string
	engine, rewrite, units  string
	threads                 int
	mapFiles                bool
	timeout                 time.Duration
	stats                   bool
	trace                   traceFlag
	sequence                sequenceFlag
	record                  recordFlag
	live                    string
	files                   fileFlags
	places                  deviceFlags
	output                  outputFlags
	remote                  remoteFlags
	findPass                bool
	tolerance               float64
	taken                   func(names []string, values []*troupe.Tensor) // gets results in place of the output
}

func runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run MODEL",
		Short: "Run a graph and print what is fetched",
		Long: `Run feeds tensors into a graph, runs the nodes that the fetches and targets need, and
prints each result as NumPy does, or writes the results to a file.

What runs:
  - a SavedModel: the signature serving_default, or the one that --signature names.
    Feeds and results then go by the signature's names, which "troupe show MODEL"
    lists; --fetch selects some of the results.
  - a model that a server has, at an address: a signature likewise. The server runs it,
    and knows none of the flags about how.
  - with --fetch and --target: those tensors and nodes of the graph.
  - a recorded case without these flags: its recorded steps, with inputs and results
    printed, and the results compared with TensorFlow's.

A feed is NAME=VALUE. NAME is an input of the signature, or any tensor of the graph:
"node:1", or "node" for its first output. VALUE is one of
  - a number, true, false, text, or nested lists in brackets, converted to the type of
    the tensor; in a list, blanks separate texts as commas do, unless quotes hold them;
  - @FILE.npy, a NumPy array; @FILE.npz, the array NAME of an archive; @FILE.npz/ARRAY,
    the array ARRAY. --feed @FILE.npz alone feeds all arrays of the archive by name;
  - @FILE.tensor or @FILE.pb, a serialized TensorProto;
  - for a numeric input with the shape of an image or a batch of images: @FILE with a
    PNG, JPEG, GIF or BMP, decoded to channels from 0 to 255;
  - for a string input: @FILE, the bytes of the file, or [@FILE,@FILE]. A shell takes
    quotes away: --feed 'text=["one text","another"]'.

The graph may read files in the model's own folder and write none; --read and --write
permit more. --max-memory and --max-time limit reading the model and its variables,
--timeout limits each step.

--record writes a page that plays the run on the graph, on any engine: tokens move
through frames and iterations, forwards and backwards, with values of small tensors,
dead tokens, the calls of functions, a flame chart, and the tokens as messages between
nodes. While a run is recorded it executes node by node, without units. --compare shows
an earlier page's run next to it, from the point where the two differ.

--sequence writes a page with every message of a run on the engine "messages", where
each node is an actor: which actor sent what to which, in which iteration, and where
the tokens are. Of a recorded case it is the last step. "messages:N" delivers messages
in another order for each N.

--bisect runs the model as its graph says, on the reference engine without passes, and
as the other flags say, compares the results, and prints which pass of --rewrite or
--units makes them differ, as "elementwise" or "units/chain". The exit status is then 1.

During a long run a terminal shows the iterations per second of the outermost loop;
SIGQUIT (ctrl-\) prints what the step waits for.

` + modelHelp + addressHelp,
		Example: `  troupe run conformance/testdata/control.zip/program_edit_distance
  troupe run model.pb --feed x=[[1,2],[3,4]] --feed w=@weights.npy --fetch y --fetch loss:0
  troupe run train.pb --target init
  troupe run my_model/ --feed x=@image.npy
  troupe run my_model/ --feed x=@image.npy --output results.npz
  troupe run my_model/ --feed text=[cat] --format json | jq .scores.value
  troupe run my_model/ --tags serve,gpu --signature classify --feed image=@cat.jpg
  troupe run http://localhost:8501/v1/models/digits --feed image=@two.png
  troupe run grpcs://models:8500/digits --token-file token --ca ca.pem --feed image=@two.png
  troupe run model.pb --fetch y --target troupe://localhost:2222,localhost:2223
  troupe run loop.pb --feed n=3 --fetch while/Exit --engine messages:1 --sequence run.html
  troupe run loop.pb --feed n=3 --fetch while/Exit --record run.html
  troupe run my_model/ --feed x=@image.npy --bisect
  troupe run loop.pb --feed n=1000000 --fetch while/Exit --timeout 10s --stats`,
		Args: oneModel,
		RunE: func(cmd *cobra.Command, args []string) error {
			if client.IsAddress(args[0]) {
				return f.runRemote(cmd, args[0])
			}
			if err := onlyRemote(cmd, args[0]); err != nil {
				return err
			}
			if f.findPass {
				return f.bisect(cmd, args[0])
			}
			return f.record.around(cmd, args[0], func() error {
				return f.sequence.around(cmd, args[0], &f.engine, func() error { return f.run(cmd, args[0]) })
			})
		},
	}
	fl := cmd.Flags()
	addFeeds(cmd, &f.feeds, "feed a tensor: `NAME=VALUE`, NAME=@FILE, or @FILE.npz for all its arrays (repeatable)")
	fl.StringArrayVar(&f.fetches, "fetch", nil, "fetch and print the tensor `NAME` (repeatable)")
	fl.StringArrayVar(&f.targets, "target", nil, "run `NODE` without fetching from it (repeatable); troupe://HOST:PORT,... runs on workers")
	f.cluster.add(fl)
	fl.StringVar(&f.signature, "signature", "", "run the signature `KEY` of a SavedModel")
	fl.StringSliceVar(&f.tags, "tags", nil, "use the SavedModel's graph with exactly these `TAGS`, separated by commas")
	engineFlag(cmd, &f.engine)
	rewriteFlag(cmd, &f.rewrite)
	unitsFlag(cmd, &f.units)
	f.places.add(cmd)
	fl.IntVar(&f.threads, "threads", 0, "run up to `N` kernels at a time; 0 is one per CPU")
	fl.DurationVar(&f.timeout, "timeout", 0, "fail a step after this `DURATION`, such as 1.5s; 0 is no limit")
	mapFlag(fl, &f.mapFiles)
	f.files.add(cmd)
	f.output.add(cmd)
	f.remote.add(fl)
	f.trace.add(cmd)
	f.sequence.add(cmd)
	f.record.add(cmd)
	fl.BoolVar(&f.findPass, "bisect", false, "find the compiler pass by which results differ from those of the graph as it is written")
	fl.Float64Var(&f.tolerance, "tolerance", 1e-4, "with --bisect, let floats differ by this `SHARE` of the largest one of a result")
	fl.StringVar(&f.live, "live", "", "serve the live page at `ADDRESS`, such as localhost:6060, while the step runs; \"troupe top\" shows it too")
	fl.BoolVar(&f.stats, "stats", false, "print time, memory and rewriting statistics of each step")
	completeSignatures(cmd)
	return cmd
}

// mapFlag adds the flag that maps checkpoints.
func mapFlag(fl *pflag.FlagSet, mapFiles *bool) {
	fl.BoolVar(mapFiles, "map-files", false, "map the variables of a SavedModel into memory, where processes share them, instead of reading them; its files must stay as they are")
}

func (f *runFlags) run(cmd *cobra.Command, path string) (err error) {
	if f.workers, err = f.away(); err != nil {
		return err
	}
	if f.clusterOptions, err = f.cluster.resolve(); err != nil {
		return err
	}
	if f.workers != "" {
		if err := reach(cmd.Context(), f.workers, &f.clusterOptions); err != nil {
			return failure{err}
		}
	}
	m, err := findModel(cmd, path)
	if err != nil {
		return failure{err}
	}
	if m.folder == "" && (f.signature != "" || f.tags != nil) {
		return fmt.Errorf("--signature and --tags need a SavedModel")
	}
	if m.script != nil && len(f.feeds)+len(f.fetches)+len(f.targets) == 0 {
		if f.output.given() {
			return fmt.Errorf("--output and --format need --fetch or a signature; a recorded case prints its results")
		}
		if f.findPass {
			return fmt.Errorf("--bisect needs --fetch or a signature; `troupe conformance --bisect` is for recorded cases")
		}
		if f.trace.asked() {
			return fmt.Errorf("--trace needs --fetch, --target or a signature; `troupe profile --trace` traces a recorded case")
		}
		loaded(cmd)
		return f.play(cmd, m.script)
	}
	if f.tags != nil {
		m.tags = f.tags
	}
	if m.folder != "" && (f.signature != "" || len(f.fetches)+len(f.targets) == 0) {
		return f.runSignature(cmd, m)
	}
	if len(f.fetches)+len(f.targets) == 0 {
		return fmt.Errorf("nothing to run: give --fetch NAME or --target NODE%s", ends(m.graph))
	}
	if err := f.output.resolve(len(f.fetches)); err != nil && len(f.fetches) > 0 {
		return err
	}
	sess, err := m.open(cmd, f.options(m))
	if err != nil {
		return err
	}
	defer sess.Close()
	feeds, fetches, targets, err := f.resolve(m.graph)
	if err != nil {
		return fmt.Errorf("%w%s", err, f.nodesOfSignature(m))
	}
	loaded(cmd)
	defer monitor(cmd.Context(), sess, cmd.ErrOrStderr())()
	if f.live != "" {
		stop, err := liveAt(f.live, plain.Line(filepath.Base(path)), live.Of(sess), cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		defer stop()
	}

	var meta troupe.RunMetadata
	values, err := sess.RunWithOptions(cmd.Context(), troupe.RunOptions{Timeout: f.timeout, Metadata: &meta, Profile: f.trace.asked() || f.stats && len(f.places.devices) > 0}, feeds, fetches, targets)
	if traced := f.trace.write(&meta); traced != nil {
		return traced
	}
	if f.stats {
		printStats(cmd.ErrOrStderr(), &meta)
	}
	if err != nil {
		return failure{err}
	}
	return f.print(cmd, f.fetches, values)
}

// ends reports which nodes of a graph give what no other takes, which is what most people
// want to fetch; it is for the end of an error.
func ends(g *troupe.Graph) string {
	const few = 6
	if g.NumNodes() == 0 {
		return "; the graph has no nodes"
	}
	var names []string
	for _, n := range g.Nodes() {
		taken := n.NumOutputs() == 0 || n.Type() == "Const" || n.Type() == "Placeholder"
		for i := range n.NumOutputs() {
			taken = taken || len(n.Output(i).Consumers()) > 0
		}
		if !taken {
			names = append(names, n.Name())
		}
	}
	switch {
	case len(names) == 0:
		return ""
	case len(names) > few:
		return fmt.Sprintf("; the graph ends in %s and %s", strings.Join(names[:few], ", "), count(len(names)-few, "other"))
	}
	return "; the graph ends in " + strings.Join(names, ", ")
}

// print writes what was fetched.
func (f *runFlags) print(cmd *cobra.Command, names []string, values []*troupe.Tensor) error {
	if f.taken != nil {
		f.taken(names, values)
		return nil
	}
	if err := f.output.write(cmd.OutOrStdout(), names, values); err != nil {
		return failure{err}
	}
	return nil
}

func (f *runFlags) options(m *model) *troupe.SessionOptions {
	return f.places.set(&troupe.SessionOptions{
		Engine: f.engine, Rewrite: f.rewrite, Units: f.units, Threads: f.threads, Timeout: f.timeout, Files: f.files.policy(m),
		Target: f.workers, Cluster: f.clusterOptions, MapFiles: f.mapFiles,
	})
}

// resolve finds what the flags name.
func (f *runFlags) resolve(g *troupe.Graph) (map[troupe.Output]*troupe.Tensor, []troupe.Output, []*troupe.Operation, error) {
	feeds := map[troupe.Output]*troupe.Tensor{}
	for _, arg := range f.feeds {
		o, t, err := parseFeed(g, arg)
		if err != nil {
			return nil, nil, nil, err
		}
		if _, twice := feeds[o]; twice {
			return nil, nil, nil, fmt.Errorf("--feed %v given more than once", o)
		}
		feeds[o] = t
	}
	var fetches []troupe.Output
	for _, name := range f.fetches {
		o, err := findOutput(g, name)
		if err != nil {
			return nil, nil, nil, fmt.Errorf("--fetch %s: %w%s", name, err, severalFetches(name))
		}
		fetches = append(fetches, o)
	}
	var targets []*troupe.Operation
	for _, name := range f.targets {
		op, err := findOperation(g, name)
		if err != nil {
			if _, port, not := net.SplitHostPort(name); not == nil && len(port) > 1 {
				return nil, nil, nil, fmt.Errorf("--target %s: %w (workers are given as troupe://%s)", name, err, name)
			}
			return nil, nil, nil, fmt.Errorf("--target %s: %w", name, err)
		}
		targets = append(targets, op)
	}
	return feeds, fetches, targets, nil
}

// play runs the recorded steps of a case.
func (f *runFlags) play(cmd *cobra.Command, s *conformance.Script) error {
	out := cmd.OutOrStdout()
	fmt.Fprintln(out, s.About)
	different := false
	cfg := conformance.Config{
		Engine:        f.engine,
		Rewrite:       f.rewrite,
		Units:         f.units,
		Threads:       f.threads,
		SeparateSteps: f.places.apart,
		Timeout:       f.timeout,
		Opened: func(sess *session.Session) func() {
			return monitor(cmd.Context(), (*troupe.Session)(sess), cmd.ErrOrStderr())
		},
	}
	cfg.Target, cfg.Bound = f.workers, f.clusterOptions.Bound
	err := s.Play(cmd.Context(), cfg, func(i int, o conformance.Outcome) error {
		if len(s.Steps) > 1 {
			fmt.Fprintf(out, "\nstep %d\n", i)
		} else {
			fmt.Fprintln(out)
		}
		step := &s.Steps[i]
		for _, name := range sorted.Keys(step.Feeds) {
			if t, err := s.Tensor(step.Feeds[name]); err == nil {
				printValue(out, name, "<-", t)
			}
		}
		for k, t := range o.Fetched {
			printValue(out, step.Fetches[k], "=", t)
		}
		if o.Err != nil {
			fmt.Fprintln(out, o.Err)
		}
		if f.stats {
			fmt.Fprintf(cmd.ErrOrStderr(), "step %d: %v\n", i, o.Elapsed)
		}
		if err := s.Judge(i, o); err != nil {
			different = true
			fmt.Fprintf(out, "-- differs from TensorFlow: %v\n", err)
		} else {
			fmt.Fprintln(out, "-- matches TensorFlow")
		}
		return nil
	})
	if err != nil {
		return failure{err}
	}
	if different {
		return failure{}
	}
	return nil
}

// printValue prints "name = value", a value of several lines below the name.
func printValue(w io.Writer, name, sign string, t *troupe.Tensor) {
	text, sep := t.String(), " "
	if strings.Contains(text, "\n") {
		sep = "\n"
	}
	fmt.Fprintf(w, "%s %s%s%s\n", name, sign, sep, text)
}

func printStats(w io.Writer, m *troupe.RunMetadata) {
	fmt.Fprintf(w, "step %d on %s: %v, %d nodes in the program, %d bytes allocated, GOMAXPROCS %d\n",
		m.StepID, m.Engine, m.Elapsed, m.Nodes, m.Allocated, runtime.GOMAXPROCS(0))
	for _, p := range m.Rewritten {
		fmt.Fprintf(w, "  %-12s %6d of %d nodes removed in %v\n", p.Pass, p.Before-p.After, p.Before, p.Time.Round(time.Microsecond))
	}
	printTransfers(w, m.Transfers)
	printMemory(w, m.Devices)
}
