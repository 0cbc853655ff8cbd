package shape

import (
	"math"

	"github.com/troupe-go/troupe/status"
)

// Arithmetic on dimensions. A result is unknown if an operand that it depends
// on is; failing, the functions return Unknown and an INVALID_ARGUMENT.

// AddDims returns a + b.
func AddDims(a, b int64) (int64, error) {
	switch {
	case a == Unknown || b == Unknown:
		return Unknown, nil
	case a > math.MaxInt64-b:
		return Unknown, status.Invalid("Dimension size overflow from adding %d and %d", a, b)
	}
	return a + b, nil
}

// SubDims returns a - b, which must not be negative.
func SubDims(a, b int64) (int64, error) {
	switch {
	case b == 0:
		return a, nil
	case a == Unknown || b == Unknown:
		return Unknown, nil
	case a < b:
		return Unknown, status.Invalid("Negative dimension size caused by subtracting %d from %d", b, a)
	}
	return a - b, nil
}

// MulDims returns a * b; a known factor of 0 decides.
func MulDims(a, b int64) (int64, error) {
	switch {
	case a == 0 || b == 0:
		return 0, nil
	case a == Unknown || b == Unknown:
		return Unknown, nil
	case a > math.MaxInt64/b:
		return Unknown, status.Invalid("Negative dimension size caused by overflow when multiplying %d and %d", a, b)
	}
	return a * b, nil
}

// DivDims returns a / b without the remainder; b must be positive.
func DivDims(a, b int64) (int64, error) {
	switch {
	case b == 1:
		return a, nil
	case b == Unknown:
		return Unknown, nil
	case b <= 0:
		return Unknown, status.Invalid("Divisor must be positive but is %d", b)
	case a == Unknown:
		return Unknown, nil
	}
	return a / b, nil
}

// DivDimsEvenly returns a / b, which must leave no remainder; b must be positive.
func DivDimsEvenly(a, b int64) (int64, error) {
	if a > 0 && b > 0 && a%b != 0 {
		return Unknown, status.Invalid("Dimension size must be evenly divisible by %d but is %d", b, a)
	}
	return DivDims(a, b)
}

// MinDim returns the smaller of a and b; a 0 decides.
func MinDim(a, b int64) int64 {
	switch {
	case a == 0 || b == 0:
		return 0
	case a == Unknown || b == Unknown:
		return Unknown
	}
	return min(a, b)
}

// MaxDim returns the larger of a and b.
func MaxDim(a, b int64) int64 {
	if a == Unknown || b == Unknown {
		return Unknown
	}
	return max(a, b)
}

// MergeDims returns the dimension that both a and b are: the known one, if one is.
func MergeDims(a, b int64) (int64, error) {
	switch {
	case a == b || b == Unknown:
		return a, nil
	case a == Unknown:
		return b, nil
	}
	return Unknown, status.Invalid("Dimensions must be equal, but are %d and %d", a, b)
}

// WithValue is want, which the dimension a must be.
func WithValue(a, want int64) (int64, error) {
	if a != Unknown && a != want {
		return Unknown, status.Invalid("Dimension must be %d but is %d", want, a)
	}
	return want, nil
}

// RelaxDims returns what is known of a dimension that is a at times and b at others.
func RelaxDims(a, b int64) int64 {
	if a == b {
		return a
	}
	return Unknown
}

// CompatibleDims reports whether a and b can be the same dimension.
func CompatibleDims(a, b int64) bool { return a == b || a == Unknown || b == Unknown }
