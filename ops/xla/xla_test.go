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
