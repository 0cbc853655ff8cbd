package vec

func addPortable(dst, x, y []float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] + y[i]
	}
}

func addScalarPortable(dst, x []float32, s float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = x[i] + s
	}
}

func subPortable(dst, x, y []float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] - y[i]
	}
}

func scalarSubPortable(dst []float32, s float32, y []float32) {
	y = y[:len(dst)]
	for i := range dst {
		dst[i] = s - y[i]
	}
}

func mulPortable(dst, x, y []float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] * y[i]
	}
}

func mulScalarPortable(dst, x []float32, s float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = x[i] * s
	}
}

func divPortable(dst, x, y []float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] / y[i]
	}
}

func divScalarPortable(dst, x []float32, s float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = x[i] / s
	}
}

func scalarDivPortable(dst []float32, s float32, y []float32) {
	y = y[:len(dst)]
	for i := range dst {
		dst[i] = s / y[i]
	}
}

func maxPortable(dst, x, y []float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = max(x[i], y[i])
	}
}

func maxScalarPortable(dst, x []float32, s float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = max(x[i], s)
	}
}

func minPortable(dst, x, y []float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = min(x[i], y[i])
	}
}

func minScalarPortable(dst, x []float32, s float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = min(x[i], s)
	}
}

func reluPortable(dst, x []float32) {
	x = x[:len(dst)]
	for i := range dst {
		v := x[i]
		if v <= 0 {
			v = 0
		}
		dst[i] = v
	}
}
