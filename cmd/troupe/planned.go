package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/sorted"
)

// plannedFlags say which run is shown by `troupe show --units`, `--rewritten` and `--passes`.
type plannedFlags struct {
	feeds, fetches, targets   []string
	signature, rewrite, units string
	places                    deviceFlags
	form                      func(io.Writer, *troupe.Callable) error // what is shown of a run
}

func (f *plannedFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	addFeeds(cmd, &f.feeds, "feed the tensor `NAME[=VALUE]` in the run that is shown (repeatable)")
	fl.StringArrayVar(&f.fetches, "fetch", nil, "fetch the tensor `NAME` in the run that is shown (repeatable)")
	fl.StringArrayVar(&f.targets, "target", nil, "run `NODE` in the run that is shown (repeatable)")
	rewriteFlag(cmd, &f.rewrite)
	fl.Var(&f.places.devices, "devices", "show the placement of a run on these `DEVICES`, as for run, and the edges between devices")
	fl.StringVar(&f.places.device, "device", "", "with --devices: place nodes without a device on `DEVICE`, such as /cpu:1")
	fl.BoolVar(&f.places.strict, "strict-placement", false, "with --devices: fail if a node requests a device that does not exist")
	fl.StringVar(&f.signature, "signature", "", "show the signature `KEY` of a SavedModel")
}

func (f *plannedFlags) named() bool { return len(f.feeds)+len(f.fetches)+len(f.targets) > 0 }

func (f *plannedFlags) options(m *model) *troupe.SessionOptions {
	return f.places.set(&troupe.SessionOptions{Rewrite: f.rewrite, Units: f.units, Files: new(fileFlags).policy(m)})
}

func (f *plannedFlags) show(cmd *cobra.Command, path string) error {
	m, err := findModel(cmd, path)
	if err != nil {
		return failure{err}
	}
	out := cmd.OutOrStdout()
	switch {
	case m.folder != "" && !f.named():
		return f.signatures(out, m)
	case f.signature != "":
		return fmt.Errorf("--signature %s needs a SavedModel, and excludes --feed, --fetch and --target", f.signature)
	case m.script != nil && !f.named():
		failed := error(nil)
		err := m.script.Callables(f.rewrite, f.units, func(i int, c *session.Callable, err error) {
			if len(m.script.Steps) > 1 {
				fmt.Fprintf(out, "step %d\n", i)
			}
			if err != nil {
				failed = failure{}
				fmt.Fprintln(cmd.ErrOrStderr(), "troupe:", err)
				return
			}
			if err := f.form(out, (*troupe.Callable)(c)); err != nil {
				failed = err
			}
		})
		if err != nil {
			return failure{err}
		}
		return failed
	case len(f.fetches)+len(f.targets) == 0:
		return fmt.Errorf("nothing to run: give --fetch NAME or --target NODE")
	}
	return f.run(out, m)
}

// run shows the run that the flags name.
func (f *plannedFlags) run(w io.Writer, m *model) error {
	if err := m.importGraph(); err != nil {
		return failure{err}
	}
	feeds, fetches, targets, err := f.find(m.graph)
	if err != nil {
		return err
	}
	sess, err := troupe.NewSession(m.graph, f.options(m))
	if err != nil {
		return failure{err}
	}
	defer sess.Close()
	return f.prepare(w, sess, feeds, fetches, targets)
}

// find returns what the flags name in a graph.
func (f *plannedFlags) find(g *troupe.Graph) (feeds, fetches []troupe.Output, targets []*troupe.Operation, err error) {
	for _, arg := range f.feeds {
		name, _, _ := strings.Cut(arg, "=")
		o, err := findOutput(g, name)
		if err != nil {
			return nil, nil, nil, fmt.Errorf("--feed %s: %w", name, err)
		}
		feeds = append(feeds, o)
	}
	for _, name := range f.fetches {
		o, err := findOutput(g, name)
		if err != nil {
			return nil, nil, nil, fmt.Errorf("--fetch %s: %w%s", name, err, severalFetches(name))
		}
		fetches = append(fetches, o)
	}
	for _, name := range f.targets {
		op, err := findOperation(g, name)
		if err != nil {
			return nil, nil, nil, fmt.Errorf("--target %s: %w", name, err)
		}
		targets = append(targets, op)
	}
	return feeds, fetches, targets, nil
}

// signatures shows the runs that a SavedModel's signatures are.
func (f *plannedFlags) signatures(w io.Writer, m *model) error {
	return f.each(m, func(key string, loaded *troupe.SavedModel, feeds, fetches []troupe.Output) error {
		fmt.Fprintf(w, "signature %s\n", key)
		return f.prepare(w, loaded.Session, feeds, fetches, nil)
	})
}

// each calls do with each signature of a SavedModel, or with the one that is named.
func (f *plannedFlags) each(m *model, do func(key string, loaded *troupe.SavedModel, feeds, fetches []troupe.Output) error) error {
	loaded, err := troupe.LoadSavedModel(m.folder, m.tags, f.options(m))
	if err != nil {
		return failure{err}
	}
	defer loaded.Session.Close()
	own := ofUser(loaded.Signatures)
	if len(own) == 0 {
		return fmt.Errorf("the model has no signatures: give --fetch NAME or --target NODE")
	}
	if _, ok := loaded.Signatures[f.signature]; !ok && f.signature != "" {
		return fmt.Errorf("--signature %s: the model has %s", f.signature, strings.Join(sorted.Keys(own), ", "))
	}
	for _, key := range sorted.Keys(own) {
		if f.signature != "" && key != f.signature {
			continue
		}
		feeds, fetches, err := runOf(loaded.Graph, key, loaded.Signatures[key])
		if err != nil {
			return failure{err}
		}
		if len(fetches) == 0 {
			continue // as of a signature that only initializes
		}
		if err := do(key, loaded, feeds, fetches); err != nil {
			return err
		}
	}
	return nil
}

