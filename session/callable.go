package session

import (
	"context"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/plan"
	"github.com/troupe-go/troupe/plan/batching"
	"github.com/troupe-go/troupe/plan/partition"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A Callable is a prepared run with fixed feeds, fetches and targets; each call
// allocates nothing but its results. It is safe for concurrent use, and valid until its
// session is closed.
type Callable struct {
	session *Session
	program *program
}

// MakeCallable is [Session.MakeCallableContext] with a context that does not end:
// it takes time linear in the size of the graph.
func (s *Session) MakeCallable(feeds, fetches []Output, targets []*Operation) (*Callable, error) {
	return s.MakeCallableContext(context.Background(), feeds, fetches, targets)
}

// MakeCallableContext prepares runs that feed, fetch and run the given parts of the
// graph. It fails as [Session.RunContext] would before the step begins, and soon
// after ctx has ended; the calls have contexts of their own.
func (s *Session) MakeCallableContext(ctx context.Context, feeds, fetches []Output, targets []*Operation) (*Callable, error) {
	if err := s.runs.enter(); err != nil {
		return nil, err
	}
	defer s.runs.leave()
	feeds = slices.Clone(feeds)
	for i, f := range feeds {
		var err error
		if feeds[i], err = s.canonical("feed", f); err != nil {
			return nil, err
		}
	}
	ctx, cancel := s.bound(ctx, &RunOptions{})
	defer cancel()
	p, err := s.program(ctx, false, feeds, fetches, targets)
	if err != nil {
		return nil, err
	}
	return &Callable{s, p}, nil
}

// Call runs a step with the feeds in the order given to MakeCallable, and returns the
// fetched tensors by position. A fed tensor may be fed again, but must not be reshaped:
// a variable may hold it.
func (c *Callable) Call(ctx context.Context, feeds ...*Tensor) ([]*Tensor, error) {
	return c.CallWithOptions(ctx, RunOptions{}, feeds...)
}

// CallWithOptions is [Callable.Call] with options for this run.
func (c *Callable) CallWithOptions(ctx context.Context, options RunOptions, feeds ...*Tensor) ([]*Tensor, error) {
	out := make([]*Tensor, len(c.program.fetches))
	if err := c.call(ctx, &options, out, feeds); err != nil {
		return nil, err
	}
	return out, nil
}

// CallInto is [Callable.Call] with a slice for the results, one element for each fetch;
// it is unchanged if the call fails.
func (c *Callable) CallInto(ctx context.Context, fetched []*Tensor, feeds ...*Tensor) error {
	return c.call(ctx, &RunOptions{}, fetched, feeds)
}

// RunInto is [Callable.CallInto] for a caller that no longer needs the tensors in
// fetched, the results of the call before or nil. They are released
// ([tensor.Tensor.Release]) before the step begins, so that their memory is reused for
// the results; small results are reused with their headers, so that a pointer to one may
// be returned again. They may be among the feeds, and then keep their elements as long
// as the step uses them. If the step fails, fetched holds nil.
func (c *Callable) RunInto(ctx context.Context, fetched []*Tensor, feeds ...*Tensor) error {
	call, err := c.enter(fetched, feeds)
	if err != nil {
		return err
	}
	defer c.leave(call)
	call.reclaim(fetched) // after the feeds have been taken, which are then nobody's to release
	if err := c.session.bounded(ctx, &RunOptions{}, c.program, call); err != nil {
		return err
	}
	for i, v := range call.fetched {
		fetched[i] = detachInto(v, call.spare[i])
	}
	return nil
}

// call is CallInto with options.
func (c *Callable) call(ctx context.Context, options *RunOptions, fetched, feeds []*Tensor) error {
	call, err := c.enter(fetched, feeds)
	if err != nil {
		return err
	}
	defer c.leave(call)
	if err := c.session.bounded(ctx, options, c.program, call); err != nil {
		return err
	}
	for i, v := range call.fetched {
		fetched[i] = detach(v)
	}
	return nil
}

// enter begins a call with these feeds, which leave ends.
func (c *Callable) enter(fetched, feeds []*Tensor) (*call, error) {
	if err := c.session.runs.enter(); err != nil {
		return nil, err
	}
	p := c.program
	if len(feeds) != len(p.feeds) || len(fetched) != len(p.fetches) {
		c.session.runs.leave()
		return nil, c.mismatch(len(feeds), len(fetched))
	}
	call := p.begin(c.session)
	for i, t := range feeds {
		if err := call.feed(i, t); err != nil {
			c.leave(call)
			return nil, err
		}
	}
	return call, nil
}

func (c *Callable) leave(call *call) {
	c.program.end(call)
	c.session.runs.leave()
}

// CallValues is [Callable.CallInto] on values: scalars of up to eight bytes go
// in and out without any allocation. A fetched value must not be written.
func (c *Callable) CallValues(ctx context.Context, fetched, feeds []tensor.Value) error {
	if err := c.session.runs.enter(); err != nil {
		return err
	}
	defer c.session.runs.leave()
	p := c.program
	if len(feeds) != len(p.feeds) || len(fetched) != len(p.fetches) {
		return c.mismatch(len(feeds), len(fetched))
	}
	call := p.begin(c.session)
	defer p.end(call)
	for i, v := range feeds {
		if err := call.feedValue(i, v.Share()); err != nil {
			return err
		}
	}
	ctx, cancel := c.session.bound(ctx, &RunOptions{})
	defer cancel()
	if err := c.session.run(ctx, &RunOptions{}, p, call); err != nil {
		return err
	}
	for i, v := range call.fetched {
		fetched[i] = v.Share()
	}
	return nil
}

// planned makes the plan of the run again, which the session does not keep: it takes as much
// memory as the program.
func (c *Callable) planned(ctx context.Context) (*compile.Planned, error) {
	p, err := compile.Again(ctx, c.session.graph, c.program.spec(c.session))
	if err != nil {
		return nil, status.From(err)
	}
	return p, nil
}

// Plan describes how the engine "actors" executes the run: as one unit, or by tokens,
// with loops compiled into units where possible. Its text is for people to read and
// changes from version to version. The run is compiled again for it.
func (c *Callable) Plan(ctx context.Context) (Plan, error) {
	p, err := c.program.nodes.Full(ctx)
	if err != nil {
		return Plan{}, status.From(err)
	}
	return p.Plan(), nil
}

// A Piece is the part of a run on one device: a separate graph, connected to the others
// only by _Send and _Recv nodes.
type Piece = partition.Piece

// Pieces returns the run as split over several devices, for tools; nil if it is all on one.
func (c *Callable) Pieces(ctx context.Context) ([]Piece, error) {
	if !c.program.split {
		return nil, nil
	}
	p, err := c.planned(ctx)
	if err != nil {
		return nil, err
	}
	pieces, err := partition.Graphs(ctx, p.Program)
	if err != nil {
		return nil, status.From(err)
	}
	return pieces, nil
}

// GraphDefs returns the graph that runs on each device that the run uses, after rewriting
// and splitting, as a serialized GraphDef in which nodes have the full name of their device:
// the partition graphs of TensorFlow's RunMetadata.
func (c *Callable) GraphDefs(ctx context.Context) ([][]byte, error) {
	pieces, err := c.Pieces(ctx)
	if err != nil {
		return nil, err
	}
	if pieces == nil {
		p, err := c.planned(ctx)
		if err != nil {
			return nil, err
		}
		part, err := p.Graph.EditPart(ctx, p.Nodes, p.Feeds)
		if err != nil {
			return nil, status.From(err)
		}
		g, err := part.Done()
		if err != nil {
			return nil, status.From(err)
		}
		device := c.session.places[0].Name
		if p.Placement != nil && len(p.Nodes) > 0 {
			device = p.Placement.Name(p.Nodes[0])
		}
		pieces = []Piece{{Program: plan.Program{Graph: g}, Device: device}}
	}
	defs := make([][]byte, len(pieces))
	for i, piece := range pieces {
		def, err := piece.Graph.GraphDef(graph.ExportOptions{Device: func(*graph.Node) string { return piece.Device }})
		if err != nil {
			return nil, status.From(err)
		}
		defs[i] = def
	}
	return defs, nil
}

// Transfers returns the edges between devices, in no order and not counted; see
// [RunMetadata] for what went along them. If there are several devices, the run is compiled
// again.
func (c *Callable) Transfers(ctx context.Context) ([]Transfer, error) {
	if !c.program.split {
		return nil, nil
	}
	p, err := c.planned(ctx)
	if err != nil {
		return nil, err
	}
	var all []Transfer
	for _, t := range p.Split.Transfers {
		all = append(all, Transfer{Tensor: t.Tensor, From: p.Devices[t.From].Name, To: p.Devices[t.To].Name})
	}
	return all, nil
}

// Placement returns the device of each node of the run, one a line, as TensorFlow logs it:
// "y: (Neg): /job:localhost/replica:0/task:0/device:CPU:1". It is "" if there was
// nothing to choose; otherwise the run is compiled again.
func (c *Callable) Placement(ctx context.Context) (string, error) {
	if !c.program.placed {
		return "", nil
	}
	p, err := c.planned(ctx)
	if err != nil {
		return "", err
	}
	return p.Placed().String(), nil
}

// Rewritten returns the program of the run after rewriting, in the text form of graphs, with
// function calls replaced by their bodies, and the effect of each pass. It is for people
// to read and changes from version to version. The run is compiled again for the text.
func (c *Callable) Rewritten(ctx context.Context) (text string, passes []RewritePass, err error) {
	p, err := c.planned(ctx)
	if err != nil {
		return "", nil, err
	}
	return p.String(), c.program.passes, nil
}

// EachPass compiles the run again and calls f after each compiler pass, with the name of
// the pass and the program then, in the text form of graphs. The program is verified after
// each: what a pass leaves wrong is an error of code INTERNAL that names it. It is for people
// to read and changes from version to version.
func (c *Callable) EachPass(ctx context.Context, f func(pass, text string)) error {
	spec := c.program.spec(c.session)
	spec.Verify, spec.After = true, func(pass string, p *plan.Program) { f(pass, p.String()) }
	if _, err := compile.Make(ctx, c.session.graph, spec); err != nil {
		return status.From(err)
	}
	return nil
}

// EachUnitPass calls f with the units of the run after each pass that makes them, in the
// text form of [Callable.Plan]. They are verified after each pass: what a pass leaves wrong
// is an error of code INTERNAL that names it. The run is compiled again for it.
func (c *Callable) EachUnitPass(ctx context.Context, f func(pass, text string)) error {
	p, err := c.program.nodes.Full(ctx)
	if err != nil {
		return status.From(err)
	}
	if err := p.EachUnitPass(f); err != nil {
		return status.Errorf(status.Internal, "%v", err)
	}
	return nil
}

func (c *Callable) mismatch(feeds, fetches int) error {
	p := c.program
	return status.Invalid("the callable has %s and %s, not %d and %d", status.Count(len(p.feeds), "feed"), status.Count(len(p.fetches), "fetch"), feeds, fetches)
}

// Batching describes for each loop of the run, and each call of a recursive function, whether
// [SessionOptions].BatchLoops batches it, along which variables, and otherwise why it does not. Dimensions that are not known before the
// run count as 1. The text is for people to read and changes from version to version.
func (c *Callable) Batching(ctx context.Context) (string, error) {
	var w strings.Builder
	spec := c.program.spec(c.session)
	spec.Batch, spec.Found = true, func(f batching.Finding) { w.WriteString(f.String()) }
	if _, err := compile.Make(ctx, c.session.graph, spec); err != nil {
		return "", status.From(err)
	}
	return w.String(), nil
}
