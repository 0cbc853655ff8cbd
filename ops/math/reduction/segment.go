package reduction

import (
	"math"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("SegmentSum").
		Input("data: T").Input("segment_ids: Tindices").Output("output: T").
		Attr("T: numbertype").
		Attr("Tindices: {int32, int64}").
		Doc(`Adds up the slices of each segment; a segment without slices is 0.

segment_ids: The segment of each slice along the first dimension of data: numbers from 0 on that never fall.
output: A slice for each segment up to the last one that occurs.`)
	registry.Define("SegmentMean").
		Input("data: T").Input("segment_ids: Tindices").Output("output: T").
		Attr("T: numbertype").
		Attr("Tindices: {int32, int64}").
		Doc(`Takes the mean of the slices of each segment; a segment without slices is 0.

segment_ids: The segment of each slice along the first dimension of data: numbers from 0 on that never fall.
output: A slice for each segment up to the last one that occurs.`)
	registry.Define("SegmentProd").
		Input("data: T").Input("segment_ids: Tindices").Output("output: T").
		Attr("T: numbertype").
		Attr("Tindices: {int32, int64}").
		Doc(`Multiplies the slices of each segment; a segment without slices is 1.

segment_ids: The segment of each slice along the first dimension of data: numbers from 0 on that never fall.
output: A slice for each segment up to the last one that occurs.`)
	registry.Define("SegmentMax").
		Input("data: T").Input("segment_ids: Tindices").Output("output: T").
		Attr("T: realnumbertype").
		Attr("Tindices: {int32, int64}").
		Doc(`Takes the greatest elements of the slices of each segment; a segment without slices is 0.

segment_ids: The segment of each slice along the first dimension of data: numbers from 0 on that never fall.
output: A slice for each segment up to the last one that occurs.`)
	registry.Define("SegmentMin").
		Input("data: T").Input("segment_ids: Tindices").Output("output: T").
		Attr("T: realnumbertype").
		Attr("Tindices: {int32, int64}").
		Doc(`Takes the least elements of the slices of each segment; a segment without slices is 0.

segment_ids: The segment of each slice along the first dimension of data: numbers from 0 on that never fall.
output: A slice for each segment up to the last one that occurs.`)
	registry.Define("UnsortedSegmentSum").
		Input("data: T").Input("segment_ids: Tindices").Input("num_segments: Tnumsegments").
		Output("output: T").
		Attr("T: numbertype").
		Attr("Tindices: {int16, int32, int64}").
		Attr("Tnumsegments: {int32, int64} = DT_INT32").
		Doc(`Adds up the slices of each segment, whose numbers may come in any order; a segment without slices is 0.

data: Slices, along the dimensions that segment_ids has.
segment_ids: The segment of each slice, less than num_segments; slices of negative ones are left out.
num_segments: How many segments the output has.`)
	registry.Define("UnsortedSegmentProd").
		Input("data: T").Input("segment_ids: Tindices").Input("num_segments: Tnumsegments").
		Output("output: T").
		Attr("T: numbertype").
		Attr("Tindices: {int32, int64}").
		Attr("Tnumsegments: {int32, int64} = DT_INT32").
		Doc(`Multiplies the slices of each segment, whose numbers may come in any order; a segment without slices is 1.

data: Slices, along the dimensions that segment_ids has.
segment_ids: The segment of each slice, less than num_segments; slices of negative ones are left out.
num_segments: How many segments the output has.`)
	registry.Define("UnsortedSegmentMax").
		Input("data: T").Input("segment_ids: Tindices").Input("num_segments: Tnumsegments").
		Output("output: T").
		Attr("T: realnumbertype").
		Attr("Tindices: {int32, int64}").
		Attr("Tnumsegments: {int32, int64} = DT_INT32").
		Doc(`Takes the greatest elements of the slices of each segment, whose numbers may come in any order.

A segment without slices gives the lowest value of the type.

data: Slices, along the dimensions that segment_ids has.
segment_ids: The segment of each slice, less than num_segments; slices of negative ones are left out.
num_segments: How many segments the output has.`)
	registry.Define("UnsortedSegmentMin").
		Input("data: T").Input("segment_ids: Tindices").Input("num_segments: Tnumsegments").
		Output("output: T").
		Attr("T: realnumbertype").
		Attr("Tindices: {int32, int64}").
		Attr("Tnumsegments: {int32, int64} = DT_INT32").
		Doc(`Takes the least elements of the slices of each segment, whose numbers may come in any order.

A segment without slices gives the highest value of the type.

data: Slices, along the dimensions that segment_ids has.
segment_ids: The segment of each slice, less than num_segments; slices of negative ones are left out.
num_segments: How many segments the output has.`)

	for op, kind := range map[string]reduction{"Sum": total, "Mean": mean, "Prod": product, "Max": largest, "Min": smallest} {
		types := elementwise.Numbers
		if kind == largest || kind == smallest {
			types = elementwise.Reals
		}
		kernel.ForTypes("Segment"+op, "T", func(dt tensor.DType) kernel.Kernel { return newSegments(dt, kind, false) }, types...)
		if kind != mean {
			kernel.ForTypes("UnsortedSegment"+op, "T", func(dt tensor.DType) kernel.Kernel { return newSegments(dt, kind, true) }, types...)
		}
	}

	gradient.Unary(func(c *gradient.Context, _, _, dy graph.Output) graph.Output { return ofSegment(c, dy) }, "SegmentSum", "UnsortedSegmentSum")
	gradient.Unary(func(c *gradient.Context, x, _, dy graph.Output) graph.Output {
		counts := c.Apply("SegmentSum", c.Apply("Fill", besideRows(c, x), c.Scalar(dy, 1)), c.Input(1))
		return ofSegment(c, c.Div(dy, counts))
	}, "SegmentMean")
	gradient.Unary(segmentExtremumGradient, "SegmentMax", "SegmentMin", "UnsortedSegmentMax", "UnsortedSegmentMin")
	gradient.Unary(segmentProdGradient, "SegmentProd", "UnsortedSegmentProd")
}

