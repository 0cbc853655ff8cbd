package signal

import "github.com/troupe-go/troupe/shape"

func init() {
	shape.Register(shape.UnchangedAtLeast(1), "FFT", "IFFT")
	shape.Register(shape.UnchangedAtLeast(2), "FFT2D", "IFFT2D")
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
		lengths, err := c.ShapeFrom(1)
		if err != nil {
			return err
		}
		for i := range dims {
			d := lengths.Dim(i)
			if forward && i == dims-1 && d > 0 {
				d = d/2 + 1
			}
			in = in.ReplaceDim(i-dims, d)
		}
		c.SetOutput(0, in)
		return nil
	}
}
