package main

import (
	"bytes"
	"math"
	"strings"
	"testing"
)

// TestConserved holds that what Lotka and Volterra's equations keep is kept: for each
// world one number that no step changes.
func TestConserved(t *testing.T) {
	kept := func(x, y float64) float64 { return growth*x - deaths*math.Log(x) + meetings*y - births*math.Log(y) }
	before := [][2]float64{{10, 10}, {5, 5}, {4, 2.75}}
	x, y, err := simulate(t.Context(), []float64{10, 5, 4}, []float64{10, 5, 2.75}, 2000)
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range before {
		if was, is := kept(b[0], b[1]), kept(x[i], y[i]); math.Abs(was-is) > 1e-8*math.Abs(was) {
			t.Errorf("world %d: %.12g at first, %.12g after 2000 steps", i+1, was, is)
		}
	}
	if math.Abs(x[2]-4)+math.Abs(y[2]-2.75) > 1e-9 { // births and deaths are even there
		t.Errorf("a world at rest has moved to %g and %g", x[2], y[2])
	}
}

func TestRun(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), &out, 400); err != nil || strings.Count(out.String(), "\n") != 43 {
		t.Errorf("%v\n%s", err, &out)
	}
}
