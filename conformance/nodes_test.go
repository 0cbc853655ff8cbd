package conformance_test

import (
	"context"
	"testing"

	"github.com/troupe-go/troupe/conformance"
)

// Single nodes with random attributes, types, shapes and values, executed by
// TensorFlow: those that are likely to differ, and some of every operation.
func TestNodes(t *testing.T) {
	cases, err := conformance.Load("testdata/nodes.zip")
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
	if len(ops) < 500 {
		t.Errorf("rows of %d operations", len(ops))
	}
}
