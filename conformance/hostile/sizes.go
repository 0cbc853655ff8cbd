package hostile

import (
	"strings"

	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/wire"
)

var (
	pixel    = []int64{1, 1, 1, 1}
	voxel    = []int64{1, 1, 1, 1, 1}
	seed     = []int32{1, 2}
	one      = []float32{1}
	oneText  = []string{"x"}
	oneImage = many(float32(1), 1, 1, 1, 1)
)

// Outputs whose size an attribute or an input decides, or what is needed to make them.
func sizes() []Attack {
	return asking("size", []ask{
		{"fill_overflow", "Fill", nil, in{[]int64{1 << 31, 1 << 31, 4}, float32(1)}},
		{"broadcast_text", "BroadcastTo", nil, in{strings.Repeat("x", 1000), []int32{1 << 12, 1 << 12}}},
		{"tile", "Tile", nil, in{many(float32(1), 1000), []int32{1 << 30}}},
		{"tile_text", "Tile", nil, in{oneText, []int32{40_000_000}}},
		{"pad", "Pad", nil, in{many(float32(1), 1, 1), [][]int32{{0, 1 << 30}, {1 << 30, 0}}}},
		{"pad_text", "PadV2", nil, in{oneText, [][]int32{{0, 1 << 24}}, strings.Repeat("x", 1000)}},
		{"mirror_pad", "MirrorPad", attrs{"mode": "SYMMETRIC"}, in{many(float32(1), 20_000_000), [][]int32{{20_000_000, 20_000_000}}}},
		{"lin_space", "LinSpace", nil, in{float32(0), float32(1), most}},
		{"diag", "Diag", nil, in{upTo(1 << 15)}},
		{"matrix_diag_rows", "MatrixDiagV3", nil, in{one, int32(0), int32(1 << 30), int32(-1), float32(0)}},
		{"matrix_diag_band", "MatrixDiagV3", nil, in{many(float32(1), 20_000, 1), []int32{-10_000, 9_999}, int32(-1), int32(-1), float32(0)}},
		{"matrix_diag_part", "MatrixDiagPartV3", nil, in{many(float32(1), 1, 30_000_000), []int32{0, 29_999_999}, float32(0)}},
		{"matrix_diag_part_square", "MatrixDiagPartV3", nil, in{many(float32(1), 5_000, 5_000), []int32{-4_999, 4_999}, float32(0)}},
		{"space_to_batch", "SpaceToBatchND", nil, in{oneImage, []int32{1 << 15, 1 << 15}, [][]int32{{0, 1<<15 - 1}, {0, 1<<15 - 1}}}},
		{"batch_to_space_crops", "BatchToSpaceND", nil, in{many(float32(1), 10_000_000, 1), []int32{10_000_000}, [][]int32{{0, 1}}}},
		{"patches", "ExtractImagePatches", attrs{"ksizes": []int64{1, 500, 500, 1}, "strides": pixel, "rates": pixel, "padding": "SAME"}, in{many(float32(1), 1, 500, 500, 1)}},
		{"patches_of_volume", "ExtractVolumePatches", attrs{"ksizes": []int64{1, 60, 60, 60, 1}, "strides": voxel, "padding": "SAME"}, in{many(float32(1), 1, 60, 60, 60, 1)}},
		{"conv_input", "Conv2DBackpropInput", attrs{"strides": []int64{1, 1 << 15, 1 << 15, 1}, "padding": "SAME"}, in{[]int32{1, 1 << 15, 1 << 15, 1}, oneImage, oneImage}},
		{"conv_3d_input", "Conv3DBackpropInputV2", attrs{"strides": []int64{1, 1 << 10, 1 << 10, 1 << 10, 1}, "padding": "SAME"}, in{[]int32{1, 1 << 10, 1 << 10, 1 << 10, 1}, many(float32(1), 1, 1, 1, 1, 1), many(float32(1), 1, 1, 1, 1, 1)}},
		{"conv_padded", "Conv2D", attrs{"strides": pixel, "padding": "EXPLICIT", "explicit_paddings": []int64{0, 0, 1 << 20, 1 << 20, 1 << 20, 1 << 20, 0, 0}}, in{oneImage, oneImage}},
		{"conv_dilated", "Conv2D", attrs{"strides": pixel, "padding": "SAME", "dilations": []int64{1, 1 << 28, 1 << 28, 1}}, in{many(float32(1), 1, 64, 64, 1), many(float32(1), 3, 3, 1, 1)}},
		{"depthwise_input", "DepthwiseConv2dNativeBackpropInput", attrs{"strides": []int64{1, 1 << 15, 1 << 15, 1}, "padding": "SAME"}, in{[]int32{1, 1 << 15, 1 << 15, 1}, oneImage, oneImage}},
		{"padded_conv", "FusedPadConv2D", attrs{"mode": "REFLECT", "strides": pixel, "padding": "VALID"}, in{many(float32(1), 1, 3000, 3000, 1), [][]int32{{0, 0}, {2999, 2999}, {2999, 2999}, {0, 0}}, oneImage}},
		{"resized_conv", "FusedResizeAndPadConv2D", attrs{"mode": "REFLECT", "strides": pixel, "padding": "VALID"}, in{oneImage, []int32{1 << 15, 1 << 15}, [][]int32{{0, 0}, {0, 0}, {0, 0}, {0, 0}}, oneImage}},
		{"fractional_grad", "FractionalAvgPoolGrad", nil, in{[]int64{1, 1 << 15, 1 << 15, 1}, oneImage, []int64{0, 1 << 15}, []int64{0, 1 << 15}}},
		{"fractional_rows", "FractionalMaxPool", attrs{"pooling_ratio": []float32{1, 1.2, 1, 1}}, in{many(float32(1), 1, 25_000_000, 1, 1)}},
		{"random_uniform", "RandomUniform", attrs{"dtype": tf.Double}, in{[]int64{1 << 40}}},
		{"random_int", "RandomUniformInt", nil, in{[]int32{1 << 29}, int32(0), int32(9)}},
		{"random_normal", "RandomStandardNormal", attrs{"dtype": tf.Float}, in{[]int32{1 << 29}}},
		{"random_gamma", "RandomGamma", nil, in{[]int32{1 << 20}, many(float32(2), 1<<12)}},
		{"random_poisson", "RandomPoissonV2", attrs{"dtype": tf.Int32}, in{[]int32{1 << 20}, many(float32(2), 1<<12)}},
		{"random_stateless", "StatelessRandomUniform", attrs{"dtype": tf.Float}, in{[]int64{1 << 31}, seed}},
		{"sobol", "SobolSample", attrs{"dtype": tf.Float}, in{int32(1000), most - 1, int32(0)}},
		{"candidates", "UniformCandidateSampler", attrs{"num_true": int64(1), "num_sampled": int64(1) << 40, "unique": false, "range_max": int64(1000)}, in{[][]int64{{1}}}},
		{"candidates_all", "AllCandidateSampler", attrs{"num_true": int64(1), "num_sampled": int64(1) << 33, "unique": true}, in{[][]int64{{1}}}},
		{"rfft", "RFFT", nil, in{many(float32(1), 30_000_000), []int32{30_000_000}}},
		{"rfft_prime", "RFFT", nil, in{many(float32(1), 10_000_019), []int32{10_000_019}}},
		{"rfft_2d", "RFFT2D", nil, in{many(float32(1), 4001, 5003), []int32{4001, 5003}}},
		{"rfft_rows", "RFFT", nil, in{many(float32(1), 10_000_000, 3), []int32{3}}},
		{"irfft", "IRFFT", nil, in{as(tf.Complex64, many(float32(1), 8_000_010)), []int32{16_000_019}}},
		{"irfft_3d", "IRFFT3D", nil, in{as(tf.Complex64, many(float32(1), 211, 223, 120)), []int32{211, 223, 229}}},
		{"spectrogram", "AudioSpectrogram", attrs{"window_size": int64(1) << 18, "stride": int64(1)}, in{many(float32(1), 1<<19, 1)}},
		{"mfcc_channels", "Mfcc", attrs{"filterbank_channel_count": int64(1) << 30, "dct_coefficient_count": int64(1) << 20}, in{many(float32(1), 1, 1, 100), int32(16000)}},
		{"mfcc_coefficients", "Mfcc", attrs{"filterbank_channel_count": int64(40), "dct_coefficient_count": int64(40)}, in{many(float32(1), 1, 1, 50_000_000), int32(16000)}},
		{"histogram", "HistogramFixedWidth", nil, in{one, []float32{0, 1}, most}},
		{"segments_far", "SegmentSum", nil, in{many(float32(1), 2, 1000), []int32{0, most}}},
		{"segments_joined", "UnsortedSegmentJoin", nil, in{oneText, []int32{0}, most}},
		{"segments_product", "UnsortedSegmentProd", nil, in{many(float32(1), 1, 1000), []int32{0}, most}},
		{"sparse_segments", "SparseSegmentMeanWithNumSegments", nil, in{many(float32(1), 1, 1000), []int32{0}, []int32{0}, most}},
		{"sparse_segments_grad", "SparseSegmentSumGrad", nil, in{many(float32(1), 1, 1000), []int32{0}, []int32{0}, most}},
		{"counts_wide", "DenseCountSparseOutput", attrs{"binary_output": false, "minlength": int64(1) << 60}, in{upTo(10_000_000), []int32{}}},
		{"counts_ragged", "RaggedBincount", nil, in{[]int64{0, 1}, []int64{1}, int64(1) << 40, []float32{}}},
		{"counts_sparse", "SparseBincount", nil, in{[][]int64{{0, 0}}, []int64{1}, []int64{1 << 30, 1}, int64(1) << 20, []float32{}}},
		{"scatter", "ScatterNd", nil, in{[][]int64{{0}}, one, []int64{1 << 40}}},
		{"scatter_text", "ScatterNd", nil, in{[][]int32{{0}}, oneText, []int32{1 << 28}}},
		{"stitched", "DynamicStitch", nil, in{in{[]int32{most - 1}}, in{one}}},
		{"partitions", "DynamicPartition", attrs{"num_partitions": int64(20_000)}, in{many(float32(1), 1), many(int32(7), 1)}},
		{"sparse_union", "SparseAdd", nil, in{[][]int64{{0, 0}}, one, []int64{1 << 60, 1 << 60}, [][]int64{{1, 0}}, one, []int64{1 << 60, 1 << 60}, float32(0)}},
		{"sparse_deserialized", "DeserializeManySparse", attrs{"dtype": tf.Float}, in{made("Tile", nil, made("ExpandDims", nil, made("SerializeSparse", nil, [][]int64{{0, 0}}, one, []int64{1 << 60, 2}), int32(0)), []int32{200_000, 1})}},
		{"sparse_slice", "SparseSlice", nil, in{[][]int64{{0, 0}}, one, []int64{1 << 60, 1 << 60}, []int64{0, 0}, []int64{1 << 59, 1 << 59}}},
		{"sparse_reordered", "SparseReorder", nil, in{shaped(as(tf.Int64, upTo(12_000_000)), -1, 1), many(float32(1), 12_000_000), []int64{1 << 60}}},
		{"set_union", "DenseToDenseSetOperation", attrs{"set_operation": "union"}, in{shaped(upTo(8_000_000), 1, -1), shaped(upTo(8_000_000), 1, -1)}},
		{"set_size", "SetSize", nil, in{[][]int64{{0, 0}}, []int32{1}, []int64{1 << 40, 1}}},
		{"list_reserved", "TensorListReserve", attrs{"element_dtype": tf.Float}, in{[]int32{}, most}},
		{"list_resized", "TensorListResize", nil, in{made("TensorListReserve", attrs{"element_dtype": tf.Float}, []int32{}, int32(1)), most}},
		{"list_scattered", "TensorListScatterV2", nil, in{many(float32(1), 1), []int32{most - 1}, []int32{}, int32(-1)}},
		{"list_scattered_many", "TensorListScatterV2", nil, in{many(float32(1), 1), []int32{0}, []int32{}, most}},
		{"list_stacked", "TensorListStack", attrs{"element_dtype": tf.Float}, in{made("TensorListReserve", attrs{"element_dtype": tf.Float}, []int32{1 << 28}, int32(16)), []int32{1 << 28}}},
		{"list_gathered", "TensorListGather", attrs{"element_dtype": tf.Float}, in{made("TensorListReserve", attrs{"element_dtype": tf.Float}, []int32{1000}, int32(1)), many(int32(0), 30_000_000), []int32{1000}}},
		{"list_split", "TensorListSplit", nil, in{many(float32(1), 0, 1), []int32{-1, 1}, many(int64(0), 25_000_000)}},
		{"list_concatenated", "TensorListConcatV2", attrs{"element_dtype": tf.Float}, in{made("TensorListReserve", attrs{"element_dtype": tf.Float}, []int32{1}, int32(1)), []int32{1}, []int64{1 << 40}}},
		{"list_set_far", "TensorListSetItem", attrs{"resize_if_index_out_of_bounds": true}, in{made("TensorListReserve", attrs{"element_dtype": tf.Float}, []int32{}, int32(1)), most - 1, float32(1)}},
		{"array", "TensorArrayV3", attrs{"dtype": tf.Float}, in{most}},
		{"array_written_far", "TensorArrayWriteV3", nil, array(0, in{most - 1, float32(1)})},
		{"array_scattered_far", "TensorArrayScatterV3", nil, array(0, in{[]int32{most - 1}, many(float32(1), 1)})},
		{"array_split", "TensorArraySplitV3", nil, array(0, in{many(float32(1), 0, 1), many(int64(0), 25_000_000)})},
		{"array_gathered", "TensorArrayGatherV3", attrs{"dtype": tf.Float}, array(10, in{many(int32(0), 30_000_000)})},
		{"table_buckets", "LookupTableSizeV2", nil, in{dense(attrs{"initial_num_buckets": int64(1) << 40})}},
		{"table_wide", "LookupTableSizeV2", nil, in{dense(attrs{"value_shape": tf.MakeShape(1 << 40)})}},
		{"table_sparse", "LookupTableInsertV2", nil, in{dense(attrs{"max_load_factor": float32(1e-9)}), as(tf.Int64, upTo(1000)), many(float32(1), 1000)}},
		{"table_many", "LookupTableInsertV2", nil, in{dense(nil), as(tf.Int64, upTo(8_000_000)), many(float32(1), 8_000_000)}},
		{"table_of_text", "LookupTableInsertV2", nil, in{made("MutableHashTableV2", attrs{"key_dtype": tf.String, "value_dtype": tf.String}), made("AsString", nil, upTo(5_000_000)), many("x", 5_000_000)}},
		{"number_digits", "AsString", attrs{"precision": int64(1) << 30}, in{many(float32(1), 10)}},
		{"number_digits_many", "AsString", attrs{"precision": int64(1) << 16}, in{many(float64(0.1), 100_000)}},
		{"text_joined", "StringJoin", nil, in{in{many(strings.Repeat("x", 100), 1_000_000), many("y", 1_000_000)}}},
		{"text_reduced", "ReduceJoin", nil, in{many(strings.Repeat("x", 100), 1000, 1000), int32(0)}},
		{"text_rewritten", "RegexReplace", nil, in{strings.Repeat("a", 1<<20), "a", strings.Repeat(`\0`, 500)}},
		{"text_encoded", "UnicodeEncode", attrs{"output_encoding": "UTF-32-BE"}, in{many(int32(65), 40_000_000), []int64{0, 40_000_000}}},
		{"text_offsets", "UnicodeDecodeWithOffsets", attrs{"input_encoding": "UTF-8"}, in{many(strings.Repeat("ab", 1000), 20_000)}},
		{"examples_of_defaults", "ParseExampleV2", attrs{"num_sparse": int64(0), "sparse_types": []tf.DataType{}, "ragged_value_types": []tf.DataType{}, "ragged_split_types": []tf.DataType{}, "dense_shapes": []tf.Shape{tf.MakeShape(1 << 22)}}, in{many("", 1000), []string{}, []string{}, oneText, []string{}, in{many(float32(1), 1<<22)}}},
		{"examples_sparse", "ParseExampleV2", attrs{"num_sparse": int64(1), "sparse_types": []tf.DataType{tf.Float}, "ragged_value_types": []tf.DataType{}, "ragged_split_types": []tf.DataType{}, "dense_shapes": []tf.Shape{}, "Tdense": []tf.DataType{}}, in{many(example(), 200_000), []string{}, oneText, []string{}, []string{}, in{}}},
		{"grams_wide", "StringNGrams", attrs{"separator": " ", "ngram_widths": []int64{1<<31 - 1}, "left_pad": "", "right_pad": "", "pad_width": int64(0), "preserve_short_sequences": false}, in{many("a", 1000), []int64{0, 1000}}},
		{"einsum", "Einsum", attrs{"equation": "ij,kl->ijkl"}, in{in{many(float32(1), 2000, 200), many(float32(1), 2000, 200)}}},
		{"boxes_padded", "NonMaxSuppressionV4", attrs{"pad_to_max_output_size": true}, in{many(float32(1), 1, 4), many(float32(1), 1), most, float32(0.5), float32(0)}},
		{"boxes_combined", "CombinedNonMaxSuppression", attrs{"pad_per_class": false}, in{many(float32(1), 1, 1, 1, 4), many(float32(1), 1, 1, 1), most, most, float32(0.5), float32(0)}},
		{"boxes_cropped", "CropAndResize", nil, in{oneImage, many(float32(1), 1_000_000, 4), many(int32(0), 1_000_000), []int32{100, 100}}},
		{"glimpse", "ExtractGlimpse", nil, in{oneImage, []int32{1 << 20, 1 << 20}, [][]float32{{0, 0}}}},
		{"projected", "ImageProjectiveTransformV3", attrs{"interpolation": "BILINEAR"}, in{oneImage, many(float32(1), 1, 8), []int32{1 << 20, 1 << 20}, float32(0)}},
		{"png", "EncodePng", attrs{"compression": int64(0)}, in{many(uint8(1), 7000, 7000, 4)}},
		{"jpeg", "EncodeJpeg", attrs{"quality": int64(100)}, in{many(uint8(7), 8000, 8000, 3)}},
		{"lstm_steps", "BlockLSTM", nil, in{int64(1) << 60, many(float32(1), 1, 1, 1), many(float32(1), 1, 1), many(float32(1), 1, 1), many(float32(1), 2, 4), one, one, one, many(float32(1), 4)}},
		{"ragged_gathered", "RaggedGather", attrs{"OUTPUT_RAGGED_RANK": int64(1)}, in{in{[]int64{0, 1_000_000}}, many(float32(1), 1_000_000), many(int32(0), 10_000)}},
		{"ragged_sparse", "RaggedTensorToSparse", nil, in{in{[]int64{0, 12_000_000}}, many(float32(1), 12_000_000)}},
		{"ragged_rows", "RaggedFillEmptyRows", nil, in{[]int64{0}, one, int64(1) << 40, float32(0)}},
		{"ragged_crossed", "RaggedCross", attrs{"input_order": "RRR", "hashed_output": true, "num_buckets": int64(0), "hash_key": int64(1), "out_values_type": tf.Int64, "out_row_splits_type": tf.Int64}, in{
			in{many(int64(1), 2000), many(int64(1), 2000), many(int64(1), 2000)}, in{[]int64{0, 2000}, []int64{0, 2000}, []int64{0, 2000}}, in{}, in{}, in{}, in{},
		}},
		{"transposed_far", "Transpose", nil, in{shaped(many(float32(1), 30_000_000), 30_000, 1000), []int32{1, 0}}},
		{"queue_rows", "QueueEnqueueManyV2", nil, in{made("FIFOQueueV2", attrs{"component_types": []tf.DataType{tf.Float}}), in{many(float32(1), 20_000_000)}}},
		{"queue_padded", "QueueDequeueManyV2", attrs{"component_types": []tf.DataType{tf.Float}}, padded()},
		{"barrier_many", "BarrierInsertMany", attrs{"component_index": int64(0)}, in{made("Barrier", attrs{"component_types": []tf.DataType{tf.Float}, "shapes": []tf.Shape{tf.ScalarShape()}}), made("AsString", nil, upTo(4_000_000)), many(float32(1), 4_000_000)}},
		{"dataset_slices", "DatasetToSingleElement", attrs{"output_types": []tf.DataType{tf.Int64, tf.Float, tf.Int64}, "output_shapes": []tf.Shape{{}, {}, {}}}, in{made("SkipDataset", attrs{"output_types": []tf.DataType{tf.Int64, tf.Float, tf.Int64}, "output_shapes": []tf.Shape{{}, {}, {}}},
			made("SparseTensorSliceDataset", nil, [][]int64{{0, 0}}, one, []int64{1 << 60, 1}), int64(1)<<60-1)}},
	})
}

