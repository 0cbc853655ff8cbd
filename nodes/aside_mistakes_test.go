package nodes_test

import (
	"flag"
	"regexp"
	"testing"

	"github.com/troupe-go/troupe/conformance/planted"
)

var mistakes = flag.String("mistakes", "", "plant the mistakes of aside_mistakes.txt whose names match this `PATTERN`, one after another: all must be found")

// TestPlantedInLoopsThatWait holds the list against the sources. With -mistakes it plants each
// mistake and expects the tests of loops that wait to fail.
func TestPlantedInLoopsThatWait(t *testing.T) {
	list, err := planted.Read("aside_mistakes.txt")
	if err != nil {
		t.Fatal(err)
	}
	root, err := planted.Root()
	if err != nil {
		t.Fatal(err)
	}
	pattern, err := regexp.Compile(*mistakes)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range list {
		overlay, err := m.Overlay(root, t.TempDir())
		if err != nil {
			t.Error(err)
			continue
		}
		if *mistakes == "" || !pattern.MatchString(m.Name) {
			continue
		}
		out, failed, err := planted.Test(root, overlay, "-timeout=40s", "-run=LoopsThatWait|LoopWaits|LoopsTakeTurns|LoopsOfSeveral|NetworksOfLoops", "./nodes")
		switch {
		case err != nil:
			t.Errorf("%s: %v\n%s", m.Name, err, out)
		case !failed:
			t.Errorf("%s: is not found", m.Name)
		default:
			t.Logf("%s: found", m.Name)
		}
	}
}
