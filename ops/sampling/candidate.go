package sampling

import "github.com/troupe-go/troupe/registry"

func init() {
	defineSampler("UniformCandidateSampler", "Draws classes, each equally likely.", ranged)
	defineSampler("LogUniformCandidateSampler",
		"Draws classes with probabilities that fall as Zipf's law has it: (log(c+2) - log(c+1))/log(range_max+1).", ranged)
	defineSampler("ThreadUnsafeUnigramCandidateSampler", "Draws classes with probabilities learned from the right classes seen so far.", ranged)
	defineSampler("LearnedUnigramCandidateSampler", "Draws classes with probabilities learned from the right classes seen so far.", ranged)
	defineSampler("FixedUnigramCandidateSampler", "Draws classes with given probabilities.", append(ranged[:1:1],
		attr{"vocab_file: string = ''", "vocab_file: A file with a line for each class, whose last field, after a comma, is its weight."},
		attr{"distortion: float = 1", "distortion: The power to which weights are raised."},
		attr{"num_reserved_ids: int = 0", "num_reserved_ids: How many classes come before those that have weights and are never drawn."},
		attr{"num_shards: int >= 1 = 1", "num_shards: How many parts the classes are divided into."},
		attr{"shard: int >= 0 = 0", "shard: Which of these parts is drawn from."},
		attr{"unigrams: list(float) = []", "unigrams: The weights, if there is no file."}))
	defineSampler("AllCandidateSampler", "Gives all classes.", nil)
	registry.Define("ComputeAccidentalHits").
		Input("true_classes: int64").Input("sampled_candidates: int64").Output("indices: int32").
		Output("ids: int64").Output("weights: float").
		Attr("num_true: int").
		Attr("seed: int = 0").
		Attr("seed2: int = 0").
		Doc(`Finds the drawn classes that are right classes.

true_classes: The right classes, num_true of them a row.
sampled_candidates: The classes drawn.
indices: The row of each hit.
ids: The place of each hit among the drawn classes.
weights: For each hit the lowest float, to be added to its logit.
num_true: How many right classes each example has.`)
}

// An attr is an attribute of a sampler and its documentation.
type attr struct{ spec, doc string }

var ranged = []attr{{"range_max: int >= 1", "range_max: Classes are drawn from 0 up to this."}}

// defineSampler defines a sampler of classes with the attributes that it has beside
// those of all.
func defineSampler(name, does string, own []attr) {
	doc := does + `

true_classes: The classes that are right, num_true of them a row.
sampled_candidates: The classes drawn.
true_expected_count: How often each right class is expected among them.
sampled_expected_count: How often each of them is expected.
num_true: How many right classes each example has.
num_sampled: How many to draw.
unique: Whether no class is drawn twice.`
	b := registry.Define(name).
		Input("true_classes: int64").Output("sampled_candidates: int64").
		Output("true_expected_count: float").Output("sampled_expected_count: float").
		Attr("num_true: int >= 1").
		Attr("num_sampled: int >= 1").
		Attr("unique: bool")
	for _, a := range own {
		b.Attr(a.spec)
		doc += "\n" + a.doc
	}
	b.Attr("seed: int = 0").Attr("seed2: int = 0").Stateful().Doc(doc)
}
