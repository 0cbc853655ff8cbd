package array

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("DynamicPartition").
		Input("data: T").Input("partitions: int32").Output("outputs: num_partitions * T").
		Attr("num_partitions: int >= 1").
		Attr("T: type").
		Doc(`Divides the slices of a tensor among several.

partitions: The output that each slice goes to.
num_partitions: How many outputs.`)
	registry.Define("DynamicStitch").
		Input("indices: N * int32").Input("data: N * T").Output("merged: T").
		Attr("N: int >= 1").
		Attr("T: type").
		Doc(`Puts slices of several tensors together; of several for one place the last counts.

indices: The place of each slice.
data: The slices.`)
	registry.Define("ParallelDynamicStitch").
		Input("indices: N * int32").Input("data: N * T").Output("merged: T").
		Attr("N: int >= 1").
		Attr("T: type").
		Doc(`Puts slices of several tensors together; of several for one place any may count.

indices: The place of each slice.
data: The slices.`)
}
