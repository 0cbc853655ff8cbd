package conformance_test

import (
	"testing"

	"github.com/troupe-go/troupe/conformance"
)

// Models that TensorFlow exported and ran: with variables of both kinds, a table
// filled from an asset, signatures that change variables from one step to the
// next, and one that Keras made.
func TestModels(t *testing.T) {
	cases, err := conformance.Load("testdata/models.zip")
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) != 4 {
		t.Errorf("%d cases, want 4", len(cases))
	}
	for _, engine := range engines {
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
