package image_test

import (
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/status"
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

// A few bytes that declare an image that they cannot hold are refused before
// memory is asked for.
func TestLargeImagesInSmallFiles(t *testing.T) {
	for _, file := range []string{
		"\xff\xd8\xff\xc0\x00\x0b\x08\xff\xff\xff\xff\x01\x01\x11\x00\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00",
		"GIF89a\xff\xff\xff\xff\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\xff\xff\xff\xff\x00\x02\x01\x00\x00;",
		"BM\x00\x00\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00\x28\x00\x00\x00\xff\xff\xff\x7f\xff\xff\xff\x7f\x01\x00\x18\x00\x00\x00\x00\x00",
	} {
		contents := tensor.Scalar(file).Tensor()
		if out, err := kerneltest.Run("DecodeImage", nil, contents); status.CodeOf(err) != status.InvalidArgument {
			t.Errorf("%.4q: %v, %v", file, out, err)
		}
	}
}
