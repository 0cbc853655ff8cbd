package reduction

import (
	"math"
	"slices"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	for _, op := range []struct {
		name, doc, types string
		w                weighting
	}{
		{"Sum", "adds up those of each segment", "realnumbertype", whole},
		{"Mean", "takes the mean of those of each segment", "{bfloat16, half, float, double}", share},
		{"SqrtN", "adds up those of each segment, divided by the square root of their number", "{bfloat16, half, float, double}", rootShare},
	} {
		defineSparseSegment("SparseSegment"+op.name, op.types, "Gathers slices and "+op.doc)
		sparseSegmentKernels("SparseSegment"+op.name, op.w)
	}
}

// defineSparseSegment defines a reduction by segments, that with a number of
// segments, and its gradients.
func defineSparseSegment(name, types, doc string) {
	registry.Define(name).
		Input("data: T").Input("indices: Tidx").Input("segment_ids: Tsegmentids").Output("output: T").
		Attr("T: " + types).
		Attr("Tidx: {int32, int64} = DT_INT32").
		Attr("Tsegmentids: {int32, int64} = DT_INT32").
		Attr("sparse_gradient: bool = false").
		Doc(doc + `.

data: A tensor, of which slices along the first dimension are gathered.
indices: Which slices, in any order and perhaps several times.
segment_ids: The segment of each of them: numbers from 0 on that never fall.
sparse_gradient: Whether the gradient is sparse.`)
	registry.Define(name + "WithNumSegments").
		Input("data: T").Input("indices: Tidx").Input("segment_ids: Tsegmentids").
		Input("num_segments: Tnumsegments").Output("output: T").
		Attr("T: " + types).
		Attr("Tidx: {int32, int64} = DT_INT32").
		Attr("Tnumsegments: {int32, int64} = DT_INT32").
		Attr("Tsegmentids: {int32, int64} = DT_INT32").
		Attr("sparse_gradient: bool = false").
		Doc(doc + `; segments without slices are zeros.

data: A tensor, of which slices along the first dimension are gathered.
indices: Which slices, in any order and perhaps several times.
segment_ids: The segment of each of them: numbers from 0 on that never fall.
num_segments: How many segments.
sparse_gradient: Whether the gradient is sparse.`)
	registry.Define(name + "Grad").
		Input("grad: T").Input("indices: Tidx").Input("segment_ids: Tsegmentids").
		Input("output_dim0: int32").Output("output: T").
		Attr("T: {bfloat16, half, float, double}").
		Attr("Tidx: {int32, int64} = DT_INT32").
		Attr("Tsegmentids: {int32, int64} = DT_INT32").
		Doc("Computes the gradient of " + name + `.

grad: The gradient of its output.
indices: What the operation was given.
segment_ids: What the operation was given.
output_dim0: The first dimension of its data.`)
	registry.Define(name + "GradV2").
		Input("grad: T").Input("indices: Tidx").Input("segment_ids: Tsegmentids").
		Input("dense_output_dim0: int32").Output("output: T").
		Output("sorted_unique_indices: Tidx").
		Attr("T: {bfloat16, half, float, double}").
		Attr("Tidx: {int32, int64} = DT_INT32").
		Attr("Tsegmentids: {int32, int64} = DT_INT32").
		Doc("Computes the gradient of " + name + `, of which most rows may be zero.

grad: The gradient of its output.
indices: What the operation was given.
segment_ids: What the operation was given.
dense_output_dim0: The first dimension of its data.
output: Rows of the gradient.
sorted_unique_indices: Which rows they are: the indices, in order and each once.`)
}

// sparseSegmentKernels registers the kernels and the gradient of those operations.
func sparseSegmentKernels(name string, w weighting) {
	types := elementwise.Floats
	if w == whole {
		types = elementwise.Reals
	}
	both := []string{name, name + "WithNumSegments"}
	for _, op := range both {
		kernel.ForTypes(op, "T", func(dt tensor.DType) kernel.Kernel { return newSparseSegments(dt, w) }, types...)
	}
	kernel.ForTypes(name+"Grad", "T", func(dt tensor.DType) kernel.Kernel { return newSparseSegmentsGrad(dt, w, false) }, elementwise.Floats...)
	kernel.ForTypes(name+"GradV2", "T", func(dt tensor.DType) kernel.Kernel { return newSparseSegmentsGrad(dt, w, true) }, elementwise.Floats...)

	gradient.Register(func(c *gradient.Context) {
		if !c.Has(0) {
			return
		}
		x, indices := c.Input(0), c.Input(1)
		shape := c.Shape(x)
		height := c.Op("StridedSlice", graph.Attrs{"shrink_axis_mask": int64(1)}, shape, c.Int32s(0), c.Int32s(1), c.Int32s(1))
		if !c.Bool("sparse_gradient") {
			c.Set(0, c.Apply(name+"Grad", c.Dy(0), indices, c.Input(2), height))
			return
		}
		if rows := c.Outputs(name+"GradV2", nil, c.Dy(0), indices, c.Input(2), height); rows != nil {
			c.SetRows(0, gradient.IndexedSlices{Values: rows[0], Indices: rows[1], Shape: shape})
		}
	}, both...)
}

