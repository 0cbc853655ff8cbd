package audio

import (
	"math/bits"

	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
)

func init() {
	shape.Register(spectrogramShape, "AudioSpectrogram")
	shape.Register(mfccShape, "Mfcc")
}

// spectrogramShape is [channels, windows, frequencies] of samples that come as
// [samples, channels].
func spectrogramShape(c *shape.Context) error {
	in := c.Try(c.Input(0).WithRank(2))
	window, stride := c.Int32("window_size"), c.Int32("stride")
	if c.Err() != nil {
		return c.Err()
	}
	if window < 2 || window > 1<<31 || stride < 1 {
		return status.Invalid("window_size must be >= 2 and stride >= 1, but are %d and %d", window, stride)
	}
	n := in.Dim(0)
	switch {
	case n == shape.Unknown:
	case n < window:
		n = 0
	default:
		n = (n-window)/stride + 1
	}
	points := int64(1) << bits.Len64(uint64(window-1)) // of the Fourier transform
	c.SetOutput(0, shape.Of(in.Dim(1), n, points/2+1))
	return c.Err()
}

func mfccShape(c *shape.Context) error {
	in := c.Try(c.Input(0).WithRank(3))
	c.Try(c.Input(1).WithRank(0))
	n := c.Int32("dct_coefficient_count")
	if n < shape.Unknown {
		return status.Invalid("dct_coefficient_count must be >= -1, but is %d", n)
	}
	c.SetOutput(0, shape.Of(in.Dim(0), in.Dim(1), n))
	return c.Err()
}
