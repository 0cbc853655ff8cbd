package signal

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("FFT").
		Input("input: Tcomplex").Output("output: Tcomplex").
		Attr("Tcomplex: {complex64, complex128} = DT_COMPLEX64").
		Doc("Computes the discrete Fourier transform over the last dimension.")
	registry.Define("IFFT").
		Input("input: Tcomplex").Output("output: Tcomplex").
		Attr("Tcomplex: {complex64, complex128} = DT_COMPLEX64").
		Doc("Computes the inverse discrete Fourier transform over the last dimension.")
	registry.Define("FFT2D").
		Input("input: Tcomplex").Output("output: Tcomplex").
		Attr("Tcomplex: {complex64, complex128} = DT_COMPLEX64").
		Doc("Computes the discrete Fourier transform over the last two dimensions.")
	registry.Define("IFFT2D").
		Input("input: Tcomplex").Output("output: Tcomplex").
		Attr("Tcomplex: {complex64, complex128} = DT_COMPLEX64").
		Doc("Computes the inverse discrete Fourier transform over the last two dimensions.")
	registry.Define("FFT3D").
		Input("input: Tcomplex").Output("output: Tcomplex").
		Attr("Tcomplex: {complex64, complex128} = DT_COMPLEX64").
		Doc("Computes the discrete Fourier transform over the last three dimensions.")
	registry.Define("IFFT3D").
		Input("input: Tcomplex").Output("output: Tcomplex").
		Attr("Tcomplex: {complex64, complex128} = DT_COMPLEX64").
		Doc("Computes the inverse discrete Fourier transform over the last three dimensions.")
	registry.Define("RFFT").
		Input("input: Treal").Input("fft_length: int32").Output("output: Tcomplex").
		Attr("Treal: {float, double} = DT_FLOAT").
		Attr("Tcomplex: {complex64, complex128} = DT_COMPLEX64").
		Doc(`Computes the discrete Fourier transform of real numbers over the last dimension, of which n/2+1 terms are kept.

fft_length: The length n; a longer input is cut, a shorter one is an error.
Tcomplex: The type of the transform: complex64 of float, complex128 of double.`)
	registry.Define("IRFFT").
		Input("input: Tcomplex").Input("fft_length: int32").Output("output: Treal").
		Attr("Treal: {float, double} = DT_FLOAT").
		Attr("Tcomplex: {complex64, complex128} = DT_COMPLEX64").
		Doc(`Computes the real inverse of RFFT over the last dimension.

fft_length: The length of the result.
Treal: The type of the result: float of complex64, double of complex128.`)
	registry.Define("RFFT2D").
		Input("input: Treal").Input("fft_length: int32").Output("output: Tcomplex").
		Attr("Treal: {float, double} = DT_FLOAT").
		Attr("Tcomplex: {complex64, complex128} = DT_COMPLEX64").
		Doc(`Computes the discrete Fourier transform of real numbers over the last two dimensions, of the last of which n/2+1 terms are kept.

fft_length: The two lengths; a longer input is cut, a shorter one is an error.
Tcomplex: The type of the transform: complex64 of float, complex128 of double.`)
	registry.Define("IRFFT2D").
		Input("input: Tcomplex").Input("fft_length: int32").Output("output: Treal").
		Attr("Treal: {float, double} = DT_FLOAT").
		Attr("Tcomplex: {complex64, complex128} = DT_COMPLEX64").
		Doc(`Computes the real inverse of RFFT2D over the last two dimensions.

fft_length: The two lengths of the result.
Treal: The type of the result: float of complex64, double of complex128.`)
	registry.Define("RFFT3D").
		Input("input: Treal").Input("fft_length: int32").Output("output: Tcomplex").
		Attr("Treal: {float, double} = DT_FLOAT").
		Attr("Tcomplex: {complex64, complex128} = DT_COMPLEX64").
		Doc(`Computes the discrete Fourier transform of real numbers over the last three dimensions, of the last of which n/2+1 terms are kept.

fft_length: The three lengths; a longer input is cut, a shorter one is an error.
Tcomplex: The type of the transform: complex64 of float, complex128 of double.`)
	registry.Define("IRFFT3D").
		Input("input: Tcomplex").Input("fft_length: int32").Output("output: Treal").
		Attr("Treal: {float, double} = DT_FLOAT").
		Attr("Tcomplex: {complex64, complex128} = DT_COMPLEX64").
		Doc(`Computes the real inverse of RFFT3D over the last three dimensions.

fft_length: The three lengths of the result.
Treal: The type of the result: float of complex64, double of complex128.`)

	for dims, size := range []string{"", "2D", "3D"} {
		for _, op := range []string{"FFT", "IFFT"} {
			inverse := op == "IFFT"
			kernel.ForType(op+size, "Tcomplex", tensor.Complex64, func(*kernel.Construction) (kernel.Kernel, error) {
				return &complexTransform[complex64]{transform{dims: dims + 1, inverse: inverse}}, nil
			})
			kernel.ForType(op+size, "Tcomplex", tensor.Complex128, func(*kernel.Construction) (kernel.Kernel, error) {
				return &complexTransform[complex128]{transform{dims: dims + 1, inverse: inverse}}, nil
			})
		}
		kernel.ForAll(newRealFFT(dims+1, false), "RFFT"+size)
		kernel.ForAll(newRealFFT(dims+1, true), "IRFFT"+size)
	}

	for dims, suffix := range []string{"", "2D", "3D"} {
		gradient.Unary(func(c *gradient.Context, _, _, dy graph.Output) graph.Output {
			return c.Mul(c.Apply("IFFT"+suffix, dy), c.Cast(elements(c, dy, dims+1), c.Type("Tcomplex")))
		}, "FFT"+suffix)
		gradient.Unary(func(c *gradient.Context, _, _, dy graph.Output) graph.Output {
			return c.Div(c.Apply("FFT"+suffix, dy), c.Cast(elements(c, dy, dims+1), c.Type("Tcomplex")))
		}, "IFFT"+suffix)
		if suffix == "3D" {
			break // TensorFlow has no gradients of real transforms over three dimensions
		}
		// A real transform has the first half of the frequencies. Those within it stand
		// for two, so that the inverse counts them twice.
		gradient.Unary(func(c *gradient.Context, x, y, dy graph.Output) graph.Output {
			spectrum := c.Mul(dy, weights(c, y, 1, 0.5))
			back := c.Op("IRFFT"+suffix, c.Attrs("Treal"), spectrum, c.Input(1))
			return c.Mul(back, c.Cast(elements(c, x, dims+1), c.Type("Treal")))
		}, "RFFT"+suffix)
		gradient.Unary(func(c *gradient.Context, x, y, dy graph.Output) graph.Output {
			spectrum := c.Op("RFFT"+suffix, c.Attrs("Tcomplex"), dy, c.Input(1))
			return c.Div(c.Mul(spectrum, weights(c, x, 1, 2)), c.Cast(elements(c, y, dims+1), c.Type("Tcomplex")))
		}, "IRFFT"+suffix)
	}
}

