package rewrite

import (
	"context"
	"time"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/status"
)

// Options says how programs are rewritten. The zero value rewrites nothing.
type Options struct {
	Passes Passes
	// Pool shares out the ranges of kernels that run while constants are folded;
	// nil runs them one after another.
	Pool kernel.Pool
	// Device is the full name of the device that the program is for.
	Device string
}

// A Program is what a step needs of a graph and what it is for.
type Program struct {
	Graph   *graph.Graph
	Nodes   []*graph.Node // by id, closed under inputs and controls save for what is fed
	Feeds   []graph.Output
	Fetches []graph.Output
	Targets []*graph.Node
}

// A Stat is what became of a program in one pass.
type Stat struct {
	Pass   string
	Before int // nodes, without feeds
	After  int
	Time   time.Duration
}

// Run rewrites a program: feeds, fetches and targets of what it answers take the
// places of those it got. It answers nil in the place of a program where nothing was to
// be changed. It takes time linear in the size of the program, beside that of the
// kernels that fold constants, and fails soon after ctx has ended with its error;
// it never fails for what is wrong with the program, which is told when that runs.
func Run(ctx context.Context, p Program, o Options) (*Program, []Stat, error) {
	if o.Passes&All() == none || len(p.Nodes) == 0 {
		return nil, nil, nil
	}
	begin := time.Now()
	w, err := newWork(ctx, p, o)
	if w == nil || err != nil {
		return nil, nil, err
	}
	var stats []Stat
	for i := range passes {
		if !o.Passes.has(i) {
			continue
		}
		s := Stat{Pass: passes[i].name, Before: w.size()}
		if err := passes[i].run(w); err != nil {
			return nil, nil, w.giveUp(err)
		}
		if err := w.sweep(); err != nil {
			return nil, nil, w.giveUp(err)
		}
		if check != nil {
			check(w, passes[i].name)
		}
		if i == 0 {
			s.Before = p.Graph.NumNodes() - w.fedAway // what the step does not need was left out before
		}
		now := time.Now()
		s.After, s.Time = w.size(), now.Sub(begin)
		begin = now
		stats = append(stats, s)
	}
	if w.changes == 0 {
		return nil, stats, nil
	}
	q, err := w.finish()
	if err != nil {
		return nil, nil, w.giveUp(err)
	}
	if len(stats) > 0 {
		stats[len(stats)-1].Time += time.Since(begin)
	}
	return q, stats, nil
}

// giveUp is the error of the context, if that is why a pass ended. Else the program is
// run as it is: nothing that a pass meets is a reason not to.
func (w *work) giveUp(err error) error {
	if ended := w.watch.Ask(); ended != nil {
		return ended
	}
	if check != nil {
		panic(err)
	}
	return nil
}

// A work is a program while it is rewritten.
type work struct {
	*graph.Part
	ctx     context.Context
	watch   *status.Watch
	options Options

	fetches []graph.Output
	fetched map[graph.Output][]int // positions in fetches
	targets []*graph.Node          // nil where a target never runs
	aimed   map[*graph.Node][]int  // positions in targets
	fed     map[*graph.Node]bool
	fedAway int // nodes of the original that feeds took the place of

	changes int  // how much was changed since the beginning
	dirty   bool // something was changed since the last sweep
	evaluator
}

// newWork begins to rewrite a program; it is nil for one that cannot be.
func newWork(ctx context.Context, p Program, o Options) (*work, error) {
	part, err := p.Graph.EditPart(ctx, p.Nodes, p.Feeds)
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, nil // as where no placeholder is linked
	}
	w := &work{
		Part: part, ctx: ctx, watch: status.NewWatch(ctx), options: o,
		fetched: map[graph.Output][]int{}, aimed: map[*graph.Node][]int{}, fed: map[*graph.Node]bool{},
	}
	w.evaluator.begin(ctx, o)
	for i, f := range p.Fetches {
		f = w.Output(f)
		w.fetches = append(w.fetches, f)
		w.fetched[f] = append(w.fetched[f], i)
	}
	for i, t := range p.Targets {
		t = w.Copy(t)
		w.targets = append(w.targets, t)
		w.aimed[t] = append(w.aimed[t], i)
	}
	for i, f := range w.Feeds {
		w.fed[f.Op] = true
		if p.Feeds[i].Op.Class() == graph.ClassPlaceholder {
			w.fedAway++
		}
	}
	return w, nil
}

