package array

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("DynamicPartition").
		Input("data: T").Input("partitions: int32").Output("outputs: num_partitions * T").
		Attr("num_partitions: int >= 1").
		Attr("T: type").
		Doc(`Divides the slices of a tensor among several outputs, keeping their order.

data: Slices, along the dimensions that partitions has.
partitions: The output that each slice goes to, in [0, num_partitions).
num_partitions: How many outputs.`)
	registry.Define("DynamicStitch").
		Input("indices: N * int32").Input("data: N * T").Output("merged: T").
		Attr("N: int >= 1").
		Attr("T: type").
		Doc(`Puts slices of several tensors in given places of one; of several for a place the last counts.

indices: The place of each slice; the largest says how long the result is.
data: The slices, along the dimensions that the indices beside them have.
merged: The result; a place that no index names is 0.`)
	registry.Define("ParallelDynamicStitch").
		Input("indices: N * int32").Input("data: N * T").Output("merged: T").
		Attr("N: int >= 1").
		Attr("T: type").
		Doc(`Puts slices of several tensors in given places of one; of several for a place any may count.

indices: The place of each slice; the largest says how long the result is.
data: The slices, along the dimensions that the indices beside them have.
merged: The result; what is in a place that no index names is not defined.`)
}
