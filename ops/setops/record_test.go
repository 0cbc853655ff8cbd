package setops_test

import (
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/tensor"
)

// Answers that testdata/sets.py recorded from TensorFlow.
func TestSetsAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/sets.jsonl.gz", tensor.Tolerance{})
}

func TestHostileInputs(t *testing.T) { kerneltest.Hostile(t, "testdata/sets.jsonl.gz") }

// Answers that testdata/more.py recorded from TensorFlow.
func TestSparseSetsAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/more.jsonl.gz", tensor.Tolerance{})
}

func TestSparseSetsHostile(t *testing.T) { kerneltest.Hostile(t, "testdata/more.jsonl.gz") }
