package session

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A partial run is an ordinary step of a graph made for it: the session's
// graph, in which each feed is the output of a node that waits for its value,
// and each fetch the input of a node that hands it over. A dead value is not
// handed over; so that nobody waits for it, a third node, behind a
// ControlTrigger, says when a fetch is settled either way.
const (
	opFeed    = "_PartialFeed"
	opFetch   = "_PartialFetch"
	opSettled = "_PartialSettled"
	opTrigger = "ControlTrigger"
)

func init() {
	registry.Define(opFeed).Output("value: dtype").Attr("dtype: type").Attr("index: int").Stateful().
		Doc("Waits for a feed of a partial run.")
	registry.Define(opFetch).Input("value: dtype").Attr("dtype: type").Attr("index: int").Stateful().
		Doc("Hands over a fetch of a partial run.")
	registry.Define(opSettled).Attr("index: int").Stateful().
		Doc("Says that a fetch of a partial run has come, alive or dead.")
	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) {
		return partialFeed(c.Int("index")), nil
	}, opFeed)
	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) {
		i := int(c.Int("index"))
		return kernel.Func(func(ctx *kernel.Context, in, _ []tensor.Value) error {
			side, err := partialSideOf(ctx)
			if err == nil {
				err = side.Deliver(i, in[0])
			}
			return err
		}), nil
	}, opFetch)
	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) {
		i := int(c.Int("index"))
		return kernel.Func(func(ctx *kernel.Context, _, _ []tensor.Value) error {
			side, err := partialSideOf(ctx)
			if err == nil {
				err = side.Settle(i)
			}
			return err
		}), nil
	}, opSettled)
}

// A PartialSide is what the nodes of a partial run exchange values with: the partial run, or, in
// another process, what leads to it.
type PartialSide interface {
	// Await returns the value of a feed, when it is there.
	Await(ctx context.Context, feed int) (tensor.Value, error)
	// Deliver takes the value of a fetch.
	Deliver(fetch int, v tensor.Value) error
	// Settle says that a fetch has come, or has come dead; after Deliver.
	Settle(fetch int) error
}

// JoinPartialRun makes a step one of a partial run, by its own resources.
func JoinPartialRun(perStep *resource.Manager, side PartialSide) error {
	_, err := resource.LookupOrCreate(perStep, "", partialName, func() (*joined, error) { return &joined{side}, nil })
	return err
}

type joined struct{ PartialSide }

// partialName is what a step's own resources know a partial run by.
const partialName = "partial run"

// partialSideOf returns the partial run that a step belongs to.
func partialSideOf(ctx *kernel.Context) (PartialSide, error) {
	return resource.Lookup[*joined](ctx.Step.PerStep, "", partialName)
}

// PartialNode reports whether a node exchanges values with a [PartialSide], and the number of the
// feed that it waits for; -1: of none.
func PartialNode(n *Operation) (feed int, ok bool) {
	switch n.Type() {
	case opFeed:
		if v := n.Attrs().Find("index"); v != nil {
			return int(v.I), true
		}
	case opFetch, opSettled:
		return -1, true
	}
	return -1, false
}

// A partialFeed is the kernel of a feed; its number is the feed's.
type partialFeed int

func (f partialFeed) Run(ctx *kernel.Context, _, out []tensor.Value) error {
	side, err := partialSideOf(ctx)
	if err == nil {
		out[0], err = side.Await(ctx.Step.Context, int(f))
	}
	return err
}

func (f partialFeed) Start(ctx *kernel.Context, in, out []tensor.Value, done func(error)) {
	go func() { done(f.Run(ctx, in, out)) }()
}

// A partialProgram is what partial runs of one setup share.
type partialProgram struct {
	whole   *program // of the graph made for it: no feeds, no fetches
	feeds   []Output // of the session's graph
	fetches []Output
	targets []*Operation
	wants   []want  // of the feeds
	needs   [][]int // by fetch: the feeds it depends on
}

