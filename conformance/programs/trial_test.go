package programs_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/conformance/programs"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/nodes/unit/form"
	"github.com/troupe-go/troupe/plan/rewrite"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A trial is a program and what is done with it: some steps of one session.
type trial struct {
	program *programs.Program
	form    programs.Form
	low     *programs.Lowered
	steps   []*step
	callers int // how many run the only step at a time
	passes  rewrite.Passes
	units   form.Passes   // those that make units
	also    []*graph.Node // what is run besides
	stopAt  int           // if not 0, the first step is cancelled when its context is asked that often
}

// viewHeader is what a view takes beside the header of any tensor: what was read of one
// variable and assigned to another is a view.
const viewHeader = 32

// hold notes what a variable holds: scalars lie in it, others have a header.
func (s *step) hold(a *programs.Array) {
	n := a.Bytes()
	if n == 0 && len(a.Dims) == 0 {
		return
	}
	s.held += tensor.HeaderBytes + n
	s.atMost += tensor.HeaderBytes + viewHeader
	if n > 0 {
		s.atMost += max(64, int64(1)<<bits.Len64(uint64(n-1)))
	}
}

// A step is one run, and what it may answer.
type step struct {
	inputs  []*programs.Array
	results []programs.Var
	targets []programs.Var // run, and not fetched
	fed     map[programs.Var]*programs.Array
	want    programs.Outcome
	// Bytes that the variables hold afterwards, at least, and at most: values that
	// kernels made lie in buffers whose sizes are powers of two, which count whole.
	held, atMost int64
	program      *nodes.Program
	init         *nodes.Program
}

// errUnclear says that a program has no determined answer.
var errUnclear = errors.New("unclear")

// newTrial draws a trial.
func newTrial(src programs.Source, o programs.Options) (t *trial, err error) {
	t = &trial{form: programs.Form(src.Int("form", 0, 2))}
	steps := src.Int("steps", 1, 3)
	t.callers = max(1, src.Int("callers", -8, 3))
	if src.Int("cancel", 0, 15) == 15 {
		t.stopAt = src.Int("cancelled at", 1, 40)
	}
	t.program = programs.Random(src, o)
	p := t.program
	if p.Shares {
		t.form = programs.Frames
	}
	if len(p.Variables) > 0 || o.Long {
		t.callers, t.stopAt = 1, 0
	}
	if t.callers > 1 {
		steps = 1
	}
	inside, root := p.Inner()
	memory := p.NewMemory()
	for range steps {
		s := &step{results: p.Results}
		for _, v := range p.Inputs {
			s.inputs = append(s.inputs, programs.Draw(src, p.Types[v]))
		}
		if t.form == programs.Frames {
			switch src.Int("fetch", 0, 7) {
			case 0: // some results
				s.results = s.results[:src.Int("results", 1, len(s.results))]
			case 1: // something else in the root frame
				if len(root) > 0 {
					s.results = append([]programs.Var{root[src.Int("fetched", 0, len(root)-1)]}, s.results...)
				}
			case 2: // something on a branch
				if len(inside) > 0 {
					s.results = append(slices.Clone(s.results), inside[src.Int("fetched", 0, len(inside)-1)])
				}
			case 3: // a target beside a result, or without one
				if len(root) > 0 {
					s.results, s.targets = s.results[:src.Int("results", 0, 1)], root[src.Int("target", 0, len(root)-1):][:1]
				}
			}
			if len(root) > 0 && src.Int("feed", 0, 3) == 0 {
				v := root[src.Int("fed", 0, len(root)-1)]
				if t := p.Types[v]; !slices.Contains(s.results, v) && !slices.Contains(s.targets, v) && !slices.Contains(t.Dims, -1) {
					s.fed = map[programs.Var]*programs.Array{v: programs.Draw(src, t)}
				}
			}
		}
		fed := slices.Sorted(maps.Keys(s.fed))
		if s.want, err = p.Part(s.results, s.targets, fed).Eval(s.inputs, s.fed, memory); err != nil {
			return nil, fmt.Errorf("%w: %w", errUnclear, err)
		}
		for _, a := range memory {
			s.hold(a)
		}
		t.steps = append(t.steps, s)
		if s.want.Fails() && len(p.Variables) > 0 {
			break // what the step did to the variables is not determined
		}
	}
	switch src.Int("rewriting", 0, 3) {
	case 1:
		t.passes = rewrite.Default()
	case 2, 3: // some of the passes that keep bits
		t.passes = rewrite.Passes(src.Int("passes", 0, int(rewrite.All())<<1|1)>>1) & rewrite.Default() // a bit is spare
	}
	t.units = form.AllPasses
	if src.Int("units", 0, 2) == 1 {
		t.units = form.Passes(src.Int("unit passes", 0, int(form.AllPasses)))
	}
	return t, nil
}

