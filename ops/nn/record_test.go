package nn_test

import (
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/tensor"
)

// Answers that testdata/convolution.py recorded from TensorFlow.
func TestConvolutionsAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/convolution.jsonl.gz", tensor.Tolerance{RTol: 2e-3, ATol: 1e-3})
}

// Answers that testdata/pooling.py recorded.
func TestPoolingsAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/pooling.jsonl.gz", tensor.Tolerance{RTol: 2e-3, ATol: 1e-3})
}

// Answers that testdata/normalization.py recorded.
func TestNormalizationsAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/normalization.jsonl.gz", tensor.Tolerance{RTol: 3e-3, ATol: 3e-3})
}

// Answers that testdata/normalization.py recorded.
func TestTopAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/top.jsonl.gz", tensor.Tolerance{})
}

// Answers that testdata/heap.py recorded: elements in the order of TensorFlow's heap,
// and rows with NaN.
func TestTopInHeapOrder(t *testing.T) {
	kerneltest.Recorded(t, "testdata/heap.jsonl.gz", tensor.Tolerance{})
}

// Answers that testdata/recurrent.py recorded.
func TestRecurrentCellsAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/recurrent.jsonl.gz", tensor.Tolerance{RTol: 1e-2, ATol: 5e-3})
}

// Answers that testdata/ctc.py recorded.
func TestCTCAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/ctc.jsonl.gz", tensor.Tolerance{RTol: 1e-4, ATol: 1e-5})
}

// Answers that testdata/fractional.py recorded.
func TestFractionalPoolingsAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/fractional.jsonl.gz", tensor.Tolerance{RTol: 1e-5, ATol: 1e-5})
}

// Answers that testdata/narrow.py recorded: sums are rounded as TensorFlow's, to
// the bit.
func TestNarrowConvolutionsAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/narrow.jsonl.gz", tensor.Tolerance{})
}

// Answers that testdata/beam.py recorded.
func TestBeamSearchAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/beam.jsonl.gz", tensor.Tolerance{RTol: 1e-4, ATol: 1e-4})
}

func TestHostileBeams(t *testing.T) { kerneltest.Hostile(t, "testdata/beam.jsonl.gz") }

// Answers that testdata/windows.py recorded: with seeds, the windows are the same.
func TestFractionalWindowsAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/windows.jsonl.gz", tensor.Tolerance{RTol: 1e-6, ATol: 1e-6})
}

func TestHostileWindows(t *testing.T) { kerneltest.Hostile(t, "testdata/windows.jsonl.gz") }

// Answers that testdata/cells.py recorded from TensorFlow.
func TestCellsAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/cells.jsonl.gz", tensor.Tolerance{RTol: 1e-4, ATol: 1e-5})
}
