package protocol_test

import (
	"fmt"

	"github.com/troupe-go/troupe/cluster/protocol"
)

// A master and a worker in one process: the shell moves packets, and does what the
// worker asks for.
func Example() {
	const at, worker = 0, 1
	config := protocol.Config{Patience: 8, Window: 1 << 20}
	m, w := protocol.NewMaster(7, config), protocol.NewWorker(8, worker, config)
	m.Open(1)
	m.Add(1, 1, []protocol.Part{{Worker: worker, Value: "double"}})

	var mOut, wOut protocol.Outbox
	m.Run(100, 1, 1, []any{21}, &mOut)
	m.Beat(&mOut) // the master dials
	for len(mOut.Sent)+len(wOut.Sent)+len(wOut.Effects) > 0 {
		sent, effects := append([]protocol.Sent(nil), mOut.Sent...), append([]protocol.Effect(nil), wOut.Effects...)
		replies := append([]protocol.Sent(nil), wOut.Sent...)
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
				fmt.Println("compile", e.Value)
				w.Compiled(e.Step.SessionID, e.Handle, nil, &wOut)
			case protocol.Start:
				w.Finished(e.Step, e.Value.(int)*2, nil, &wOut)
			}
		}
	}
	for _, e := range mOut.Effects {
		fmt.Println(e.Kind, e.Request, e.Fetches, e.Err)
	}
	// Output:
	// compile double
	// Reply 100 [42] <nil>
}
