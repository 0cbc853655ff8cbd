package strided_test

import (
	"fmt"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/tensor"
)

// The second and third columns of a matrix, from the last row to the first.
func ExampleCopy() {
	ctx := new(kerneltest.Runner).Context()
	m, _ := tensor.FromSlice([]int32{1, 2, 3, 4, 5, 6}, 2, 3)
	src := tensor.ValueOf(m)
	from := strided.Whole(src)
	from.Reverse(0)
	from.Slice(1, 1, 1, 2)

	dst, _ := ctx.Alloc(tensor.Int32, []int64{2, 2})
	if err := strided.Copy(ctx, &dst, strided.Whole(dst), &src, from); err != nil {
		fmt.Println(err)
	}
	fmt.Println(tensor.Of[int32](&dst))
	// Output: [5 6 2 3]
}
