package quant_test

import (
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/tensor"
)

// Answers that testdata/edges.py recorded.
func TestEdgesAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/edges.jsonl.gz", tensor.Tolerance{RTol: 1e-6})
}

// Answers that testdata/runs.py recorded: runs longer than a block, and numbers near halves.
func TestRunsAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/runs.jsonl.gz", tensor.Tolerance{RTol: 1e-6})
}