// unsorted reports whether the node is of the operations that take segments in any
// order, and pass over negative ones.
func unsorted(c *gradient.Context) bool { return strings.HasPrefix(c.Node().Type(), "Unsorted") }

// ofSegment is, for each row of the input, the row of v that belongs to its segment;
// zeros for rows without one.
func ofSegment(c *gradient.Context, v graph.Output) graph.Output {
	ids := c.Input(1)
	if !unsorted(c) {
		return c.Apply("GatherV2", v, ids, c.Const(int32(0)))
	}
	zero := c.Scalar(ids, 0)
	rows := c.Apply("GatherV2", v, c.Apply("Maximum", ids, zero), c.Const(int32(0)))
	return c.Select(inSegment(c, rows), rows, c.Scalar(rows, 0))
}

// besideRows returns a shape in which there is an element for each segment number, and
// which broadcasts with v, which has a row for each.
func besideRows(c *gradient.Context, v graph.Output) graph.Output {
	ids, first := c.Input(1), c.Const(int32(0))
	more := c.Apply("ExpandDims", c.Sub(c.Rank(v), c.Rank(ids)), first)
	return c.Op("ConcatV2", nil, graph.OutputList{c.Shape(ids), c.Apply("Fill", more, c.Const(int32(1)))}, first)
}

// inSegment reports whether each row of v has a segment, in a shape that broadcasts with v.
func inSegment(c *gradient.Context, v graph.Output) graph.Output {
	ids := c.Input(1)
	return c.Reshape(c.Apply("GreaterEqual", ids, c.Scalar(ids, 0)), besideRows(c, v))
}

// bySegment adds up rows by segments, as the node takes them.
func bySegment(c *gradient.Context, v graph.Output) graph.Output { return reduceBySegment(c, "Sum", v) }

func reduceBySegment(c *gradient.Context, how string, v graph.Output) graph.Output {
	if unsorted(c) {
		return c.Apply("UnsortedSegment"+how, v, c.Input(1), c.Input(2))
	}
	return c.Apply("Segment"+how, v, c.Input(1))
}

// segmentExtremumGradient shares dy out among the elements that are largest, or
// smallest.
func segmentExtremumGradient(c *gradient.Context, x, y, dy graph.Output) graph.Output {
	chosen := c.Apply("Equal", x, ofSegment(c, y))
	if unsorted(c) {
		chosen = c.Apply("LogicalAnd", chosen, inSegment(c, x))
	}
	count := bySegment(c, c.Cast(chosen, c.Type("T")))
	return c.Select(chosen, ofSegment(c, c.Div(dy, count)), c.Scalar(dy, 0))
}

