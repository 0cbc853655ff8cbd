package random

import "github.com/troupe-go/troupe/shape"

func init() {
	shape.Register(shape.Rule("shape: ? = S -> output: S"),
		"RandomUniform", "RandomStandardNormal", "TruncatedNormal")
	shape.Register(parameterizedShape, "ParameterizedTruncatedNormal")
	shape.Register(shape.Rule("shape: ? = S, minval: [], maxval: [] -> output: S"), "RandomUniformInt")
	shape.Register(shape.Rule("shape: ? = S, alpha: A -> output: [S...,A...]"), "RandomGamma")
	shape.Register(shape.Rule("shape: ? = S, rate: R -> output: [S...,R...]"), "RandomPoissonV2")
	shape.Register(shape.Unchanged, "RandomShuffle")
	shape.Register(shape.Rule("logits: [b,?], num_samples: [] = n -> output: [b,n]"), "Multinomial")

	shape.Register(sobolShape, "SobolSample")

	// The seed is an input.
	shape.Register(shape.Rule("shape: ? = S, seed: [2] -> output: S"),
		"StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal", "StatelessRandomUniformFullInt",
		"StatelessRandomBinomial", "StatelessRandomPoisson", "StatelessRandomGammaV2")
	shape.Register(statelessParameterizedShape, "StatelessParameterizedTruncatedNormal")
	shape.Register(shape.Rule("shape: ? = S, seed: [2], minval: [], maxval: [] -> output: S"), "StatelessRandomUniformInt")
	shape.Register(shape.Rule("logits: [b,?], num_samples: [] = n, seed: [2] -> output: [b,n]"), "StatelessMultinomial")

	// A key, a counter and an algorithm are.
	shape.Register(shape.Rule("shape: ? = S, key: [1], counter: [?], alg: [] -> output: S"),
		"StatelessRandomUniformV2", "StatelessRandomNormalV2", "StatelessTruncatedNormalV2", "StatelessRandomUniformFullIntV2",
		"StatelessRandomGammaV3")
	shape.Register(shape.Rule("shape: ? = S, key: [1], counter: [?], alg: [], minval: [], maxval: [] -> output: S"), "StatelessRandomUniformIntV2")
	shape.Register(shape.Unchanged, "StatelessShuffle")
	shape.Register(shape.Scalars, "StatelessRandomGetAlg")
	shape.Register(shape.Rule("seed: [2] -> key: [1], counter: [2]"), "StatelessRandomGetKeyCounter")
	shape.Register(shape.Rule("seed: [2] -> key: [1], counter: [2], alg: []"), "StatelessRandomGetKeyCounterAlg")

	// A generator is a resource.
	shape.Register(shape.Rule("resource: ?, algorithm: [], shape: ? = S -> output: S"),
		"StatefulUniform", "StatefulUniformFullInt", "StatefulStandardNormalV2", "StatefulTruncatedNormal")
	shape.Register(shape.Rule("shape: ? = S -> output: S"), "StatefulRandomBinomial")
	shape.Register(shape.Rule("resource: ?, algorithm: [], shape: ? = S, minval: [], maxval: [] -> output: S"), "StatefulUniformInt")
	shape.Register(shape.Rule("resource: ?, alg: [], delta: [] -> value: [3]"), "RngReadAndSkip")
	shape.Register(shape.Rule("resource: ?, algorithm: [], delta: [] ->"), "RngSkip")
}

// parameterizedShape is for parameters that are numbers or vectors of numbers.
func parameterizedShape(c *shape.Context) error {
	for i := 1; i <= 4; i++ {
		c.Try(c.Input(i).WithRankAtMost(1))
	}
	c.SetOutput(0, c.Try(c.ShapeFrom(0)))
	return c.Err()
}

// sobolShape has so many results of so many dimensions; -1 leaves open how many.
func sobolShape(c *shape.Context) error {
	for i := range 3 {
		c.Try(c.Input(i).WithRank(0))
	}
	out := []int64{shape.Unknown, shape.Unknown}
	for i := range out {
		if n, ok := c.ConstInt(1 - i); ok {
			out[i] = n
		}
	}
	c.SetOutput(0, c.Try(shape.FromVector(out)))
	return c.Err()
}

// statelessParameterizedShape is for parameters that broadcast.
func statelessParameterizedShape(c *shape.Context) error {
	seed := c.Try(c.Input(1).WithRank(1))
	c.TryDim(shape.WithValue(seed.Dim(0), 2))
	var all []shape.Shape
	for i := 2; i <= 5; i++ {
		all = append(all, c.Input(i))
	}
	c.Try(shape.Broadcast(all...))
	c.SetOutput(0, c.Try(c.ShapeFrom(0)))
	return c.Err()
}
