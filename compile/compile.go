package compile

import (
	"context"
	"strings"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/nodes/unit/form"
	"github.com/troupe-go/troupe/plan"
	"github.com/troupe-go/troupe/plan/batching"
	"github.com/troupe-go/troupe/plan/lower"
	"github.com/troupe-go/troupe/plan/partition"
	"github.com/troupe-go/troupe/plan/placement"
	"github.com/troupe-go/troupe/plan/rewrite"
	"github.com/troupe-go/troupe/status"
)

// A Spec says what a step of a program is for, and how the program is compiled.
type Spec struct {
	Feeds   []graph.Output // what the caller gives, each at most once
	Fetches []graph.Output // what it wants back
	Targets []*graph.Node  // what must have run
	// Devices are those that nodes may be placed on, the one that feeds come from and
	// fetches go to first; nil: all run on CPU 0 of this process.
	Devices []devices.Attributes
	Strict  bool           // as [placement.Options] have it
	Cluster bool           // likewise
	Unasked devices.Spec   // likewise
	Pinned  map[string]int // likewise
	Rewrite rewrite.Options
	// NoUnits is for engines that play none: none are made.
	NoUnits bool
	// Lean is for programs that are kept: they release the nodes that they were laid out from,
	// and are compiled again where tools look at these ([nodes.Program.Full]).
	Lean bool
	// UnitsOff are the passes of units that are left out.
	UnitsOff form.Passes
	// Batch puts loops that may run together with those of other steps in place of loops; see
	// package plan/batching. Found, if it is not nil, is called for each loop with what became
	// of it.
	Batch bool
	Found func(batching.Finding)
	// Functions has the programs of functions that stay calls; nil: the program
	// has its own.
	Functions *Functions
	// Verify and After are as [plan.Options] have them.
	Verify bool
	After  func(pass string, p *plan.Program)

	callee *callee // whose body the graph is; nil: it is that of no function
}

// A callee is a function whose body is compiled.
type callee struct {
	name     string
	entirely bool // it runs entirely; see [lower.Effects]
}

// Graph compiles what a step needs of a graph, in time linear in the size of the graph. It
// fails where a pass does, where a node has no kernel, where a kernel refuses its
// attributes, and where a node's inputs come from different frames; and within a few
// milliseconds of the end of ctx.
func Graph(ctx context.Context, g *graph.Graph, spec Spec) (*nodes.Program, error) {
	p, err := Make(ctx, g, spec)
	if err != nil {
		return nil, err
	}
	return p.Layout(ctx, !spec.NoUnits)
}

// A Planned is a program to be laid out.
type Planned struct {
	*plan.Program
	Passes []plan.Stat // that have run, in their order

	feeds, fetches []graph.Output // as they were asked for
	functions      *Functions
	callee         *callee
	unitsOff       form.Passes
	again          func(ctx context.Context, units bool) (*nodes.Program, error) // nil: the program is not lean
}

// Make runs the passes over what a step needs of a graph.
func Make(ctx context.Context, g *graph.Graph, spec Spec) (*Planned, error) {
	p := &Planned{
		Program:   &plan.Program{Graph: g, Feeds: spec.Feeds, Fetches: spec.Fetches, Targets: spec.Targets, Devices: spec.Devices},
		feeds:     spec.Feeds,
		fetches:   spec.Fetches,
		functions: spec.Functions,
		callee:    spec.callee,
		unitsOff:  spec.UnitsOff,
	}
	if p.functions == nil {
		p.functions = NewFunctions(g, nil, spec.Rewrite)
		p.functions.UnitsOff = spec.UnitsOff
	}
	if spec.Lean {
		p.again = func(ctx context.Context, units bool) (*nodes.Program, error) { return spec.again(ctx, g, units) }
	}
	var err error
	p.Passes, err = plan.Run(ctx, p.Program, p.passes(ctx, spec), plan.Options{Verify: spec.Verify, After: spec.After})
	return p, err
}

// again compiles a lean program as one that keeps its nodes, on no account.
func (s Spec) again(ctx context.Context, g *graph.Graph, units bool) (*nodes.Program, error) {
	s.Lean, s.Functions, s.NoUnits, s.Found, s.After = false, nil, !units, nil, nil
	p, err := Again(ctx, g, s)
	if err != nil {
		return nil, err
	}
	full, err := p.Layout(ctx, units)
	if err != nil {
		return nil, s.compilingAgain(err)
	}
	return full, nil
}

