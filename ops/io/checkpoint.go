package io

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("Save").
		Input("filename: string").Input("tensor_names: string").Input("data: T").
		Attr("T: list(type) >= 1").
		Stateful().
		Doc(`Saves tensors to one checkpoint file in the first format.

filename: The file to write.
tensor_names: The name of each tensor.
data: The tensors.`)
	registry.Define("SaveSlices").
		Input("filename: string").Input("tensor_names: string").Input("shapes_and_slices: string").
		Input("data: T").
		Attr("T: list(type) >= 1").
		Stateful().
		Doc(`Saves tensors, or slices of larger ones, to one checkpoint file in the first format.

filename: The file to write.
tensor_names: The name of each tensor.
shapes_and_slices: For each tensor "" or what it is a slice of, such as "4 5 0,2:-".
data: The tensors.`)
	registry.Define("SaveV2").
		Input("prefix: string").Input("tensor_names: string").Input("shape_and_slices: string").
		Input("tensors: dtypes").
		Attr("dtypes: list(type) >= 1").
		Stateful().
		Doc(`Saves tensors, or slices of larger ones, to a checkpoint in the format of an index file and data files.

prefix: What the files' names begin with.
tensor_names: The name of each tensor.
shape_and_slices: For each tensor "" or what it is a slice of, such as "4 5 0,2:-".
tensors: The tensors.`)
	registry.Define("Restore").
		Input("file_pattern: string").Input("tensor_name: string").Output("tensor: dt").
		Traits(registry.Impure).
		Attr("dt: type").
		Attr("preferred_shard: int = -1").
		Stateful().
		Doc(`Reads a tensor from checkpoint files in the first format.

file_pattern: A pattern that the files match, or the prefix of a newer checkpoint.
tensor_name: The name the tensor was saved under.
dt: The type of the tensor.
preferred_shard: The file to look at first; -1 for all.`)
	registry.Define("RestoreSlice").
		Input("file_pattern: string").Input("tensor_name: string").Input("shape_and_slice: string").
		Output("tensor: dt").
		Traits(registry.Impure).
		Attr("dt: type").
		Attr("preferred_shard: int = -1").
		Stateful().
		Doc(`Reads a tensor or a slice of it from checkpoint files in the first format.

file_pattern: A pattern that the files match, or the prefix of a newer checkpoint.
tensor_name: The name the tensor was saved under.
shape_and_slice: "" or the slice to read, such as "4 5 0,2:-".
dt: The type of the tensor.
preferred_shard: The file to look at first; -1 for all.`)
	registry.Define("RestoreV2").
		Input("prefix: string").Input("tensor_names: string").Input("shape_and_slices: string").
		Output("tensors: dtypes").
		Traits(registry.Impure).
		Attr("dtypes: list(type) >= 1").
		Stateful().
		Doc(`Reads tensors, or slices of them, from a checkpoint.

prefix: What the files' names begin with.
tensor_names: The names the tensors were saved under.
shape_and_slices: For each tensor "" or the slice to read.
tensors: What was read, of the types given in dtypes.
dtypes: The types of the tensors, which must be those they were saved with.`)
	registry.Define("MergeV2Checkpoints").
		Input("checkpoint_prefixes: string").Input("destination_prefix: string").
		Attr("delete_old_dirs: bool = true").
		Attr("allow_missing_files: bool = false").
		Stateful().
		Doc(`Joins the indexes of several checkpoints into one checkpoint.

checkpoint_prefixes: The checkpoints to join.
destination_prefix: The checkpoint to make.
delete_old_dirs: Whether directories that have become empty are removed.
allow_missing_files: Whether checkpoints that are not there are passed over.`)
}
