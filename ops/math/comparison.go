package math

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
)

func init() {
	registry.Define("Less").
		Input("x: T").Input("y: T").Output("z: bool").
		Traits(registry.Elementwise | registry.Total | registry.Cheap).
		Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}").
		Doc("Says where x < y, with broadcasting.")
	registry.Define("LessEqual").
		Input("x: T").Input("y: T").Output("z: bool").
		Traits(registry.Elementwise | registry.Total | registry.Cheap).
		Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}").
		Doc("Says where x <= y, with broadcasting.")
	registry.Define("Greater").
		Input("x: T").Input("y: T").Output("z: bool").
		Traits(registry.Elementwise | registry.Total | registry.Cheap).
		Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}").
		Doc("Says where x > y, with broadcasting.")
	registry.Define("GreaterEqual").
		Input("x: T").Input("y: T").Output("z: bool").
		Traits(registry.Elementwise | registry.Total | registry.Cheap).
		Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}").
		Doc("Says where x >= y, with broadcasting.")
	registry.Define("Maximum").
		Input("x: T").Input("y: T").Output("z: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64}").
		Doc("Takes the larger of x and y, with broadcasting; NaN if either is.")
	registry.Define("Minimum").
		Input("x: T").Input("y: T").Output("z: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64}").
		Doc("Takes the smaller of x and y, with broadcasting; NaN if either is.")

	kernel.ForTypes("Less", "T", newLess, elementwise.Reals...)
	kernel.ForTypes("LessEqual", "T", newLessEqual, elementwise.Reals...)
	kernel.ForTypes("Greater", "T", newGreater, elementwise.Reals...)
	kernel.ForTypes("GreaterEqual", "T", newGreaterEqual, elementwise.Reals...)
	kernel.ForTypes("Maximum", "T", newMaximum, elementwise.Reals...)
	kernel.ForTypes("Minimum", "T", newMinimum, elementwise.Reals...)

	for op, wins := range map[string]string{"Maximum": "GreaterEqual", "Minimum": "LessEqual"} {
		gradient.Binary(
			func(c *gradient.Context, x, y, _, dz graph.Output) graph.Output {
				return c.Select(c.Apply(wins, x, y), dz, c.Scalar(dz, 0))
			},
			func(c *gradient.Context, x, y, _, dz graph.Output) graph.Output {
				return c.Select(c.Apply(wins, x, y), c.Scalar(dz, 0), dz)
			}, op)
	}
	gradient.None("Greater", "GreaterEqual", "Less", "LessEqual")
}

func less[T elementwise.Real](x, y T) bool         { return x < y }
func lessEqual[T elementwise.Real](x, y T) bool    { return x <= y }
func greater[T elementwise.Real](x, y T) bool      { return x > y }
func greaterEqual[T elementwise.Real](x, y T) bool { return x >= y }

// The larger and the smaller of a number and NaN is NaN.

func larger[T elementwise.Real](x, y T) T  { return max(x, y) }
func smaller[T elementwise.Real](x, y T) T { return min(x, y) }
