package programs_test

import (
	"flag"
	"regexp"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/conformance/planted"
)

var wrongPasses = flag.String("wrongpasses", "", "plant the mistakes of testdata/passes.txt whose names match this `PATTERN`, one after another: bisecting must name the pass of each")

// TestWrongPasses holds the list against the sources. With -wrongpasses it plants each mistake,
// expects the random programs to find it, and bisecting to name the pass.
func TestWrongPasses(t *testing.T) {
	planted.Each(t, "testdata/passes.txt", *wrongPasses, 10, func(m planted.Mutant, root, overlay string) {
		pass, _, _ := strings.Cut(m.Name, ":")
		out, failed, err := planted.Test(root, overlay, "-timeout=5m", "-run=TestSeeds", "./conformance/programs", "-shrink=false", "-seeds=20000")
		said := regexp.MustCompile("seed [0-9]+: .*").FindString(out)
		switch {
		case err != nil:
			t.Errorf("%s: %v\n%s", m.Name, err, out)
		case !failed:
			t.Errorf("%s: is not found", m.Name)
		case !strings.HasSuffix(said, ": made wrong by the pass "+pass):
			t.Errorf("%s: %s\n%.2000s", m.Name, said, out)
		default:
			t.Logf("%s: %s", m.Name, said)
		}
	})
}
