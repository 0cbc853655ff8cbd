package random

import (
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/registry"
)

const shapeDoc = `

shape: The shape of the result.`

func init() {
	registry.Define("RandomUniform").
		Input("shape: T").Output("output: dtype").
		Attr("seed: int = 0").
		Attr("seed2: int = 0").
		Attr("dtype: {half, bfloat16, float, double}").
		Attr("T: {int32, int64}").
		Stateful().
		Doc("Draws floats uniformly from [0, 1)." + shapeDoc)
	registry.Define("RandomUniformInt").
		Input("shape: T").Input("minval: Tout").Input("maxval: Tout").Output("output: Tout").
		Attr("seed: int = 0").
		Attr("seed2: int = 0").
		Attr("Tout: {int32, int64}").
		Attr("T: {int32, int64}").
		Stateful().
		Doc(`Draws integers uniformly from [minval, maxval).

minval: The least integer, a scalar.
maxval: The end of the range, a scalar above minval; it is not drawn.` + shapeDoc)
	registry.Define("RandomStandardNormal").
		Input("shape: T").Output("output: dtype").
		Attr("seed: int = 0").
		Attr("seed2: int = 0").
		Attr("dtype: {half, bfloat16, float, double}").
		Attr("T: {int32, int64}").
		Stateful().
		Doc("Draws from the normal distribution of mean 0 and deviation 1." + shapeDoc)
	registry.Define("TruncatedNormal").
		Input("shape: T").Output("output: dtype").
		Attr("seed: int = 0").
		Attr("seed2: int = 0").
		Attr("dtype: {half, bfloat16, float, double}").
		Attr("T: {int32, int64}").
		Stateful().
		Doc("Draws from the normal distribution of mean 0 and deviation 1, again until the value is within [-2, 2]." + shapeDoc)
	registry.Define("ParameterizedTruncatedNormal").
		Input("shape: T").Input("means: dtype").Input("stdevs: dtype").Input("minvals: dtype").
		Input("maxvals: dtype").Output("output: dtype").
		Attr("seed: int = 0").
		Attr("seed2: int = 0").
		Attr("dtype: {half, bfloat16, float, double}").
		Attr("T: {int32, int64}").
		Stateful().
		Doc(`Draws from normal distributions limited to ranges.

shape: The shape of the result; its first dimension is that of the parameters, if they have any.
means: The mean of each batch, or of all.
stdevs: The deviations.
minvals: The lower limits.
maxvals: The upper limits.`)
	registry.Define("RandomGamma").
		Input("shape: S").Input("alpha: T").Output("output: T").
		Attr("seed: int = 0").
		Attr("seed2: int = 0").
		Attr("S: {int32, int64}").
		Attr("T: {half, float, double}").
		Stateful().
		Doc(`Draws from gamma distributions of scale 1.

shape: How many draws of each distribution.
alpha: The shape parameters.
output: Draws, then distributions.`)
	registry.Define("RandomPoissonV2").
		Input("shape: S").Input("rate: R").Output("output: dtype").
		Attr("seed: int = 0").
		Attr("seed2: int = 0").
		Attr("S: {int32, int64}").
		Attr("R: {half, float, double, int32, int64} = DT_DOUBLE").
		Attr("dtype: {half, float, double, int32, int64} = DT_INT64").
		Stateful().
		Doc(`Draws from Poisson distributions.

shape: How many draws of each distribution.
rate: Their means.
output: Draws, then distributions.
dtype: The type of the draws.`)
	registry.Define("RandomShuffle").
		Input("value: T").Output("output: T").
		Attr("seed: int = 0").
		Attr("seed2: int = 0").
		Attr("T: type").
		Stateful().
		Doc(`Shuffles the slices along the first dimension.

value: What to shuffle.`)
	registry.Define("Multinomial").
		Input("logits: T").Input("num_samples: int32").Output("output: output_dtype").
		Attr("seed: int = 0").
		Attr("seed2: int = 0").
		Attr("T: realnumbertype").
		Attr("output_dtype: {int32, int64} = DT_INT64").
		Stateful().
		Doc(`Draws classes from distributions.

logits: Unnormalized log-probabilities, one distribution a row.
num_samples: How many draws of each.
output: The classes drawn, one row for each distribution.
output_dtype: The type of the classes.`)

	gradient.Register(func(c *gradient.Context) { gammaGradient(c, 1) }, "RandomGamma")
	gradient.None("RandomUniform", "RandomStandardNormal", "ParameterizedTruncatedNormal", "TruncatedNormal", "RandomShuffle", "Multinomial")
}

// gammaGradient is that of the shape parameter, input i, of gamma samples, by which
// a sample depends on it if the draw stays the same.
func gammaGradient(c *gradient.Context, i int) {
	if c.Has(0) && c.Wants(i) {
		alpha := c.Input(i)
		c.Set(i, c.SumTo(c.Mul(c.Dy(0), c.Apply("RandomGammaGrad", alpha, c.Output(0))), alpha))
	}
}
