package quant_test

import (
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/tensor"
)

// Answers that testdata/pool.py recorded from TensorFlow.
func TestPoolAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/pool.jsonl.gz", tensor.Tolerance{RTol: 1e-6})
}

func TestPoolHostile(t *testing.T) { kerneltest.Hostile(t, "testdata/pool.jsonl.gz") }

// Answers that testdata/uniform.py recorded from TensorFlow.
func TestUniformAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/uniform.jsonl.gz", tensor.Tolerance{RTol: 1e-6})
}

func TestUniformHostile(t *testing.T) { kerneltest.Hostile(t, "testdata/uniform.jsonl.gz") }

// Answers that testdata/sums.py recorded from TensorFlow: to the last bit.
func TestSumsAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/sums.jsonl.gz", tensor.Tolerance{})
}

func TestSumsHostile(t *testing.T) { kerneltest.Hostile(t, "testdata/sums.jsonl.gz") }
