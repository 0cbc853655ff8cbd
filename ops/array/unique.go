package array

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("Unique").
		Input("x: T").Output("y: T").Output("idx: out_idx").
		Attr("T: type").
		Attr("out_idx: {int32, int64} = DT_INT32").
		Doc(`Finds the distinct elements of a vector, in the order they first occur.

y: The distinct elements.
idx: The place of each element of x in y.
out_idx: The type of places and counts.`)
	registry.Define("UniqueV2").
		Input("x: T").Input("axis: Taxis").Output("y: T").Output("idx: out_idx").
		Attr("T: type").
		Attr("Taxis: {int32, int64} = DT_INT64").
		Attr("out_idx: {int32, int64} = DT_INT32").
		Doc(`Finds the distinct slices along a dimension, in the order they first occur.

axis: The dimension; empty for a vector.
y: The distinct slices.
idx: The place of each slice of x in y.
out_idx: The type of places and counts.`)
	registry.Define("UniqueWithCounts").
		Input("x: T").Output("y: T").Output("idx: out_idx").Output("count: out_idx").
		Attr("T: type").
		Attr("out_idx: {int32, int64} = DT_INT32").
		Doc(`Finds the distinct elements of a vector, and counts them.

y: The distinct elements.
idx: The place of each element of x in y.
count: How often each occurs.
out_idx: The type of places and counts.`)
	registry.Define("UniqueWithCountsV2").
		Input("x: T").Input("axis: Taxis").Output("y: T").Output("idx: out_idx").Output("count: out_idx").
		Attr("T: type").
		Attr("Taxis: {int32, int64} = DT_INT64").
		Attr("out_idx: {int32, int64} = DT_INT32").
		Doc(`Finds the distinct slices along a dimension, and counts them.

axis: The dimension; empty for a vector.
y: The distinct slices.
idx: The place of each slice of x in y.
count: How often each occurs.
out_idx: The type of places and counts.`)
	registry.Define("ListDiff").
		Input("x: T").Input("y: T").Output("out: T").Output("idx: out_idx").
		Attr("T: type").
		Attr("out_idx: {int32, int64} = DT_INT32").
		Doc(`Finds the elements of x that are not in y.

x: A vector, in which elements may occur several times.
out: These elements, in the order of x.
idx: Their places in x.
out_idx: The type of the places.`)
}
