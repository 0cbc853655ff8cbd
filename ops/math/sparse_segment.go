package math

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("SparseSegmentSum").
		Input("data: T").Input("indices: Tidx").Input("segment_ids: Tsegmentids").Output("output: T").
		Attr("T: realnumbertype").
		Attr("Tidx: {int32, int64} = DT_INT32").
		Attr("Tsegmentids: {int32, int64} = DT_INT32").
		Attr("sparse_gradient: bool = false").
		Doc(`Gathers slices and adds up those of each segment.

data: A tensor, of which slices along the first dimension are gathered.
indices: Which slices, in any order and perhaps several times.
segment_ids: The segment of each of them: numbers from 0 on that never fall.
sparse_gradient: Whether the gradient is sparse.`)
	registry.Define("SparseSegmentSumWithNumSegments").
		Input("data: T").Input("indices: Tidx").Input("segment_ids: Tsegmentids").
		Input("num_segments: Tnumsegments").Output("output: T").
		Attr("T: realnumbertype").
		Attr("Tidx: {int32, int64} = DT_INT32").
		Attr("Tnumsegments: {int32, int64} = DT_INT32").
		Attr("Tsegmentids: {int32, int64} = DT_INT32").
		Attr("sparse_gradient: bool = false").
		Doc(`Gathers slices and adds up those of each segment; segments without slices are zeros.

data: A tensor, of which slices along the first dimension are gathered.
indices: Which slices, in any order and perhaps several times.
segment_ids: The segment of each of them: numbers from 0 on that never fall.
num_segments: How many segments.
sparse_gradient: Whether the gradient is sparse.`)
	registry.Define("SparseSegmentMean").
		Input("data: T").Input("indices: Tidx").Input("segment_ids: Tsegmentids").Output("output: T").
		Attr("T: {bfloat16, half, float, double}").
		Attr("Tidx: {int32, int64} = DT_INT32").
		Attr("Tsegmentids: {int32, int64} = DT_INT32").
		Attr("sparse_gradient: bool = false").
		Doc(`Gathers slices and takes the mean of those of each segment.

data: A tensor, of which slices along the first dimension are gathered.
indices: Which slices, in any order and perhaps several times.
segment_ids: The segment of each of them: numbers from 0 on that never fall.
sparse_gradient: Whether the gradient is sparse.`)
	registry.Define("SparseSegmentMeanWithNumSegments").
		Input("data: T").Input("indices: Tidx").Input("segment_ids: Tsegmentids").
		Input("num_segments: Tnumsegments").Output("output: T").
		Attr("T: {bfloat16, half, float, double}").
		Attr("Tidx: {int32, int64} = DT_INT32").
		Attr("Tnumsegments: {int32, int64} = DT_INT32").
		Attr("Tsegmentids: {int32, int64} = DT_INT32").
		Attr("sparse_gradient: bool = false").
		Doc(`Gathers slices and takes the mean of those of each segment; segments without slices are zeros.

data: A tensor, of which slices along the first dimension are gathered.
indices: Which slices, in any order and perhaps several times.
segment_ids: The segment of each of them: numbers from 0 on that never fall.
num_segments: How many segments.
sparse_gradient: Whether the gradient is sparse.`)
	registry.Define("SparseSegmentMeanGrad").
		Input("grad: T").Input("indices: Tidx").Input("segment_ids: Tsegmentids").
		Input("output_dim0: int32").Output("output: T").
		Attr("T: {bfloat16, half, float, double}").
		Attr("Tidx: {int32, int64} = DT_INT32").
		Attr("Tsegmentids: {int32, int64} = DT_INT32").
		Doc(`Computes the gradient of SparseSegmentMean.

grad: The gradient of its output.
indices: What the operation was given.
segment_ids: What the operation was given.
output_dim0: The first dimension of its data.`)
	registry.Define("SparseSegmentSqrtN").
		Input("data: T").Input("indices: Tidx").Input("segment_ids: Tsegmentids").Output("output: T").
		Attr("T: {bfloat16, half, float, double}").
		Attr("Tidx: {int32, int64} = DT_INT32").
		Attr("Tsegmentids: {int32, int64} = DT_INT32").
		Attr("sparse_gradient: bool = false").
		Doc(`Gathers slices and adds up those of each segment, divided by the square root of their number.

data: A tensor, of which slices along the first dimension are gathered.
indices: Which slices, in any order and perhaps several times.
segment_ids: The segment of each of them: numbers from 0 on that never fall.
sparse_gradient: Whether the gradient is sparse.`)
	registry.Define("SparseSegmentSqrtNWithNumSegments").
		Input("data: T").Input("indices: Tidx").Input("segment_ids: Tsegmentids").
		Input("num_segments: Tnumsegments").Output("output: T").
		Attr("T: {bfloat16, half, float, double}").
		Attr("Tidx: {int32, int64} = DT_INT32").
		Attr("Tnumsegments: {int32, int64} = DT_INT32").
		Attr("Tsegmentids: {int32, int64} = DT_INT32").
		Attr("sparse_gradient: bool = false").
		Doc(`Gathers slices and adds up those of each segment, divided by the square root of their number; segments without slices are zeros.

data: A tensor, of which slices along the first dimension are gathered.
indices: Which slices, in any order and perhaps several times.
segment_ids: The segment of each of them: numbers from 0 on that never fall.
num_segments: How many segments.
sparse_gradient: Whether the gradient is sparse.`)
	registry.Define("SparseSegmentSqrtNGrad").
		Input("grad: T").Input("indices: Tidx").Input("segment_ids: Tsegmentids").
		Input("output_dim0: int32").Output("output: T").
		Attr("T: {bfloat16, half, float, double}").
		Attr("Tidx: {int32, int64} = DT_INT32").
		Attr("Tsegmentids: {int32, int64} = DT_INT32").
		Doc(`Computes the gradient of SparseSegmentSqrtN.

grad: The gradient of its output.
indices: What the operation was given.
segment_ids: What the operation was given.
output_dim0: The first dimension of its data.`)
}