func (s *Session) partialProgram(ctx context.Context, feeds, fetches []Output, targets []*Operation) (*partialProgram, error) {
	p := &program{feeds: slices.Clone(feeds), fetches: slices.Clone(fetches), targets: slices.Clone(targets)}
	var err error
	for i, f := range feeds {
		if p.feeds[i], err = s.canonical("feed", f); err != nil {
			return nil, err
		}
	}
	for i, f := range fetches {
		if p.fetches[i], err = s.canonical("fetch", f); err != nil {
			return nil, err
		}
		if slices.Contains(p.fetches[:i], p.fetches[i]) {
			return nil, status.Invalid("The tensor %s is fetched twice.", f)
		}
	}
	for i, t := range targets {
		if p.targets[i], err = s.target(t); err != nil {
			return nil, err
		}
	}
	key := "partial:" + p.key()
	if found, ok := s.programs.Load(key); ok {
		return found.(*partialProgram), nil
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	pp := &partialProgram{feeds: p.feeds, fetches: p.fetches, targets: p.targets, wants: p.wants}
	for _, f := range p.fetches {
		pp.needs = append(pp.needs, feedsBehind(f, p.feeds))
	}
	if pp.whole, err = pp.build(ctx, s); err != nil {
		return nil, err
	}
	found, loaded := s.programs.LoadOrStore(key, pp)
	if loaded {
		s.discard(pp.whole)
	}
	return found.(*partialProgram), nil
}

// build makes the graph of the partial runs and compiles it.
func (pp *partialProgram) build(ctx context.Context, s *Session) (*program, error) {
	var def bytes.Buffer
	if _, err := s.graph.WriteTo(&def); err != nil {
		return nil, err
	}
	g := graph.New()
	replaced := map[graph.TensorID]Output{}
	for i, f := range pp.feeds {
		n, err := addPartial(g, opFeed, i, map[string]any{"dtype": pp.wants[i].dtype}, nil, nil)
		if err != nil {
			return nil, err
		}
		replaced[graph.TensorID{Node: f.Op.Name(), Index: f.Index}] = n.Output(0)
		if f.Op.Class() == graph.ClassPlaceholder { // what waits for the placeholder waits for the feed
			replaced[graph.TensorID{Node: f.Op.Name(), Index: graph.Control}] = n.Output(graph.Control)
		}
	}
	if _, err := g.ImportGraphDefContext(ctx, def.Bytes(), graph.ImportOptions{InputMap: replaced, InternalNames: true, KeepShapes: true}); err != nil {
		return nil, err
	}
	p := &program{}
	for _, t := range pp.targets {
		p.targets = append(p.targets, g.Operation(t.Name()))
	}
	for i, f := range pp.fetches {
		n, err := settled(g, i, g.Operation(f.Op.Name()).Output(f.Index))
		if err != nil {
			return nil, err
		}
		p.targets = append(p.targets, n)
	}
	return p, p.compile(ctx, g, s)
}

// settled adds the nodes behind fetch i.
func settled(g *Graph, i int, o Output) (*Operation, error) {
	fetch, err := addPartial(g, opFetch, i, map[string]any{"dtype": o.DataType()}, []Input{o}, nil)
	if err != nil {
		return nil, err
	}
	last := fetch
	// A program without control flow need not link it, and has no dead values.
	if _, err := registry.Global.Lookup(opTrigger); err == nil {
		if last, err = addPartial(g, opTrigger, i, nil, nil, fetch); err != nil {
			return nil, err
		}
	}
	return addPartial(g, opSettled, i, map[string]any{}, nil, last)
}

// addPartial adds a node for feed or fetch i.
func addPartial(g *Graph, op string, i int, attrs map[string]any, in []Input, after *Operation) (*Operation, error) {
	spec := OpSpec{Type: op, Name: g.UniqueName(fmt.Sprintf("partial_run/%s%d", op[1:], i)), Input: in, Attrs: attrs}
	if attrs != nil {
		attrs["index"] = int64(i)
	}
	if after != nil {
		spec.ControlDependencies = []*Operation{after}
	}
	return g.AddOperation(spec)
}

// feedsBehind lists the feeds that o depends on.
func feedsBehind(o Output, feeds []Output) []int {
	var behind []int
	seen := map[*Operation]bool{}
	var stack []*Operation
	visit := func(o Output) {
		if i := slices.Index(feeds, o); i >= 0 {
			if !slices.Contains(behind, i) {
				behind = append(behind, i)
			}
		} else if !seen[o.Op] {
			seen[o.Op] = true
			stack = append(stack, o.Op)
		}
	}
	visit(o)
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, in := range n.Inputs() {
			visit(in)
		}
		for _, c := range n.Controls() {
			if c.Class() == graph.ClassPlaceholder {
				visit(c.Output(0))
			} else if !seen[c] {
				seen[c] = true
				stack = append(stack, c)
			}
		}
	}
	return behind
}

// unfed returns a feed that fetch i needs and that has not been fed; -1 if there is
// none.
func (pp *partialProgram) unfed(i int, fed []bool) int {
	for _, f := range pp.needs[i] {
		if !fed[f] {
			return f
		}
	}
	return -1
}

func (pp *partialProgram) feedOf(o Output) int  { return slices.Index(pp.feeds, o.Canonical()) }
func (pp *partialProgram) fetchOf(o Output) int { return slices.Index(pp.fetches, o.Canonical()) }

func (pp *partialProgram) hasTarget(t *Operation) bool {
	return t != nil && slices.Contains(pp.targets, t.Output(0).Op)
}
