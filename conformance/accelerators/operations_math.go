package accelerators

import (
	"math/rand/v2"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// mathOperations are elementwise ones that are not tried with all others, and reductions.
func mathOperations(rng *rand.Rand) (all []operation) {
	f := floatsOf(rng)
	x := f(3, 4)
	nonzero := list[int64](3, -4, 1, -1, 7, -9, 2, 5)
	over := list[int64](-7, 7, -9, 9, 100, -100, -3, 8)
	for _, op := range []string{"Div", "TruncateDiv", "FloorDiv", "FloorMod", "Mod", "TruncateMod", "LeftShift", "RightShift"} {
		all = append(all, operation{op: op, in: in{over, nonzero}})
	}
	for _, op := range []string{"Abs", "Sign", "PopulationCount", "Invert"} {
		all = append(all, operation{op: op, in: in{over}})
	}
	bounds := registry.NamedAttr{Name: "boundaries", Value: registry.AttrValue{Kind: registry.KindFloat + registry.ListOf, List: []registry.AttrValue{{Kind: registry.KindFloat, F: -1}, {Kind: registry.KindFloat, F: 0.5}, {Kind: registry.KindFloat, F: 2}}}}
	low, high := must(kerneltest.Run("Minimum", nil, x, f(3, 4)))[0], one(float32(1.5))
	return append(all,
		operation{op: "Betainc", in: in{must1(tensor.FromSlice([]float64{1e-5, 0.7, 50, 3, 9}, 5)), one(2.5), must1(tensor.FromSlice([]float64{1e-12, 0.1, 0.5, 0.9, 0.999}, 5))}, tol: tensor.Tolerance{ATol: 1e-12, RTol: 1e-9}},
		operation{op: "NextAfter", in: in{f(20), f(20)}, tol: tensor.Tolerance{Exact: true}},
		operation{op: "ApproximateEqual", attrs: attrs{number("tolerance", 1)}, in: in{f(20), f(20)}},
		operation{op: "ClipByValue", in: in{x, low, high}}, operation{op: "ClipByValue", in: in{over, one(int64(-5)), one(int64(5))}},
		operation{op: "Cross", in: in{f(4, 3), f(4, 3)}},
		operation{op: "Bucketize", attrs: attrs{bounds}, in: in{x}}, operation{op: "Bucketize", attrs: attrs{bounds}, in: in{over}},
		operation{op: "AccumulateNV2", attrs: attrs{{Name: "shape", Value: registry.AttrValue{Kind: registry.KindShape, Shape: registry.Shape{Dims: []int64{3, 4}}}}}, in: in{x, f(3, 4)}},
		operation{op: "BiasAdd", attrs: attrs{str("data_format", "NCHW")}, in: in{f(2, 3, 4, 5), f(3)}},
		operation{op: "BiasAddV1", in: in{f(2, 3), f(3)}},
		operation{op: "BiasAddGrad", in: in{f(2, 3, 4)}}, operation{op: "BiasAddGrad", attrs: attrs{str("data_format", "NCHW")}, in: in{f(2, 3, 4, 5)}},
		operation{op: "L2Loss", in: in{f(20, 30)}}, operation{op: "EuclideanNorm", in: in{f(4, 30), list[int32](1)}},
		operation{op: "BatchMatMulV3", attrs: attrs{typed("Tout", tensor.Float), boolean("adj_y", true)}, in: in{f(2, 3, 4), f(5, 4)}})
}
