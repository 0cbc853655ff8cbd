package cluster

import (
	"testing"

	"github.com/troupe-go/troupe/cluster/protocol"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// FuzzPacket decodes packets that hold anything, and tensors and parts in them.
func FuzzPacket(f *testing.F) {
	s := newShell(0, nil)
	x, _ := tensor.FromSlice([]float32{1, 2, 3, 4}, 2, 2)
	text, _ := tensor.FromSlice([]string{"a", "bc"}, 2)
	for _, items := range [][]item{
		nil, {{value: tensor.ValueOf(x)}}, {{at: 3, dead: true}}, {{value: tensor.Scalar(int64(5))}, {at: 1, value: tensor.ValueOf(text)}}, {{value: tensor.Scalar(complex(1, 2))}},
	} {
		p, size, err := pack(protocol.StepID{Step: 1}, items)
		if err != nil {
			f.Fatal(err)
		}
		packet := protocol.Packet{Kind: protocol.Data, Conn: protocol.Conn{Dialer: 1, Dial: 2, Acceptor: 3, Accept: 4}, Number: 7, Message: protocol.Message{
			Verb: protocol.Tensor, Step: protocol.StepID{Step: 1}, Key: "k", Size: size, Peers: []protocol.Peer{s.peer("a:1")}, Value: p,
			Err: &status.Error{Code: status.Aborted, Message: "why", Node: "n"},
		}}
		f.Add(s.appendPacket(0, &packet))
	}
	f.Add(s.appendPacket(0, &protocol.Packet{Kind: protocol.Beat}))
	f.Fuzz(func(t *testing.T, b []byte) {
		s := newShell(0, nil)
		p, _, err := s.packet("somebody", b)
		if err != nil {
			return
		}
		a, ok := p.Message.Value.(*arrival)
		if !ok || a.ticket != 0 {
			return
		}
		items, err := unpack(t.Context(), nil, tensor.NewBudget(1<<20), a)
		if status.CodeOf(err) == status.Internal {
			t.Fatal(err)
		}
		if err == nil {
			if _, _, err := pack(protocol.StepID{}, items); err != nil && status.CodeOf(err) != status.Unimplemented {
				t.Fatal(err)
			}
		}
		if _, err := decodePart(a.head); status.CodeOf(err) == status.Internal {
			t.Fatal(err)
		}
	})
}
