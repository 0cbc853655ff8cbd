package shape_test

import (
	"fmt"

	"github.com/troupe-go/troupe/shape"
)

func ExampleMerge() {
	s, err := shape.Merge(shape.Of(2, shape.Unknown), shape.Of(shape.Unknown, 3))
	fmt.Println(s, err)
	_, err = shape.Merge(shape.Of(2, 3), shape.Of(2, 4))
	fmt.Println(err)
	// Output:
	// [2,3] <nil>
	// INVALID_ARGUMENT: Dimension 1 in both shapes must be equal, but are 3 and 4. Shapes are [2,3] and [2,4].
}

func ExampleBroadcast() {
	s, err := shape.Broadcast(shape.Of(shape.Unknown, 1), shape.Of(5), shape.Scalar)
	fmt.Println(s, err)
	// Output: [?,5] <nil>
}

// A rule names dimensions; an error says which disagree.
func ExampleRule() {
	f := shape.Rule("a: [B...,m,k], b: [B...,k,n] -> product: [B...,m,n]")
	for _, b := range []shape.Shape{shape.Of(7, 3, 4), shape.Of(7, 5, 4)} {
		c := shape.Context{Inputs: []shape.Shape{shape.Of(shape.Unknown, 2, 3), b}, Outputs: make([]shape.Shape, 1)}
		if err := f(&c); err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(c.Outputs[0])
	}
	// Output:
	// [7,2,4]
	// INVALID_ARGUMENT: Dimensions must be equal, but are 3 and 5 (k is dimension 2 of input 'a' and dimension 1 of input 'b')
}

// A shape function is written straight down: the first error sticks.
func ExampleContext() {
	trace := func(c *shape.Context) error {
		in := c.Try(c.Input(0).WithRankAtLeast(2))
		c.TryDim(shape.MergeDims(in.Dim(-2), in.Dim(-1)))
		c.SetOutput(0, in.To(-2))
		return c.Err()
	}
	for _, in := range []shape.Shape{shape.Of(8, 3, 3), {}, shape.Of(3), shape.Of(2, 3)} {
		c := shape.Context{Inputs: []shape.Shape{in}, Outputs: make([]shape.Shape, 1)}
		fmt.Println(trace(&c), c.Outputs[0])
	}
	// Output:
	// <nil> [8]
	// <nil> ?
	// INVALID_ARGUMENT: Shape must be at least rank 2 but is rank 1 ?
	// INVALID_ARGUMENT: Dimensions must be equal, but are 2 and 3 []
}
