package cluster

import (
	"bytes"
	"context"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/plan/lower"
	"github.com/troupe-go/troupe/plan/partition"
	"github.com/troupe-go/troupe/plan/rewrite"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/wire"
)

// A part is what a worker runs of a program: the pieces of its devices.
type part struct {
	isolated bool
	seed     int64
	passes   rewrite.Passes
	names    [][2]string // addresses of workers, and what they are called
	where    [][2]string // processes of devices, and their addresses
	pieces   []piece
}

// A piece is a graph with what is fed and fetched of it, by name.
type piece struct {
	device          string
	graph           []byte
	feeds, fetches  []graph.TensorID
	feedAt, fetchAt []int
	targets         []string
}

// encodePart encodes a share of a program.
func encodePart(share *compile.Share, p *part) ([]byte, error) {
	e := encoder{}
	e.byte(boolByte(p.isolated))
	e.int(p.seed)
	e.string(p.passes.String())
	for _, list := range [][][2]string{p.names, p.where} {
		e.uint(uint64(len(list)))
		for _, pair := range list {
			e.string(pair[0])
			e.string(pair[1])
		}
	}
	e.uint(uint64(len(share.Pieces)))
	for i := range share.Pieces {
		if err := encodePiece(&e, &share.Pieces[i]); err != nil {
			return nil, err
		}
	}
	return e.b, nil
}

func boolByte(b bool) byte {
	if b {
		return 1
	}
	return 0
}

func encodePiece(e *encoder, p *partition.Piece) error {
	def, err := p.Graph.GraphDef(graph.ExportOptions{})
	if err == nil {
		def, err = uncolocated(def)
	}
	if err != nil {
		return err
	}
	e.string(p.Device)
	e.bytes(def)
	for _, list := range []struct {
		outputs []graph.Output
		at      []int
	}{{p.Feeds, p.FeedAt}, {p.Fetches, p.FetchAt}} {
		e.uint(uint64(len(list.outputs)))
		for i, o := range list.outputs {
			e.string(o.Op.Name())
			e.uint(uint64(o.Index))
			e.uint(uint64(list.at[i]))
		}
	}
	var targets []string
	for _, t := range p.Targets {
		targets = append(targets, t.Name())
	}
	e.strings(targets)
	return nil
}

// uncolocated returns a graph without the attributes by which nodes ask to be placed with others,
// which may be in other pieces: they have been placed.
func uncolocated(def []byte) ([]byte, error) {
	if !bytes.Contains(def, []byte("_class")) {
		return def, nil
	}
	var g wire.GraphDef
	if err := proto.Unmarshal(def, &g); err != nil {
		return nil, err
	}
	for _, n := range g.Node {
		delete(n.Attr, "_class")
	}
	return proto.MarshalOptions{Deterministic: true}.Marshal(&g)
}

// decodePart decodes what encodePart wrote.
func decodePart(b []byte) (*part, error) {
	d := decoder{b: b}
	p := &part{isolated: d.byte() == 1, seed: d.int()}
	var err error
	if p.passes, err = rewrite.Parse(d.string()); err != nil {
		return nil, err
	}
	for _, list := range []*[][2]string{&p.names, &p.where} {
		for range d.count(2) {
			*list = append(*list, [2]string{d.string(), d.string()})
		}
	}
	for range d.count(5) {
		var q piece
		q.device, q.graph = d.string(), d.bytes()
		for _, list := range []struct {
			outputs *[]graph.TensorID
			at      *[]int
		}{{&q.feeds, &q.feedAt}, {&q.fetches, &q.fetchAt}} {
			for range d.count(3) {
				*list.outputs = append(*list.outputs, graph.TensorID{Node: d.string(), Index: int(d.uint() & (1<<31 - 1))})
				*list.at = append(*list.at, int(d.uint()&(1<<31-1)))
			}
		}
		q.targets = d.strings()
		p.pieces = append(p.pieces, q)
	}
	return p, d.err
}

// A compiled part can be run.
type compiled struct {
	*part
	pieces  []compiledPiece
	partial bool // it has nodes of a partial run
}

type compiledPiece struct {
	device          string
	program         *nodes.Program
	functions       *compile.Functions
	feedAt, fetchAt []int
	partial         bool
}

// compilePart compiles the pieces of a part for a worker's devices.
func (w *Worker) compilePart(ctx context.Context, p *part) (*compiled, error) {
	c := &compiled{part: p}
	for i := range p.pieces {
		piece, err := w.compilePiece(ctx, p.passes, &p.pieces[i])
		if err != nil {
			c.discard()
			return nil, err
		}
		c.pieces, c.partial = append(c.pieces, piece), c.partial || piece.partial
	}
	return c, nil
}

// discard gives back what the programs take.
func (c *compiled) discard() {
	for _, p := range c.pieces {
		p.functions.Discard(p.program)
		p.functions.Close()
	}
}

func (w *Worker) compilePiece(ctx context.Context, passes rewrite.Passes, p *piece) (c compiledPiece, err error) {
	device, ok := w.device(p.device)
	if !ok {
		return c, status.Errorf(status.Aborted, "worker %s has no device %s", w.Name(), p.device)
	}
	g := graph.New()
	if _, err := g.ImportGraphDefContext(ctx, p.graph, graph.ImportOptions{InternalNames: true, KeepShapes: true}); err != nil {
		return c, err
	}
	spec := nodes.Spec{Devices: []devices.Attributes{device}, NoUnits: w.engine.Name() != "actors", Crossing: partition.Crossing, FetchAt: p.fetchAt}
	if spec.Feeds, err = outputs(g, p.feeds); err != nil {
		return c, err
	}
	if spec.Fetches, err = outputs(g, p.fetches); err != nil {
		return c, err
	}
	for _, name := range p.targets {
		n := g.Operation(name)
		if n == nil {
			return c, status.Invalid("a piece has no node %s", name)
		}
		spec.Targets = append(spec.Targets, n.Output(0).Op)
	}
	functions := compile.NewFunctions(g, w.engine, rewrite.Options{Passes: passes, Pool: w.pool})
	functions.Budget = w.budget
	spec.Functions = functions.Functions
	spec.Calls = func(n *graph.Node) nodes.Calling {
		return nodes.Calling{Entirely: lower.Entirely(n), Waits: true}
	}
	program, err := nodes.Compile(ctx, g, spec)
	if err != nil {
		functions.Close()
		return c, err
	}
	partial := slices.ContainsFunc(g.Nodes(), func(n *graph.Node) bool { _, ok := session.PartialNode(n); return ok })
	return compiledPiece{p.device, program, functions, p.feedAt, p.fetchAt, partial}, nil
}

func outputs(g *graph.Graph, ids []graph.TensorID) (all []graph.Output, err error) {
	for _, id := range ids {
		o, err := g.FindID(id)
		if err != nil {
			return nil, err
		}
		all = append(all, o.Canonical())
	}
	return all, nil
}
