package image_test

import (
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/tensor"
)

// Answers that testdata/windows.py recorded from TensorFlow.
func TestWindowsAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/windows.jsonl.gz", tensor.Tolerance{RTol: 1e-6})
}

func TestWindowsHostile(t *testing.T) { kerneltest.Hostile(t, "testdata/windows.jsonl.gz") }
