package programs_test

import (
	"math/rand/v2"
	"testing"

	"github.com/troupe-go/troupe/conformance/programs"
)

// TestCoverage holds that random programs have everything that programs may
// have, and that their steps end in every way.
func TestCoverage(t *testing.T) {
	if testing.Short() {
		t.Skip("draws thousands of programs, and runs none")
	}
	have := map[string]int{}
	for seed := range 4000 {
		tr, err := newTrial(&script{rng: rand.New(rand.NewPCG(uint64(seed), 0))}, programs.Options{Depth: 1 + seed%4, Shares: seed%5 == 4})
		if err != nil {
			continue
		}
		for name, n := range tr.program.Counts() {
			have[name] += n
		}
		for _, s := range tr.steps {
			switch {
			case len(s.want.Faults) > 1:
				have["several errors"]++
			case len(s.want.Faults) > 0:
				have["an error"]++
			case s.want.Dead():
				have["a dead fetch"]++
			}
			if len(s.fed) > 0 {
				have["a fed value"]++
			}
			if len(s.targets) > 0 {
				have["a target"]++
			}
			if s.want.Turns > 20 {
				have["many turns"]++
			}
		}
		if tr.callers > 1 {
			have["several callers"]++
		}
		if tr.stopAt > 0 {
			have["a cancellation"]++
		}
	}
	want := append(programs.Operations(), "several errors", "an error", "a dead fetch", "a fed value", "a target", "many turns", "several callers",
		"a cancellation", "rank 0", "rank 1", "rank 2", "rank 3", "bool", "int8", "int16", "int32", "int64",
		"uint8", "uint16", "uint32", "uint64", "half", "bfloat16", "float", "double", "complex64", "complex128")
	for _, name := range want {
		if have[name] < 3 {
			t.Errorf("%s: %d times", name, have[name])
		}
	}
	t.Log(have)
}