// A weighting is what a segment's sum is divided by.
type weighting uint8

const (
	whole     weighting = iota // nothing
	share                      // the number n of its rows
	rootShare                  // √n
)

// divisor returns what the sum of n rows is divided by.
func (w weighting) divisor(n int) float64 {
	switch w {
	case share:
		return float64(n)
	case rootShare:
		return math.Sqrt(float64(n))
	}
	return 1
}

func newSparseSegments(dt tensor.DType, w weighting) kernel.Kernel {
	switch dt {
	case tensor.Float:
		return sparseSegments{dt, w, sumRows[float32]}
	case tensor.Double:
		return sparseSegments{dt, w, sumRows[float64]}
	case tensor.Half, tensor.Bfloat16:
		return elementwise.Widen(dt, newSparseSegments(tensor.Float, w))
	case tensor.Int32:
		return sparseSegments{dt, w, sumRows[int32]}
	case tensor.Int64:
		return sparseSegments{dt, w, sumRows[int64]}
	case tensor.Uint64:
		return sparseSegments{dt, w, sumRows[uint64]}
	}
	if w != whole {
		return nil // they are of floating-point numbers
	}
	return elementwise.WidenIntegers(dt, newSparseSegments(elementwise.Wider(dt), w), 0)
}

// A sparseSegments is the kernel of a reduction by segments of rows that
// indices name. An input more than three is the number of segments.
type sparseSegments struct {
	dt tensor.DType
	weighting
	// sum adds up columns lo to hi-1, of n, of the rows of each segment.
	sum func(ctx *kernel.Context, o, x tensor.Memory, rows, ids []int64, n, lo, hi int, w weighting)
}

func (k sparseSegments) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	if in[0].Rank() < 1 {
		return status.Invalid("Shape must be at least rank 1")
	}
	defer ctx.UnreserveTo(ctx.Reserved())
	rows, ids, err := segmentRows(ctx, in)
	if err != nil {
		return err
	}
	count, err := k.segments(in, ids)
	if err != nil {
		return err
	}
	limit := in[0].Dims()[0]
	for i, r := range rows {
		if r < 0 || r >= limit {
			return status.Invalid("Bad: indices[%d] == %d out of range [0, %d)", i, r, limit)
		}
	}
	var buf [8]int64
	behind := in[0].Dims()[1:]
	if out[0], err = ctx.AllocZeroed(k.dt, append(append(buf[:0], count), behind...)); err != nil {
		return err
	}
	n := 1
	for _, d := range behind {
		n *= int(d)
	}
	o, x := out[0].Memory(), in[0].Memory()
	ctx.Parallel(n, max(1, block/max(1, len(ids))), func(lo, hi int) { k.sum(ctx, o, x, rows, ids, n, lo, hi, k.weighting) })
	return ctx.Err()
}

func sumRows[T elementwise.Real](ctx *kernel.Context, to, from tensor.Memory, rows, ids []int64, n, lo, hi int, w weighting) {
	o, x := tensor.Elements[T](to), tensor.Elements[T](from)
	var credit kernel.Credit
	for first := 0; first < len(ids); {
		sum := o[int(ids[first])*n+lo : int(ids[first])*n+hi]
		last := first
		for ; last < len(ids) && ids[last] == ids[first]; last++ {
			if !credit.Spend(ctx, hi-lo) {
				return
			}
			row := x[int(rows[last])*n+lo:]
			for j := range sum {
				sum[j] += row[j]
			}
		}
		if w != whole {
			d := T(w.divisor(last - first))
			for j := range sum {
				sum[j] /= d
			}
		}
		first = last
	}
}

// segments returns the number of segments. It fails unless ids rise from 0 to below
// that.
func (k sparseSegments) segments(in []tensor.Value, ids []int64) (int64, error) {
	last := int64(-1)
	if len(ids) > 0 {
		last = ids[len(ids)-1]
	}
	var count int64
	if len(in) > 3 {
		if in[3].Rank() != 0 {
			return 0, status.Invalid("num_segments should be a scalar, not shape %s", tensor.FormatDims(in[3].Dims()))
		}
		count, _ = kernel.Int(&in[3], "num_segments")
		switch {
		case count < 0:
			return 0, status.Invalid("segment ids must be >= 0")
		case last >= count:
			return 0, status.Invalid("segment ids must be < num_segments")
		}
	} else {
		if last >= math.MaxInt32 {
			return 0, status.Invalid("Last segment id must be < kintmax, got %d limit %d", last, math.MaxInt32)
		}
		count = max(last+1, 0)
		if last < -1 {
			return 0, status.Invalid("segment ids must be >= 0")
		}
	}
	for i, id := range ids {
		switch {
		case i > 0 && id < ids[i-1]:
			return 0, status.Invalid("segment ids are not increasing")
		case id < 0 || id >= count:
			return 0, status.Invalid("Segment id %d out of range [0, %d), possibly because 'segment_ids' input is not sorted.", id, count)
		}
	}
	return count, nil
}

