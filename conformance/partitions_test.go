package conformance_test

import (
	"testing"
	"time"

	"github.com/troupe-go/troupe/conformance"
)

// TestPartition holds graphs on two devices against what TensorFlow made of them: the
// pieces, and the answers, played side by side and apart.
func TestPartition(t *testing.T) {
	cases, err := conformance.Load("testdata/partition.zip.gz")
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) != 15 {
		t.Errorf("%d cases, want 15", len(cases))
	}
	for _, engine := range append(engines, "tokens") {
		for _, apart := range []bool{false, true} {
			for _, passes := range []string{"", "none"} {
				for _, c := range cases {
					r := c.Run(t.Context(), conformance.Config{Engine: engine, SeparateSteps: apart, Rewrite: passes, Timeout: 20 * time.Second})
					if r.Verdict != conformance.Passed {
						t.Errorf("%s on %s, apart %v, passes %q: %s: %s", c.Name, engine, apart, passes, r.Verdict, r.Detail)
					}
				}
			}
		}
	}
}
