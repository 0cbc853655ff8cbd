package math

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("SegmentSum").
		Input("data: T").Input("segment_ids: Tindices").Output("output: T").
		Attr("T: numbertype").
		Attr("Tindices: {int32, int64}").
		Doc(`Adds up the slices of each segment.

segment_ids: The segment of each slice along the first dimension, in order.`)
	registry.Define("SegmentMean").
		Input("data: T").Input("segment_ids: Tindices").Output("output: T").
		Attr("T: numbertype").
		Attr("Tindices: {int32, int64}").
		Doc(`Takes the mean of the slices of each segment.

segment_ids: The segment of each slice along the first dimension, in order.`)
	registry.Define("SegmentProd").
		Input("data: T").Input("segment_ids: Tindices").Output("output: T").
		Attr("T: numbertype").
		Attr("Tindices: {int32, int64}").
		Doc(`Multiplies the slices of each segment.

segment_ids: The segment of each slice along the first dimension, in order.`)
	registry.Define("SegmentMax").
		Input("data: T").Input("segment_ids: Tindices").Output("output: T").
		Attr("T: realnumbertype").
		Attr("Tindices: {int32, int64}").
		Doc(`Takes the greatest elements of the slices of each segment.

segment_ids: The segment of each slice along the first dimension, in order.`)
	registry.Define("SegmentMin").
		Input("data: T").Input("segment_ids: Tindices").Output("output: T").
		Attr("T: realnumbertype").
		Attr("Tindices: {int32, int64}").
		Doc(`Takes the least elements of the slices of each segment.

segment_ids: The segment of each slice along the first dimension, in order.`)
	registry.Define("UnsortedSegmentSum").
		Input("data: T").Input("segment_ids: Tindices").Input("num_segments: Tnumsegments").
		Output("output: T").
		Attr("T: numbertype").
		Attr("Tindices: {int16, int32, int64}").
		Attr("Tnumsegments: {int32, int64} = DT_INT32").
		Doc(`Adds up the slices of each segment, whose numbers may come in any order.

segment_ids: The segment of each slice; negative ones are left out.
num_segments: How many segments.`)
	registry.Define("UnsortedSegmentProd").
		Input("data: T").Input("segment_ids: Tindices").Input("num_segments: Tnumsegments").
		Output("output: T").
		Attr("T: numbertype").
		Attr("Tindices: {int32, int64}").
		Attr("Tnumsegments: {int32, int64} = DT_INT32").
		Doc(`Multiplies the slices of each segment, whose numbers may come in any order.

segment_ids: The segment of each slice; negative ones are left out.
num_segments: How many segments.`)
	registry.Define("UnsortedSegmentMax").
		Input("data: T").Input("segment_ids: Tindices").Input("num_segments: Tnumsegments").
		Output("output: T").
		Attr("T: realnumbertype").
		Attr("Tindices: {int32, int64}").
		Attr("Tnumsegments: {int32, int64} = DT_INT32").
		Doc(`Takes the greatest elements of the slices of each segment, whose numbers may come in any order.

segment_ids: The segment of each slice; negative ones are left out.
num_segments: How many segments.`)
	registry.Define("UnsortedSegmentMin").
		Input("data: T").Input("segment_ids: Tindices").Input("num_segments: Tnumsegments").
		Output("output: T").
		Attr("T: realnumbertype").
		Attr("Tindices: {int32, int64}").
		Attr("Tnumsegments: {int32, int64} = DT_INT32").
		Doc(`Takes the least elements of the slices of each segment, whose numbers may come in any order.

segment_ids: The segment of each slice; negative ones are left out.
num_segments: How many segments.`)
}
