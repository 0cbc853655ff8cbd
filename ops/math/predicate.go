package math

import (
	"math"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
)

func init() {
	registry.Define("IsNan").
		Input("x: T").Output("y: bool").
		Traits(registry.Elementwise | registry.Total).
		Attr("T: {bfloat16, half, float, double}").
		Doc("Says which elements are NaN.")
	registry.Define("IsInf").
		Input("x: T").Output("y: bool").
		Traits(registry.Elementwise | registry.Total).
		Attr("T: {bfloat16, half, float, double}").
		Doc("Says which elements are infinite, positive or negative.")
	registry.Define("IsFinite").
		Input("x: T").Output("y: bool").
		Traits(registry.Elementwise | registry.Total).
		Attr("T: {bfloat16, half, float, double}").
		Doc("Says which elements are neither infinite nor NaN.")

	kernel.ForTypes("IsNan", "T", newIsNan, elementwise.Floats...)
	kernel.ForTypes("IsInf", "T", newIsInf, elementwise.Floats...)
	kernel.ForTypes("IsFinite", "T", newIsFinite, elementwise.Floats...)
}

func isNaN[T elementwise.Float](x T) bool    { return x != x }
func isInf[T elementwise.Float](x T) bool    { return math.IsInf(float64(x), 0) }
func isFinite[T elementwise.Float](x T) bool { return x-x == 0 }
