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
func (c *compiler) station(spec Spec, n *node) {
	if spec.On != nil {
		n.device = int32(spec.On(n.def))
	}
	switch n.def.Class() {
	case graph.ClassSend, graph.ClassRecv:
		c.p.transfers = true
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
	s.p.CountTransfer(s.ctx.Step.Transfers, n.def, a.it.Inputs[n.in], a.dead)
}

// CountTransfer counts a token that a Send sends, for engines that play nodes themselves.
func (p *Program) CountTransfer(t *profile.Transfers, send *graph.Node, v tensor.Value, dead bool) {
	bytes := int64(0)
	if d, ok := tensor.DistantOf(v); ok {
		bytes = d.DistantBytes()
	} else if !dead && !v.IsRef() {
		bytes = int64(v.SizeBytes())
	}
	attrs := send.Attrs()
	crossing := attrs.Find("tensor_name").S
	if p.crossing != nil {
		crossing = p.crossing(send)
	}
	t.Add(crossing, attrs.Find("send_device").S, attrs.Find("recv_device").S, dead, bytes)
}
