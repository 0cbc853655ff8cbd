package random

import "github.com/troupe-go/troupe/shape"

func init() {
	shape.Register(shape.Rule("shape: ? = S -> output: S"),
		"RandomUniform", "RandomStandardNormal", "TruncatedNormal", "ParameterizedTruncatedNormal")
	shape.Register(shape.Rule("shape: ? = S, minval: [], maxval: [] -> output: S"), "RandomUniformInt")
	shape.Register(shape.Rule("shape: ? = S, alpha: A -> output: [S...,A...]"), "RandomGamma")
	shape.Register(shape.Rule("shape: ? = S, rate: R -> output: [S...,R...]"), "RandomPoissonV2")
	shape.Register(shape.Broadcast2, "RandomGammaGrad")
	shape.Register(shape.Unchanged, "RandomShuffle")
	shape.Register(shape.Rule("logits: [b,?], num_samples: [] = n -> output: [b,n]"), "Multinomial")

	shape.Register(shape.Rule("dim: [] = d, num_results: [] = n, skip: [] -> samples: [n,d]"), "SobolSample")

	// The seed is an input.
	shape.Register(shape.Rule("shape: ? = S, seed: [2] -> output: S"),
		"StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal", "StatelessRandomUniformFullInt",
		"StatelessRandomBinomial", "StatelessRandomPoisson", "StatelessRandomGammaV2", "StatelessParameterizedTruncatedNormal")
	shape.Register(shape.Rule("shape: ? = S, seed: [2], minval: [], maxval: [] -> output: S"), "StatelessRandomUniformInt")
	shape.Register(shape.Rule("logits: [b,?], num_samples: [] = n, seed: [2] -> output: [b,n]"), "StatelessMultinomial")

	// A key, a counter and an algorithm are.
	shape.Register(shape.Rule("shape: ? = S, key: [1], counter: [?], alg: [] -> output: S"),
		"StatelessRandomUniformV2", "StatelessRandomNormalV2", "StatelessTruncatedNormalV2", "StatelessRandomUniformFullIntV2",
		"StatelessRandomGammaV3")
	shape.Register(shape.Rule("shape: ? = S, key: [1], counter: [?], alg: [], minval: [], maxval: [] -> output: S"), "StatelessRandomUniformIntV2")
	shape.Register(shape.Rule("value: V, key: [1], counter: [?], alg: [] -> output: V"), "StatelessShuffle")
	shape.Register(shape.Scalars, "StatelessRandomGetAlg")
	shape.Register(shape.Rule("seed: [2] -> key: [1], counter: [2]"), "StatelessRandomGetKeyCounter")
	shape.Register(shape.Rule("seed: [2] -> key: [1], counter: [2], alg: []"), "StatelessRandomGetKeyCounterAlg")

	// A generator is a resource.
	shape.Register(shape.Rule("resource: [], algorithm: [], shape: ? = S -> output: S"),
		"StatefulUniform", "StatefulUniformFullInt", "StatefulStandardNormalV2", "StatefulTruncatedNormal", "StatefulRandomBinomial")
	shape.Register(shape.Rule("resource: [], algorithm: [], shape: ? = S, minval: [], maxval: [] -> output: S"), "StatefulUniformInt")
	shape.Register(shape.Rule("resource: [], alg: [], delta: [] -> value: [3]"), "RngReadAndSkip")
	shape.Register(shape.Rule("resource: [], algorithm: [], delta: [] ->"), "RngSkip")
}
