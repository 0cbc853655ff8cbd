package image_test

import (
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/tensor"
)

// Answers that testdata/image.py recorded from TensorFlow.
func TestImagesAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/image.jsonl.gz", tensor.Tolerance{RTol: 2e-3, ATol: 2e-3})
}

// Answers that testdata/projection.py recorded.
func TestProjectionsAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/projection.jsonl.gz", tensor.Tolerance{RTol: 2e-3, ATol: 2e-3})
}
