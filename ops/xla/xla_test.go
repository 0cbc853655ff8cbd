package xla_test

import (
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	_ "github.com/troupe-go/troupe/ops/xla"
	"github.com/troupe-go/troupe/tensor"
)

// Answers that testdata/xla.py recorded.
func TestAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/xla.jsonl.gz", tensor.Tolerance{})
}

func TestHostileInputs(t *testing.T) { kerneltest.Hostile(t, "testdata/xla.jsonl.gz") }

// Answers that testdata/gather.py recorded.
func TestGatherAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/gather.jsonl.gz", tensor.Tolerance{RTol: 1e-6})
}

func TestGatherHostile(t *testing.T) { kerneltest.Hostile(t, "testdata/gather.jsonl.gz") }

// Answers that testdata/conv.py recorded.
func TestConvAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/conv.jsonl.gz", tensor.Tolerance{RTol: 1e-6})
}

func TestConvHostile(t *testing.T) { kerneltest.Hostile(t, "testdata/conv.jsonl.gz") }
