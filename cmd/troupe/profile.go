package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/profile"
	"github.com/troupe-go/troupe/tensor"
)

// profileFlags are the flags of `troupe profile`.
type profileFlags struct {
	runFlags
	runs, top                 int
	page, metadata, costGraph string
}

func profileCommand() *cobra.Command {
	var f profileFlags
	cmd := &cobra.Command{
		Use:   "profile MODEL",
		Short: "Show where the time of a run goes",
		Long: `Profile runs a model repeatedly, after one run that compiles it, and prints the time of
an average run by operation, by node, and along the critical path: the chain of nodes
that bounds the time on any number of cores. Recording costs some tens of nanoseconds
for each node; where that is more than 2% of a run only a sample of the runs is
recorded, and the first line prints how many. On workers every run is recorded.

Of a SavedModel it runs a signature, of a recorded case the first step, of other graphs
what --fetch and --target name, or else all outputs without consumers. Numeric inputs
that are not fed get a ramp from -0.5 to 0.5, with 1 for unknown dimensions.

` + modelHelp,
		Example: `  troupe profile model/ --feed x=@x.npy --page profile.html
  troupe profile graph.pb --fetch logits --runs 100 --trace trace.json`,
		Args: oneModel,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	fl := cmd.Flags()
	addFeeds(cmd, &f.feeds, "feed a tensor: `NAME=VALUE`, NAME=@FILE, or @FILE.npz for all its arrays (repeatable)")
	fl.StringArrayVar(&f.fetches, "fetch", nil, "fetch the tensor `NAME` (repeatable)")
	fl.StringArrayVar(&f.targets, "target", nil, "run `NODE` without fetching from it (repeatable); troupe://HOST:PORT,... runs on workers")
	f.cluster.add(fl)
	fl.StringVar(&f.signature, "signature", "", "run the signature `KEY` of a SavedModel")
	fl.StringSliceVar(&f.tags, "tags", nil, "use the SavedModel's graph with exactly these `TAGS`, separated by commas")
	fl.IntVar(&f.runs, "runs", 0, "profile `N` runs; 0 is as many as take a second")
	fl.IntVar(&f.top, "top", 20, "print the `N` slowest nodes")
	fl.StringVar(&f.page, "page", "", "write an HTML page of all nodes to `FILE`")
	f.trace.add(cmd)
	fl.StringVar(&f.metadata, "metadata", "", "record one more run in full, and write it to `FILE` as TensorFlow's message RunMetadata")
	fl.StringVar(&f.costGraph, "cost-graph", "", "write the cost model to `FILE` as TensorFlow's message CostGraphDef")
	engineFlag(cmd, &f.engine)
	rewriteFlag(cmd, &f.rewrite)
	f.places.add(cmd)
	fl.IntVar(&f.threads, "threads", 0, "run up to `N` kernels at a time; 0 is one per CPU")
	fl.DurationVar(&f.timeout, "timeout", 0, "fail a step after this `DURATION`, such as 1.5s; 0 is no limit")
	f.files.add(cmd)
	return cmd
}

func (f *profileFlags) run(cmd *cobra.Command, path string) error {
	if f.runs < 0 || f.top < 0 {
		return fmt.Errorf("--runs and --top must not be negative")
	}
	var err error
	if f.workers, err = f.away(); err != nil {
		return err
	}
	if f.clusterOptions, err = f.cluster.resolve(); err != nil {
		return err
	}
	m, err := loadModel(cmd, path)
	if err != nil {
		return failure{err}
	}
	if f.tags != nil {
		m.tags = f.tags
	}
	sess, err := m.open(cmd, f.options(m))
	if err != nil {
		return err
	}
	defer sess.Close()
	if err := f.choose(m); err != nil {
		return err
	}
	given, fetches, targets, err := f.resolve(m.graph)
	if err != nil {
		return err
	}
	feeds, err := f.feedRest(m, given, fetches, targets, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	loaded(cmd)
	var order []troupe.Output
	var values []*troupe.Tensor
	for o, t := range feeds {
		order, values = append(order, o), append(values, t)
	}
	call, err := sess.MakeCallableContext(cmd.Context(), order, fetches, targets)
	if err != nil {
		return failure{err}
	}
	if _, err := call.Call(cmd.Context(), values...); err != nil {
		return failure{err}
	}
	model, err := f.measure(cmd.Context(), call, values)
	if err != nil {
		return failure{err}
	}
	var last troupe.RunMetadata
	if f.trace.asked() || f.metadata != "" {
		if _, err := call.CallWithOptions(cmd.Context(), troupe.RunOptions{Metadata: &last, Profile: true}, values...); err != nil {
			return failure{err}
		}
	}
	return f.write(cmd.OutOrStdout(), filepath.Base(path), model, &last)
}

// measure adds up runs.
func (f *profileFlags) measure(ctx context.Context, call *troupe.Callable, values []*troupe.Tensor) (*profile.Model, error) {
	var sampler troupe.Sampler
	var model profile.Model
	begin := time.Now()
	for n := 1; ; n++ {
		options := troupe.RunOptions{Sampler: &sampler}
		if f.workers != "" { // which record single runs
			options = troupe.RunOptions{Metadata: &troupe.RunMetadata{}, Profile: true}
		}
		if _, err := call.CallWithOptions(ctx, options, values...); err != nil {
			return nil, err
		}
		if f.workers != "" {
			model.Add(options.Metadata.Stats)
		}
		if n == f.runs || f.runs == 0 && time.Since(begin) > time.Second {
			if f.workers != "" {
				return &model, nil
			}
			return sampler.Model(), nil
		}
	}
}

// write writes the table, and the files that were asked for.
func (f *profileFlags) write(out io.Writer, title string, model *profile.Model, last *troupe.RunMetadata) error {
	if err := model.WriteTable(shortened(out), f.top); err != nil {
		return failure{err}
	}
	if err := f.trace.write(last); err != nil {
		return err
	}
	for _, file := range []struct {
		path  string
		write func(io.Writer) error
	}{
		{f.page, func(w io.Writer) error { return model.WritePage(w, title) }},
		{f.metadata, func(w io.Writer) error { _, err := w.Write(last.Stats.AppendRunMetadata(nil)); return err }},
		{f.costGraph, func(w io.Writer) error { _, err := w.Write(model.AppendCostGraph(nil)); return err }},
	} {
		if file.path == "" {
			continue
		}
		if err := writeFile(file.path, file.write); err != nil {
			return err
		}
	}
	return nil
}

// choose sets what is fetched where the flags do not say it.
func (f *profileFlags) choose(m *model) error {
	if len(f.fetches)+len(f.targets) > 0 {
		return nil
	}
	switch {
	case m.script != nil:
		f.fetches, f.targets = m.script.Steps[0].Fetches, m.script.Steps[0].Targets
	case m.folder != "":
		return f.chooseSignature(m)
	default:
		frames, err := m.graph.Frames()
		if err != nil {
			return failure{err}
		}
		for _, op := range m.graph.Nodes() {
			if frames.Out(op.ID(), op.Class().FrameKind()) != 0 {
				continue // in a loop
			}
			for i := range op.NumOutputs() {
				if o := op.Output(i); len(o.Consumers()) == 0 && op.Class() != graph.ClassPlaceholder {
					f.fetches = append(f.fetches, o.String())
				}
			}
		}
	}
	if len(f.fetches)+len(f.targets) == 0 {
		return fmt.Errorf("nothing to run: give --fetch NAME or --target NODE")
	}
	return nil
}

// chooseSignature fetches what a signature answers; feeds go by its names or by
// those of tensors.
func (f *profileFlags) chooseSignature(m *model) error {
	key := f.signature
	if key == "" {
		key = defaultSignature
	}
	for _, g := range m.saved {
		sig, ok := g.Signatures[key]
		if !ok || fmt.Sprint(g.Tags) != fmt.Sprint(m.tags) {
			continue
		}
		names, operations := resultsOf(sig)
		for _, name := range names {
			f.fetches = append(f.fetches, sig.Outputs[name].Name)
		}
		f.targets = append(f.targets, operations...)
		for i, arg := range f.feeds {
			name, _, _ := strings.Cut(arg, "=")
			if _, ok := sig.Inputs[name]; !ok && m.graph.Operation(strings.Split(name, ":")[0]) == nil {
				return unknownInput(name, sig, key)
			}
			f.feeds[i] = renamed(arg, sig.Inputs)
		}
		return nil
	}
	return fmt.Errorf("no signature %q for the tags %v; `troupe show` lists them", key, m.tags)
}

// renamed is "NAME=…" with the tensor in place of the name of an input, which still
// names the array of an archive.
func renamed(feed string, inputs map[string]troupe.TensorInfo) string {
	for name, info := range inputs {
		if rest, ok := cutName(feed, name); ok {
			if strings.HasPrefix(rest, "=@") && strings.HasSuffix(rest, ".npz") {
				rest += "/" + name
			}
			return info.Name + rest
		}
	}
	return feed
}

// cutName is feed without name, if an equals sign comes next.
func cutName(feed, name string) (rest string, ok bool) {
	if len(feed) > len(name) && feed[:len(name)] == name && feed[len(name)] == '=' {
		return feed[len(name):], true
	}
	return "", false
}

// feedRest returns what is fed: what was given, and values for the placeholders besides
// that are needed.
func (f *profileFlags) feedRest(m *model, given map[troupe.Output]*troupe.Tensor, fetches []troupe.Output, targets []*troupe.Operation, say io.Writer) (map[troupe.Output]*troupe.Tensor, error) {
	if m.script != nil && len(given) == 0 {
		for name, file := range m.script.Steps[0].Feeds {
			o, err := findOutput(m.graph, name)
			if err != nil {
				return nil, err
			}
			if given[o], err = m.script.Tensor(file); err != nil {
				return nil, err
			}
		}
	}
	from := append([]*troupe.Operation{}, targets...)
	for _, o := range fetches {
		from = append(from, o.Op)
	}
	var err error
	fed := func(n *troupe.Operation) bool {
		for i := range n.NumOutputs() {
			if given[n.Output(i)] == nil {
				return false
			}
		}
		return n.NumOutputs() > 0
	}
	graph.DepthFirst(from, func(n *troupe.Operation, yield func(*troupe.Operation)) {
		if !fed(n) {
			graph.InputNodes(n, yield)
		}
	}, func(n *troupe.Operation) {
		if n.Class() != graph.ClassPlaceholder || n.Type() != "Placeholder" || fed(n) || err != nil {
			return
		}
		o := n.Output(0)
		feed := benchFeed{DType: o.DataType().String(), Value: []byte(`"ramp"`)}
		for i := range max(o.Shape().NumDimensions(), 0) {
			feed.Shape = append(feed.Shape, max(o.Shape().Size(i), 1))
		}
		if n, tooMany := tensor.NumElements(o.DataType(), feed.Shape); tooMany != nil || n > 1<<28 {
			err = fmt.Errorf("%v is not fed, and a made-up tensor of shape %v would be too large: give --feed", o, o.Shape())
			return
		}
		if given[o], err = feed.tensor(); err != nil {
			err = fmt.Errorf("%v is not fed: %w; give --feed %s=VALUE", o, err, n.Name())
			return
		}
		fmt.Fprintf(say, "%v is not fed: using a ramp, %v %v\n", o, o.DataType(), feed.Shape)
	}, nil)
	return given, err
}
