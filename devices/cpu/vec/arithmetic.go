package vec

// Add sets dst to x + y.
func Add(dst, x, y []float32) { addPortable(dst, x, y) }

// AddScalar sets dst to x + s.
func AddScalar(dst, x []float32, s float32) { addScalarPortable(dst, x, s) }

// Sub sets dst to x - y.
func Sub(dst, x, y []float32) { subPortable(dst, x, y) }

// SubScalar sets dst to x - s.
func SubScalar(dst, x []float32, s float32) { addScalarPortable(dst, x, -s) }

// ScalarSub sets dst to s - y.
func ScalarSub(dst []float32, s float32, y []float32) { scalarSubPortable(dst, s, y) }

// Mul sets dst to x * y.
func Mul(dst, x, y []float32) { mulPortable(dst, x, y) }

// MulScalar sets dst to x * s.
func MulScalar(dst, x []float32, s float32) { mulScalarPortable(dst, x, s) }

// Div sets dst to x / y.
func Div(dst, x, y []float32) { divPortable(dst, x, y) }

// DivScalar sets dst to x / s.
func DivScalar(dst, x []float32, s float32) { divScalarPortable(dst, x, s) }

// ScalarDiv sets dst to s / y.
func ScalarDiv(dst []float32, s float32, y []float32) { scalarDivPortable(dst, s, y) }

// Max sets dst to the larger of x and y: NaN if either is, and +0 is larger
// than -0, as for Go's max.
func Max(dst, x, y []float32) { maxPortable(dst, x, y) }

// MaxScalar sets dst to the larger of x and s, as [Max] does.
func MaxScalar(dst, x []float32, s float32) { maxScalarPortable(dst, x, s) }

// Min sets dst to the smaller of x and y: NaN if either is, and -0 is smaller
// than +0, as for Go's min.
func Min(dst, x, y []float32) { minPortable(dst, x, y) }

// MinScalar sets dst to the smaller of x and s, as [Min] does.
func MinScalar(dst, x []float32, s float32) { minScalarPortable(dst, x, s) }

// Relu sets dst to +0 where x <= 0, which holds for -0, and to x elsewhere: NaN
// stays.
func Relu(dst, x []float32) { reluPortable(dst, x) }
