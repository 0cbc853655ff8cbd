package math

import (
	"math"

	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("NextAfter").
		Input("x1: T").Input("x2: T").Output("output: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {double, float} = DT_FLOAT").
		Doc("Gives, with broadcasting, the float that comes after x1 on the way to x2; it is x1 where they are equal.")

	kernel.ForTypes("NextAfter", "T", func(dt tensor.DType) kernel.Kernel {
		return newZip(dt, nil, towards(math.Nextafter32), towards(math.Nextafter), nil, nil)
	}, tensor.Float, tensor.Double)

	gradient.Binary(partialOfSum, nil, "NextAfter")
}

// towards is next, but of equal numbers the second: of zeros that one's sign counts.
func towards[T float32 | float64](next func(x, y T) T) func(x, y T) T {
	return func(x, y T) T {
		if x == y {
			return y
		}
		return next(x, y)
	}
}
