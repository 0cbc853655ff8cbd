package tensor

import (
	"testing"
)

// SomeTensor is tensortest.Some, which imports this package.
var SomeTensor func(t testing.TB, dt DType, shape []int64) *Tensor

// mustSlice returns data as a tensor of type dt, one of those whose elements are T.
func mustSlice[T Element](t testing.TB, dt DType, data []T, shape ...int64) *Tensor {
	t.Helper()
	x, err := FromSlice(data, shape...)
	if err != nil {
		t.Fatal(err)
	}
	x.dtype = dt
	return x
}
