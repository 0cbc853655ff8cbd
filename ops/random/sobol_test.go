package random_test

import (
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/tensor"
)

// Answers that answers/sobol.py recorded from TensorFlow; the last direction
// numbers of all dimensions follow from all others.
func TestSobolAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "answers/sobol.jsonl.gz", tensor.Tolerance{})
}

func TestHostileSobol(t *testing.T) { kerneltest.Hostile(t, "answers/sobol.jsonl.gz") }
