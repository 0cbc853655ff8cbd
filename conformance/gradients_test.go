package conformance_test

import (
	"testing"

	"github.com/troupe-go/troupe/conformance"
)

// The gradients that TensorFlow was asked for are asked for here, and the backward
// graphs that it built are run.
func TestGradients(t *testing.T) {
	cases, err := conformance.Load("testdata/gradients.zip")
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) != 61 {
		t.Errorf("%d cases, want 61", len(cases))
	}
	for _, engine := range []string{"actors", "tokens", "seeded:1", "sequential"} {
		t.Run(engine, func(t *testing.T) {
			for _, c := range cases {
				t.Run(c.Name, func(t *testing.T) {
					if r := c.Run(t.Context(), conformance.Config{Engine: engine}); r.Verdict != conformance.Passed {
						t.Errorf("%s: %s", r.Verdict, r.Detail)
					}
				})
			}
		})
	}
}
