package simulation

import (
	"flag"
	"strings"
	"testing"
)

var (
	seeds = flag.Int("seeds", 0, "run `N` scenarios; 0: a number that suits a test")
	first = flag.Uint64("first", 1, "the `SEED` of the first scenario")
	most  = flag.Int("workers", 5, "draw up to `N` workers")
)

// TestScenarios plays random scenarios. One that fails is shrunk, and its trace printed.
func TestScenarios(t *testing.T) {
	n := *seeds
	if n == 0 {
		n = 3000
		if testing.Short() {
			n = 300
		}
	}
	all, good := 0, 0
	for seed := *first; seed < *first+uint64(n); seed++ {
		s := Random(seed, *most)
		ok, err := Run(s, nil)
		good += ok
		all += len(s.Requests)
		if err == nil {
			continue
		}
		s = Shrink(s, func(s *Scenario) bool { _, err := Run(s, nil); return err != nil })
		var b strings.Builder
		_, err = Run(s, func(line string) {
			if !strings.Contains(line, " Beat ") {
				b.WriteString(line + "\n")
			}
		})
		text := b.String()
		t.Fatalf("seed %d: %v\nfaults %v, %d workers, requests %v, graphs %+v\n%s", seed, err, s.Faults, s.Workers, s.Requests, s.Graphs, text[max(0, len(text)-60000):])
	}
	t.Logf("%d of %d requests succeeded", good, all)
	if good < all/4 {
		t.Errorf("only %d of %d requests succeeded", good, all)
	}
}