// elements returns the number of elements in the last dims dimensions of x, an int32.
func elements(c *gradient.Context, x graph.Output, dims int) graph.Output {
	first := c.Int32s(0)
	last := c.Op("StridedSlice", graph.Attrs{"end_mask": int64(1)}, c.Shape(x), c.Int32s(int32(-dims)), first, c.Int32s(1))
	return c.Apply("Prod", last, first)
}

// weights returns a vector for the frequencies that spectrum, of the real transform that
// is differentiated, has along its last dimension: edge for the first and, of an even
// length, the last, within for the others.
func weights(c *gradient.Context, spectrum graph.Output, edge, within float64) graph.Output {
	minus, zero := c.Int32s(-1), c.Int32s(0)
	length := c.Op("StridedSlice", graph.Attrs{"shrink_axis_mask": int64(1)}, c.Input(1), minus, zero, c.Int32s(1))
	frequencies := c.Range(elements(c, spectrum, 1))
	at := c.Apply("LogicalOr",
		c.Apply("Equal", frequencies, c.Const(int32(0))),
		c.Apply("Equal", c.Mul(frequencies, c.Const(int32(2))), length))

	return c.Select(at, c.Scalar(spectrum, edge), c.Scalar(spectrum, within))
}

// newRealFFT makes kernels for float with complex64 and double with complex128.
func newRealFFT(dims int, inverse bool) kernel.Factory {
	return func(c *kernel.Construction) (kernel.Kernel, error) {
		real, complex := c.Type("Treal"), c.Type("Tcomplex")
		switch {
		case real == tensor.Float && complex == tensor.Complex64 && !inverse:
			return &realTransform[float32, complex64]{transform{dims: dims, inverse: inverse}}, nil
		case real == tensor.Double && complex == tensor.Complex128 && !inverse:
			return &realTransform[float64, complex128]{transform{dims: dims, inverse: inverse}}, nil
		case real == tensor.Float && complex == tensor.Complex64:
			return &inverseRealTransform[float32, complex64]{transform{dims: dims, inverse: inverse}}, nil
		case real == tensor.Double && complex == tensor.Complex128:
			return &inverseRealTransform[float64, complex128]{transform{dims: dims, inverse: inverse}}, nil
		case inverse:
			return nil, c.Errorf("Wrong types for backward real FFT: in=%d out=%d", complex, real)
		default:
			return nil, c.Errorf("Wrong types for forward real FFT: in=%d out=%d", real, complex)
		}
	}
}
