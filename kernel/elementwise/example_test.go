package elementwise_test

import (
	"fmt"

	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/tensor"
)

// A kernel that adds a row to every row of a matrix, as broadcasting says.
func ExampleZip() {
	add := &elementwise.Zip[float32, float32]{In: tensor.Float, Out: tensor.Float, F: func(x, y float32) float32 { return x + y }}
	m, _ := tensor.FromSlice([]float32{1, 2, 3, 4}, 2, 2)
	row, _ := tensor.FromSlice([]float32{10, 20}, 2)

	out := make([]tensor.Value, 1)
	in := []tensor.Value{tensor.ValueOf(m), tensor.ValueOf(row)}
	if err := add.Run(new(kerneltest.Runner).Context(), in, out); err != nil {
		fmt.Println(err)
	}
	fmt.Println(out[0].Dims(), tensor.Of[float32](&out[0]))
	// Output: [2 2] [11 22 13 24]
}
