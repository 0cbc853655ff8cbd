package vec

import "math"

func expPortable(dst, x []float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = float32(math.Exp(float64(x[i])))
	}
}

func tanhPortable(dst, x []float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = float32(math.Tanh(float64(x[i])))
	}
}

func sigmoidPortable(dst, x []float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = float32(1 / (1 + math.Exp(-float64(x[i]))))
	}
}
