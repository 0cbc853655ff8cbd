package nodes

import (
	"context"
	"slices"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/partition"
	"github.com/troupe-go/troupe/graph/placement"
	"github.com/troupe-go/troupe/graph/rewrite"
	"github.com/troupe-go/troupe/nodes/kind"
	"github.com/troupe-go/troupe/profile"
	"github.com/troupe-go/troupe/tensor"
)

// Programs on several devices. Their nodes are placed, and they are split into pieces,
// joined by Sends and Recvs alone. Compile lays the pieces out side by side, as one
// program: a Send hands what it gets to its Recv, and the pieces share their frames, for
// whatever they do in an iteration they do in the same one. CompileApart makes a program
// of each piece, for steps that meet at a rendezvous; see package partition.

// divide places the nodes of a program and splits it if they are on several devices.
// It answers what the program is for in the graph that makes.
func (c *compiler) divide(g *graph.Graph, spec Spec) (Spec, error) {
	from := partition.Program{Graph: g, Feeds: spec.Feeds, Fetches: spec.Fetches, Targets: spec.Targets}
	if r := c.p.graph; r.Graph != nil { // rewritten
		from.Graph, from.Nodes = r.Graph, r.Nodes
	} else {
		for id, n := range g.Nodes()[:len(c.number)] {
			if c.number[id] != 0 {
				from.Nodes = append(from.Nodes, n)
			}
		}
	}
	var err error
	if c.p.placed, err = placement.Place(c.ctx, from.Nodes, placement.Options{Devices: spec.Devices, Strict: spec.Strict, Unasked: spec.Unasked}); err != nil {
		return spec, err
	}
	if c.p.placed.Only(0) {
		c.p.devices, c.types = []string{spec.Devices[0].Name}, []string{spec.Devices[0].Type}
		return spec, nil
	}
	o := partition.Options{Devices: spec.Devices, Device: c.p.placed.Device, Copies: spec.accelerated()}
	if o.Copies {
		if o.Waits, err = c.waits(from.Nodes); err != nil {
			return spec, err
		}
		o.Late = func(device int) bool { return spec.Devices[device].Type != "CPU" }
	}
	pieces, err := partition.Split(c.ctx, from, o)
	if err != nil {
		return spec, err
	}
	c.p.pieces = pieces
	c.p.devices, c.types = nil, nil
	for _, d := range spec.Devices {
		c.p.devices, c.types = append(c.p.devices, d.Name), append(c.types, d.Type)
	}
	spec.Feeds, spec.Fetches, spec.Targets = pieces.Feeds, pieces.Fetches, pieces.Targets
	if c.p.graph.Graph != nil {
		c.p.graph = rewrite.Program{Graph: pieces.Graph, Nodes: pieces.Nodes, Feeds: pieces.Feeds, Fetches: pieces.Fetches, Targets: pieces.Targets}
	}
	c.number, c.fed, c.p.nodes = make([]int32, pieces.Graph.NumNodes()), nil, nil
	return spec, c.prune(spec)
}

// waits says whether one of the nodes may wait for what no edge of the program says, such
// as an element of a queue, which another may be about to put there.
func (c *compiler) waits(nodes []*graph.Node) (bool, error) {
	for _, n := range nodes {
		if err := c.watch.Step(); err != nil {
			return true, err
		}
		for _, f := range functionsOf(n) {
			if c.within == nil {
				return true, nil
			}
			if waits, err := c.within.waits(c.ctx, c.watch, f); waits || err != nil {
				return true, err
			}
		}
		if mightWait(n) {
			if k, err := makeKernel(n, "CPU", c.p.devices[0], "", 0); err != nil || mayWait(k) {
				return true, nil
			}
		}
	}
	return false, nil
}

// accelerated says whether some of the devices have memory of their own.
func (s *Spec) accelerated() bool {
	return slices.ContainsFunc(s.Devices, func(d devices.Attributes) bool { return d.Type != "CPU" })
}