// runOf returns the feeds and fetches that a signature is, by their names in order.
func runOf(g *troupe.Graph, key string, sig troupe.Signature) (feeds, fetches []troupe.Output, err error) {
	var lists [2][]troupe.Output
	for k, infos := range []map[string]troupe.TensorInfo{sig.Inputs, sig.Outputs} {
		for _, name := range sorted.Keys(infos) {
			if infos[name].Name == "" || isOperation(infos[name]) {
				continue // made of several tensors, or of none
			}
			o, err := findOutput(g, infos[name].Name)
			if err != nil {
				return nil, nil, fmt.Errorf("signature %s: %w", key, err)
			}
			lists[k] = append(lists[k], o)
		}
	}
	return lists[0], lists[1], nil
}

func (f *plannedFlags) prepare(w io.Writer, sess *troupe.Session, feeds, fetches []troupe.Output, targets []*troupe.Operation) error {
	c, err := sess.MakeCallable(feeds, fetches, targets)
	if err != nil {
		return failure{err}
	}
	return f.form(w, c)
}

// writeRewritten prints the graph of a run as it was rewritten, and what the passes
// saved.
func writeRewritten(ctx context.Context, w io.Writer, c *troupe.Callable) error {
	text, passes, err := c.Rewritten(ctx)
	if err != nil {
		return failure{err}
	}
	_, err = fmt.Fprint(w, text, passesText(passes))
	return err
}

// passesText lists what passes saved.
func passesText(passes []troupe.RewritePass) string {
	var b strings.Builder
	for _, p := range passes {
		if p.After > p.Before {
			fmt.Fprintf(&b, "%-12s %6d added to %s\n", p.Pass, p.After-p.Before, count(p.Before, "node"))
			continue
		}
		fmt.Fprintf(&b, "%-12s %6d of %s removed\n", p.Pass, p.Before-p.After, count(p.Before, "node"))
	}
	return b.String()
}

// allPasses is the value of --passes for all of them.
const allPasses = "all"

// A passWriter prints what passes make of a run: all of them, or the named one.
type passWriter struct {
	w     io.Writer
	name  string
	ran   []string // the passes so far
	last  string
	found bool // the named one
}

// pass prints the text after a pass if it is wanted and has changed.
func (p *passWriter) pass(pass, text string) {
	if !slices.Contains(p.ran, pass) {
		p.ran = append(p.ran, pass)
	}
	switch {
	case p.name != allPasses && pass != p.name:
	case p.name == allPasses && text == p.last:
		fmt.Fprintf(p.w, "pass %s: no change\n", pass)
	default:
		p.found = true
		fmt.Fprintf(p.w, "pass %s\n%s", pass, text)
	}
	p.last = text
}

// writePasses prints the graph of a run after each pass that changed it, or after the named
// one.
func writePasses(ctx context.Context, w io.Writer, c *troupe.Callable, name string) error {
	p := passWriter{w: w, name: name}
	if err := c.EachPass(ctx, p.pass); err != nil {
		return failure{err}
	}
	if !p.found && name != allPasses {
		return fmt.Errorf("--passes %s: no such pass over this run; those that run are %s", name, strings.Join(p.ran, ", "))
	}
	return nil
}

// writeUnitPasses prints the units of a run after each pass that changed them, or after the
// named one.
func writeUnitPasses(ctx context.Context, w io.Writer, c *troupe.Callable, name string) error {
	p := passWriter{w: w, name: name}
	err := c.EachUnitPass(ctx, p.pass)
	switch {
	case err != nil:
		return failure{err}
	case len(p.ran) == 0:
		return fmt.Errorf("--units --passes %s: the run has no units; --units says why", name)
	case !p.found && name != allPasses:
		return fmt.Errorf("--units --passes %s: no such pass of units; those that run are %s", name, strings.Join(p.ran, ", "))
	}
	return nil
}

// writePlan prints how a run is played, and sums it up.
func writePlan(ctx context.Context, w io.Writer, c *troupe.Callable) error {
	p, err := c.Plan(ctx)
	if err != nil {
		return failure{err}
	}
	_, err = fmt.Fprint(w, planText(p))
	return err
}

// planText returns how a run is played, and sums it up.
func planText(p troupe.Plan) string {
	text := fmt.Sprintf("%v%s, %d of them units", p, count(len(p.Loops), "loop"), p.Units())
	if p.Form != "" {
		text += "; the run is one unit as a whole"
	}
	return text + "\n"
}

// writeBatching prints which loops of a run are batched, and why others are not.
func writeBatching(ctx context.Context, w io.Writer, c *troupe.Callable) error {
	text, err := c.Batching(ctx)
	if err != nil {
		return failure{err}
	}
	if text == "" {
		text = "no loop\n"
	}
	_, err = io.WriteString(w, text)
	return err
}
