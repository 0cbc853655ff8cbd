package session

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/plan/rewrite"
	"github.com/troupe-go/troupe/profile"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A program is what a session keeps for one choice of feeds, fetches and
// targets. A graph only grows and its nodes never change, so a program stays
// right for good.
type program struct {
	nodes   *nodes.Program
	passes  []RewritePass
	split   bool            // over several devices
	placed  bool            // there was a choice of devices
	pinned  map[string]int  // see [compile.Spec]
	pieces  []compile.Piece // what is played apart; nil: nodes is played
	batched *nodes.Program  // what is played while others play it, too; nil: there is no loop to batch
	least   int             // how many play it before batched is played
	playing atomic.Int32    // how many play it; counted if there is batched
	away    AwayProgram     // what the session's target plays; nil: this process does
	feeds   []Output
	fetches []Output
	targets []*Operation
	wants   []want    // of the feeds
	calls   sync.Pool // of *call
	once    bool      // it is of one run; see [RunOptions.Once]
}

// begin begins a call of the program of a run, with the run's feeds. The program that
// ran last is found without allocating.
func (s *Session) begin(ctx context.Context, once bool, feeds map[Output]*Tensor, fetches []Output, targets []*Operation) (*call, error) {
	if p := s.last.Load(); p != nil && len(feeds) == len(p.feeds) && slices.Equal(fetches, p.fetches) && slices.Equal(targets, p.targets) {
		c := p.begin(s)
		known, err := c.feedFrom(feeds)
		if known && err == nil {
			return c, nil
		}
		p.end(c)
		if err != nil {
			return nil, err
		}
	}
	p, err := s.programFor(ctx, once, feeds, fetches, targets)
	if err != nil {
		return nil, err
	}
	if !p.once {
		s.last.Store(p)
	}
	c := p.begin(s)
	if known, err := c.feedFrom(feeds); err != nil {
		s.finish(c)
		return nil, err
	} else if known {
		return c, nil
	}
	for i, f := range p.feeds { // the caller's keys are other copies of the operations
		if err := c.feedView(i, lookup(feeds, f)); err != nil {
			s.finish(c)
			return nil, err
		}
	}
	return c, nil
}

// programFor finds or makes the program of a run, which keeps it unless once is set.
func (s *Session) programFor(ctx context.Context, once bool, feeds map[Output]*Tensor, fetches []Output, targets []*Operation) (*program, error) {
	order := make([]Output, 0, len(feeds))
	for f := range feeds {
		c, err := s.canonical("feed", f)
		if err != nil {
			return nil, err
		}
		order = append(order, c)
	}
	slices.SortFunc(order, func(a, b Output) int {
		return cmp.Or(cmp.Compare(a.Op.ID(), b.Op.ID()), cmp.Compare(a.Index, b.Index))
	})
	return s.program(ctx, once, order, fetches, targets)
}

