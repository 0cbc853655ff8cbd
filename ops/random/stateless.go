package random

import (
	"math"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/registry"
)

const seedDoc = `

shape: The shape of the result.
seed: Two numbers; the same give the same result.`

func init() {
	registry.Define("StatelessRandomUniform").
		Input("shape: T").Input("seed: Tseed").Output("output: dtype").
		Attr("dtype: {half, bfloat16, float, double} = DT_FLOAT").
		Attr("T: {int32, int64} = DT_INT32").
		Attr("Tseed: {int32, int64} = DT_INT64").
		Doc("Draws floats uniformly from [0, 1), the same for the same seed." + seedDoc)
	registry.Define("StatelessRandomUniformInt").
		Input("shape: T").Input("seed: Tseed").Input("minval: dtype").Input("maxval: dtype").
		Output("output: dtype").
		Attr("dtype: {int32, int64}").
		Attr("T: {int32, int64}").
		Attr("Tseed: {int32, int64} = DT_INT64").
		Doc(`Draws integers uniformly from [minval, maxval), the same for the same seed.

minval: The least integer, a scalar.
maxval: The end of the range, a scalar above minval; it is not drawn.` + seedDoc)
	registry.Define("StatelessRandomUniformFullInt").
		Input("shape: T").Input("seed: Tseed").Output("output: dtype").
		Attr("dtype: {int32, int64, uint32, uint64} = DT_UINT64").
		Attr("T: {int32, int64} = DT_INT32").
		Attr("Tseed: {int32, int64, uint32, uint64} = DT_INT64").
		Doc("Draws integers uniformly from all that the type has, the same for the same seed." + seedDoc)
	registry.Define("StatelessRandomNormal").
		Input("shape: T").Input("seed: Tseed").Output("output: dtype").
		Attr("dtype: {half, bfloat16, float, double} = DT_FLOAT").
		Attr("T: {int32, int64} = DT_INT32").
		Attr("Tseed: {int32, int64} = DT_INT64").
		Doc("Draws from the normal distribution of mean 0 and deviation 1, the same for the same seed." + seedDoc)
	registry.Define("StatelessTruncatedNormal").
		Input("shape: T").Input("seed: Tseed").Output("output: dtype").
		Attr("dtype: {half, bfloat16, float, double} = DT_FLOAT").
		Attr("T: {int32, int64} = DT_INT32").
		Attr("Tseed: {int32, int64} = DT_INT64").
		Doc("Draws from the normal distribution of mean 0 and deviation 1 cut at 2 deviations, the same for the same seed." + seedDoc)
	registry.Define("StatelessParameterizedTruncatedNormal").
		Input("shape: S").Input("seed: Tseed").Input("means: dtype").Input("stddevs: dtype").
		Input("minvals: dtype").Input("maxvals: dtype").Output("output: dtype").
		Attr("S: {int32, int64}").
		Attr("Tseed: {int32, int64} = DT_INT64").
		Attr("dtype: {half, float, double}").
		Doc(`Draws from normal distributions limited to ranges, the same for the same seed.

means: The means, which broadcast with the other parameters.
stddevs: The deviations, likewise.
minvals: The lower limits, likewise.
maxvals: The upper limits, likewise.` + seedDoc)
	registry.Define("StatelessRandomGammaV2").
		Input("shape: T").Input("seed: Tseed").Input("alpha: dtype").Output("output: dtype").
		Attr("dtype: {half, float, double}").
		Attr("T: {int32, int64}").
		Attr("Tseed: {int32, int64} = DT_INT64").
		Doc(`Draws from gamma distributions of scale 1, the same for the same seed.

alpha: The shape parameters, which broadcast to shape.` + seedDoc)
	registry.Define("StatelessRandomPoisson").
		Input("shape: T").Input("seed: Tseed").Input("lam: Rtype").Output("output: dtype").
		Attr("Rtype: {half, float, double, int32, int64}").
		Attr("dtype: {half, float, double, int32, int64}").
		Attr("T: {int32, int64}").
		Attr("Tseed: {int32, int64} = DT_INT64").
		Doc(`Draws from Poisson distributions, the same for the same seed.

lam: Their means, which broadcast to shape.
dtype: The type of the draws.` + seedDoc)
	registry.Define("StatelessRandomBinomial").
		Input("shape: S").Input("seed: Tseed").Input("counts: T").Input("probs: T").
		Output("output: dtype").
		Attr("S: {int32, int64}").
		Attr("Tseed: {int32, int64} = DT_INT64").
		Attr("T: {half, float, double, int32, int64} = DT_DOUBLE").
		Attr("dtype: {half, float, double, int32, int64} = DT_INT64").
		Doc(`Draws from binomial distributions, the same for the same seed.

counts: The numbers of trials, which broadcast to shape.
probs: The probabilities of success, likewise.
dtype: The type of the draws.` + seedDoc)
	registry.Define("StatelessMultinomial").
		Input("logits: T").Input("num_samples: int32").Input("seed: Tseed").
		Output("output: output_dtype").
		Attr("T: realnumbertype").
		Attr("Tseed: {int32, int64} = DT_INT64").
		Attr("output_dtype: {int32, int64} = DT_INT64").
		Doc(`Draws classes from distributions, the same for the same seed.

logits: Unnormalized log-probabilities, one distribution a row.
num_samples: How many draws of each.
seed: Two numbers; the same give the same result.
output_dtype: The type of the classes.`)

	gradient.Register(func(c *gradient.Context) { gammaGradient(c, 2) }, "StatelessRandomGammaV2")
	gradient.Register(truncatedGradient, "StatelessParameterizedTruncatedNormal")
	gradient.None("StatelessMultinomial", "StatelessRandomBinomial", "StatelessRandomNormal", "StatelessRandomPoisson",
		"StatelessRandomUniform", "StatelessRandomUniformFullInt", "StatelessRandomUniformInt", "StatelessTruncatedNormal")
}

// truncatedGradient: a sample x of the normal distribution between l and h is drawn as
// the place where its distribution function is u, which stays the same. With the
// density φ and the share p of the distribution that is below x, so
// dx/dl = (1-p)·φ(l)/φ(x) and dx/dh = p·φ(h)/φ(x). Mean and deviation shift and scale
// it; as in TensorFlow, that this moves the limits is left out.
func truncatedGradient(c *gradient.Context) {
	if !c.Has(0) {
		return
	}
	mean, deviation, sample, dz := c.Input(2), c.Input(3), c.Output(0), c.Dy(0)
	normal := func(v graph.Output) graph.Output { return c.Div(c.Sub(v, mean), deviation) }
	x, l, h := normal(sample), normal(c.Input(4)), normal(c.Input(5))
	below := func(v graph.Output) graph.Output { // of the normal distribution, twice
		return c.Apply("Erfc", c.Mul(c.Scalar(v, -math.Sqrt2/2), v))
	}
	one := c.Scalar(x, 1)
	p := c.Div(c.Sub(below(x), below(l)), c.Sub(below(h), below(l)))
	over := func(v graph.Output) graph.Output {
		return c.Exp(c.Mul(c.Scalar(x, 0.5), c.Mul(c.Sub(x, v), c.Add(x, v))))
	}
	dl, dh := c.Mul(c.Sub(one, p), over(l)), c.Mul(p, over(h))
	set := func(i int, slope graph.Output) {
		if c.Wants(i) {
			c.Set(i, c.SumTo(c.Mul(dz, slope), c.Input(i)))
		}
	}
	set(2, one)
	set(3, x)
	set(4, dl)
	set(5, dh)
}
