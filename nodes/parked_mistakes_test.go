package nodes_test

import (
	"flag"
	"testing"

	"github.com/troupe-go/troupe/conformance/planted"
)

var mistakes = flag.String("mistakes", "", "plant the mistakes of parked_mistakes.txt whose names match this `PATTERN`, one after another: all must be found")

// TestPlantedInLoopsThatWait holds the list against the sources. With -mistakes it plants each
// mistake and expects the tests of loops that wait to fail.
func TestPlantedInLoopsThatWait(t *testing.T) {
	planted.Each(t, "parked_mistakes.txt", *mistakes, 15, func(m planted.Mutant, root, overlay string) {
		m.Find(t, root, overlay, "-timeout=40s", "-run=LoopsThatWait|LoopWaits|LoopsTakeTurns|LoopsOfSeveral|NetworksOfLoops", "./nodes")
	})
}
