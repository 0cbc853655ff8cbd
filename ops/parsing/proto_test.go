package parsing_test

import (
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/tensor"
)

// Answers that answers/protos.py recorded from TensorFlow.
func TestProtosAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "answers/protos.jsonl.gz", tensor.Tolerance{})
}

func TestProtosHostile(t *testing.T) { kerneltest.Hostile(t, "answers/protos.jsonl.gz") }
