package image_test

import (
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/tensor"
)

// Answers that testdata/edges.py recorded.
func TestEdgesAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/edges.jsonl.gz", tensor.Tolerance{RTol: 1e-6})
}
