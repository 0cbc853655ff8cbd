package programs_test

import (
	"flag"
	"testing"

	"github.com/troupe-go/troupe/conformance/planted"
)

var mistakes = flag.String("mistakes", "", "plant the mistakes of testdata/networks_mistakes.txt whose names match this `PATTERN`, one after another: all must be found")

// TestPlantedInNetworks holds the list against the sources. With -mistakes it plants each mistake
// and expects TestNetworks, or the graphs of plan/rewrite, to fail.
func TestPlantedInNetworks(t *testing.T) {
	planted.Each(t, "testdata/networks_mistakes.txt", *mistakes, 10, func(m planted.Mutant, root, overlay string) {
		m.Find(t, root, overlay, "-timeout=120s", "-run=TestNetworks$|TestGolden$", "./plan/rewrite", "./conformance/programs")
	})
}
