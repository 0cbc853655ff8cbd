package conformance_test

import (
	"testing"

	"github.com/troupe-go/troupe/conformance"
)

// The gradients that TensorFlow was asked for are asked for here, and the backward
// graphs that it built are run.
func TestGradients(t *testing.T) {
	differentiate(t, "testdata/gradients.zip", 61)
}

// Higher derivatives through loops, conditionals and arrays, and random graphs with both
// derivatives, as derivatives.py records them.
func TestDerivatives(t *testing.T) {
	differentiate(t, "testdata/derivatives.zip", 27)
}

// differentiate runs the cases of an archive on every engine; with -short each case on a
// third of them.
func differentiate(t *testing.T, group string, want int) {
	cases, err := conformance.Load(group)
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) != want {
		t.Errorf("%d cases, want %d", len(cases), want)
	}
	for e, engine := range []string{"actors", "tokens", "seeded:1", "sequential", "messages"} {
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
