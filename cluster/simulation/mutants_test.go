package simulation

import (
	"bytes"
	"flag"
	"os/exec"
	"regexp"
	"testing"

	"github.com/troupe-go/troupe/conformance/planted"
)

var (
	mutants = flag.String("mutants", "", "plant the mistakes of testdata/mutants.txt whose names match this `PATTERN`: all must be found")
	within  = flag.String("within", "100000", "in how many `SEEDS` each must be")
)

// TestMutants holds the mistakes of testdata/mutants.txt against the protocol's sources.
// With -mutants it plants each, and expects one of these tests to fail: TestApart, TestBack, TestForgotten, TestLeft, TestReplayed, TestScenarios, TestStalled.
func TestMutants(t *testing.T) {
	planted.Each(t, "testdata/mutants.txt", *mutants, 20, func(m planted.Mutant, _, overlay string) {
		t.Run(m.Name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-overlay", overlay, "-timeout", "3h", "-run", "^(TestApart|TestBack|TestForgotten|TestLeft|TestReplayed|TestScenarios|TestStalled)$", ".", "-args", "-seeds", *within)
			out, err := cmd.CombinedOutput()
			if err == nil {
				t.Fatalf("not found in %s seeds", *within)
			}
			found := regexp.MustCompile(`(seed \d+|before|meanwhile|after|panic): [^\n]*`).Find(out)
			if found == nil {
				t.Fatalf("%v\n%s", err, out[:min(len(out), 3000)])
			}
			t.Logf("%s", bytes.TrimSpace(found))
		})
	})
}
