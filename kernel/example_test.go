package kernel_test

import (
	"fmt"
	"math"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("ExampleDecibel").
		Input("ratio: T").Output("level: T").
		Attr("T: {float, double}").
		Attr("reference: float = 1").
		Doc("Computes 10·log₁₀(ratio/reference) for every element.")
	kernel.ForType("ExampleDecibel", "T", tensor.Double, newDecibel)
}

// A decibel knows what the node's attributes say; a step's state is elsewhere.
type decibel struct{ reference float64 }

func newDecibel(c *kernel.Construction) (kernel.Kernel, error) {
	return decibel{float64(c.Float("reference"))}, nil
}

// Run writes over its input where nobody else needs it.
func (k decibel) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	level, err := ctx.ReuseOrAlloc(in, 0, tensor.Double, in[0].Dims())
	if err != nil {
		return err
	}
	to := tensor.Of[float64](&level)
	for i, ratio := range tensor.Of[float64](&in[0]) {
		to[i] = 10 * math.Log10(ratio/k.reference)
	}
	out[0] = level
	return nil
}

// An operation, and a kernel of it for one of its types.
func Example() {
	ratios, err := tensor.NewTensor([]float64{1, 10, 1000})
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := kerneltest.Run("ExampleDecibel", nil, ratios)
	fmt.Println(out, err)
	// Output: [[ 0. 10. 30.]] <nil>
}
