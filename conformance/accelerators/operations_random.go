package accelerators

import (
	"math/rand/v2"

	"github.com/troupe-go/troupe/tensor"
)

// randomOperations draw numbers, from nodes' generators as well.
func randomOperations(rng *rand.Rand) (all []operation) {
	shape, seed := list[int32](5, 61), list[int64](17, -3)
	key, counter, alg := list[uint64](1<<63+5), list[uint64](1<<64-2, 9), one(int32(3))
	exact := tensor.Tolerance{Exact: true}
	draw := func(name string, dt tensor.DType, tol tensor.Tolerance, limits ...*tensor.Tensor) {
		a := attrs{typed("dtype", dt)}
		all = append(all, operation{op: "Stateless" + name, attrs: a, in: append(in{shape, seed}, limits...), tol: tol},
			operation{op: "Stateless" + name + "V2", attrs: a, in: append(in{shape, key, counter, alg}, limits...), tol: tol})
	}
	for name, types := range map[string][]tensor.DType{
		"RandomUniform": {tensor.Float, tensor.Double, tensor.Half}, "RandomNormal": {tensor.Float, tensor.Bfloat16}, "TruncatedNormal": {tensor.Float, tensor.Double},
	} {
		for _, dt := range types {
			tol := near[dt]
			if name == "RandomUniform" {
				tol = exact
			}
			draw(name, dt, tol)
		}
	}
	draw("RandomUniformFullInt", tensor.Int64, exact)
	draw("RandomUniformInt", tensor.Int64, exact, one(int64(-5)), one(int64(1)<<40))
	draw("RandomUniformInt", tensor.Int32, exact, one(int32(-5)), one(int32(100)))
	seeds := attrs{integer("seed", 3), integer("seed2", 9)}
	float := append(attrs{typed("dtype", tensor.Float)}, seeds...)
	logits := random(rng, tensor.Float, 3, 7)
	return append(all,
		operation{op: "RandomUniform", again: true, attrs: float, in: in{shape}, tol: exact},
		operation{op: "RandomStandardNormal", again: true, attrs: float, in: in{shape}, tol: near[tensor.Float]},
		operation{op: "TruncatedNormal", again: true, attrs: float, in: in{shape}, tol: near[tensor.Float]},
		operation{op: "RandomUniformInt", again: true, attrs: seeds, in: in{shape, one(int64(3)), one(int64(1000))}, tol: exact},
		operation{op: "Multinomial", again: true, attrs: seeds, in: in{logits, one(int32(9))}, tol: exact},
		operation{op: "StatelessMultinomial", in: in{logits, one(int32(9)), seed}, tol: exact})
}
