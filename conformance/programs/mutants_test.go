package programs_test

import (
	"flag"
	"testing"

	"github.com/troupe-go/troupe/conformance/planted"
)

var mutants = flag.String("mutants", "", "plant the mistakes of testdata/mutants.txt whose names match this `PATTERN`, one after another: all must be found")

// TestMutants holds the list against the sources. With -mutants it plants each
// mistake and expects the tests to fail.
func TestMutants(t *testing.T) {
	planted.Each(t, "testdata/mutants.txt", *mutants, 20, func(m planted.Mutant, root, overlay string) {
		m.Find(t, root, overlay, "-timeout=2m", "-run=TestSeeds|TestFoundSeeds|TestBands|TestLongLoops|TestPrograms|TestDuals|TestEffects|TestUpdates|TestNetworks",
			"./conformance/programs", "-shrink=false")
	})
}
