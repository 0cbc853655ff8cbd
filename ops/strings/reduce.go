package strings

import (
	"slices"
	"strings"

	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("ReduceJoin").
		Input("inputs: string").Input("reduction_indices: int32").Output("output: string").
		Attr("keep_dims: bool = false").
		Attr("separator: string = ''").
		Doc(`Joins strings along dimensions.

inputs: The strings.
reduction_indices: The dimensions, the one along which neighbors are joined first.
keep_dims: Whether these dimensions stay, of size 1.
separator: What stands between strings.`)
	registry.Define("UnsortedSegmentJoin").
		Input("inputs: string").Input("segment_ids: Tindices").Input("num_segments: Tnumsegments").
		Output("output: string").
		Attr("separator: string = ''").
		Attr("Tindices: {int32, int64}").
		Attr("Tnumsegments: {int32, int64} = DT_INT32").
		Doc(`Joins the strings of each segment, in order; a segment without strings is "".

inputs: The strings.
segment_ids: The segment of each string, in [0, num_segments).
num_segments: How many segments.
separator: What stands between strings.`)

	kernel.ForAll(newReduceJoin, "ReduceJoin")
	kernel.ForAll(newSegmentJoin, "UnsortedSegmentJoin")

	gradient.None("ReduceJoin")
}

type reduceJoin struct {
	separator string
	keep      bool
}

func newReduceJoin(c *kernel.Construction) (kernel.Kernel, error) {
	return reduceJoin{c.Str("separator"), c.Bool("keep_dims")}, nil
}

func (k reduceJoin) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	x, dims := tensor.Of[string](&in[0]), in[0].Dims()
	axes, err := joinedAxes(&in[1], len(dims))
	if err != nil {
		return err
	}
	strides := make([]int, len(dims))
	for i, n := len(dims)-1, 1; i >= 0; i-- {
		strides[i] = n
		n *= int(dims[i])
	}
	// The result goes through the dimensions that stay, as kept, in order; each
	// of its strings through the others, the first of axes fastest.
	var rest, joined []loop
	var result []int64
	for d, n := range dims {
		switch {
		case !slices.Contains(axes, d):
			rest = append(rest, loop{int(n), strides[d]})
			result = append(result, n)
		case k.keep:
			result = append(result, 1)
		}
	}
	for _, d := range slices.Backward(axes) {
		joined = append(joined, loop{int(dims[d]), strides[d]})
	}
	v, err := ctx.Alloc(tensor.String, result)
	if err != nil {
		return err
	}
	out[0] = v
	o := tensor.Of[string](&out[0])
	if err := room(ctx, lengthOf(ctx, x)+float64(len(x))*float64(len(k.separator))); err != nil {
		return err
	}
	most := 1 // how many strings are joined; of none there are none to join
	for _, l := range joined {
		most = min(most*l.n, len(x))
	}
	if err := ctx.Reserve(16 * most); err != nil {
		return err
	}
	parts := make([]string, 0, most)
	for i := range o {
		if err := ctx.Err(); err != nil {
			return err
		}
		parts = gather(parts[:0], x, offset(rest, i), joined)
		o[i] = strings.Join(parts, k.separator)
	}
	return nil
}

// joinedAxes returns the dimensions that v lists, of rank dimensions.
func joinedAxes(v *tensor.Value, rank int) ([]int, error) {
	var axes []int
	for _, a := range kernel.AppendFirst(nil, v, rank+1) { // of more, one is wrong
		d, ok := kernel.Axis(a, rank)
		if !ok {
			return nil, status.Errorf(status.OutOfRange, "Invalid reduction dimension %d for input with %d dimension(s)", a, rank)
		}
		if slices.Contains(axes, d) {
			return nil, status.Invalid("Duplicate reduction dimension %d", a)
		}
		axes = append(axes, d)
	}
	return axes, nil
}

// A loop is n places, stride elements apart.
type loop struct{ n, stride int }

// offset is element i of nested loops, the last the innermost.
func offset(loops []loop, i int) int {
	at := 0
	for _, l := range slices.Backward(loops) {
		at += i % l.n * l.stride
		i /= l.n
	}
	return at
}

// gather appends the strings of nested loops from at on, the last loop the
// innermost.
func gather(dst, x []string, at int, loops []loop) []string {
	if len(loops) == 0 {
		return append(dst, x[at])
	}
	for i := range loops[0].n {
		dst = gather(dst, x, at+i*loops[0].stride, loops[1:])
	}
	return dst
}

func newSegmentJoin(c *kernel.Construction) (kernel.Kernel, error) {
	separator := c.Str("separator")
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		return segmentJoin(ctx, in, out, separator)
	}), nil
}

// askEvery is how many short strings are handled without asking whether to stop.
const askEvery = 1 << 12

// segmentJoin joins slices of input 0, which input 1 assigns to segments.
func segmentJoin(ctx *kernel.Context, in, out []tensor.Value, separator string) error {
	n, err := kernel.Int(&in[2], "num_segments")
	if err != nil {
		return err
	}
	dims, ids := in[0].Dims(), in[1].Dims()
	switch {
	case n < 0:
		return status.Invalid("Number of segments must be non-negative but got %d", n)
	case len(ids) == 0:
		return status.Invalid("Segment_id cannot have rank 0")
	case len(ids) > len(dims):
		return status.Errorf(status.OutOfRange, "segment_ids have rank %d, more than the %d of the input", len(ids), len(dims))
	}
	for i, d := range ids {
		if d != dims[i] {
			return status.Invalid("Segment dimension is %d while input dimension is %d in rank %d", d, dims[i], i)
		}
	}
	if err := ctx.Reserve(8 * in[1].NumElements()); err != nil {
		return err
	}
	segments := kernel.AppendInts(make([]int64, 0, in[1].NumElements()), &in[1])
	for _, s := range segments {
		if s < 0 || s >= n {
			return status.Invalid("segment_ids are not allowed to exceed num_segments or to have negative values.")
		}
	}
	v, err := ctx.Alloc(tensor.String, append([]int64{n}, dims[len(ids):]...))
	if err != nil {
		return err
	}
	out[0] = v
	x, o := tensor.Of[string](&in[0]), tensor.Of[string](&out[0])
	if err := room(ctx, lengthOf(ctx, x)+float64(len(x))*float64(len(separator))); err != nil || len(x) == 0 {
		return err
	}
	// Lists of parts, as they grow, and the map of them.
	if err := ctx.Reserve(40*len(x) + 64*min(len(x), len(o))); err != nil {
		return err
	}
	width := len(x) / len(segments)
	parts := map[int][]string{} // by place in the result
	for i, s := range x {
		if i%askEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		to := int(segments[i/width])*width + i%width
		if s != "" || len(parts[to]) > 0 { // nothing separates from a beginning that is empty
			parts[to] = append(parts[to], s)
		}
	}
	done := 0
	for to, p := range parts {
		if done++; done%askEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		o[to] = strings.Join(p, separator)
	}
	return ctx.Err()
}
