package sparse_test

import (
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/tensor"
)

// Answers that testdata/sparse.py recorded from TensorFlow.
func TestEntriesAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/sparse.jsonl.gz", tensor.Tolerance{RTol: 1e-5, ATol: 1e-5})
}

// Answers that testdata/arithmetic.py recorded.
func TestArithmeticAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/arithmetic.jsonl.gz", tensor.Tolerance{RTol: 1e-3, ATol: 1e-5})
}

// Answers that testdata/crosses.py recorded.
func TestCrossesAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/crosses.jsonl.gz", tensor.Tolerance{})
}

// Answers that testdata/serialized.py recorded.
func TestSerializedAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/serialized.jsonl.gz", tensor.Tolerance{RTol: 1e-5})
}

// What is serialized is read again, in either form.
func TestSerializedRoundTrip(t *testing.T) { kerneltest.Script(t, "testdata/serialize") }

func TestCompressed(t *testing.T) { kerneltest.Script(t, "testdata/compressed") }

// Answers that testdata/more.py recorded from TensorFlow.
func TestMoreAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/more.jsonl.gz", tensor.Tolerance{})
}

func TestMoreHostile(t *testing.T) { kerneltest.Hostile(t, "testdata/more.jsonl.gz") }