// Again is [Make] for a tool that looks at a run that was compiled before: its error
// names the run.
func Again(ctx context.Context, g *graph.Graph, spec Spec) (*Planned, error) {
	p, err := Make(ctx, g, spec)
	if err != nil {
		return nil, spec.compilingAgain(err)
	}
	return p, nil
}

// compilingAgain is err with the run that a tool compiles again in front.
func (s Spec) compilingAgain(err error) error {
	var run []string
	for _, o := range s.Fetches {
		run = append(run, o.String())
	}
	for _, n := range s.Targets {
		run = append(run, n.Name())
	}
	if len(run) > 3 {
		run = append(run[:3], "…")
	}
	return status.Within(err, "compiling the run of %s again", strings.Join(run, ", "))
}

// passes lists the passes for a program.
func (p *Planned) passes(ctx context.Context, spec Spec) []plan.Pass {
	list := []plan.Pass{plan.Prune, lower.Pass}
	if c := spec.callee; c != nil {
		list[1] = lower.PassOf(c.entirely)
	}
	if spec.Batch {
		list = append(list[:1], batching.Passes(spec.Found)...)
	}
	o := spec.Rewrite
	o.Device = nodes.LocalCPU
	o.OneDevice = len(spec.Devices) <= 1 && !spec.Strict && !spec.Cluster
	if p.Accelerated() {
		o.Passes &^= rewrite.Fusing()
	}
	list = append(list, o.List(ctx)...)
	return append(list,
		placement.Pass(placement.Options{Strict: spec.Strict, Cluster: spec.Cluster, Unasked: spec.Unasked, Pinned: spec.Pinned}),
		p.functions.pass(),
		partition.Pass,
	)
}

// Layout lays out the program, its pieces side by side where it was split; with units where
// engines play some.
func (p *Planned) Layout(ctx context.Context, units bool) (*nodes.Program, error) {
	spec := p.spec(p.Program, units)
	spec.AskedFeeds, spec.AskedFetches = p.feeds, p.fetches
	switch {
	case p.Split != nil:
		spec.Devices, spec.On = p.Devices, p.Placement.Device
	case p.Placement != nil:
		spec.Devices = p.Devices[:1]
	}
	if again := p.again; again != nil {
		spec.Again = func(ctx context.Context) (*nodes.Program, error) { return again(ctx, units) }
	}
	return nodes.Compile(ctx, p.Graph, spec)
}

// spec returns what nodes must know of the program, or of a piece of it.
func (p *Planned) spec(of *plan.Program, units bool) nodes.Spec {
	spec := nodes.Spec{
		Feeds: of.Feeds, Fetches: of.Fetches, Targets: of.Targets,
		NoUnits: !units, UnitsOff: p.unitsOff, Functions: p.functions.Functions, Crossing: partition.Crossing,
	}
	if p.Calls != nil {
		spec.Calls = func(n *graph.Node) nodes.Calling {
			return nodes.Calling{Entirely: lower.Entirely(n), Waits: p.Calls[n.Callee().String()]}
		}
	}
	if p.callee != nil {
		spec.Function = p.callee.name
	}
	return spec
}

// A Piece is the part of a program that runs on one device, as a program of its own.
type Piece struct {
	Program *nodes.Program
	// Feeds and Fetches are where its own stand among those of all.
	Feeds, Fetches []int
}

// Pieces lays out the pieces of a program apart, each for a step of its own: what one sends
// another receives from the steps' rendezvous. There are none of a program that was not
// split.
func (p *Planned) Pieces(ctx context.Context, units bool) (all []Piece, err error) {
	if p.Split == nil {
		return nil, nil
	}
	pieces, err := partition.Graphs(ctx, p.Program)
	if err != nil {
		return nil, err
	}
	for i := range pieces {
		piece := &pieces[i]
		spec := p.spec(&piece.Program, units)
		spec.Devices, spec.FetchAt = []devices.Attributes{p.device(piece.Device)}, piece.FetchAt
		program, err := nodes.Compile(ctx, piece.Graph, spec)
		if err != nil {
			for i := range all {
				p.functions.Discard(all[i].Program)
			}
			return nil, err
		}
		all = append(all, Piece{program, piece.FeedAt, piece.FetchAt})
	}
	return all, nil
}

// device returns the device of that name.
func (p *Planned) device(name string) devices.Attributes {
	for _, d := range p.Devices {
		if d.Name == name {
			return d
		}
	}
	return devices.Attributes{}
}
