package parsing_test

import (
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/tensor"
)

// Answers that answers/examples.py recorded from TensorFlow.
func TestJSONAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "answers/examples.jsonl.gz", tensor.Tolerance{})
}

func TestHostileInputs(t *testing.T) { kerneltest.Hostile(t, "answers/examples.jsonl.gz") }
