package vec

// Exp sets dst to e to the power of x, with an error of at most 1 ulp.
func Exp(dst, x []float32) { expPortable(dst, x) }

// Tanh sets dst to the hyperbolic tangent of x, with an error of at most 2 ulp.
func Tanh(dst, x []float32) { tanhPortable(dst, x) }

// Sigmoid sets dst to 1/(1 + e to the power of -x), with an error of at most
// 3 ulp.
func Sigmoid(dst, x []float32) { sigmoidPortable(dst, x) }
