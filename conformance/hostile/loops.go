package hostile

import (
	"math"
	"strings"

	tf "github.com/troupe-go/troupe/session"
)

var (
	squares = many(float32(1), 4000, 4000)
)

// Work that takes far longer than its inputs are large, and may have no end.
func loops() []Attack {
	return asking("loop", []ask{
		{"candidates_log_uniform", "LogUniformCandidateSampler", attrs{"num_true": int64(1), "num_sampled": int64(5_000_000), "unique": true, "range_max": int64(5_000_000)}, in{[][]int64{{1}}}},
		{"candidates_learned", "LearnedUnigramCandidateSampler", attrs{"num_true": int64(1), "num_sampled": int64(5_000_000), "unique": true, "range_max": int64(5_000_000)}, in{[][]int64{{1}}}},
		{"candidates_uniform", "UniformCandidateSampler", attrs{"num_true": int64(1), "num_sampled": int64(8_000_000), "unique": true, "range_max": int64(8_000_000)}, in{[][]int64{{1}}}},
		{"candidates_unigram", "FixedUnigramCandidateSampler", attrs{"num_true": int64(1), "num_sampled": int64(2), "unique": true, "range_max": int64(2), "unigrams": []float32{1, 1e-30}}, in{[][]int64{{1}}}},
		{"candidates_true", "UniformCandidateSampler", attrs{"num_true": int64(1), "num_sampled": int64(1), "unique": true, "range_max": int64(10)}, in{as(tf.Int64, many(float32(1), 15_000_000, 1))}},
		{"candidate_hits", "ComputeAccidentalHits", attrs{"num_true": int64(1000)}, in{as(tf.Int64, many(float32(1), 10_000, 1000)), many(int64(1), 10_000)}},
		{"box_sampled", "SampleDistortedBoundingBoxV2", attrs{"max_attempts": int64(1) << 40, "area_range": []float32{0.0001, 0.0002}}, in{[]int32{1000, 1000, 3}, [][][]float32{{{0, 0, 1, 1}}}, float32(1)}},
		{"boxes_sampled", "SampleDistortedBoundingBoxV2", attrs{"max_attempts": int64(1000), "area_range": []float32{0.0001, 0.0002}}, in{[]int32{1000, 1000, 3}, many(float32(0.5), 1, 1_000_000, 4), float32(1)}},
		{"box_sampled_stateless", "StatelessSampleDistortedBoundingBox", attrs{"max_attempts": int64(1) << 40, "area_range": []float32{0.0001, 0.0002}}, in{[]int32{1000, 1000, 3}, [][][]float32{{{0, 0, 1, 1}}}, float32(1), seed}},
		{"binomial", "StatelessRandomBinomial", attrs{"dtype": tf.Double}, in{[]int32{1 << 23}, seed, float64(1e15), float64(0.5)}},
		{"binomial_infinite", "StatelessRandomBinomial", attrs{"dtype": tf.Double}, in{[]int32{1000}, seed, math.Inf(1), float64(0.5)}},
		{"binomial_unlikely", "StatelessRandomBinomial", attrs{"dtype": tf.Double}, in{[]int32{1000}, seed, float64(1e300), float64(1e-300)}},
		{"binomial_nan", "StatelessRandomBinomial", attrs{"dtype": tf.Double}, in{[]int32{1000}, seed, math.NaN(), math.NaN()}},
		{"gamma_small", "StatelessRandomGammaV2", nil, in{[]int32{1 << 22}, seed, float64(1e-300)}},
		{"gamma_infinite", "StatelessRandomGammaV2", nil, in{[]int32{1000}, seed, math.Inf(1)}},
		{"gamma_nan", "RandomGamma", nil, in{[]int32{1000}, math.NaN()}},
		{"poisson_infinite", "RandomPoissonV2", attrs{"dtype": tf.Double}, in{[]int32{1000}, math.Inf(1)}},
		{"poisson_nan", "StatelessRandomPoisson", attrs{"dtype": tf.Double}, in{[]int32{1000}, seed, math.NaN()}},
		{"truncated_point", "StatelessParameterizedTruncatedNormal", nil, in{[]int32{1 << 20}, seed, float64(0), float64(1), float64(5), float64(5.000000001)}},
		{"truncated_far", "ParameterizedTruncatedNormal", nil, in{[]int32{1 << 21}, float64(0), float64(1), float64(1e6), float64(2e6)}},
		{"truncated_infinite", "StatelessParameterizedTruncatedNormal", nil, in{[]int32{1000}, seed, float64(0), math.Inf(1), float64(-1), float64(1)}},
		{"sobol_skipped", "SobolSample", attrs{"dtype": tf.Float}, in{int32(1), int32(1), most - 2}},
		{"sobol_wide", "SobolSample", attrs{"dtype": tf.Double}, in{int32(1111), int32(25_000), int32(0)}},
		{"gamma_gradient", "RandomGammaGrad", nil, in{many(1e6, 1<<21), many(1e6, 1<<21)}},
		{"igamma_gradient", "IgammaGradA", nil, in{many(1e12, 1<<21), many(1e12, 1<<21)}},
		{"unique_rows", "UniqueV2", nil, in{shaped(upTo(8_000_000), -1, 1), []int32{0}}},
		{"sparse_product", "SparseMatMul", nil, in{squares, squares}},
		{"sparse_columns", "SparseTensorDenseMatMul", nil, in{as(tf.Int64, many(int32(0), 4_000_000, 2)), many(float32(1), 4_000_000), []int64{1, 1}, many(float32(1), 1, 4000)}},
		{"quantized_product", "QuantizedMatMul", nil, in{quantized(4000, 4000), quantized(4000, 4000), float32(0), float32(1), float32(0), float32(1)}},
		{"quantized_conv", "QuantizedConv2D", attrs{"strides": pixel, "padding": "SAME"}, in{quantized(1, 1000, 1000, 1), quantized(700, 700, 1, 1), float32(0), float32(1), float32(0), float32(1)}},
		{"quantized_max_pool", "QuantizedMaxPool", attrs{"ksize": []int64{1, 1999, 1999, 1}, "strides": pixel, "padding": "SAME"}, in{quantized(1, 2000, 2000, 1), float32(0), float32(1)}},
		{"quantized_avg_pool", "QuantizedAvgPool", attrs{"ksize": []int64{1, 1999, 1999, 1}, "strides": pixel, "padding": "SAME"}, in{quantized(1, 2000, 2000, 1), float32(0), float32(1)}},
		{"conv_3d_filter", "Conv3DBackpropFilterV2", attrs{"strides": voxel, "padding": "SAME"}, in{many(float32(1), 1, 100, 100, 100, 1), []int32{90, 90, 90, 1, 1}, many(float32(1), 1, 100, 100, 100, 1)}},
		{"depthwise_filter", "DepthwiseConv2dNativeBackpropFilter", attrs{"strides": pixel, "padding": "SAME"}, in{many(float32(1), 1, 1500, 1500, 1), []int32{1000, 1000, 1, 1}, many(float32(1), 1, 1500, 1500, 1)}},
		{"dilation_input", "Dilation2DBackpropInput", attrs{"strides": pixel, "rates": pixel, "padding": "SAME"}, in{many(float32(1), 1, 1500, 1500, 1), many(float32(1), 1000, 1000, 1), many(float32(1), 1, 1500, 1500, 1)}},
		{"boxes_drawn", "DrawBoundingBoxesV2", nil, in{many(float32(1), 1, 3000, 3000, 1), hollow(2_000_000), [][]float32{{1}}}},
		{"boxes_soft", "NonMaxSuppressionV5", nil, in{noise(100_000, 4), noise(100_000), int32(100_000), float32(1), float32(0), float32(0.5)}},
		{"boxes_overlaps", "NonMaxSuppressionWithOverlaps", nil, in{many(float32(0), 6000, 6000), noise(6000), int32(6000), float32(1), float32(0)}},
		{"boxes_in_classes", "CombinedNonMaxSuppression", nil, in{noise(1, 20_000, 1, 4), noise(1, 20_000, 200), int32(20_000), int32(100_000), float32(1), float32(0)}},
		{"banded", "BandedTriangularSolve", nil, in{many(1.0, 2000, 2000), many(1.0, 2000, 4000)}},
		{"least_squares", "MatrixSolveLs", nil, in{noise64(2000, 1200), noise64(2000, 1200), 0.0}},
		{"lu_small_ones", "Lu", nil, in{noise(1_000_000, 4, 4)}},
		{"eigenvalues_small_ones", "SelfAdjointEigV2", nil, in{noise64(500_000, 5, 5)}},
		{"einsum_long", "Einsum", attrs{"equation": "abcd,cdef->abef"}, in{in{many(float32(1), 60, 60, 60, 60), many(float32(1), 60, 60, 60, 60)}}},
		{"rolled", "Roll", nil, in{many(float32(1), 5_000_000), many(int32(1), 10_000_000), many(int32(0), 10_000_000)}},
		{"reversed_rows", "ReverseSequence", attrs{"seq_dim": int64(1)}, in{many(float32(1), 10_000_000, 2), many(int64(2), 10_000_000)}},
		{"transposed", "Transpose", nil, in{shaped(many(float32(1), 1<<24), 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2), []int32{23, 1, 22, 2, 21, 3, 20, 4, 19, 5, 18, 6, 17, 7, 16, 8, 15, 9, 14, 10, 13, 11, 12, 0}}},
		{"expression", "RegexFullMatch", nil, in{strings.Repeat("a", 1<<18), "(a|aa|aaa|[a-z]{1,200})*(x|y|a{0,500})*b"}},
		{"expression_replaced", "RegexReplace", nil, in{strings.Repeat("a", 1<<20), "(a{1,300}b|a)", "c"}},
		{"expressions", "RegexFullMatch", nil, in{many(strings.Repeat("a", 1000), 100_000), "(a|aa)*b"}},
		{"words", "StringSplitV2", nil, in{many(strings.Repeat("ab", 5000), 4000), "abc"}},
		{"grams", "StringNGrams", attrs{"separator": " ", "ngram_widths": []int64{500}, "left_pad": "", "right_pad": "", "pad_width": int64(0), "preserve_short_sequences": false}, in{many("a", 100_000), []int64{0, 100_000}}},
		{"distances", "EditDistance", nil, in{pairs(1_500_000), many(int64(1), 1_500_000), []int64{1_500_000, 1}, pairs(1_500_000), many(int64(2), 1_500_000), []int64{1_500_000, 1}}},
		{"numbers", "StringToNumber", nil, in{many(strings.Repeat("9", 5000), 20_000)}},
		{"base64", "DecodeBase64", nil, in{many(strings.Repeat("A", 1<<20), 90)}},
		{"json", "DecodeJSONExample", nil, in{many(`{"features":{"feature":{"a":{"floatList":{"value":[`+strings.Repeat("1,", 1000)+`1]}}}}}`, 20_000)}},
		{"json_nested", "DecodeJSONExample", nil, in{[]string{`{"features":` + strings.Repeat(`{"features":`, 5_000_000)}}},
		{"dataset_sampled", "DatasetToSingleElement", attrs{"output_types": int64s, "output_shapes": scalars}, in{made("SamplingDataset", attrs{"output_types": int64s, "output_shapes": scalars}, counted(1<<62), float32(0), int64(1), int64(2))}},
		{"dataset_shard", "DatasetToSingleElement", attrs{"output_types": int64s, "output_shapes": scalars}, in{made("ShardDataset", attrs{"output_types": int64s, "output_shapes": scalars}, counted(1<<62), int64(1)<<61, int64(1)<<61-1)}},
		{"dataset_unbatched", "DatasetToSingleElement", attrs{"output_types": int64s, "output_shapes": scalars}, in{made("UnbatchDataset", attrs{"output_types": int64s, "output_shapes": scalars}, made("BatchDataset", attrs{"output_types": int64s, "output_shapes": []tf.Shape{{}}}, counted(1<<62), int64(1)<<50))}},
		{"barrier_awaited", "BarrierTakeMany", attrs{"component_types": []tf.DataType{tf.Float}}, in{made("Barrier", attrs{"component_types": []tf.DataType{tf.Float}, "shapes": []tf.Shape{tf.ScalarShape()}}), most}},
		{"queue_awaited", "QueueDequeueManyV2", attrs{"component_types": []tf.DataType{tf.Float}}, in{made("FIFOQueueV2", attrs{"component_types": []tf.DataType{tf.Float}, "shapes": []tf.Shape{tf.ScalarShape()}}), most}},
		{"queue_shuffled", "QueueDequeueV2", attrs{"component_types": []tf.DataType{tf.Float}}, in{made("RandomShuffleQueueV2", attrs{"component_types": []tf.DataType{tf.Float}, "min_after_dequeue": int64(most) - 1, "capacity": int64(most)})}},
	})
}

// counted returns a dataset of the integers below n.
func counted(n int64) source {
	return func(b *builder) tf.Output { return b.count(n) }
}

// quantized returns a tensor of ones as quint8.
func quantized(dims ...int32) source {
	return made("QuantizeV2", attrs{"T": tf.Quint8}, many(float32(1), dims...), float32(0), float32(1))
}

func noise64(dims ...int32) source { return as(tf.Double, noise(dims...)) }

// pairs are the indices of the first column of n rows.
func pairs(n int32) source {
	return made("ConcatV2", nil, in{shaped(as(tf.Int64, upTo(n)), -1, 1), as(tf.Int64, many(float32(0), n, 1))}, int32(1))
}

// hollow is n boxes around a whole picture.
func hollow(n int32) source {
	return made("Tile", nil, [][][]float32{{{0, 0, 1, 1}}}, []int32{1, n, 1})
}
