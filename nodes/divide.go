package nodes

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/nodes/kind"
	"github.com/troupe-go/troupe/profile"
	"github.com/troupe-go/troupe/tensor"
)

// Programs on several devices. They have been split into pieces, joined by Sends and Recvs
// alone. Where Spec.On says where nodes are, the pieces are laid out side by side, as one
// program: a Send hands what it gets to its Recv, and the pieces share their frames, for
// whatever they do in an iteration they do in the same one. Else a program is one piece, and
// its step meets others at a rendezvous.

// station says on which device a node is. A Send and a Recv of pieces that are played
// side by side hand on; those of pieces apart have kernels.
func (c *compiler) station(spec Spec, i int32) {
	n := &c.p.nodes[i]
	if spec.On != nil {
		n.device = int32(spec.On(n.def))
	}
	switch n.def.Class() {
	case graph.ClassSend, graph.ClassRecv:
		if n.def.Class() == graph.ClassSend {
			c.route(spec, i)
		}
		if spec.On != nil {
			n.kind = kind.Forward
		} else {
			n.flags |= flagTransfer
		}
	}
}

// across returns the Send of a Recv whose piece is laid out beside it, which is then an edge
// between them; nil for all other nodes.
func (c *compiler) across(spec Spec, n *node) *graph.Node {
	if spec.On == nil {
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
	s.p.CountTransfer(s.ctx.Step.Transfers, a.node, a.it.Inputs[n.in], a.dead)
}

// A route is what a Send sends, and between which devices.
type route struct {
	crossing, from, to string
}

// route notes that of a Send.
func (c *compiler) route(spec Spec, i int32) {
	send := c.p.nodes[i].def
	attrs := send.Attrs()
	r := route{attrs.Find("tensor_name").S, attrs.Find("send_device").S, attrs.Find("recv_device").S}
	if spec.Crossing != nil {
		r.crossing = spec.Crossing(send)
	}
	if c.p.routes == nil {
		c.p.routes = map[int32]route{}
	}
	c.p.routes[i] = r
}

// CountTransfer counts a token that comes to a node, if that is a Send, for engines that play
// nodes themselves.
func (p *Program) CountTransfer(t *profile.Transfers, node int32, v tensor.Value, dead bool) {
	r, ok := p.routes[node]
	if !ok {
		return
	}
	bytes := int64(0)
	if d, ok := tensor.DistantOf(v); ok {
		bytes = d.DistantBytes()
	} else if !dead && !v.IsRef() {
		bytes = int64(v.SizeBytes())
	}
	t.Add(r.crossing, r.from, r.to, dead, bytes)
}
