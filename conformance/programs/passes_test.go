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
	list, err := planted.Read("testdata/passes.txt")
	if err != nil {
		t.Fatal(err)
	}
	root, err := planted.Root()
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 10 {
		t.Errorf("only %d mistakes", len(list))
	}
	pattern, err := regexp.Compile(*wrongPasses)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range list {
		overlay, err := m.Overlay(root, t.TempDir())
		if err != nil {
			t.Error(err)
			continue
		}
		if *wrongPasses == "" || !pattern.MatchString(m.Name) {
			continue
		}
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
	}
}
