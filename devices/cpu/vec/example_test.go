package vec_test

import (
	"fmt"

	"github.com/troupe-go/troupe/devices/cpu/vec"
)

// A dense layer: a bias, and the product of a batch by the weights added to it.
func Example() {
	const batch, in, out = 2, 3, 2
	x := []float32{1, 2, 3, -1, 0, 1}
	weights := []float32{1, 0, 0, 1, 1, -1}
	y := []float32{0.5, -0.5, 0.5, -0.5}
	vec.GemmAdd(nil, false, false, batch, out, in, x, in, weights, out, y, out)
	vec.Relu(y, y)
	fmt.Println(y)
	// Output: [4.5 0 0.5 0]
}

// The gradient of the weights: the batch, transposed, times what came back.
func ExampleGemm() {
	const batch, in, out = 2, 3, 2
	x := []float32{1, 2, 3, -1, 0, 1}
	back := []float32{1, 10, 2, 20}
	gradient := make([]float32, in*out)
	vec.Gemm(nil, true, false, in, out, batch, x, in, back, out, gradient, out)
	fmt.Println(gradient)
	// Output: [-1 -10 2 20 5 50]
}

func ExampleMax() {
	x, y := []float32{1, -2, 3}, []float32{2, -3, 3}
	vec.Max(x, x, y)
	fmt.Println(x)
	// Output: [2 -2 3]
}
