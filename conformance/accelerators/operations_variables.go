package accelerators

import (
	"math/rand/v2"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/tensor"
)

// variableOperations read and change variables, which are the first inputs.
func variableOperations(rng *rand.Rand) (all []operation) {
	f := floatsOf(rng)
	positive := func(dims ...int64) *tensor.Tensor { return must(kerneltest.Run("Exp", nil, f(dims...)))[0] }
	scalars := func(x ...float32) (all in) {
		for _, v := range x {
			all = append(all, one(v))
		}
		return all
	}
	at, v := matrix32(2, 3, 0, 1, 4), f(4, 5, 6)
	for _, how := range []string{"Update", "Add", "Sub", "Mul", "Div", "Min", "Max"} {
		all = append(all, operation{op: "ResourceScatter" + how, variables: 1, in: in{v, list[int32](3, 0, 3), positive(3, 5, 6)}})
		if how != "Mul" && how != "Div" {
			all = append(all, operation{op: "ResourceScatterNd" + how, variables: 1, in: in{v, at, f(2, 6)}})
		}
	}
	rows, g := list[int64](3, 0, 3), f(3, 5)
	x, slot := f(4, 5), positive(4, 5)
	sparse := func(op string, a attrs, states int, before in, after ...*tensor.Tensor) {
		inputs := in{x, slot, positive(4, 5)}[:states]
		inputs = append(inputs, before...)
		inputs = append(inputs, g, rows)
		all = append(all, operation{op: "ResourceSparseApply" + op, attrs: a, variables: states, in: append(inputs, after...)})
	}
	for _, nesterov := range []bool{false, true} {
		a := attrs{boolean("use_nesterov", nesterov)}
		sparse("Momentum", a, 2, scalars(0.1), one(float32(0.9)))
		sparse("KerasMomentum", a, 2, scalars(0.1), one(float32(0.9)))
	}
	sparse("Adagrad", nil, 2, scalars(0.1))
	sparse("Adagrad", attrs{boolean("update_slots", false)}, 2, scalars(0.1))
	sparse("AdagradV2", nil, 2, scalars(0.1, 0.01))
	sparse("Adadelta", nil, 3, scalars(0.1, 0.9, 0.001))
	sparse("RMSProp", nil, 3, scalars(0.1, 0.9, 0.5, 0.001))
	sparse("Ftrl", nil, 3, nil, scalars(0.1, 0.2, 0.3, -0.6)...)
	sparse("FtrlV2", nil, 3, nil, scalars(0.1, 0.2, 0.3, 0.4, -0.5)...)
	return append(all,
		operation{op: "ResourceApplyProximalAdagrad", variables: 2, in: append(append(in{x, slot}, scalars(0.1, 0.2, 0.3)...), f(4, 5))},
		operation{op: "ResourceGather", attrs: attrs{typed("dtype", tensor.Float)}, variables: 1, in: in{v, matrix32(2, 3, 0, 1, 1)}},
		operation{op: "ResourceGather", attrs: attrs{typed("dtype", tensor.Float), integer("batch_dims", 1)}, variables: 1, in: in{v, matrix32(2, 3, 0, 1, 1, 4, 4, 2, 0)}},
		operation{op: "ResourceGatherNd", attrs: attrs{typed("dtype", tensor.Float)}, variables: 1, in: in{v, at}},
		operation{op: "ResourceStridedSliceAssign", attrs: attrs{integer("begin_mask", 1), integer("shrink_axis_mask", 2)}, variables: 1,
			in: in{v, list[int32](1, 2, 1), list[int32](4, 3, 6), list[int32](2, 1, 2), f(2, 3)}},
		operation{op: "ResourceStridedSliceAssign", attrs: attrs{integer("new_axis_mask", 1)}, variables: 1,
			in: in{v, list[int32](0, 3, 0, 0), list[int32](0, 0, 5, 6), list[int32](1, -1, 1, 1), f(5, 1)}})
}
