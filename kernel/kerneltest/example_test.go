package kerneltest_test

import (
	"fmt"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	_ "github.com/troupe-go/troupe/ops/math"
	"github.com/troupe-go/troupe/tensor"
)

func ExampleRun() {
	x, _ := tensor.FromSlice([]int32{7, -7}, 2)
	y, _ := tensor.FromSlice([]int32{3})
	out, err := kerneltest.Run("FloorDiv", nil, x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(tensor.Data[int32](out[0]))

	zero, _ := tensor.FromSlice([]int32{0})
	_, err = kerneltest.Run("FloorDiv", nil, x, zero)
	fmt.Println(err)
	// Output:
	// [2 -3] <nil>
	// INVALID_ARGUMENT: Integer division by zero
}
