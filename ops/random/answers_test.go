package random_test

import (
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/tensor"
)

// Answers that answers/stateless.py recorded from TensorFlow: the draws are the
// same, but for the last digits of those in half.
func TestStatelessAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "answers/stateless.jsonl.gz", tensor.Tolerance{RTol: 2e-3, ATol: 2e-3})
}

func TestHostileInputs(t *testing.T) { kerneltest.Hostile(t, "answers/stateless.jsonl.gz") }
