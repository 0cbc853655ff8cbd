package signal_test

import (
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Wherever memory runs out, a transform answers so.
func TestTransformsWithoutMemory(t *testing.T) {
	for _, op := range []string{"FFT", "IFFT", "FFT2D", "IFFT2D"} {
		x, err := tensor.New(tensor.Complex64, 3, 7, 11)
		if err != nil {
			t.Fatal(err)
		}
		done := false
		for limit := int64(0); limit < 1<<13; limit += 64 {
			r := kerneltest.Runner{Limit: limit}
			_, err := r.Run("n", op, nil, x)
			if done = err == nil; done {
				break
			}
			if status.CodeOf(err) != status.ResourceExhausted {
				t.Errorf("%s with %d bytes: %v", op, limit, err)
			}
		}
		if !done {
			t.Errorf("%s never runs", op)
		}
	}
}
