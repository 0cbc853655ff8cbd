package accelerators

import (
	"flag"
	"testing"

	"github.com/troupe-go/troupe/conformance/planted"
)

var mutants = flag.String("mutants", "", "plant the mistakes of testdata/mutants.txt whose names match this `PATTERN`, one after another: the tests of actors/streams must find all")

// TestMutants holds the list against the sources. With -mutants it plants each mistake and
// expects the tests to fail.
func TestMutants(t *testing.T) {
	planted.Each(t, "testdata/mutants.txt", *mutants, 1, func(m planted.Mutant, root, overlay string) {
		m.Find(t, root, overlay, "-timeout=2m", "-short", "-run=TestRandomWorks|TestClasses|TestBring|TestBudget|TestFaults|TestLenderIsClosedLast", "./actors/streams")
	})
}
