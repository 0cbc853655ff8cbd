package io

import "github.com/troupe-go/troupe/shape"

func init() {
	shape.Register(shape.Rule("filename: [] -> contents: []"), "ReadFile")
	shape.Register(shape.Rule("filename: [], contents: [] ->"), "WriteFile")
	shape.Register(matchingFilesShape, "MatchingFiles")
	shape.Register(shape.Rule("basename: [], shard: [], num_shards: [] -> filename: []"), "ShardedFilename")
	shape.Register(shape.Rule("basename: [], num_shards: [] -> filename: []"), "ShardedFilespec")

	shape.Register(shape.Scalars, "IdentityReaderV2", "TextLineReaderV2", "WholeFileReaderV2")
	shape.Register(shape.Rule("reader_handle: [], queue_handle: [] -> key: [], value: []"), "ReaderReadV2")

	shape.Register(shape.NoOutputs, "Save", "SaveSlices")
	shape.Register(shape.Rule("prefix: [], tensor_names: [n], shape_and_slices: [n] ->"), "SaveV2")
	shape.Register(shape.Rule("file_pattern: [], tensor_name: [] ->"), "Restore")
	shape.Register(shape.Rule("file_pattern: [], tensor_name: [], shape_and_slice: [] ->"), "RestoreSlice")
	shape.Register(shape.Rule("prefix: [], tensor_names: [n], shape_and_slices: [n] ->"), "RestoreV2")
	shape.Register(shape.Rule("checkpoint_prefixes: [?], destination_prefix: [] ->"), "MergeV2Checkpoints")
}

func matchingFilesShape(c *shape.Context) error {
	c.Try(c.Input(0).WithRankAtMost(1))
	c.SetOutput(0, shape.Of(shape.Unknown))
	return c.Err()
}
