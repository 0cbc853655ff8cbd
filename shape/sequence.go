package shape

import (
	"math"

	"github.com/troupe-go/troupe/status"
)

// RangeSize returns the number of integers from start on, delta apart, that come
// before limit.
func RangeSize(start, limit, delta int64) (int64, error) {
	if err := checkRange(float64(start), float64(limit), float64(delta)); err != nil {
		return 0, err
	}
	if start == limit {
		return 0, nil
	}
	step, span := uint64(delta), uint64(limit)-uint64(start)
	if delta < 0 {
		step, span = -step, -span
	}
	if n := (span-1)/step + 1; n <= math.MaxInt64 {
		return int64(n), nil
	}
	return 0, status.Invalid("Requires ((limit - start) / delta) <= %d", int64(math.MaxInt64))
}

// RangeSizeFloat returns the number of floats from start on, delta apart, that come
// before limit.
func RangeSizeFloat(start, limit, delta float64) (int64, error) {
	if err := checkRange(start, limit, delta); err != nil {
		return 0, err
	}
	n := math.Ceil(math.Abs((limit - start) / delta))
	if !(n < math.MaxInt64) {
		return 0, status.Invalid("Requires ((limit - start) / delta) <= %d", int64(math.MaxInt64))
	}
	return int64(n), nil
}

func checkRange(start, limit, delta float64) error {
	switch {
	case delta == 0:
		return status.Invalid("Requires delta != 0")
	case delta > 0 && start > limit:
		return status.Invalid("Requires start <= limit when delta > 0: %v/%v", start, limit)
	case delta < 0 && start < limit:
		return status.Invalid("Requires start >= limit when delta < 0: %v/%v", start, limit)
	}
	return nil
}
