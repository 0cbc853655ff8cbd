package audio_test

import (
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/tensor"
)

// Answers that testdata/wav.py recorded.
func TestWavAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/wav.jsonl.gz", tensor.Tolerance{})
}

func TestHostileWavs(t *testing.T) { kerneltest.Hostile(t, "testdata/wav.jsonl.gz") }
