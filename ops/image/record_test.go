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

// Answers that testdata/scale.py recorded.
func TestScalingAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/scale.jsonl.gz", tensor.Tolerance{RTol: 1e-4, ATol: 1e-4})
}

func TestHostileInputs(t *testing.T) {
	kerneltest.Hostile(t, "testdata/scale.jsonl.gz")
	kerneltest.Hostile(t, "testdata/files.jsonl.gz")
}

// Answers that testdata/files.py recorded.
func TestFilesAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/files.jsonl.gz", tensor.Tolerance{ATol: 6.0 / 255})
}