// with returns the trial with another program, of which it fetches all results.
func (t *trial) with(p *programs.Program) (*trial, error) {
	u := *t
	u.program, u.low, u.steps = p, nil, nil
	memory := p.NewMemory()
	for _, s := range t.steps {
		n := &step{inputs: s.inputs, results: p.Results}
		var err error
		if n.want, err = p.Eval(s.inputs, nil, memory); err != nil {
			return nil, err
		}
		for _, a := range memory {
			n.hold(a)
		}
		if u.steps = append(u.steps, n); n.want.Fails() && len(p.Variables) > 0 {
			break
		}
	}
	return &u, nil
}

// smaller looks for a trial of a smaller program that is judged wrong too.
func (t *trial) smaller(all []*engine, end time.Time) (*trial, error) {
	var found error
	for again := true; again; {
		again = false
		for _, p := range t.program.Simpler() {
			if time.Now().After(end) {
				break
			}
			u, err := t.with(p)
			if err != nil {
				continue
			}
			if _, err := u.judgeAll(all); err != nil {
				t, found, again = u, err, true
				break
			}
		}
	}
	return t, found
}

// lower writes the program as a graph.
func (t *trial) lower() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	t.low = t.program.Lower(t.form)
	return nil
}

// compile compiles the steps.
func (t *trial) compile() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v\n%s", r, debug.Stack())
		}
	}()
	var init *nodes.Program
	if len(t.low.Init) > 0 {
		if init, err = compile.Graph(context.Background(), t.low.Graph, compile.Spec{Targets: t.low.Init}); err != nil {
			return err
		}
	}
	for i, s := range t.steps {
		if i > 0 && slices.Equal(s.results, t.steps[i-1].results) && slices.Equal(s.targets, t.steps[i-1].targets) && len(s.fed) == 0 && len(t.steps[i-1].fed) == 0 {
			s.init, s.program = init, t.steps[i-1].program
			continue
		}
		spec := compile.Spec{Feeds: slices.Clone(t.low.Inputs), Targets: slices.Clone(t.also), Rewrite: rewrite.Options{Passes: t.passes}, UnitsOff: form.AllPasses &^ t.units, Verify: true}
		for _, v := range s.results {
			spec.Fetches = append(spec.Fetches, t.fetch(v))
		}
		for _, v := range s.targets {
			spec.Targets = append(spec.Targets, t.low.Outputs[v].Op)
		}
		for _, v := range slices.Sorted(maps.Keys(s.fed)) {
			spec.Feeds = append(spec.Feeds, t.low.Outputs[v])
		}
		s.init = init
		if s.program, err = compile.Graph(context.Background(), t.low.Graph, spec); err != nil {
			return err
		}
	}
	return nil
}

func (t *trial) fetch(v programs.Var) graph.Output {
	if i := slices.Index(t.program.Results, v); i >= 0 {
		return t.low.Results[i]
	}
	return t.low.Outputs[v]
}

// judge runs the trial on an engine and says what is wrong.
func (t *trial) judge(e *engine) error {
	before := e.budget.Used()
	resources := &resource.Manager{Budget: e.budget}
	if init := t.steps[0].init; init != nil {
		if err := t.run(e, resources, context.Background(), init, nil, nil); err != nil {
			return fmt.Errorf("initialization: %w", err)
		}
	}
	for i, s := range t.steps {
		ctx, cancel := context.Context(context.Background()), context.CancelFunc(func() {})
		if t.stopAt > 0 && i == 0 {
			ctx, cancel = newCountdown(t.stopAt)
		}
		errs := make([]error, t.callers)
		var wg sync.WaitGroup
		for k := 1; k < t.callers; k++ {
			wg.Go(func() { errs[k] = t.step(e, resources, ctx, s) })
		}
		errs[0] = t.step(e, resources, ctx, s)
		wg.Wait()
		cancel()
		if err := errors.Join(errs...); err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
		if used := e.budget.Used() - before; (used < s.held || used > s.atMost) && (len(t.program.Variables) == 0 || !s.want.Fails()) {
			return fmt.Errorf("step %d: the account says %d bytes, variables hold %d to %d", i, used, s.held, s.atMost)
		}
	}
	resources.Clear()
	if used := e.budget.Used() - before; used != 0 {
		return fmt.Errorf("the account says %d bytes when everything has ended", used)
	}
	return nil
}

// stack is a stack trace in an error.
var stack = regexp.MustCompile(`(?s)\ngoroutine .*?\n (\[node|$)`)

// brief returns an error without stack traces.
func brief(err error) string {
	return fmt.Sprintf("%.3000s", stack.ReplaceAllString(err.Error(), " $1"))
}

