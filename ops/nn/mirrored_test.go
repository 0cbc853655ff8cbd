package nn_test

import (
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/tensor"
)

// Answers that testdata/mirrored.py recorded.
func TestMirroredAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/mirrored.jsonl.gz", tensor.Tolerance{RTol: 2e-3, ATol: 2e-3})
}

func TestHostileMirrored(t *testing.T) { kerneltest.Hostile(t, "testdata/mirrored.jsonl.gz") }
