package main

import (
	"runtime/debug"
	"testing"

	"github.com/troupe-go/troupe/serve"
)

// TestGarbagePercent: garbage may be as much as what is live besides weights.
func TestGarbagePercent(t *testing.T) {
	const mb = 1 << 20
	for _, test := range []struct {
		heap, weights int64
		much          bool
		percent       int
	}{
		{100 * mb, 0, false, 100},
		{0, 0, false, 100},
		{0, mb, false, 100},
		{300 * mb, 240 * mb, true, 6}, // 20 MB
		{300 * mb, 300 * mb, true, 2}, // 8 MB
		{300 * mb, 400 * mb, true, 2}, // what sessions count may be more than the heap
		{60 * mb, 0, true, 33},        // weights are mapped
		{10 * mb, 8 * mb, false, 80},
		{8 * mb, 4 * mb, false, 100}, // as any small program
		{10000 * mb, 9999 * mb, true, 1},
	} {
		if got := garbagePercent(test.heap, test.weights, test.much); got != test.percent {
			t.Errorf("of %d bytes %d are weights: %d%% instead of %d", test.heap, test.weights, got, test.percent)
		}
	}
}

// TestPaceCollector: the collector is paced as models come and go, and as the user has it
// where GOGC is set.
func TestPaceCollector(t *testing.T) {
	now := debug.SetGCPercent(100)
	defer debug.SetGCPercent(now)
	t.Setenv("GOGC", "")
	set := func() int {
		n := debug.SetGCPercent(100)
		debug.SetGCPercent(n)
		return n
	}
	paceCollector(heapBytes() * 9)
	if n := set(); n < 1 || n > 100 {
		t.Errorf("GOGC is %d", n)
	}
	paceCollector(1 << 50)
	low := set()
	if want := garbagePercent(heapBytes(), 1<<50, true); low > want+20 || low < want-20 {
		t.Errorf("GOGC is %d, not about %d", low, want)
	}
	models := serve.New(serve.Options{})
	defer models.Close(t.Context())
	loads := &counted{}
	p := &paced{Observer: loads, models: models}
	p.Load(serve.Load{})
	if n := set(); n != 100 {
		t.Errorf("without weights GOGC is %d", n)
	}
	p.Unload(serve.Load{})
	if loads.loads != 1 || loads.unloads != 1 {
		t.Error("what is observed is not forwarded")
	}
	t.Setenv("GOGC", "70")
	debug.SetGCPercent(70)
	if paceCollector(1 << 50); set() != 70 {
		t.Errorf("GOGC is 70 by the user, and is made %d", set())
	}
}

// A counted observer counts.
type counted struct {
	serve.Observer
	loads, unloads int
}

func (c *counted) Load(serve.Load)   { c.loads++ }
func (c *counted) Unload(serve.Load) { c.unloads++ }
