package simulation

import (
	"testing"

	"github.com/troupe-go/troupe/cluster/protocol"
	"github.com/troupe-go/troupe/status"
)

// TestStalled cancels a step of which one part does not end for long: it is reported after the
// patience.
func TestStalled(t *testing.T) {
	const patience = 8
	g := Graph{Parts: []Part{{Worker: 1, Code: []Instr{{Op: Stall}}}, {Worker: 2, Code: []Instr{{Op: Work}}}}}
	s := &Scenario{Seed: 1, Workers: 2, Config: protocol.Config{Patience: patience, Window: 1 << 20}, Graphs: []Graph{g}, Delay: 100, Stall: 10000 * period, End: 300 * period}
	w := newWorld(s, nil)
	w.until(20*period, nil)
	w.ask(Request{Cancel: 30 * period})
	a := w.asked[w.requests]
	w.until(30*period, nil)
	if a.replied {
		t.Fatalf("before: %v", a.err)
	}
	w.until(30*period+(patience+3)*period*5/4, func() bool { return a.replied })
	if !a.replied || status.CodeOf(a.err) != status.Canceled {
		t.Errorf("after: %v, %v", a.replied, a.err)
	}
	if w.broken != nil {
		t.Error(w.broken)
	}
}

// TestApart runs a step of two workers between which packets are lost, though both are connected
// with the master: it fails within the patience of the worker that waits for the other one, and
// runs once that has healed.
func TestApart(t *testing.T) {
	const patience = 8
	g := Graph{Parts: []Part{
		{Worker: 1, Code: []Instr{{Op: Work}, {Op: Send, Peer: 2, Key: "t", Size: 8}}},
		{Worker: 2, Code: []Instr{{Op: Recv, Peer: 1, Key: "t", Size: 8}}},
	}}
	cut := Fault{Kind: Cut, At: 10 * period, Peer: 1, To: 2, For: 100 * period}
	s := &Scenario{Seed: 1, Workers: 2, Config: protocol.Config{Patience: patience, Window: 1 << 20}, Graphs: []Graph{g}, Delay: 100, End: 300 * period}
	s.Faults = []Fault{cut}
	w := newWorld(s, nil)
	step := func(at Time) *asked {
		w.until(at, nil)
		w.ask(Request{})
		a := w.asked[w.requests]
		w.until(w.now+(2*patience+6)*period*5/4, func() bool { return a.replied })
		return a
	}
	w.until(10*period, nil)
	w.fault(cut)
	if a := step(20 * period); !a.replied || status.CodeOf(a.err) != status.Unavailable {
		t.Errorf("meanwhile: %v, %v", a.replied, a.err)
	}
	if a := step(180 * period); !a.replied || a.err != nil {
		t.Errorf("after: %v, %v", a.replied, a.err)
	}
	if w.broken != nil {
		t.Error(w.broken)
	}
}
