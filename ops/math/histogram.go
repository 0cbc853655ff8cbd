package math

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("Bincount").
		Input("arr: int32").Input("size: int32").Input("weights: T").Output("bins: T").
		Attr("T: {int32, int64, float, double}").
		Doc(`Counts how often each number from 0 on occurs; a negative number is an error.

size: How many numbers are counted; larger ones are passed over.
weights: What each number counts; empty for 1.`)
	registry.Define("DenseBincount").
		Input("input: Tidx").Input("size: Tidx").Input("weights: T").Output("output: T").
		Attr("Tidx: {int32, int64}").
		Attr("T: {int32, int64, float, double}").
		Attr("binary_output: bool = false").
		Doc(`Counts how often each number from 0 on occurs, in a vector or in each row of a matrix; a negative number is an error.

size: How many numbers are counted; larger ones are passed over.
weights: What each number counts; empty for 1.
binary_output: Whether to tell which numbers occur, rather than how often.`)
	registry.Define("Bucketize").
		Input("input: T").Output("output: int32").
		Attr("T: {int32, int64, float, double}").
		Attr("boundaries: list(float)").
		Doc(`Finds the interval that each number is in.

output: The number of boundaries that are not above each input: 0 below the first.
boundaries: The boundaries of the intervals, in order.`)
	registry.Define("HistogramFixedWidth").
		Input("values: T").Input("value_range: T").Input("nbins: int32").Output("out: dtype").
		Attr("T: {int32, int64, float, double}").
		Attr("dtype: {int32, int64} = DT_INT32").
		Doc(`Counts numbers in intervals of equal width.

value_range: The least and the greatest value; what is outside counts in the first or last interval.
nbins: How many intervals.
dtype: The type of the counts.`)
}