// run runs a compiled program. Programs are short: one that takes long never ends.
func (t *trial) run(e *engine, resources *resource.Manager, ctx context.Context, p *nodes.Program, feeds, fetched []tensor.Value) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	s := &kernel.Step{Context: ctx, Resources: resources, PerStep: &resource.Manager{Budget: e.budget}, Pool: e.pool}
	defer s.PerStep.Clear()
	return e.Run(s, p, feeds, fetched)
}

// feeds returns what a step feeds.
func (s *step) feeds() (feeds []tensor.Value) {
	for _, a := range s.inputs {
		feeds = append(feeds, tensor.ValueOf(a.Tensor()))
	}
	for _, v := range slices.Sorted(maps.Keys(s.fed)) {
		feeds = append(feeds, tensor.ValueOf(s.fed[v].Tensor()))
	}
	return feeds
}

// step runs a step and compares.
func (t *trial) step(e *engine, resources *resource.Manager, ctx context.Context, s *step) error {
	feeds := s.feeds()
	fetched := make([]tensor.Value, len(s.results))
	err := t.run(e, resources, ctx, s.program, feeds, fetched)
	if ctx.Err() != nil && status.CodeOf(err) == status.Canceled {
		return nil
	}
	return t.compare(s, feeds, fetched, err)
}

// compare reports what is wrong about the outcome of a step.
func (t *trial) compare(s *step, feeds, fetched []tensor.Value, err error) error {
	for i, a := range s.inputs { // nobody may have written into them
		if b, err := programs.FromValue(feeds[i]); err != nil || !a.Equal(b) {
			return fmt.Errorf("input %d was %v and is %v, %v", i, a, b, err)
		}
	}
	switch {
	case len(s.want.Faults) > 0:
		return t.blame(err, s.want)
	case s.want.Dead():
		if status.CodeOf(err) != status.InvalidArgument || !strings.Contains(err.Error(), "does not have value") {
			return fmt.Errorf("got error %v; a fetched value is dead", err)
		}
		return nil
	case err != nil:
		return fmt.Errorf("got error %w; want %v", err, s.want.Values)
	}
	for i, want := range s.want.Values {
		got, err := programs.FromValue(fetched[i])
		if err != nil || !got.Equal(want) {
			return fmt.Errorf("%v is %v, %v; want %v", s.results[i], got, err, want)
		}
	}
	return nil
}

// blame reports whether an error is one that may come first. Nodes that come of
// functions have longer names, and their frames others.
func (t *trial) blame(err error, want programs.Outcome) error {
	got := status.From(err)
	for _, f := range want.Faults {
		if err == nil || got.Code != f.Code || got.Message != f.Message {
			continue
		}
		if got.Node == f.Node && (got.Tag == f.Tag || t.form != programs.Frames && indices(got.Tag) == indices(f.Tag)) ||
			strings.HasSuffix(got.Node, "/"+f.Node) && indices(got.Tag) == indices(f.Tag) {
			return nil
		}
	}
	if want.Dead() && err != nil && strings.Contains(err.Error(), "does not have value") {
		return fmt.Errorf("got error %v, but something fails; want one of %v", err, want.Faults)
	}
	return fmt.Errorf("got error %v; want one of %v", err, want.Faults)
}

// indices returns the iterations of a tag without the frames' names.
func indices(tag string) string {
	var b strings.Builder
	for _, part := range strings.Split(tag, "/") {
		if i := strings.LastIndexByte(part, '['); i >= 0 {
			b.WriteString(part[i:])
		}
	}
	return b.String()
}

// A countdown is a context that ends when it has been asked some times whether
// it has.
type countdown struct {
	context.Context
	cancel context.CancelFunc
	left   atomic.Int64
}

func newCountdown(n int) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	c := &countdown{Context: ctx, cancel: cancel}
	c.left.Store(int64(n))
	return c, cancel
}

func (c *countdown) ask() {
	if c.left.Add(-1) <= 0 {
		c.cancel()
	}
}

func (c *countdown) Err() error {
	c.ask()
	return c.Context.Err()
}

func (c *countdown) Done() <-chan struct{} {
	c.ask()
	return c.Context.Done()
}

// String returns the trial, to be read.
func (t *trial) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v\n", t.program)
	for i, s := range t.steps {
		fmt.Fprintf(&b, "step %d: inputs %v, fed %v, fetched %v, run %v: want %v %v\n", i, s.inputs, s.fed, s.results, s.targets, s.want.Values, s.want.Faults)
	}
	if t.callers > 1 || t.stopAt > 0 {
		fmt.Fprintf(&b, "%d callers, cancelled at %d\n", t.callers, t.stopAt)
	}
	if t.low != nil {
		fmt.Fprintf(&b, "\n%s", notation.Format(t.low.Graph, notation.Options{}))
	}
	return b.String()
}
