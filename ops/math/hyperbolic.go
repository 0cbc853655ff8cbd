package math

import (
	"math"
	"math/cmplx"
)

// The elementary functions of complex numbers here keep their digits, and do
// not overflow on the way, wherever the result is finite; those of package
// math/cmplx lose them far from zero. The formulas are those of W. Kahan,
// Branch Cuts for Complex Elementary Functions, 1987. What is not finite is
// left to math/cmplx, which follows C99.

func finite(z complex128) bool { return !cmplx.IsInf(z) && !cmplx.IsNaN(z) }

// sinh and cosh go on where exp overflows and they do not.
func sinh(x float64) float64 {
	s, _, scale := hyperbolic(x)
	return s * scale
}

func cosh(x float64) float64 {
	_, c, scale := hyperbolic(x)
	return c * scale
}

// hyperbolic is sinh(x) and cosh(x), both divided by scale.
func hyperbolic(x float64) (s, c, scale float64) {
	if !(math.Abs(x) > 709) || math.IsInf(x, 0) {
		return math.Sinh(x), math.Cosh(x), 1
	}
	scale = math.Exp(math.Abs(x) / 2)
	return math.Copysign(scale/2, x), scale / 2, scale
}

// scaled is x·y·scale, 0 where y is, however large the others are.
func scaled(x, y, scale float64) float64 {
	if y == 0 {
		return math.Copysign(1, x) * y
	}
	return x * y * scale
}

func complexExp(z complex128) complex128 {
	if !finite(z) {
		return cmplx.Exp(z)
	}
	sin, cos := math.Sincos(imag(z))
	e := math.Exp(real(z) / 2)
	if real(z) < 709 {
		return complex(math.Exp(real(z))*cos, scaled(math.Exp(real(z)), sin, 1))
	}
	return complex(scaled(e, cos, e), scaled(e, sin, e))
}

func complexSinh(z complex128) complex128 {
	if !finite(z) {
		return cmplx.Sinh(z)
	}
	s, c, scale := hyperbolic(real(z))
	sin, cos := math.Sincos(imag(z))
	return complex(scaled(s, cos, scale), scaled(c, sin, scale))
}

func complexCosh(z complex128) complex128 {
	if !finite(z) {
		return cmplx.Cosh(z)
	}
	s, c, scale := hyperbolic(real(z))
	sin, cos := math.Sincos(imag(z))
	return complex(scaled(c, cos, scale), scaled(s, sin, scale))
}

func complexTanh(z complex128) complex128 {
	if !finite(z) {
		return cmplx.Tanh(z)
	}
	x, y := real(z), imag(z)
	if math.Abs(x) > 20 { // the rest is below the precision
		sin, cos := math.Sincos(y)
		return complex(math.Copysign(1, x), 4*sin*cos*math.Exp(-2*math.Abs(x)))
	}
	t, s := math.Tan(y), math.Sinh(x)
	beta, rho := 1+t*t, math.Hypot(1, s)
	return complex(beta*rho*s/(1+beta*s*s), t/(1+beta*s*s))
}

// turned returns the function whose value at z is f(iz)/i.
func turned(f, infinite func(complex128) complex128) func(complex128) complex128 {
	return func(z complex128) complex128 {
		if !finite(z) {
			return infinite(z)
		}
		w := f(complex(-imag(z), real(z)))
		return complex(imag(w), -real(w))
	}
}

var (
	complexSin = turned(complexSinh, cmplx.Sin)
	complexTan = turned(complexTanh, cmplx.Tan)
)

// complexCos is cosh(iz).
func complexCos(z complex128) complex128 {
	if !finite(z) {
		return cmplx.Cos(z)
	}
	return complexCosh(complex(-imag(z), real(z)))
}

// vast is beyond where squares are finite and 1 counts for something.
const vast = 1e150

// logDouble is log|2z|.
func logDouble(z complex128) float64 { return math.Log(cmplx.Abs(z)) + math.Ln2 }

// roots are √(1-z) and √(1+z).
func roots(z complex128) (less, more complex128) {
	return cmplx.Sqrt(complex(1-real(z), -imag(z))), cmplx.Sqrt(complex(1+real(z), imag(z)))
}

func complexAsin(z complex128) complex128 {
	if !finite(z) {
		return cmplx.Asin(z)
	}
	if cmplx.Abs(z) > vast {
		return complex(math.Atan2(real(z), math.Abs(imag(z))), math.Copysign(logDouble(z), imag(z)))
	}
	a, b := roots(z)
	return complex(math.Atan2(real(z), real(a)*real(b)-imag(a)*imag(b)), math.Asinh(real(a)*imag(b)-imag(a)*real(b)))
}

func complexAcos(z complex128) complex128 {
	if !finite(z) {
		return cmplx.Acos(z)
	}
	if cmplx.Abs(z) > vast {
		return complex(math.Atan2(math.Abs(imag(z)), real(z)), -math.Copysign(logDouble(z), imag(z)))
	}
	a, b := roots(z)
	return complex(2*math.Atan2(real(a), real(b)), math.Asinh(real(b)*imag(a)-imag(b)*real(a)))
}

// complexAtan has the branch cuts on the imaginary axis beyond ±i.
func complexAtan(z complex128) complex128 {
	if !finite(z) {
		return cmplx.Atan(z)
	}
	x, y := real(z), math.Abs(imag(z))
	if r := cmplx.Abs(z); r > vast {
		return complex(math.Copysign(math.Pi/2, x), imag(z)/r/r)
	}
	return complex(math.Atan2(2*x, (1-y)*(1+y)-x*x)/2, math.Copysign(math.Log1p(4*y/(x*x+(1-y)*(1-y)))/4, imag(z)))
}

var (
	complexAsinh = turned(complexAsin, cmplx.Asinh)
	complexAtanh = turned(complexAtan, cmplx.Atanh)
)

// complexAcosh is ±i·acos(z), with the sign that leaves no negative real part.
func complexAcosh(z complex128) complex128 {
	if !finite(z) {
		return cmplx.Acosh(z)
	}
	w := complexAcos(z)
	return complex(math.Abs(imag(w)), math.Copysign(real(w), imag(z)))
}
