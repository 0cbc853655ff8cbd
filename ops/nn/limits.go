package nn

import (
	"math"

	"github.com/troupe-go/troupe/kernel/elementwise"
)

// lowest returns the least finite number of a type.
func lowest[T elementwise.Real]() T {
	var z T
	switch p := any(&z).(type) {
	case *float32:
		*p = -math.MaxFloat32
	case *float64:
		*p = -math.MaxFloat64
	case *int8:
		*p = math.MinInt8
	case *int16:
		*p = math.MinInt16
	case *int32:
		*p = math.MinInt32
	case *int64:
		*p = math.MinInt64
	}
	return z
}
