package vec

// A Float is an element of the rows that functions of linear algebra work on.
type Float interface{ float32 | float64 }

// AddScaled adds s·x to dst. Product and sum are each rounded, on every machine.
func AddScaled[T Float](dst []T, s T, x []T) {
	switch dst := any(dst).(type) {
	case []float32:
		addScaled32(dst, any(s).(float32), any(x).([]float32))
	case []float64:
		addScaled64(dst, any(s).(float64), any(x).([]float64))
	}
}

// Rotate replaces x and y by c·x - s·y and s·x + c·y. y is at least as long as x; products
// and sums are each rounded, on every machine.
func Rotate[T Float](x, y []T, c, s T) {
	switch x := any(x).(type) {
	case []float32:
		rotate32(x, any(y).([]float32), any(c).(float32), any(s).(float32))
	case []float64:
		rotate64(x, any(y).([]float64), any(c).(float64), any(s).(float64))
	}
}

// Dot is the sum of the products of x and y in a fixed order, on every machine: that of
// element i goes to partial sum i mod 64, of float64 i mod 32, and then the upper half of
// the partial sums to the lower one until a single one is left. y is at least as long as x.
func Dot[T Float](x, y []T) (sum T) {
	switch sum := any(&sum).(type) {
	case *float32:
		*sum = dot32(any(x).([]float32), any(y).([]float32))
	case *float64:
		*sum = dot64(any(x).([]float64), any(y).([]float64))
	}
	return sum
}

// RotateRows is [Rotate] of the first cols elements of rows 0 and 1 of a matrix, then of rows
// 1 and 2, and so on: c and s of each pair of rows are two elements of turns. A row begins ld
// elements after the one above it.
func RotateRows(rows []float64, ld, cols int, turns []float64) {
	if cols == 0 || len(turns) < 2 {
		return
	}
	turns = turns[:len(turns)&^1]
	mustHold("the rows", rows, ld, len(turns)/2+1, cols)
	switch isa {
	case avx512:
		rotateRows64AVX512(rows[:cols], 8*ld, turns)
	case avx2:
		rotateRows64AVX2(rows[:cols], 8*ld, turns)
	default:
		for i := 0; i < len(turns); i += 2 {
			row := rows[i/2*ld:]
			rotatePortable(row[:cols], row[ld:], turns[i], turns[i+1])
		}
	}
}

//go:noinline
func addScaled32(dst []float32, s float32, x []float32) {
	x = x[:len(dst)]
	switch isa {
	case avx512:
		addScaled32AVX512(dst, s, x)
	case avx2:
		addScaled32AVX2(dst, s, x)
	default:
		addScaledPortable(dst, s, x)
	}
}

//go:noinline
func addScaled64(dst []float64, s float64, x []float64) {
	x = x[:len(dst)]
	switch isa {
	case avx512:
		addScaled64AVX512(dst, s, x)
	case avx2:
		addScaled64AVX2(dst, s, x)
	default:
		addScaledPortable(dst, s, x)
	}
}

//go:noinline
func rotate32(x, y []float32, c, s float32) {
	y = y[:len(x)]
	switch isa {
	case avx512:
		rotate32AVX512(x, y, c, s)
	case avx2:
		rotate32AVX2(x, y, c, s)
	default:
		rotatePortable(x, y, c, s)
	}
}

//go:noinline
func rotate64(x, y []float64, c, s float64) {
	y = y[:len(x)]
	switch isa {
	case avx512:
		rotate64AVX512(x, y, c, s)
	case avx2:
		rotate64AVX2(x, y, c, s)
	default:
		rotatePortable(x, y, c, s)
	}
}

//go:noinline
func dot32(x, y []float32) float32 {
	y = y[:len(x)]
	switch isa {
	case avx512:
		return dot32AVX512(x, y)
	case avx2:
		return dot32AVX2(x, y)
	}
	var sums [64]float32
	return dotPortable(sums[:], x, y)
}

//go:noinline
func dot64(x, y []float64) float64 {
	y = y[:len(x)]
	switch isa {
	case avx512:
		return dot64AVX512(x, y)
	case avx2:
		return dot64AVX2(x, y)
	}
	var sums [32]float64
	return dotPortable(sums[:], x, y)
}
