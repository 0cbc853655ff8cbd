package parsing_test

import (
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/tensor"
)

// Answers that answers/sequences.py recorded from TensorFlow.
func TestSequencesAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "answers/sequences.jsonl.gz", tensor.Tolerance{})
}

func TestHostileSequences(t *testing.T) { kerneltest.Hostile(t, "answers/sequences.jsonl.gz") }
