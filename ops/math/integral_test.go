package math_test

import (
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/tensor"
)

// Answers that testdata/integrals.py recorded.
func TestIntegralsAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/integrals.jsonl.gz", tensor.Tolerance{RTol: 2e-6, ATol: 2e-6})
}
