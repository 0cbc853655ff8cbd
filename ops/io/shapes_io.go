package io

import (
	"github.com/troupe-go/troupe/ops/io/bundle"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	shape.Register(shape.Rule("filename: [] -> contents: []"), "ReadFile")
	shape.Register(shape.Rule("filename: [], contents: [] ->"), "WriteFile")
	shape.Register(matchingFilesShape, "MatchingFiles")
	shape.Register(shape.Rule("basename: [], shard: [], num_shards: [] -> filename: []"), "ShardedFilename")
	shape.Register(shape.Rule("basename: [], num_shards: [] -> filename: []"), "ShardedFilespec")

	shape.Register(shape.Scalars, "IdentityReaderV2", "TextLineReaderV2", "WholeFileReaderV2")
	shape.Register(shape.Rule("reader_handle: [], queue_handle: [] -> key: [], value: []"), "ReaderReadV2")

	shape.Register(saveShape(1), "Save")
	shape.Register(saveShape(2), "SaveSlices", "SaveV2")
	shape.Register(shape.Rule("file_pattern: [], tensor_name: [] ->"), "Restore")
	shape.Register(restoreShape(shape.Rule("file_pattern: [], tensor_name: [], shape_and_slice: [] ->")), "RestoreSlice")
	shape.Register(restoreShape(shape.Rule("prefix: [], tensor_names: [n], shape_and_slices: [n] ->")), "RestoreV2")
	shape.Register(shape.Rule("checkpoint_prefixes: [?], destination_prefix: [] ->"), "MergeV2Checkpoints")
}

func matchingFilesShape(c *shape.Context) error {
	c.Try(c.Input(0).WithRankAtMost(1))
	c.SetOutput(0, shape.Of(shape.Unknown))
	return c.Err()
}

// saveShape is for a file's name, that many vectors with an element for each
// tensor, and the tensors.
func saveShape(vectors int) shape.Func {
	return func(c *shape.Context) error {
		c.Try(c.Input(0).WithRank(0))
		n := int64(c.NumInputs() - 1 - vectors)
		for i := 1; i <= vectors; i++ {
			c.TryDim(shape.WithValue(c.Try(c.Input(i).WithRank(1)).Dim(0), n))
		}
		return c.Err()
	}
}

// restoreShape returns each output the shape of the slice that input 2 asks for,
// if its value is known, after a check.
func restoreShape(check shape.Func) shape.Func {
	return func(c *shape.Context) error {
		slices := c.Value(2)
		if err := check(c); err != nil || slices == nil || slices.DType() != tensor.String {
			return err
		}
		v := tensor.ValueOf(slices)
		texts := tensor.Of[string](&v)
		if len(texts) != c.NumOutputs() {
			return status.Invalid("The number of shape_and_slice doesn't match tensor outputs.")
		}
		for i, text := range texts {
			if text != "" {
				c.SetOutput(i, c.Try(sliceShape(text)))
			}
		}
		return c.Err()
	}
}

// sliceShape returns the shape of a slice such as "4 5 0,2:-", two rows of a matrix
// of [4,5].
func sliceShape(text string) (shape.Shape, error) {
	whole, s, err := bundle.ParseSpec(text)
	if err != nil {
		return shape.Shape{}, err
	}
	dims, err := s.Dims(whole)
	if err != nil {
		return shape.Shape{}, err
	}
	return shape.FromVector(dims)
}
