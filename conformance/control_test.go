package conformance_test

import (
	"testing"

	"github.com/troupe-go/troupe/conformance"

	_ "github.com/troupe-go/troupe"
)

// Engines that every case must pass on. The schedules of the seeded one differ
// from those of the others, which all have a preference of their own.
var engines = []string{"actors", "messages", "seeded:1", "seeded:2", "sequential"}

func TestControl(t *testing.T) {
	cases, err := conformance.Load("testdata/control.zip")
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) != 102 {
		t.Errorf("%d cases, want 102", len(cases))
	}
	for e, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			for i, c := range cases {
				if testing.Short() && (i+e)%3 > 0 {
					continue
				}
				t.Run(c.Name, func(t *testing.T) {
					if r := c.Run(t.Context(), conformance.Config{Engine: engine}); r.Verdict != conformance.Passed {
						t.Errorf("%s: %s", r.Verdict, r.Detail)
					}
				})
			}
		})
	}
}
