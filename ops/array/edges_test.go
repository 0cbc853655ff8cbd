package array_test

import (
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/tensor"
)

// Answers that answers/edges.py recorded.
func TestEdgesAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "answers/edges.jsonl", tensor.Tolerance{})
}

// Answers that answers/volumes.py recorded from TensorFlow.
func TestVolumesAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "answers/volumes.jsonl.gz", tensor.Tolerance{})
}