// dense returns a hash table with open addressing.
func dense(more attrs) source {
	a := attrs{"value_dtype": tf.Float}
	for k, v := range more {
		a[k] = v
	}
	return made("MutableDenseHashTableV2", a, int64(-1), int64(-2))
}

// array returns a TensorArray of n elements, other inputs, and its flow.
func array(n int32, others in) in {
	of := outputs("TensorArrayV3", attrs{"dtype": tf.Float, "dynamic_size": true, "clear_after_read": false}, n)
	flow := of(1)
	if n > 0 {
		flow = made("TensorArrayScatterV3", nil, of(0), []int32{0}, many(float32(1), 1, 1000), of(1))
	}
	return append(append(in{of(0)}, others...), flow)
}

// padded returns a queue of a long row and a long column, and how many of them are taken.
func padded() in {
	q := made("PaddingFIFOQueueV2", attrs{"component_types": []tf.DataType{tf.Float}, "shapes": []tf.Shape{tf.MakeShape(-1, -1)}})
	return in{q, int32(2),
		then("QueueEnqueueV2", nil, q, in{many(float32(1), 1, 100_000)}),
		then("QueueEnqueueV2", nil, q, in{many(float32(1), 100_000, 1)})}
}

// example returns the message of an Example whose feature "x" is 100 floats.
func example() string {
	list := wire.AppendField(nil, 1, strings.Repeat("\x00\x00\x80?", 100))
	feature := wire.AppendField(nil, 2, list)
	entry := wire.AppendField(wire.AppendField(nil, 1, "x"), 2, feature)
	return string(wire.AppendField(nil, 1, wire.AppendField(nil, 1, entry)))
}
