package ragged

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("RaggedBincount").
		Input("splits: int64").Input("values: Tidx").Input("size: Tidx").Input("weights: T").
		Output("output: T").
		Attr("Tidx: {int32, int64}").
		Attr("T: {int32, int64, float, double}").
		Attr("binary_output: bool = false").
		Doc(`Counts the values in each row of a ragged matrix, into a matrix.

splits: Where rows begin and end.
size: How many values are counted, from 0 on.
weights: What each value counts; empty for 1.
binary_output: Whether to report which values occur, rather than how often.`)
}
