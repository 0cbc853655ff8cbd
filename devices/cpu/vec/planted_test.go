package vec

import (
	"flag"
	"testing"

	"github.com/troupe-go/troupe/conformance/planted"
)

var mistakes = flag.String("mistakes", "", "plant the mistakes of shared_mistakes.txt whose names match this `PATTERN`, one after another: all must be found")

// TestPlanted holds the list against the sources. With -mistakes it plants each mistake and expects
// the tests of shared products, or of the lines of convolutions, to fail.
func TestPlanted(t *testing.T) {
	planted.Each(t, "shared_mistakes.txt", *mistakes, 14, func(m planted.Mutant, root, overlay string) {
		m.Find(t, root, overlay, "-timeout=60s", "-run=TestRowsShared|TestEvenGroups|TestGemm|TestEvenly$", "./devices/cpu/vec", "./ops/nn")
	})
}