// segmentProdGradient multiplies dy by the product of all others of the segment. It
// is that of all, divided by the element; of a segment with a zero only that
// element has a gradient, the product of those that are not zero, and none if there
// are two.
func segmentProdGradient(c *gradient.Context, x, y, dy graph.Output) graph.Output {
	zero := c.Apply("Equal", x, c.Scalar(x, 0))
	zeros := bySegment(c, c.Cast(zero, tensor.Int32))
	dy = c.Select(c.Apply("Greater", zeros, c.Const(int32(1))), c.Scalar(dy, 0), dy)
	others := c.Select(zero, c.Scalar(x, 1), x)
	withoutZeros := ofSegment(c, reduceBySegment(c, "Prod", others))
	return c.Mul(ofSegment(c, dy), c.Select(zero, withoutZeros, c.Div(ofSegment(c, y), others)))
}

func newSegments(dt tensor.DType, kind reduction, unsorted bool) kernel.Kernel {
	return newSegmentsOf(dt, dt, kind, unsorted)
}

// newSegmentsOf is newSegments for elements of dt with infinities replaced by the
// greatest finite numbers of as.
func newSegmentsOf(dt, as tensor.DType, kind reduction, unsorted bool) kernel.Kernel {
	var by segmentReducer
	switch dt {
	case tensor.Half, tensor.Bfloat16:
		return elementwise.Widen(dt, newSegmentsOf(tensor.Float, dt, kind, unsorted))
	case tensor.Float:
		by = floatSegments[float32](kind, greatestFinite(as))
	case tensor.Double:
		by = floatSegments[float64](kind, greatestFinite(as))
	case tensor.Int8:
		by = realSegments[int8](kind)
	case tensor.Int16:
		by = realSegments[int16](kind)
	case tensor.Int32:
		by = realSegments[int32](kind)
	case tensor.Int64:
		by = realSegments[int64](kind)
	case tensor.Uint8:
		by = realSegments[uint8](kind)
	case tensor.Uint16:
		by = realSegments[uint16](kind)
	case tensor.Uint32:
		by = realSegments[uint32](kind)
	case tensor.Uint64:
		by = realSegments[uint64](kind)
	case tensor.Complex64:
		r := complexReducer(kind, func(n int) complex64 { return complex(float32(n), 0) })
		by = &segmentsBy[complex64]{r, r.empty}
	case tensor.Complex128:
		r := complexReducer(kind, func(n int) complex128 { return complex(float64(n), 0) })
		by = &segmentsBy[complex128]{r, r.empty}
	default:
		return nil
	}
	return &segments{dt, by, unsorted}
}

func greatestFinite(dt tensor.DType) float64 {
	switch dt {
	case tensor.Half:
		return 65504
	case tensor.Bfloat16:
		return float64(tensor.BFloat16(0x7f7f).Float32())
	case tensor.Float:
		return math.MaxFloat32
	}
	return math.MaxFloat64
}

// A segments is the kernel of a reduction by segments.
type segments struct {
	dt       tensor.DType
	by       segmentReducer
	unsorted bool
}

// A segmentReducer reduces rows of n elements by segments of known numbers. Negative ones
// are passed over if the segments are not sorted.
type segmentReducer interface {
	sorted(ctx *kernel.Context, o, x tensor.Memory, ids []int64, n int) error
	any(ctx *kernel.Context, o, x tensor.Memory, ids []int64, n int) error
}

// A segmentsBy is a segmentReducer of elements of one type.
type segmentsBy[T elementwise.Number] struct {
	reducer[T]
	start T // what a segment without rows gives, unless the segments are sorted
}

func realSegments[T elementwise.Real](kind reduction) *segmentsBy[T] {
	r := realReducer[T](kind)
	return &segmentsBy[T]{r, r.empty}
}

// floatSegments has the largest finite number, and its negative, in the place
// of infinities.
func floatSegments[T elementwise.Float](kind reduction, most float64) *segmentsBy[T] {
	k := realSegments[T](kind)
	switch kind {
	case largest:
		k.start = T(-most)
	case smallest:
		k.start = T(most)
	}
	return k
}

func (k *segments) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	x := in[0].Dims()
	defer ctx.UnreserveTo(ctx.Reserved())
	if err := ctx.Reserve(8 * in[1].NumElements()); err != nil {
		return err
	}
	ids := appendSegments(make([]int64, 0, in[1].NumElements()), &in[1])
	var rows int64
	var err error
	if k.unsorted {
		rows, err = checkUnsorted(in, ids)
	} else {
		rows, err = checkSorted(in, ids)
	}
	if err != nil {
		return err
	}
	var buf [8]int64
	behind := x[in[1].Rank():]
	if out[0], err = ctx.Alloc(k.dt, append(append(buf[:0], rows), behind...)); err != nil {
		return err
	}
	n := 1
	for _, d := range behind {
		n *= int(d)
	}
	if k.unsorted {
		return k.by.any(ctx, out[0].Memory(), in[0].Memory(), ids, n)
	}
	return k.by.sorted(ctx, out[0].Memory(), in[0].Memory(), ids, n)
}

