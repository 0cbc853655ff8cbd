package accelerators

import (
	"flag"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/conformance/planted"
)

var mutants = flag.String("mutants", "", "plant the mistakes of testdata/mutants.txt whose names match this `PATTERN`, one after another: the tests of actors/streams must find all")

// TestMutants holds the list against the sources. With -mutants it plants each mistake and
// expects the tests to fail.
func TestMutants(t *testing.T) {
	planted.Each(t, "testdata/mutants.txt", *mutants, 1, func(m planted.Mutant, root, overlay string) {
		out, failed, err := planted.Test(root, overlay, "-timeout=2m", "-short", "-run=TestRandomWorks|TestClasses|TestBring|TestBudget|TestFaults|TestLenderIsClosedLast", "./actors/streams")
		switch {
		case err != nil:
			t.Errorf("%s: %v\n%s", m.Name, err, out)
		case !failed:
			t.Errorf("%s: is not found", m.Name)
		default:
			found := "found"
			for _, line := range strings.Split(out, "\n") {
				if strings.Contains(line, "seed") || strings.Contains(line, "_test.go") || strings.Contains(line, "panic:") {
					found = strings.TrimSpace(line)
					break
				}
			}
			t.Logf("%s: %.150s", m.Name, found)
		}
	})
}
