package conformance_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/troupe-go/troupe/conformance"

	_ "github.com/troupe-go/troupe"
)

// Datasets, iterators, and kernels that call functions; see
// tensorflow/datasets.py. Iterators leave no goroutine behind.
func TestDatasets(t *testing.T) {
	cases, err := conformance.Load("testdata/datasets.zip")
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) != 129 {
		t.Errorf("%d cases, want 129", len(cases))
	}
	running := goleak.IgnoreCurrent()
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
	goleak.VerifyNone(t, running)
}
