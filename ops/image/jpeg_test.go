package image_test

import (
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/tensor"
)

// Files that testdata/jpeg.py recorded, byte by byte.
func TestJpegAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/jpeg.jsonl.gz", tensor.Tolerance{})
}

func TestHostileJpeg(t *testing.T) { kerneltest.Hostile(t, "testdata/jpeg.jsonl.gz") }
