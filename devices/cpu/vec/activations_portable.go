package vec

import "math"

// These leave branches to masks, so that signs in no order cost nothing.

// bitsIf returns the bits of yes where the condition holds, and of no elsewhere.
func bitsIf(holds bool, yes, no float32) float32 {
	b := math.Float32bits(no)
	if holds {
		b = math.Float32bits(yes)
	}
	return math.Float32frombits(b)
}

func relu6Portable(dst, x []float32) {
	x = x[:len(dst)]
	for i, v := range x {
		v = bitsIf(v < 0, 0, v)
		dst[i] = bitsIf(v > 6, 6, v)
	}
}

func leakyReluPortable(dst, x []float32, s float32) {
	x = x[:len(dst)]
	for i, v := range x {
		dst[i] = bitsIf(v > 0, v, v*s)
	}
}

func signPortable(dst, x []float32) {
	x = x[:len(dst)]
	for i, v := range x {
		s := bitsIf(v > 0, 1, v)
		dst[i] = bitsIf(v < 0, -1, s) + 0
	}
}

// The constants of Selu: G. Klambauer et al., "Self-Normalizing Neural Networks", 2017.
const (
	SeluScale = 1.0507009873554804934193349852946
	SeluAlpha = 1.6732632423543772848170429916717
)

func eluPortable(dst, x []float32) {
	x = x[:len(dst)]
	for i, v := range x {
		if v < 0 {
			v = float32(math.Expm1(float64(v)))
		}
		dst[i] = v
	}
}

func seluPortable(dst, x []float32) {
	x = x[:len(dst)]
	for i, v := range x {
		y := SeluScale * float64(v)
		if v < 0 {
			y = SeluScale * SeluAlpha * math.Expm1(float64(v))
		}
		dst[i] = float32(y)
	}
}

func softplusPortable(dst, x []float32) {
	x = x[:len(dst)]
	for i, v := range x {
		dst[i] = float32(max(float64(v), 0) + math.Log1p(math.Exp(-math.Abs(float64(v)))))
	}
}

func reluGradPortable(dst, x, y []float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] * bitsIf(y[i] > 0, 1, 0)
	}
}

func relu6GradPortable(dst, x, y []float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] * bitsIf(y[i] < 6, bitsIf(y[i] > 0, 1, 0), 0)
	}
}

var (
	softplusGradPortable = portable2(func(x, y float64) float64 { return x / (1 + math.Exp(-y)) })
	softsignPortable     = portable1(func(x float64) float64 { return x / (1 + math.Abs(x)) })
	softsignGradPortable = portable2(func(x, y float64) float64 { return x / ((1 + math.Abs(y)) * (1 + math.Abs(y))) })
)

func eluGradPortable(dst, x, y []float32)  { eluGrad(dst, x, y, 1, 1) }
func seluGradPortable(dst, x, y []float32) { eluGrad(dst, x, y, SeluScale*SeluAlpha, SeluScale) }

func eluGrad(dst, x, y []float32, low, high float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i, v := range y {
		dst[i] = x[i] * bitsIf(v < 0, v+low, high)
	}
}

func leakyReluGradPortable(dst, x, y []float32, s float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i, v := range x {
		dst[i] = bitsIf(y[i] > 0, v, v*s)
	}
}
