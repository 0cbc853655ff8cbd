package programs_test

import (
	"errors"
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/troupe-go/troupe/conformance/programs"
)

var fans = flag.Int("fans", 0, "run `N` programs in TestFans; 0: a number that suits a test")

// TestFans runs programs whose nodes have 1 to 130 inputs and outputs, of which few are
// used. Every third loops long under a limit of a fraction of what it makes, so that an
// output that has no reader and is not given back in time shows.
func TestFans(t *testing.T) {
	n := *fans
	if n == 0 {
		n = 150
		if testing.Short() {
			n = 60
		}
	}
	unclear := 0
	for seed := *first; seed < *first+n; seed++ {
		o := programs.Options{Fans: true, Long: seed%3 == 0, Depth: 1 + seed%2}
		tr, err := newTrial(&script{rng: rand.New(rand.NewPCG(uint64(seed), 6))}, o)
		if err != nil {
			if !errors.Is(err, errUnclear) {
				t.Fatalf("seed %d: %v", seed, err)
			}
			unclear++
			continue
		}
		limit, list := int64(memoryLimit), "actors,actors/3,bands/3,tokens,sequential,seeded:1,messages"
		if o.Long {
			made := 0
			for _, s := range tr.steps {
				made = max(made, s.want.Bytes)
			}
			limit, list = int64(512<<10+made/8), "actors,bands/2,tokens,sequential"
		}
		all, end := engines(t, list, limit)
		e, err := tr.judgeAll(all)
		end()
		if err != nil {
			label := "all engines"
			if e != nil {
				label = e.label
			}
			t.Fatalf("seed %d on %s: %s\n%.20000s", seed, label, brief(err), tr)
		}
	}
	if unclear > n/2 {
		t.Errorf("%d of %d programs have no clear answer", unclear, n)
	}
}
