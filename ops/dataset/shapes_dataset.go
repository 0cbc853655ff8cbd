package dataset

import "github.com/troupe-go/troupe/shape"

func init() {
	shape.Register(shape.Scalars,
		"TensorDataset", "TensorSliceDataset", "MapDataset", "SparseTensorSliceDataset", "Iterator", "IteratorV2", "OneShotIterator",
		"OptionalNone", "OptionalHasValue", "CompressElement", "IteratorToStringHandle",
		"FlatMapDataset", "FilterDataset", "TakeWhileDataset", "ScanDataset", "ParallelFilterDataset", "ParallelMapDataset", "ParallelMapDatasetV2",
		"InterleaveDataset", "ParallelInterleaveDatasetV2", "ParallelInterleaveDatasetV3", "ParallelInterleaveDatasetV4", "MapAndBatchDataset",
		"ConcatenateDataset", "ZipDataset", "DirectedInterleaveDataset", "UniqueDataset", "IgnoreErrorsDataset", "UnbatchDataset",
		"OptionsDataset", "ModelDataset", "FinalizeDataset", "WrapDatasetVariant", "UnwrapDatasetVariant", "GeneratorDataset", "GroupByWindowDataset",
		"PaddedBatchDataset", "PaddedBatchDatasetV2", "DatasetCardinality",
		"AnonymousIterator", "AnonymousIteratorV2", "AnonymousIteratorV3", "IteratorGetNextAsOptional", "IteratorFromStringHandle", "IteratorFromStringHandleV2",
		"AnonymousMemoryCache", "DummyMemoryCache", "AnonymousSeedGenerator", "AnonymousRandomSeedGenerator", "DummySeedGenerator")
	shape.Register(shape.NoOutputs, "DeleteIterator", "DeleteMemoryCache", "DeleteSeedGenerator", "DeleteRandomSeedGenerator")
	shape.Register(componentsShape, "IteratorGetNextSync", "DatasetToSingleElement")
	shape.Register(components, "ReduceDataset")
	for op, scalars := range map[string]string{
		"RangeDataset":                 "start: [], stop: [], step: []",
		"RandomDataset":                "seed: [], seed2: []",
		"RandomDatasetV2":              "seed: [], seed2: [], seed_generator: []",
		"RepeatDataset":                "count: []",
		"TakeDataset":                  "count: []",
		"SkipDataset":                  "count: []",
		"ShardDataset":                 "num_shards: [], index: []",
		"AssertCardinalityDataset":     "cardinality: []",
		"BatchDataset":                 "batch_size: []",
		"BatchDatasetV2":               "batch_size: [], drop_remainder: []",
		"ParallelBatchDataset":         "batch_size: [], num_parallel_calls: [], drop_remainder: []",
		"WindowDataset":                "size: [], shift: [], stride: [], drop_remainder: []",
		"PrefetchDataset":              "buffer_size: []",
		"CacheDataset":                 "filename: []",
		"CacheDatasetV2":               "filename: [], cache: []",
		"ShuffleDataset":               "buffer_size: [], seed: [], seed2: []",
		"ShuffleDatasetV2":             "buffer_size: [], seed_generator: []",
		"ShuffleDatasetV3":             "buffer_size: [], seed: [], seed2: [], seed_generator: []",
		"ShuffleAndRepeatDataset":      "buffer_size: [], seed: [], seed2: [], count: []",
		"ShuffleAndRepeatDatasetV2":    "buffer_size: [], seed: [], seed2: [], count: [], seed_generator: []",
		"TextLineDataset":              "compression_type: [], buffer_size: []",
		"TFRecordDataset":              "compression_type: [], buffer_size: []",
		"TFRecordDatasetV2":            "compression_type: [], buffer_size: []",
		"FixedLengthRecordDataset":     "header_bytes: [], record_bytes: [], footer_bytes: [], buffer_size: []",
		"FixedLengthRecordDatasetV2":   "header_bytes: [], record_bytes: [], footer_bytes: [], buffer_size: [], compression_type: []",
		"OptimizeDataset":              "optimizations: [?]",
		"OptimizeDatasetV2":            "optimizations_enabled: [?], optimizations_disabled: [?], optimizations_default: [?]",
		"RewriteDataset":               "rewrite_name: []",
		"PrivateThreadPoolDataset":     "num_threads: []",
		"MaxIntraOpParallelismDataset": "max_intra_op_parallelism: []",
	} {
		shape.Register(shape.Rule(scalars+" -> handle: []"), op)
	}
	shape.Register(fromValueShape, "OptionalFromValue")
	shape.Register(shape.NoOutputs, "MakeIterator")
	shape.Register(componentsShape, "IteratorGetNext", "OptionalGetValue", "UncompressElement")
	shape.Register(shape.UnknownOutputs, "CompositeTensorVariantToComponents")
}

var components = shape.ByAttrs("output_shapes")

// componentsShape is for what a scalar handle leads to.
func componentsShape(c *shape.Context) error {
	c.Try(c.Input(0).WithRank(0))
	c.Fail(components(c))
	return c.Err()
}

// fromValueShape makes an optional that knows its components.
func fromValueShape(c *shape.Context) error {
	held := make([]shape.HandleData, c.NumInputs())
	for i := range held {
		held[i] = shape.HandleData{Type: c.InputType(i), Shape: c.Input(i)}
	}
	c.SetOutput(0, shape.Scalar)
	c.SetHandle(0, held...)
	return nil
}