// station says on which device a node is. A Send and a Recv of pieces that are played
// side by side hand on; those of pieces apart have kernels.
func (c *compiler) station(n *node) {
	if c.p.pieces != nil {
		n.device = int32(c.p.pieces.Device(n.def))
	}
	switch n.def.Class() {
	case graph.ClassSend, graph.ClassRecv:
		c.p.transfers = true
		if c.p.pieces != nil {
			n.kind = kind.Forward
		} else {
			n.flags |= flagTransfer
		}
	}
}

// across is the Send of a Recv whose piece is laid out beside it, which is then an edge
// between them; nil for all other nodes.
func (c *compiler) across(n *node) *graph.Node {
	if c.p.pieces == nil {
		return nil
	}
	switch n.def.Class() {
	case graph.ClassSend:
		n.nout = 1
	case graph.ClassRecv:
		for _, d := range n.def.Controls() {
			if d.Class() == graph.ClassSend {
				n.nin = 1
				return d
			}
		}
	}
	return nil
}

// countTransfer counts what a Send is about to send.
func (s *Step) countTransfer(a activation, n *node) {
	CountTransfer(s.ctx.Step.Transfers, n.def, a.it.Inputs[n.in], a.dead)
}

// CountTransfer counts a token that a Send sends, for engines that play nodes themselves.
func CountTransfer(t *profile.Transfers, send *graph.Node, v tensor.Value, dead bool) {
	bytes := int64(0)
	if d, ok := tensor.DistantOf(v); ok {
		bytes = d.DistantBytes()
	} else if !dead && !v.IsRef() {
		bytes = int64(v.SizeBytes())
	}
	attrs := send.Attrs()
	t.Add(partition.Crossing(send), attrs.Find("send_device").S, attrs.Find("recv_device").S, dead, bytes)
}

// typeOf is the type of a device.
func typeOf(all []devices.Attributes, name string) string {
	for _, d := range all {
		if d.Name == name {
			return d.Type
		}
	}
	return "CPU"
}

// Placement is where the nodes of the program were placed, before it was split; nil if
// there was one device alone.
func (p *Program) Placement() *placement.Placement { return p.placed }

// Pieces is the program as it was split; nil if it runs on one device.
func (p *Program) Pieces() *partition.Pieces { return p.pieces }

// A Piece is the part of a program that runs on one device, as a program of its own.
type Piece struct {
	Program *Program
	// Feeds and Fetches are where its own stand among those of all.
	Feeds, Fetches []int
}

// CompileApart is Compile for pieces that are played apart, each as a step of its own:
// what one sends another receives from the steps' rendezvous. It also answers the whole,
// as Compile does; where that runs on one device there are no pieces.
func CompileApart(ctx context.Context, g *graph.Graph, spec Spec) (whole *Program, all []Piece, err error) {
	defer func() {
		if err != nil {
			spec.Functions.Discard(whole)
			for i := range all {
				spec.Functions.Discard(all[i].Program)
			}
			whole, all = nil, nil
		}
	}()
	of := spec
	of.NoUnits = true // for the whole is not played
	whole, err = Compile(ctx, g, of)
	if err == nil && whole.pieces == nil && !spec.NoUnits {
		spec.Functions.Discard(whole)
		whole, err = Compile(ctx, g, spec)
	}
	if err != nil || whole.pieces == nil {
		return whole, nil, err
	}
	pieces, err := whole.pieces.Graphs(ctx)
	if err != nil {
		return whole, nil, err
	}
	for _, piece := range pieces {
		of = Spec{Feeds: piece.Feeds, Fetches: piece.Fetches, Targets: piece.Targets, Device: piece.Device}
		c := newCompiler(ctx, piece.Graph, of, spec.Functions)
		c.types = []string{typeOf(spec.Devices, piece.Device)}
		c.p.fetchAt = piece.FetchAt
		if err := c.prune(of); err != nil {
			return whole, all, err
		}
		if err := c.layOut(of); err != nil {
			return whole, all, err
		}
		if err := c.units(!spec.NoUnits); err != nil {
			spec.Functions.Discard(c.p)
			return whole, all, err
		}
		all = append(all, Piece{c.p, piece.FeedAt, piece.FetchAt})
	}
	return whole, all, nil
}