// fill sets elements, and fails if the step ends before.
func fill[T tensor.Element](ctx *kernel.Context, o []T, v T) error {
	for i := range o {
		if i%(1<<16) == 1<<16-1 && ctx.Err() != nil {
			return ctx.Err()
		}
		o[i] = v
	}
	return nil
}

func (k *segmentsBy[T]) any(ctx *kernel.Context, to, from tensor.Memory, ids []int64, n int) error {
	o, x := tensor.Elements[T](to), tensor.Elements[T](from)
	if err := fill(ctx, o, k.start); err != nil {
		return err
	}
	var credit kernel.Credit
	for i, id := range ids {
		if !credit.Spend(ctx, 8+n) {
			return ctx.Err()
		}
		if id >= 0 {
			k.into(o[int(id)*n:(int(id)+1)*n], x[i*n:(i+1)*n])
		}
	}
	return ctx.Err()
}

// sorted reduces segments in order. Those without rows are 0, or 1 for products.
func (k *segmentsBy[T]) sorted(ctx *kernel.Context, to, from tensor.Memory, ids []int64, n int) error {
	o, x := tensor.Elements[T](to), tensor.Elements[T](from)
	var gap T
	if k.empty == 1 {
		gap = 1
	}
	if err := fill(ctx, o, gap); err != nil {
		return err
	}
	var credit kernel.Credit
	for first := 0; first < len(ids); {
		last := first
		row := o[int(ids[first])*n : (int(ids[first])+1)*n]
		for i := range row {
			row[i] = k.empty
		}
		for ; last < len(ids) && ids[last] == ids[first]; last++ {
			if !credit.Spend(ctx, 8+n) {
				return ctx.Err()
			}
			k.into(row, x[last*n:(last+1)*n])
		}
		if k.finish != nil {
			for i := range row {
				row[i] = k.finish(row[i], last-first)
			}
		}
		first = last
	}
	return nil
}

func checkSorted(in []tensor.Value, ids []int64) (rows int64, err error) {
	if in[1].Rank() != 1 {
		return 0, status.Invalid("segment_ids should be a vector.")
	}
	if in[0].Rank() == 0 || in[0].Dims()[0] != int64(len(ids)) {
		return 0, status.Invalid("segment_ids should be the same size as dimension 0 of input: %d vs. %s", len(ids), tensor.FormatDims(in[0].Dims()))
	}
	for i, id := range ids {
		switch {
		case id < 0 || id == math.MaxInt64:
			return 0, status.Invalid("segment ids must be >= 0, got %d", id)
		case i > 0 && id < ids[i-1]:
			return 0, status.Invalid("segment ids are not increasing")
		}
	}
	if len(ids) == 0 {
		return 0, nil
	}
	return ids[len(ids)-1] + 1, nil
}

func checkUnsorted(in []tensor.Value, ids []int64) (rows int64, err error) {
	if rows, err = kernel.Int(&in[2], "num_segments"); err != nil {
		return 0, err
	}
	if rows < 0 {
		return 0, status.Invalid("Input num_segments == %d must not be negative.", rows)
	}
	x, s := in[0].Dims(), in[1].Dims()
	if len(s) > len(x) || !slices.Equal(x[:len(s)], s) {
		return 0, status.Invalid("data.shape = %s does not start with segment_ids.shape = %s", tensor.FormatDims(x), tensor.FormatDims(s))
	}
	if in[0].NumElements() == 0 {
		return rows, nil // there is nothing to put anywhere
	}
	for i, id := range ids {
		if id >= rows {
			return 0, status.Invalid("segment_ids[%d] = %d is out of range [0, %d)", i, id, rows)
		}
	}
	return rows, nil
}

// appendSegments is kernel.AppendInts for int16, too.
func appendSegments(dst []int64, v *tensor.Value) []int64 {
	if v.DType() != tensor.Int16 {
		return kernel.AppendInts(dst, v)
	}
	for _, x := range tensor.Of[int16](v) {
		dst = append(dst, int64(x))
	}
	return dst
}
