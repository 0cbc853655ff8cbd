package sampling

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("UniformCandidateSampler").
		Input("true_classes: int64").Output("sampled_candidates: int64").
		Output("true_expected_count: float").Output("sampled_expected_count: float").
		Attr("num_true: int >= 1").
		Attr("num_sampled: int >= 1").
		Attr("unique: bool").
		Attr("range_max: int >= 1").
		Attr("seed: int = 0").
		Attr("seed2: int = 0").
		Stateful().
		Doc(`Draws classes, each equally likely.

true_classes: The classes that are right, num_true of them a row.
sampled_candidates: The classes drawn.
true_expected_count: How often each right class is expected among them.
sampled_expected_count: How often each of them is expected.
num_true: How many right classes each example has.
num_sampled: How many to draw.
unique: Whether no class is drawn twice.
range_max: Classes are drawn from 0 up to this.`)
	registry.Define("LogUniformCandidateSampler").
		Input("true_classes: int64").Output("sampled_candidates: int64").
		Output("true_expected_count: float").Output("sampled_expected_count: float").
		Attr("num_true: int >= 1").
		Attr("num_sampled: int >= 1").
		Attr("unique: bool").
		Attr("range_max: int >= 1").
		Attr("seed: int = 0").
		Attr("seed2: int = 0").
		Stateful().
		Doc(`Draws classes with probabilities that fall as Zipf's law has it: (log(c+2) - log(c+1))/log(range_max+1).

true_classes: The classes that are right, num_true of them a row.
sampled_candidates: The classes drawn.
true_expected_count: How often each right class is expected among them.
sampled_expected_count: How often each of them is expected.
num_true: How many right classes each example has.
num_sampled: How many to draw.
unique: Whether no class is drawn twice.
range_max: Classes are drawn from 0 up to this.`)
	registry.Define("ThreadUnsafeUnigramCandidateSampler").
		Input("true_classes: int64").Output("sampled_candidates: int64").
		Output("true_expected_count: float").Output("sampled_expected_count: float").
		Attr("num_true: int >= 1").
		Attr("num_sampled: int >= 1").
		Attr("unique: bool").
		Attr("range_max: int >= 1").
		Attr("seed: int = 0").
		Attr("seed2: int = 0").
		Stateful().
		Doc(`Draws classes with probabilities learned from the right classes seen so far.

true_classes: The classes that are right, num_true of them a row.
sampled_candidates: The classes drawn.
true_expected_count: How often each right class is expected among them.
sampled_expected_count: How often each of them is expected.
num_true: How many right classes each example has.
num_sampled: How many to draw.
unique: Whether no class is drawn twice.
range_max: Classes are drawn from 0 up to this.`)
	registry.Define("LearnedUnigramCandidateSampler").
		Input("true_classes: int64").Output("sampled_candidates: int64").
		Output("true_expected_count: float").Output("sampled_expected_count: float").
		Attr("num_true: int >= 1").
		Attr("num_sampled: int >= 1").
		Attr("unique: bool").
		Attr("range_max: int >= 1").
		Attr("seed: int = 0").
		Attr("seed2: int = 0").
		Stateful().
		Doc(`Draws classes with probabilities learned from the right classes seen so far.

true_classes: The classes that are right, num_true of them a row.
sampled_candidates: The classes drawn.
true_expected_count: How often each right class is expected among them.
sampled_expected_count: How often each of them is expected.
num_true: How many right classes each example has.
num_sampled: How many to draw.
unique: Whether no class is drawn twice.
range_max: Classes are drawn from 0 up to this.`)
	registry.Define("FixedUnigramCandidateSampler").
		Input("true_classes: int64").Output("sampled_candidates: int64").
		Output("true_expected_count: float").Output("sampled_expected_count: float").
		Attr("num_true: int >= 1").
		Attr("num_sampled: int >= 1").
		Attr("unique: bool").
		Attr("range_max: int >= 1").
		Attr("vocab_file: string = ''").
		Attr("distortion: float = 1").
		Attr("num_reserved_ids: int = 0").
		Attr("num_shards: int >= 1 = 1").
		Attr("shard: int >= 0 = 0").
		Attr("unigrams: list(float) = []").
		Attr("seed: int = 0").
		Attr("seed2: int = 0").
		Stateful().
		Doc(`Draws classes with given probabilities.

true_classes: The classes that are right, num_true of them a row.
sampled_candidates: The classes drawn.
true_expected_count: How often each right class is expected among them.
sampled_expected_count: How often each of them is expected.
num_true: How many right classes each example has.
num_sampled: How many to draw.
unique: Whether no class is drawn twice.
range_max: Classes are drawn from 0 up to this.
vocab_file: A file with a line for each class, whose last field, after a comma, is its weight.
distortion: The power to which weights are raised.
num_reserved_ids: How many classes come before those that have weights and are never drawn.
num_shards: How many parts the classes are divided into.
shard: Which of these parts is drawn from.
unigrams: The weights, if there is no file.`)
	registry.Define("AllCandidateSampler").
		Input("true_classes: int64").Output("sampled_candidates: int64").
		Output("true_expected_count: float").Output("sampled_expected_count: float").
		Attr("num_true: int >= 1").
		Attr("num_sampled: int >= 1").
		Attr("unique: bool").
		Attr("seed: int = 0").
		Attr("seed2: int = 0").
		Stateful().
		Doc(`Gives all classes.

true_classes: The classes that are right, num_true of them a row.
sampled_candidates: The classes drawn.
true_expected_count: How often each right class is expected among them.
sampled_expected_count: How often each of them is expected.
num_true: How many right classes each example has.
num_sampled: How many to draw.
unique: Whether no class is drawn twice.`)
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
