package random

import "github.com/troupe-go/troupe/registry"

const generatorDoc = `

resource: The variable: a counter and a key, as int64. It is moved forward.
algorithm: 1 Philox, 2 ThreeFry.
shape: The shape of the result.`

func init() {
	registry.Define("RngSkip").
		Input("resource: resource").Input("algorithm: int64").Input("delta: int64").
		AddsTo("resource").
		Stateful().
		Doc(`Moves a generator that a variable holds forward.

resource: The variable: the counter and the key, as int64.
algorithm: 1 Philox, 2 ThreeFry.
delta: By how many 128-bit blocks.`)
	registry.Define("RngReadAndSkip").
		Input("resource: resource").Input("alg: int32").Input("delta: uint64").Output("value: int64").
		Writes("resource").
		Stateful().
		Doc(`Reads a generator that a variable holds, and moves it forward.

resource: The variable: the counter and the key, as int64.
alg: 1 Philox, 2 ThreeFry.
delta: By how many 128-bit blocks.
value: The generator before that.`)
	registry.Define("StatefulUniform").
		Input("resource: resource").Input("algorithm: int64").Input("shape: shape_dtype").
		Output("output: dtype").
		Writes("resource").
		Attr("dtype: type = DT_FLOAT").
		Attr("shape_dtype: type = DT_INT64").
		Stateful().
		Doc("Draws floats uniformly from [0, 1), from a generator that a variable holds." + generatorDoc)
	registry.Define("StatefulUniformInt").
		Input("resource: resource").Input("algorithm: int64").Input("shape: shape_dtype").
		Input("minval: dtype").Input("maxval: dtype").Output("output: dtype").
		Writes("resource").
		Attr("dtype: type = DT_INT64").
		Attr("shape_dtype: type = DT_INT64").
		Stateful().
		Doc(`Draws integers uniformly from [minval, maxval), from a generator that a variable holds.

minval: The least integer, a scalar.
maxval: The end of the range, a scalar above minval; it is not drawn.` + generatorDoc)
	registry.Define("StatefulUniformFullInt").
		Input("resource: resource").Input("algorithm: int64").Input("shape: shape_dtype").
		Output("output: dtype").
		Writes("resource").
		Attr("dtype: type = DT_UINT64").
		Attr("shape_dtype: type = DT_INT64").
		Stateful().
		Doc("Draws integers uniformly from all that the type has, from a generator that a variable holds." + generatorDoc)
	registry.Define("StatefulStandardNormalV2").
		Input("resource: resource").Input("algorithm: int64").Input("shape: shape_dtype").
		Output("output: dtype").
		Writes("resource").
		Attr("dtype: type = DT_FLOAT").
		Attr("shape_dtype: type = DT_INT64").
		Stateful().
		Doc("Draws from the normal distribution of mean 0 and deviation 1, from a generator that a variable holds." + generatorDoc)
	registry.Define("StatefulTruncatedNormal").
		Input("resource: resource").Input("algorithm: int64").Input("shape: shape_dtype").
		Output("output: dtype").
		Writes("resource").
		Attr("dtype: type = DT_FLOAT").
		Attr("shape_dtype: type = DT_INT64").
		Stateful().
		Doc("Draws from the normal distribution of mean 0 and deviation 1 cut at 2 deviations, from a generator that a variable holds." + generatorDoc)
	registry.Define("StatefulRandomBinomial").
		Input("resource: resource").Input("algorithm: int64").Input("shape: S").Input("counts: T").
		Input("probs: T").Output("output: dtype").
		Writes("resource").
		Attr("S: {int32, int64}").
		Attr("T: {half, float, double, int32, int64} = DT_DOUBLE").
		Attr("dtype: {half, float, double, int32, int64} = DT_INT64").
		Stateful().
		Doc(`Draws from binomial distributions, from a generator that a variable holds.

counts: The numbers of trials, which broadcast to shape.
probs: The probabilities of success, likewise.
dtype: The type of the draws.` + generatorDoc)
}
