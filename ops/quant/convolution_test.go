package quant_test

import (
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/tensor"
)

// Answers that testdata/convolution.py recorded.
func TestConvolutionsAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/convolution.jsonl.gz", tensor.Tolerance{RTol: 1e-6})
}

func TestHostileConvolutions(t *testing.T) {
	kerneltest.Hostile(t, "testdata/convolution.jsonl.gz")
}
