package simulation

import (
	"slices"
	"testing"

	"github.com/troupe-go/troupe/cluster/protocol"
)

// TestForgotten has a master crash for long: its worker forgets it, and serves the next one at
// its address.
func TestForgotten(t *testing.T) {
	g := Graph{Parts: []Part{{Worker: 1, Code: []Instr{{Op: Work}}}}}
	crash := Fault{Kind: Crash, At: 25 * period, Peer: Master, For: 100 * period}
	s := &Scenario{Seed: 1, Workers: 1, Config: protocol.Config{Patience: 8, Window: 1 << 20}, Graphs: []Graph{g}, Delay: 100, End: 300 * period}
	s.Faults = []Fault{crash}
	w := newWorld(s, nil)
	for i, from := range []Time{20 * period, 150 * period} {
		w.until(from, nil)
		w.ask(Request{})
		a := w.asked[w.requests]
		w.until(w.now+40*period, func() bool { return a.replied })
		if !a.replied || a.err != nil {
			t.Fatalf("%s: %v, %v", []string{"before", "after"}[i], a.replied, a.err)
		}
		if i == 0 {
			w.fault(crash)
			w.until(w.now+90*period, nil)
			if w.processes[1].worker.Knows(Master) {
				t.Error("meanwhile: the worker knows a master that has crashed long ago")
			}
		}
	}
	if w.broken != nil {
		t.Error(w.broken)
	}
}

// TestReplayed replays the packets of a connection to a worker that has forgotten the process
// they are of: they do not open another one.
func TestReplayed(t *testing.T) {
	const at, worker = 0, 1
	config := protocol.Config{Patience: 8, Window: 1 << 20}
	m, w := protocol.NewMaster(7, config), protocol.NewWorker(8, worker, config)
	m.Open(1)
	m.Add(1, 1, []protocol.Part{{Worker: worker, Value: "part"}})
	var mOut, wOut protocol.Outbox
	m.Beat(&mOut)
	var all []protocol.Packet // of the master
	exchange := func() {
		for len(mOut.Sent)+len(wOut.Sent) > 0 {
			sent, replies := slices.Clone(mOut.Sent), slices.Clone(wOut.Sent)
			mOut.Sent, wOut.Sent = nil, nil
			for _, s := range sent {
				all = append(all, s.Packet)
				w.Receive(at, s.Packet, &wOut)
			}
			for _, s := range replies {
				m.Receive(worker, s.Packet, &mOut)
			}
		}
	}
	exchange()
	m.Run(100, 1, 1, []any{21}, &mOut)
	exchange()
	if !slices.ContainsFunc(wOut.Effects, func(e protocol.Effect) bool { return e.Kind == protocol.Compile }) {
		t.Fatal("the part was not registered")
	}
	beats := 0
	for ; w.Knows(at) && beats < 100; beats++ {
		wOut.Reset()
		w.Beat(&wOut)
	}
	if beats >= 100 || wOut.Effects[len(wOut.Effects)-1].Kind != protocol.Forget || w.Peers() != 0 {
		t.Fatalf("before: %d beats, %v", beats, wOut.Effects)
	}
	wOut.Reset()
	for _, p := range all {
		w.Receive(at, p, &wOut)
	}
	if len(wOut.Effects) > 0 {
		t.Errorf("after: packets of a forgotten connection have effects: %v", wOut.Effects)
	}
}
