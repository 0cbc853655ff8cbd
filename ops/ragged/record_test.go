package ragged_test

import (
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/tensor"

	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/sparse"
)

// Answers that testdata/ragged.py recorded from TensorFlow, for the counts of
// package sparse as well.
func TestRaggedAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/ragged.jsonl.gz", tensor.Tolerance{RTol: 1e-6})
}

func TestHostileInputs(t *testing.T) { kerneltest.Hostile(t, "testdata/ragged.jsonl.gz") }

func TestVariants(t *testing.T) { kerneltest.Script(t, "testdata/variants") }