// segmentRows returns the indices and the segment_ids among the inputs.
func segmentRows(ctx *kernel.Context, in []tensor.Value) (rows, ids []int64, err error) {
	switch {
	case in[1].Rank() != 1:
		err = status.Invalid("indices should be a vector.")
	case in[2].Rank() != 1:
		err = status.Invalid("segment_ids should be a vector.")
	case in[1].NumElements() != in[2].NumElements():
		err = status.Invalid("segment_ids and indices should have same size.")
	}
	if err != nil {
		return nil, nil, err
	}
	n := in[1].NumElements()
	if err := ctx.Reserve(16 * n); err != nil {
		return nil, nil, err
	}
	return kernel.AppendInts(make([]int64, 0, n), &in[1]), kernel.AppendInts(make([]int64, 0, n), &in[2]), nil
}

func newSparseSegmentsGrad(dt tensor.DType, w weighting, rows bool) kernel.Kernel {
	switch dt {
	case tensor.Float:
		return sparseSegmentsGrad[float32]{w, rows}
	case tensor.Double:
		return sparseSegmentsGrad[float64]{w, rows}
	default: // half, bfloat16
		return elementwise.Widen(dt, sparseSegmentsGrad[float32]{w, rows})
	}
}

// A sparseSegmentsGrad is the kernel of the gradient of a sparseSegments: each
// row that was in a segment gets the segment's gradient, weighted. The segments
// may come in any order.
type sparseSegmentsGrad[T elementwise.Float] struct {
	weighting
	rows bool // only rows that were in a segment are put out, and which they are
}

func (k sparseSegmentsGrad[T]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	if in[0].Rank() < 1 {
		return status.Invalid("Shape must be at least rank 1")
	}
	defer ctx.UnreserveTo(ctx.Reserved())
	rows, ids, err := segmentRows(ctx, in)
	if err != nil {
		return err
	}
	if in[3].Rank() != 0 {
		return status.Invalid("output_dim0 should be a scalar.")
	}
	height := int64(tensor.At0[int32](&in[3]))
	if height < 0 {
		return status.Invalid("Expected a non-negative size, got %d", height)
	}
	if height == 0 { // nothing is looked at
		if k.rows {
			if out[1], err = ctx.Alloc(in[1].DType(), []int64{0}); err != nil {
				return err
			}
		}
		out[0], err = ctx.Alloc(tensor.DTypeOf[T](), append([]int64{0}, in[0].Dims()[1:]...))
		return err
	}
	count := in[0].Dims()[0]
	if len(ids) > 0 && ids[len(ids)-1] >= count {
		return status.Invalid("Invalid number of segments")
	}
	for i, id := range ids {
		if id < 0 || id >= count {
			return status.Invalid("Segment id %d out of range [0, %d).", id, count)
		}
		if r := rows[i]; r < 0 || r >= height {
			return status.Invalid("Index %d out of range [0, %d).", r, height)
		}
	}
	if k.rows {
		unique := slices.Compact(slices.Sorted(slices.Values(rows)))
		height = int64(len(unique))
		if out[1], err = ctx.Alloc(in[1].DType(), []int64{height}); err != nil {
			return err
		}
		if in[1].DType() == tensor.Int32 {
			for i, r := range unique {
				tensor.Of[int32](&out[1])[i] = int32(r)
			}
		} else {
			copy(tensor.Of[int64](&out[1]), unique)
		}
		for i, r := range rows {
			at, _ := slices.BinarySearch(unique, r)
			rows[i] = int64(at)
		}
	}
	var buf [8]int64
	behind := in[0].Dims()[1:]
	if out[0], err = ctx.AllocZeroed(tensor.DTypeOf[T](), append(append(buf[:0], height), behind...)); err != nil {
		return err
	}
	if len(ids) == 0 || in[0].NumElements() == 0 {
		return nil
	}
	n := in[0].NumElements() / int(count)
	counts, err := ctx.AllocZeroed(tensor.Int64, []int64{count})
	if err != nil {
		return err
	}
	defer ctx.Free(counts)
	sizes := tensor.Of[int64](&counts)
	for _, id := range ids {
		sizes[id]++
	}
	o, x := tensor.Of[T](&out[0]), tensor.Of[T](&in[0])
	ctx.Parallel(n, max(1, block/max(1, len(ids))), func(lo, hi int) {
		var credit kernel.Credit
		for i, id := range ids {
			if !credit.Spend(ctx, hi-lo) {
				return
			}
			scale := T(1 / k.divisor(int(sizes[id])))
			sum, dy := o[int(rows[i])*n+lo:int(rows[i])*n+hi], x[int(id)*n+lo:]
			for j := range sum {
				sum[j] += dy[j] * scale
			}
		}
	})
	return ctx.Err()
}
