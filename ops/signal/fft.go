package signal

import (
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
		if dims < 2 {
			for _, op := range []string{"FFT", "IFFT"} {
				inverse := op == "IFFT"
				kernel.ForType(op+size, "Tcomplex", tensor.Complex64, func(*kernel.Construction) (kernel.Kernel, error) {
					return &complexTransform[complex64]{transform{dims: dims + 1, inverse: inverse}}, nil
				})
				kernel.ForType(op+size, "Tcomplex", tensor.Complex128, func(*kernel.Construction) (kernel.Kernel, error) {
					return &complexTransform[complex128]{transform{dims: dims + 1, inverse: inverse}}, nil
				})
			}
		}
		kernel.ForAll(newRealFFT(dims+1, false), "RFFT"+size)
		kernel.ForAll(newRealFFT(dims+1, true), "IRFFT"+size)
	}
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
