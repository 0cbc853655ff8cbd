package image_test

import (
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/tensor"
)

// Answers that testdata/kinds.py recorded.
func TestKindsAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/kinds.jsonl.gz", tensor.Tolerance{ATol: 6})
}

func TestHostileKinds(t *testing.T) { kerneltest.Hostile(t, "testdata/kinds.jsonl.gz") }