// program finds or makes the program with these feeds, which are canonical,
// in this order.
func (s *Session) program(ctx context.Context, once bool, feeds, fetches []Output, targets []*Operation) (*program, error) {
	p := &program{once: once, feeds: feeds, fetches: make([]Output, len(fetches)), targets: make([]*Operation, len(targets))}
	var err error
	for i, f := range fetches {
		if p.fetches[i], err = s.canonical("fetch", f); err != nil {
			return nil, err
		}
	}
	for i, t := range targets {
		if p.targets[i], err = s.target(t); err != nil {
			return nil, err
		}
	}
	key := p.key()
	if found, ok := s.programs.Load(key); ok {
		return found.(*program), nil
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	if err := p.compile(ctx, s.graph, s); err != nil {
		return nil, err
	}
	if !once {
		found, loaded := s.programs.LoadOrStore(key, p)
		if loaded { // by another caller
			s.discard(p)
			return found.(*program), nil
		}
	}
	s.log.Debug().Int("nodes", p.nodes.NumNodes()).Int("feeds", len(p.feeds)).
		Int("fetches", len(p.fetches)).Int("targets", len(p.targets)).Msg("program compiled")
	return p, nil
}

// discard takes off the account what a program takes that the session does not keep.
func (s *Session) discard(p *program) {
	s.functions.Discard(p.nodes)
	if p.batched != nil {
		s.functions.Discard(p.batched)
	}
	for i := range p.pieces {
		s.functions.Discard(p.pieces[i].Program)
	}
}

// rewriting reports how the session's programs are rewritten.
func (s *Session) rewriting() rewrite.Options {
	return rewrite.Options{Passes: s.passes, Pool: s.pool}
}

// spec returns what the run is for, and how it is compiled.
func (p *program) spec(s *Session) compile.Spec {
	return compile.Spec{
		Feeds: p.feeds, Fetches: p.fetches, Targets: p.targets,
		Functions: s.functions, Rewrite: s.rewriting(), UnitsOff: s.unitsOff,
		Lean:    s.engine.Name() == "actors" && s.runtime == nil,
		Devices: s.places, Pinned: p.pinned, Strict: s.options.StrictPlacement, Cluster: s.options.Processes != nil, Unasked: s.unasked,
	}
}

// compile compiles the run of a graph, which is the session's or made of it.
func (p *program) compile(ctx context.Context, g *Graph, s *Session) (err error) {
	units := s.engine.Name() == "actors"
	if s.runtime != nil {
		if p.pinned, err = s.pins(ctx); err != nil {
			return status.From(err)
		}
	}
	plan, err := compile.Make(ctx, g, p.spec(s))
	if err != nil {
		return status.From(err)
	}
	p.passes, p.split, p.placed = plan.Passes, plan.Split != nil, plan.Placed() != nil
	apart := s.options.SeparateSteps && p.split // the whole is not played then
	if p.nodes, err = plan.Layout(ctx, units && !apart && s.runtime == nil); err != nil {
		return status.From(err)
	}
	if s.runtime != nil {
		if err := p.compileAway(ctx, s, plan); err != nil {
			s.functions.Discard(p.nodes)
			return err
		}
		s.logPlacement(plan)
		return nil
	}
	if apart {
		if p.pieces, err = plan.Pieces(ctx, units); err != nil {
			s.functions.Discard(p.nodes)
			return status.From(err)
		}
	}
	s.logPlacement(plan)
	if s.options.BatchLoops && !apart {
		return p.batch(ctx, g, s)
	}
	return nil
}

// canonical returns the output of the graph's own node that o means.
func (s *Session) canonical(role string, o Output) (Output, error) {
	if o.Op == nil {
		return o, status.Invalid("a %s is the zero Output, or one of a nil Operation, which Graph.Operation gives for a name that the graph does not have", role)
	}
	o = o.Canonical()
	n := o.Op
	if n.Graph() != s.graph {
		return o, status.Errorf(status.NotFound, "the %s %v is of another graph than the session's", role, o)
	}
	if !o.Exists() {
		return o, status.Errorf(status.OutOfRange, "the %s %v does not exist: node '%s' has %s", role, o, n.Name(), status.Count(n.NumOutputs(), "output"))
	}
	return o, nil
}

func (s *Session) target(t *Operation) (*Operation, error) {
	if t == nil {
		return nil, status.Invalid("a target is nil, which Graph.Operation gives for a name that the graph does not have")
	}
	if t.Graph() != s.graph {
		return nil, status.Errorf(status.NotFound, "the target %s is of another graph than the session's", t.Name())
	}
	return t.Output(0).Op, nil // t may be a copy
}

// check refuses what TensorFlow refuses, and notes the feeds' types.
func (p *program) check() error {
	if len(p.fetches) == 0 && len(p.targets) == 0 {
		return status.Invalid("Must specify at least one target to fetch or execute.")
	}
	p.wants = make([]want, len(p.feeds))
	for i, f := range p.feeds {
		if i > 0 && slices.Contains(p.feeds[:i], f) {
			return status.Invalid("Tensor %v is fed more than once", f)
		}
		if slices.Contains(p.fetches, f) {
			return status.Invalid("Tensor %v is both fed and fetched.", f)
		}
		p.wants[i] = want{f, f.DataType().Base(), declared(f)}
	}
	return nil
}

// declared returns the shape that a placeholder declares of what is to be fed; unknown of
// another tensor. Graphs of versions up to 21 say [] where they say nothing.
func declared(f Output) Shape {
	n := f.Op
	if n.Class() != graph.ClassPlaceholder {
		return Shape{}
	}
	s := f.Shape()
	if s.NumDimensions() == 0 && n.Type() == "Placeholder" && n.Graph().Versions().Producer <= 21 {
		return Shape{}
	}
	return s
}

// key returns what programs are cached by: ids and indices, with a mark between
// the lists.
func (p *program) key() string {
	var b []byte
	for _, list := range [][]Output{p.feeds, p.fetches} {
		b = binary.AppendUvarint(b, uint64(len(list)))
		for _, o := range list {
			b = binary.AppendUvarint(b, uint64(o.Op.ID()))
			b = binary.AppendUvarint(b, uint64(o.Index))
		}
	}
	for _, t := range p.targets {
		b = binary.AppendUvarint(b, uint64(t.ID()))
	}
	return string(b)
}

// lookup finds a feed whose key is another copy of the operation.
func lookup(feeds map[Output]*Tensor, f Output) *Tensor {
	for o, t := range feeds {
		if o.Index == f.Index && o.Op.Output(0).Op == f.Op {
			return t
		}
	}
	return nil
}

// A want is what may be fed somewhere.
type want struct {
	feed  Output
	dtype DataType
	shape Shape // that a placeholder declares; else unknown
}

// check refuses a value for it, the feed of index i, that is of another type or shape.
func (w *want) check(i int, v tensor.Value) error {
	if v.DType() != w.dtype {
		return status.Invalid("Expects arg[%d] to be %v but %v is provided: the tensor fed to '%v'", i, w.dtype, v.DType(), w.feed)
	}
	if !w.shape.Accepts(v.Dims()) {
		return status.Invalid("Cannot feed value of shape %s for tensor '%v', which has shape %v", tensor.FormatDims(v.Dims()), w.feed, w.shape)
	}
	return nil
}

// A call is what one run of a program needs beside the engine's own. Calls are
// recycled by their program, so that a run allocates none.
type call struct {
	program *program
	runner  nodes.Runner
	batched nodes.Runner // of the program's batched
	ids     *reserved    // what is left of the block of step numbers that the call has reserved
	step    kernel.Step
	perStep resource.Manager
	values  []tensor.Value // of feeds and fetched
	feeds   []tensor.Value
	fetched []tensor.Value
	spare   []*Tensor   // by fetch: results of an earlier run that this one may use; see RunInto
	partial PartialSide // of a partial run; else nil

	sampler *Sampler // of the latest run that had one
	series  *profile.Series
}

func (p *program) begin(s *Session) *call {
	c, _ := p.calls.Get().(*call)
	if c == nil {
		n := len(p.feeds)
		values := make([]tensor.Value, n+len(p.fetches))
		c = &call{program: p, values: values, feeds: values[:n:n], fetched: values[n:]}
		if p.pieces == nil && p.away == nil {
			c.runner = nodes.NewRunner(s.engine, p.nodes)
			if p.batched != nil {
				c.batched = nodes.NewRunner(s.engine, p.batched)
			}
		}
		s.unused.register(c)
		c.step = kernel.Step{
			Resources: s.resources, State: s.state, PerStep: &c.perStep, Pool: s.pool, Files: s.options.Files, Log: &s.log,
			Maps: s.maps,
			Seed: s.options.Seed, Functions: s.functions, Accelerators: s.accel.streams,
		}
	}
	return c
}

// end releases everything the call held.
func (p *program) end(c *call) {
	c.perStep.Clear()
	// Element by element: as a rule they are few, and what clear calls costs more.
	for i := range c.values {
		if v := &c.values[i]; !v.IsZero() {
			*v = tensor.Value{}
		}
	}
	c.step.Context = nil
	if c.spare != nil {
		for i, t := range c.spare {
			if t != nil { // the step had no use for it
				c.spare[i] = nil
			}
		}
		c.step.Spare = nil
	}
	p.calls.Put(c)
}

// finish ends a call that begin has begun.
func (s *Session) finish(c *call) {
	p := c.program
	p.end(c)
	if p.once {
		s.discard(p)
	}
}

// reclaim takes what fetched holds, for this run to use, and leaves nil there.
func (c *call) reclaim(fetched []*Tensor) {
	if c.spare == nil {
		c.spare = make([]*Tensor, len(fetched))
	}
	for i, t := range fetched {
		if t.Reclaim() {
			c.spare[i] = t
		} else {
			t.Release()
		}
		fetched[i] = nil
	}
	c.step.Spare = c.spare
}

// feedFrom feeds what is known by the program's own feeds; false if one is not there.
func (c *call) feedFrom(feeds map[Output]*Tensor) (known bool, err error) {
	for i, f := range c.program.feeds {
		t, ok := feeds[f]
		if !ok {
			return false, nil
		}
		if err := c.feedView(i, t); err != nil {
			return true, err
		}
	}
	return true, nil
}

// feedView feeds a view of t, which the caller may reshape afterwards.
func (c *call) feedView(i int, t *Tensor) error {
	if t != nil {
		t = t.View()
	}
	return c.feed(i, t)
}

// feed returns the value of feed i.
func (c *call) feed(i int, t *Tensor) error {
	p := c.program
	if t == nil {
		return status.Invalid("the tensor fed to %v is nil", p.feeds[i])
	}
	return c.feedValue(i, tensor.ValueOf(t))
}

func (c *call) feedValue(i int, v tensor.Value) error {
	if err := c.program.wants[i].check(i, v); err != nil {
		return err
	}
	c.feeds[i] = v
	return nil
}
