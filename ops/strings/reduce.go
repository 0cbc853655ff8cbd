package strings

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("ReduceJoin").
		Input("inputs: string").Input("reduction_indices: int32").Output("output: string").
		Attr("keep_dims: bool = false").
		Attr("separator: string = ''").
		Doc(`Joins strings along dimensions.

reduction_indices: The dimensions, in the order in which they are joined; none means all.
keep_dims: Whether these dimensions stay, of size 1.
separator: What stands between strings.`)
	registry.Define("UnsortedSegmentJoin").
		Input("inputs: string").Input("segment_ids: Tindices").Input("num_segments: Tnumsegments").
		Output("output: string").
		Attr("separator: string = ''").
		Attr("Tindices: {int32, int64}").
		Attr("Tnumsegments: {int32, int64} = DT_INT32").
		Doc(`Joins the strings of each segment.

segment_ids: The segment of each string.
num_segments: How many segments.
separator: What stands between strings.`)
}
