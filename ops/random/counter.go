package random

import (
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/registry"
)

const counterDoc = `

shape: The shape of the result.
key: The generator's key, as StatelessRandomGetKeyCounter returns it.
counter: The generator's counter, likewise.
alg: 1 Philox, 2 ThreeFry, 3 what the device prefers.`

func init() {
	registry.Define("StatelessRandomGetKeyCounter").
		Input("seed: Tseed").Output("key: uint64").Output("counter: uint64").
		Attr("Tseed: {int32, int64} = DT_INT64").
		Doc(`Turns a seed into the key and the counter of a generator.

seed: Two numbers.
key: The key, a vector of one number.
counter: The counter, a vector of two.`)
	registry.Define("StatelessRandomGetAlg").
		Output("alg: int32").
		Stateful().
		Doc("Returns the algorithm that the device prefers: 1 Philox, 2 ThreeFry.")
	registry.Define("StatelessRandomGetKeyCounterAlg").
		Input("seed: Tseed").Output("key: uint64").Output("counter: uint64").Output("alg: int32").
		Attr("Tseed: {int32, int64} = DT_INT64").
		Doc(`Turns a seed into the key, the counter and the algorithm of a generator.

seed: Two numbers.
key: The key, a vector of one number.
counter: The counter, a vector of two.
alg: 1 Philox, 2 ThreeFry.`)
	registry.Define("StatelessRandomUniformV2").
		Input("shape: Tshape").Input("key: uint64").Input("counter: uint64").Input("alg: int32").
		Output("output: dtype").
		Attr("dtype: {half, bfloat16, float, double} = DT_FLOAT").
		Attr("Tshape: {int32, int64} = DT_INT32").
		Doc("Draws floats uniformly from [0, 1), from a generator at a given counter." + counterDoc)
	registry.Define("StatelessRandomUniformIntV2").
		Input("shape: Tshape").Input("key: uint64").Input("counter: uint64").Input("alg: int32").
		Input("minval: dtype").Input("maxval: dtype").Output("output: dtype").
		Attr("dtype: {int32, int64, uint32, uint64}").
		Attr("Tshape: {int32, int64} = DT_INT32").
		Doc(`Draws integers uniformly from [minval, maxval), from a generator at a given counter.

minval: The least integer, a scalar.
maxval: The end of the range, a scalar above minval; it is not drawn.` + counterDoc)
	registry.Define("StatelessRandomUniformFullIntV2").
		Input("shape: Tshape").Input("key: uint64").Input("counter: uint64").Input("alg: int32").
		Output("output: dtype").
		Attr("dtype: {int32, int64, uint32, uint64} = DT_UINT64").
		Attr("Tshape: {int32, int64} = DT_INT32").
		Doc("Draws integers uniformly from all that the type has, from a generator at a given counter." + counterDoc)
	registry.Define("StatelessRandomNormalV2").
		Input("shape: Tshape").Input("key: uint64").Input("counter: uint64").Input("alg: int32").
		Output("output: dtype").
		Attr("dtype: {half, bfloat16, float, double} = DT_FLOAT").
		Attr("Tshape: {int32, int64} = DT_INT32").
		Doc("Draws from the normal distribution of mean 0 and deviation 1, from a generator at a given counter." + counterDoc)
	registry.Define("StatelessTruncatedNormalV2").
		Input("shape: Tshape").Input("key: uint64").Input("counter: uint64").Input("alg: int32").
		Output("output: dtype").
		Attr("dtype: {half, bfloat16, float, double} = DT_FLOAT").
		Attr("Tshape: {int32, int64} = DT_INT32").
		Doc("Draws from the normal distribution of mean 0 and deviation 1 cut at 2 deviations, from a generator at a given counter." + counterDoc)
	registry.Define("StatelessRandomGammaV3").
		Input("shape: shape_dtype").Input("key: uint64").Input("counter: uint64").Input("alg: int32").
		Input("alpha: dtype").Output("output: dtype").
		Attr("dtype: {half, float, double}").
		Attr("shape_dtype: {int32, int64} = DT_INT32").
		Doc(`Draws from gamma distributions of scale 1, from a generator at a given counter.

alpha: The shape parameters, which broadcast to shape.` + counterDoc)
	registry.Define("StatelessShuffle").
		Input("value: T").Input("key: uint64").Input("counter: uint64").Input("alg: int32").
		Output("output: T").
		Attr("T: type").
		Doc(`Shuffles the slices along the first dimension, from a generator at a given counter.

key: The generator's key, as StatelessRandomGetKeyCounter returns it.
counter: The generator's counter, likewise.
alg: 1 Philox, 2 ThreeFry, 3 what the device prefers.`)

	gradient.Register(func(c *gradient.Context) { gammaGradient(c, 4) }, "StatelessRandomGammaV3")
	gradient.None("StatelessRandomNormalV2", "StatelessRandomUniformFullIntV2", "StatelessRandomUniformIntV2",
		"StatelessRandomUniformV2", "StatelessTruncatedNormalV2")
}
