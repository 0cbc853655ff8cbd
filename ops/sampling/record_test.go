package sampling_test

import (
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/tensor"
)

// Answers that testdata/candidates.py recorded from TensorFlow.
func TestCandidatesAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/candidates.jsonl.gz", tensor.Tolerance{RTol: 1e-6})
}

func TestHostileInputs(t *testing.T) { kerneltest.Hostile(t, "testdata/candidates.jsonl.gz") }
