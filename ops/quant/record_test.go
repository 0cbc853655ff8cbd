package quant_test

import (
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/tensor"
)

// Answers that testdata/quant.py recorded from TensorFlow.
func TestQuantizationAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/quant.jsonl.gz", tensor.Tolerance{RTol: 1e-4, ATol: 1e-4})
}

// The same of arithmetic; sums of 32 bits may be off by some of the last.
func TestArithmeticAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/arithmetic.jsonl", tensor.Tolerance{RTol: 1e-5})
}
