package conformance_test

import (
	"context"
	"testing"

	"github.com/troupe-go/troupe/conformance"
)

// Shapes of random nodes of every operation, and of all tensors of random
// graphs.
func TestShapes(t *testing.T) {
	cases, err := conformance.Load("testdata/shapes.zip")
	if err != nil {
		t.Fatal(err)
	}
	ops := map[string]bool{}
	for _, c := range cases {
		if r := c.Run(context.Background(), conformance.Config{}); r.Verdict != conformance.Passed {
			t.Errorf("%s: %s: %s", c.Name, r.Verdict, r.Detail)
		}
		for _, op := range c.Ops {
			ops[op] = true
		}
	}
	if len(ops) < 830 {
		t.Errorf("rows of %d operations", len(ops))
	}
}
