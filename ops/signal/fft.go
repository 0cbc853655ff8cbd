package signal

import "github.com/troupe-go/troupe/registry"

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

fft_length: The length n; the input is cut or filled up with zeros.
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

fft_length: The two lengths; the input is cut or filled up with zeros.
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

fft_length: The three lengths; the input is cut or filled up with zeros.
Tcomplex: The type of the transform: complex64 of float, complex128 of double.`)
	registry.Define("IRFFT3D").
		Input("input: Tcomplex").Input("fft_length: int32").Output("output: Treal").
		Attr("Treal: {float, double} = DT_FLOAT").
		Attr("Tcomplex: {complex64, complex128} = DT_COMPLEX64").
		Doc(`Computes the real inverse of RFFT3D over the last three dimensions.

fft_length: The three lengths of the result.
Treal: The type of the result: float of complex64, double of complex128.`)
}
