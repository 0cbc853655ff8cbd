package cellular_test

import (
	"flag"
	"testing"

	"github.com/troupe-go/troupe/conformance/planted"
)

var mutants = flag.String("mutants", "", "plant the mistakes of testdata/mutants.txt whose names match this `PATTERN`, one after another: all must be found")

// TestMutants holds the list against the sources. With -mutants it plants each mistake and expects
// the tests to fail.
func TestMutants(t *testing.T) {
	planted.Each(t, "testdata/mutants.txt", *mutants, 20, func(m planted.Mutant, root, overlay string) {
		out, failed, err := planted.Test(root, overlay, "-timeout=30s", "-run=TestSingleRuns|TestFlat|TestAssigned|TestBranches", "./compile/cellular")
		switch {
		case err != nil:
			t.Errorf("%s: %v\n%s", m.Name, err, out)
		case !failed:
			t.Errorf("%s: is not found", m.Name)
		default:
			t.Logf("%s: found", m.Name)
		}
	})
}
