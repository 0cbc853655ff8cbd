package protocol_test

import (
	"slices"
	"testing"

	"github.com/troupe-go/troupe/cluster/protocol"
	"github.com/troupe-go/troupe/status"
)

// A part that exchanges tensors with a worker which its registration does not name, as a
// master that lies may send one, fails; what it made is dropped.
func TestStrangePeer(t *testing.T) {
	const at, worker, stranger = 0, 1, 2
	config := protocol.Config{Patience: 8, Window: 1 << 20}
	m, w := protocol.NewMaster(7, config), protocol.NewWorker(8, worker, config)
	m.Open(1)
	m.Add(1, 1, []protocol.Part{{Worker: worker, Value: "part"}})
	var mOut, wOut protocol.Outbox
	m.Run(100, 1, 1, []any{21}, &mOut)
	m.Beat(&mOut)
	var dropped []any
	started := false
	for len(mOut.Sent)+len(wOut.Sent)+len(wOut.Effects) > 0 {
		sent, replies, effects := slices.Clone(mOut.Sent), slices.Clone(wOut.Sent), slices.Clone(wOut.Effects)
		mOut.Sent = nil
		wOut.Reset()
		for _, s := range sent {
			w.Receive(at, s.Packet, &wOut)
		}
		for _, s := range replies {
			m.Receive(worker, s.Packet, &mOut)
		}
		for _, e := range effects {
			switch e.Kind {
			case protocol.Compile:
				w.Compiled(e.Step.SessionID, e.Handle, nil, &wOut)
			case protocol.Start:
				started = true
				for _, err := range []error{
					w.Wanted(e.Step, stranger, "key", &wOut),
					w.Produced(e.Step, stranger, "key", "made", 4, &wOut),
				} {
					if status.CodeOf(err) != status.InvalidArgument {
						t.Errorf("%v", err)
					}
				}
				w.Finished(e.Step, 1, nil, &wOut)
			case protocol.Drop:
				dropped = append(dropped, e.Value)
			}
		}
	}
	if !started || !slices.Contains(dropped, any("made")) {
		t.Errorf("started %v, dropped %v", started, dropped)
	}
}
