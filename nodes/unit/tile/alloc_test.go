//go:build !race

package tile

import (
	"runtime/debug"
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
)

// TestRunAllocatesNothing plays a segment that has been played before.
func TestRunAllocatesNothing(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // which would empty pools
	for seed := range uint64(20) {
		n := random(seed)
		n.plans(func(p *Plan) {
			s := p.Segments[0]
			r, ctx := NewRunner(s), (&kerneltest.Runner{}).Context()
			out := n.blank(s)
			given := make([][]float32, len(s.Inputs))
			for i := range given {
				given[i] = n.floats(s.Inputs[i])
			}
			in, to := func(i int) []float32 { return given[i] }, func(i int) []float32 { return out[i] }
			run := func() {
				if _, err := r.Run(ctx, in, to); err != nil {
					t.Fatal(err)
				}
			}
			for range 10 { // memory that is lent grows until it suffices for each band
				run()
			}
			if allocs := testing.AllocsPerRun(5, run); allocs > 0 {
				t.Errorf("network %d, %v: %v allocations", seed, n.names, allocs)
			}
		})
	}
}

// TestDraftsShareMemory: a plan tries some sixteen segments for each member, and those that it
// does not choose leave their memory to the next ones.
func TestDraftsShareMemory(t *testing.T) {
	const members = 48
	n, inputs := convolutions(members)
	if allocs := testing.AllocsPerRun(3, func() { NewPlan(&n.group, inputs, 2) }); allocs > 300*members {
		t.Errorf("a plan of %d members takes %v allocations", members, allocs)
	}
}