// size is the number of nodes, without feeds.
func (w *work) size() int { return w.NumNodes() - len(w.fed) }

// finish is the program that the passes have made.
func (w *work) finish() (*Program, error) {
	g, err := w.Done()
	if err != nil {
		return nil, err
	}
	q := &Program{Graph: g, Nodes: g.Nodes(), Feeds: w.Feeds, Fetches: w.fetches}
	for _, t := range w.targets {
		if t != nil {
			q.Targets = append(q.Targets, t)
		}
	}
	return q, nil
}

// keeps says whether the step asks for a node by itself: it is a target, or a
// feed, or an output of it is fetched.
func (w *work) keeps(n *graph.Node) bool {
	if w.fed[n] || len(w.aimed[n]) > 0 {
		return true
	}
	for i := range n.NumOutputs() {
		if len(w.fetched[n.Output(i)]) > 0 {
			return true
		}
	}
	return false
}

// replace removes n and puts outputs of others in the place of its own, also where
// they are fetched; who waited for n waits for the others, also as a target.
func (w *work) replace(n *graph.Node, with ...graph.Output) error {
	if err := w.Replace(n, with...); err != nil {
		return err
	}
	w.changes++
	w.dirty = true
	for i := range n.NumOutputs() {
		at := w.fetched[n.Output(i)]
		if len(at) == 0 {
			continue
		}
		delete(w.fetched, n.Output(i))
		w.fetched[with[i]] = append(w.fetched[with[i]], at...)
		for _, k := range at {
			w.fetches[k] = with[i]
		}
	}
	if at := w.aimed[n]; len(at) > 0 {
		delete(w.aimed, n)
		by := with[0].Op
		w.aimed[by] = append(w.aimed[by], at...)
		for _, k := range at {
			w.targets[k] = by
		}
	}
	return nil
}

// become replaces n by a node that is added for it, under n's name.
func (w *work) become(n *graph.Node, spec graph.OpSpec) (*graph.Node, error) {
	spec.Name, spec.Device = w.UniqueName(n.Name()), n.Device()
	by, err := w.Add(spec)
	if err != nil {
		return nil, err
	}
	return by, w.succeed(n, by)
}

// fused is become for a node that is added if it has a kernel.
func (w *work) fused(n *graph.Node, spec graph.OpSpec) error {
	spec.Name, spec.Device = w.UniqueName(n.Name()), n.Device()
	by, err := w.Add(spec)
	if err != nil {
		return w.watch.Ask() // the definition has limits of its own
	}
	if _, err := w.kernel(by); err != nil {
		return w.Remove(by)
	}
	return w.succeed(n, by)
}

// succeed puts by in the place of n, under its name.
func (w *work) succeed(n, by *graph.Node) error {
	name := n.Name()
	w.Inherit(by, n)
	outs := make([]graph.Output, by.NumOutputs())
	for i := range outs {
		outs[i] = by.Output(i)
	}
	if err := w.replace(n, outs...); err != nil {
		return err
	}
	return w.Rename(by, name)
}

// sweep removes what nothing needs any more.
func (w *work) sweep() error {
	if !w.dirty {
		return nil
	}
	w.dirty = false
	needed, err := w.needed()
	if err != nil {
		return err
	}
	var idle []*graph.Node
	for _, n := range w.Nodes() {
		if !needed[n.ID()] {
			idle = append(idle, n)
		}
	}
	w.changes += len(idle)
	return w.Remove(idle...)
}

// needed says of every node, by its ID, whether the step needs it.
func (w *work) needed() ([]bool, error) {
	needed := make([]bool, w.MaxID())
	var stack []*graph.Node
	need := func(n *graph.Node) {
		if n != nil && !needed[n.ID()] {
			needed[n.ID()] = true
			stack = append(stack, n)
		}
	}
	for _, f := range w.fetches {
		need(f.Op)
	}
	for _, t := range w.targets {
		need(t)
	}
	for _, f := range w.Feeds {
		need(f.Op)
	}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if err := w.watch.Steps(1 + n.NumInputs()); err != nil {
			return nil, err
		}
		graph.InputNodes(n, need)
	}
	return needed, nil
}

// prune removes what is not needed: what it finds was never asked for, as the
// program has only what is.
func prune(w *work) error {
	w.dirty = true
	return nil
}
