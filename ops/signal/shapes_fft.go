package signal

import (
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
)

func init() {
	shape.Register(shape.UnchangedAtLeast(1), "FFT", "IFFT")
	shape.Register(shape.UnchangedAtLeast(2), "FFT2D", "IFFT2D")
	shape.Register(shape.UnchangedAtLeast(3), "FFT3D", "IFFT3D")
	shape.Register(realFFT(1, true), "RFFT")
	shape.Register(realFFT(2, true), "RFFT2D")
	shape.Register(realFFT(3, true), "RFFT3D")
	shape.Register(realFFT(1, false), "IRFFT")
	shape.Register(realFFT(2, false), "IRFFT2D")
	shape.Register(realFFT(3, false), "IRFFT3D")
}

// realFFT is for transforms of real numbers over the last dimensions, whose
// lengths input 1 gives. Forward, the last one keeps the half that tells all.
func realFFT(dims int, forward bool) shape.Func {
	return func(c *shape.Context) error {
		in := c.Try(c.Input(0).WithRankAtLeast(dims))
		lengths := c.Try(c.Input(1).WithRank(1))
		c.TryDim(shape.WithValue(lengths.Dim(0), int64(dims)))
		if c.Err() != nil {
			return c.Err()
		}
		values, ok := c.ConstInts(1)
		if ok && len(values) != dims {
			return nil
		}
		for i := range dims {
			d := shape.Unknown
			if ok {
				d = values[i]
			}
			if forward && i == dims-1 && ok && d != 0 {
				d = d/2 + 1
			}
			if d < shape.Unknown && in.Known() {
				return status.Invalid("Dimension %d of a shape must be >= -1, but is %d", i, d)
			}
			in = in.ReplaceDim(i-dims, d)
		}
		c.SetOutput(0, in)
		return nil
	}
}
