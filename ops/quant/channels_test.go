package quant_test

import (
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/tensor"
)

// Answers that testdata/channels.py recorded from TensorFlow.
func TestChannelsAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/channels.jsonl.gz", tensor.Tolerance{RTol: 1e-6})
}

func TestHostileChannels(t *testing.T) { kerneltest.Hostile(t, "testdata/channels.jsonl.gz") }
