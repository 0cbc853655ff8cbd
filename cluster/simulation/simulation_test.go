package simulation

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/cluster/protocol"
	"github.com/troupe-go/troupe/status"
)

var (
	seeds = flag.Int("seeds", 0, "run `N` scenarios; 0: a number that suits a test")
	first = flag.Uint64("first", 1, "the `SEED` of the first scenario")
	most  = flag.Int("workers", 5, "draw up to `N` workers")
)

// failed has seeds that have failed: 6507 voided registrations of later steps; in 30144416 two
// workers lost their connection again and again, and a third one never gave up its own; in
// 50660719 a part ended whose tensors were lost, on a connection that the other end had left; in
// 61179974 the simulation asked for too early an answer, as a crash ended a hang.
var failed = []uint64{6507, 30144416, 50660719, 61179974}

// TestScenarios runs random scenarios. One that fails is shrunk, and its trace printed.
func TestScenarios(t *testing.T) {
	n := *seeds
	if n == 0 {
		n = 3000
		if testing.Short() {
			n = 300
		}
	}
	var all Summary
	var run []uint64
	for seed := *first; seed < *first+uint64(n); seed++ {
		run = append(run, seed)
	}
	for _, seed := range append(run, failed...) {
		s := Random(seed, *most)
		sum, err := Run(s, nil)
		all.Requests, all.Succeeded = all.Requests+sum.Requests, all.Succeeded+sum.Succeeded
		if err == nil {
			continue
		}
		s = Shrink(s, func(s *Scenario) bool { _, err := Run(s, nil); return err != nil })
		var b strings.Builder
		_, err = Run(s, func(line string) {
			if !strings.Contains(line, " Beat ") && !strings.Contains(line, " Echo ") {
				b.WriteString(line + "\n")
			}
		})
		text := b.String()
		t.Fatalf("seed %d: %v\nfaults %v, %d workers, requests %v, graphs %+v\n%s", seed, err, s.Faults, s.Workers, s.Requests, s.Graphs, text[max(0, len(text)-60000):])
	}
	t.Logf("%d of %d requests succeeded", all.Succeeded, all.Requests)
	if n >= 100 && all.Succeeded < all.Requests/2 {
		t.Errorf("only %d of %d requests succeeded", all.Succeeded, all.Requests)
	}
}

// TestBack runs a step that needs a large tensor while nothing comes back on the connection by which
// it would be fetched: it fails within the patience of the links, and runs once that has healed.
func TestBack(t *testing.T) {
	g := Graph{Parts: []Part{
		{Worker: 1, Code: []Instr{{Op: Work}, {Op: Send, Peer: 2, Key: "t", Size: large}}},
		{Worker: 2, Code: []Instr{{Op: Recv, Peer: 1, Key: "t", Size: large}}},
	}}
	const patience = 8
	s := &Scenario{Seed: 1, Workers: 2, Config: protocol.Config{Patience: patience, Window: 1 << 20}, Graphs: []Graph{g}, Delay: 100, End: 300 * period}
	back := Fault{Kind: Back, At: 25 * period, Peer: 1, To: 2, For: 100 * period}
	s.Faults = []Fault{back} // which makes failures permitted; it begins below
	w := newWorld(s, nil)
	step := func() *asked {
		w.ask(Request{})
		a := w.asked[w.requests]
		w.until(w.now+(2*patience+4)*period*5/4, func() bool { return a.replied })
		return a
	}
	w.until(20*period, nil)
	if a := step(); !a.replied || a.err != nil {
		t.Fatalf("before: %v, %v", a.replied, a.err)
	}
	w.fault(back)
	if a := step(); !a.replied || status.CodeOf(a.err) != status.Unavailable {
		t.Errorf("meanwhile: %v, %v", a.replied, a.err)
	}
	w.until(180*period, nil)
	if a := step(); !a.replied || a.err != nil {
		t.Errorf("after: %v, %v", a.replied, a.err)
	}
	if w.broken != nil {
		t.Error(w.broken)
	}
}

// TestRoundTrips runs a graph of 100 workers over links of half a millisecond: a step
// whose parts are registered takes one round trip, and one more where tensors cross.
func TestRoundTrips(t *testing.T) {
	const delay = 500
	g := Graph{Parts: make([]Part, 100)}
	for i := range g.Parts {
		g.Parts[i] = Part{Worker: protocol.Peer(i + 1), Code: []Instr{{Op: Work}}}
	}
	for i := 0; i < 100; i += 2 { // each other one sends to the next
		key := fmt.Sprint("t", i)
		g.Parts[i].Code = append(g.Parts[i].Code, Instr{Op: Send, Peer: protocol.Peer(i + 2), Key: key, Size: 8})
		g.Parts[i+1].Code = append(g.Parts[i+1].Code, Instr{Op: Recv, Peer: protocol.Peer(i + 1), Key: key})
	}
	s := &Scenario{Seed: 1, Workers: 100, Config: protocol.Config{Patience: 8, Window: 1 << 20}, Graphs: []Graph{g}, Delay: delay, End: 100 * period}
	w := newWorld(s, nil)
	w.until(50*period, nil)
	w.ask(Request{})
	first := w.asked[w.requests]
	w.until(70*period, nil)
	w.ask(Request{})
	second := w.asked[w.requests]
	w.until(90*period, nil)
	took := second.took
	t.Logf("with registration %d µs, later %d µs", first.took, took)
	// Packets take up to 1.5 times the delay, and instructions up to 100 µs each.
	if limit := Time(3 * 2 * delay); took == 0 || took > limit {
		t.Errorf("a step over 100 workers takes %d µs, more than 3 round trips of %d", took, 2*delay)
	}
}
