package dataset

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("OptionsDataset").
		Input("input_dataset: variant").Output("handle: variant").
		Attr("serialized_options: string").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("metadata: string = ''").
		Doc(`Makes a dataset equal to another, with options that say how it is iterated.

input_dataset: The other dataset.
serialized_options: A serialized message; ignored.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.
metadata: Ignored.`)
	registry.Define("ModelDataset").
		Input("input_dataset: variant").Output("handle: variant").
		Attr("algorithm: int = 0").
		Attr("cpu_budget: int = 0").
		Attr("ram_budget: int = 0").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Doc(`Makes a dataset equal to another, for a tuner to look at.

input_dataset: The other dataset.
algorithm: Ignored.
cpu_budget: Ignored.
ram_budget: Ignored.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.`)
	registry.Define("FinalizeDataset").
		Input("input_dataset: variant").Output("handle: variant").
		Attr("has_captured_ref: bool = false").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Doc(`Makes a dataset equal to another, with all of its options applied.

input_dataset: The other dataset.
has_captured_ref: Ignored.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.`)
	registry.Define("OptimizeDataset").
		Input("input_dataset: variant").Input("optimizations: string").Output("handle: variant").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("optimization_configs: list(string) = []").
		Doc(`Makes a dataset equal to another, with options for its rewriting.

input_dataset: The other dataset.
optimizations: Names of rewritings; ignored.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.
optimization_configs: Ignored.`)
	registry.Define("OptimizeDatasetV2").
		Input("input_dataset: variant").Input("optimizations_enabled: string").Input("optimizations_disabled: string").
		Input("optimizations_default: string").Output("handle: variant").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("optimization_configs: list(string) = []").
		Doc(`Makes a dataset equal to another, with options for its rewriting.

input_dataset: The other dataset.
optimizations_enabled: Names of rewritings; ignored.
optimizations_disabled: Names of rewritings; ignored.
optimizations_default: Names of rewritings; ignored.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.
optimization_configs: Ignored.`)
	registry.Define("RewriteDataset").
		Input("input_dataset: variant").Input("rewrite_name: string").Output("handle: variant").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Doc(`Makes a dataset equal to another, with options for its rewriting.

input_dataset: The other dataset.
rewrite_name: The name of a rewriting; ignored.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.`)
	registry.Define("PrivateThreadPoolDataset").
		Input("input_dataset: variant").Input("num_threads: int64").Output("handle: variant").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Doc(`Makes a dataset equal to another, to be iterated with threads of its own.

input_dataset: The other dataset.
num_threads: How many; only its sign is looked at.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.`)
	registry.Define("MaxIntraOpParallelismDataset").
		Input("input_dataset: variant").Input("max_intra_op_parallelism: int64").Output("handle: variant").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Doc(`Makes a dataset equal to another, to be iterated with few threads.

input_dataset: The other dataset.
max_intra_op_parallelism: How many; only its sign is looked at.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.`)
	registry.Define("WrapDatasetVariant").
		Input("input_handle: variant").Output("output_handle: variant").
		Doc("Wraps a dataset, so that it can be copied from one device to another.")
	registry.Define("UnwrapDatasetVariant").
		Input("input_handle: variant").Output("output_handle: variant").
		Doc("Gives the dataset that WrapDatasetVariant wrapped.")
	onto(func(_ *kernel.Construction, d, like *Dataset, _ []tensor.Value) (*Dataset, error) {
		return like.like(d.size, d.begin), nil
	}, "OptionsDataset", "ModelDataset", "FinalizeDataset", "OptimizeDataset", "OptimizeDatasetV2", "RewriteDataset", "PrivateThreadPoolDataset", "MaxIntraOpParallelismDataset")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) {
		return kernel.Func(func(_ *kernel.Context, in, out []tensor.Value) error {
			out[0] = in[0]
			return nil
		}), nil
	}, "WrapDatasetVariant", "UnwrapDatasetVariant")
}
