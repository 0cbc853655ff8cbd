package programs_test

import (
	"flag"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/conformance/planted"
)

var mutants = flag.String("mutants", "", "plant the mistakes of testdata/mutants.txt whose names match this `PATTERN`, one after another: all must be found")

// TestMutants holds the list against the sources. With -mutants it plants each
// mistake and expects the tests to fail.
func TestMutants(t *testing.T) {
	planted.Each(t, "testdata/mutants.txt", *mutants, 20, func(m planted.Mutant, root, overlay string) {
		plant(t, root, overlay, m.Name)
	})
}

// plant runs the tests with sources in place of others.
func plant(t *testing.T, root, overlay, name string) {
	start := time.Now()
	out, failed, err := planted.Test(root, overlay, "-timeout=2m", "-run=TestSeeds|TestFoundSeeds|TestBands|TestLongLoops|TestPrograms|TestDuals|TestEffects",
		"./conformance/programs", "-shrink=false")
	switch {
	case err != nil:
		t.Errorf("%s: %v\n%s", name, err, out)
	case !failed:
		t.Errorf("%s: is not found", name)
	default:
		found := "found"
		for _, line := range strings.Split(out, "\n") {
			if strings.Contains(line, "seed") || strings.Contains(line, "panic:") || strings.Contains(line, "rapid] ") {
				found = strings.TrimSpace(line)
				break
			}
		}
		t.Logf("%s (%v): %.150s", name, time.Since(start).Round(time.Second), found)
	}
}
