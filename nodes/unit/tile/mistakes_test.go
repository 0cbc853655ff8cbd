package tile_test

import (
	"flag"
	"testing"

	"github.com/troupe-go/troupe/conformance/planted"
)

var mistakes = flag.String("mistakes", "", "plant the mistakes of mistakes.txt whose names match this `PATTERN`, one after another: all must be found")

// TestPlanted holds the list against the sources. With -mistakes it plants each mistake and expects
// the tests of tiles to fail.
func TestPlanted(t *testing.T) {
	planted.Each(t, "mistakes.txt", *mistakes, 20, func(m planted.Mutant, root, overlay string) {
		m.Find(t, root, overlay, "-timeout=60s", "-run=TestNetworks|TestLags|TestLonger|TestCancelled|TestRunAllocatesNothing|TestRecorded|TestConv", "./nodes/unit/tile", "./ops/nn")
	})
}
