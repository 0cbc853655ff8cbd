package logging_test

import (
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/tensor"
)

// Answers that testdata/summaries.py recorded from TensorFlow.
func TestSummariesAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/summaries.jsonl.gz", tensor.Tolerance{})
}

func TestHostileInputs(t *testing.T) { kerneltest.Hostile(t, "testdata/summaries.jsonl.gz") }
