package array

import (
	"slices"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("Gather").
		Input("params: Tparams").Input("indices: Tindices").Output("output: Tparams").
		Attr("validate_indices: bool = true").
		Attr("Tparams: type").
		Attr("Tindices: {int32, int64}").
		Doc(`Takes the slices of a tensor along its first dimension that indices name.

indices: Which slices, in any shape; one that is not in [0, n) is an error.
output: In the shape of indices, followed by that of a slice.
validate_indices: Ignored: indices are always checked.`)
	registry.Define("GatherV2").
		Input("params: Tparams").Input("indices: Tindices").Input("axis: Taxis").Output("output: Tparams").
		Attr("batch_dims: int = 0").
		Attr("Tparams: type").
		Attr("Tindices: {int16, int32, int64}").
		Attr("Taxis: {int32, int64}").
		Doc(`Takes the slices of a tensor along an axis that indices name.

params: What to take slices of.
indices: Which slices, in any shape; one that is not in [0, n) is an error.
axis: The axis, a scalar; negative counts from the end.
output: The shape of params, with the axis replaced by the dimensions of indices behind the first batch_dims.
batch_dims: How many leading dimensions params and indices have in common, and are walked together; negative counts from the end of indices' dimensions.`)
	registry.Define("GatherNd").
		Input("params: Tparams").Input("indices: Tindices").Output("output: Tparams").
		Attr("Tparams: type").
		Attr("Tindices: {int16, int32, int64}").
		Attr("bad_indices_policy: string = ''").
		Doc(`Takes the elements or slices of a tensor at given coordinates.

params: What to take them of.
indices: Vectors of coordinates in the last dimension, each as long as params has dimensions, for elements, or shorter, for slices.
output: In the shape of indices without its last dimension, followed by that of a slice.
bad_indices_policy: "IGNORE" for zeros where a place does not exist, else "ERROR", "DEFAULT" or empty: that is an error.`)

	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return gather{}, nil }, "Gather")
	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) {
		return gather{batch: c.Int("batch_dims"), axis: true}, nil
	}, "GatherV2")
	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) {
		ignore, err := ignoresBadIndices(c)
		return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error { return gatherNd(ctx, in, out, ignore) }), err
	}, "GatherNd")

	gradient.Register(func(c *gradient.Context) {
		if c.Has(0) {
			c.SetRows(0, c.RowsAt(c.Input(0), c.Input(1), c.Dy(0)))
		}
	}, "Gather")
	gradient.Register(gatherGradient, "GatherV2")
	gradient.Register(func(c *gradient.Context) {
		if c.Has(0) {
			x, indices := c.Input(0), c.Input(1)
			c.Set(0, c.Op("ScatterNd", c.Attrs("bad_indices_policy"), indices, c.Dy(0), c.ShapeOf(x, indices.DataType())))
		}
	}, "GatherNd")
}

// gatherGradient: rows that were taken along the first axis are rows of the
// gradient. Along another one, or by batches, the rows are brought to the front, and
// added up by where in which batch they come from.
func gatherGradient(c *gradient.Context) {
	if !c.Has(0) || !c.Wants(0) {
		return
	}
	x, indices, axis, dy := c.Input(0), c.Input(1), c.Input(2), c.Dy(0)
	batch := c.Int("batch_dims")
	if batch < 0 {
		r := c.StaticShape(indices)
		if !r.Known() {
			c.Fail(status.Errorf(status.Unimplemented, "batch_dims of %d where the rank of the indices is not known", batch))
			return
		}
		batch += int64(r.Rank())
	}
	at, ok := c.ConstInts(axis)
	if ok && len(at) == 1 && at[0] == 0 && batch == 0 {
		c.SetRows(0, c.RowsAt(x, indices, dy))
		return
	}
	shape, first, one := c.Shape(x), c.Const(int32(0)), c.Const(int32(1))
	axis = c.Apply("FloorMod", c.Cast(axis, tensor.Int32), c.Rank(x))
	b := c.Const(int32(batch))
	size := func(dims, from, to graph.Output) graph.Output { // of dimensions from up to but not including to
		return c.Apply("Prod", c.Apply("GatherV2", dims, c.Apply("Range", from, to, one), first), first)
	}
	batches, outer := size(shape, first, b), size(shape, b, axis)
	length := c.Apply("GatherV2", shape, axis, first)
	inner := size(shape, c.Add(axis, one), c.Rank(x))
	taken := size(c.Shape(indices), b, c.Rank(indices))
	dims := func(list ...graph.Output) graph.Output { return c.Op("Pack", nil, graph.OutputList(list)) }

	swap := c.Int32s(0, 2, 1, 3)
	rows := c.Apply("Transpose", c.Reshape(dy, dims(batches, outer, taken, inner)), swap)
	start := c.Cast(c.Mul(c.Range(batches), length), indices.DataType())
	places := c.Add(c.Reshape(indices, dims(batches, taken)), c.Apply("ExpandDims", start, one))
	sums := c.Apply("UnsortedSegmentSum", rows, places, c.Mul(batches, length))
	sums = c.Apply("Transpose", c.Reshape(sums, dims(batches, length, outer, inner)), swap)
	c.Set(0, c.Reshape(sums, shape))
}

// A gather is the kernel of Gather and, with an input for the axis, GatherV2.
type gather struct {
	batch int64
	axis  bool
}

func (g gather) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	x, at := in[0].Dims(), 0
	if len(x) == 0 {
		return status.Invalid("params must be at least 1 dimensional")
	}
	if g.axis {
		a, err := kernel.Int(&in[2], "axis")
		if err != nil {
			return err
		}
		ok := false
		if at, ok = kernel.Axis(a, len(x)); !ok {
			return status.Invalid("Expected axis in the range [%d, %d), but got %d", -len(x), len(x), a)
		}
	}
	batch, err := g.batchDims(in, at)
	if err != nil {
		return err
	}
	limit, behind := int(x[at]), 1
	for _, d := range x[at+1:] {
		behind *= int(d)
	}
	if at == 0 && in[1].IsScalar() {
		i, _ := kernel.Int(&in[1], "indices")
		if i < 0 || i >= int64(limit) {
			return outside(&in[1], 0, i, limit)
		}
		out[0], err = piece(ctx, &in[0], int(i)*behind, behind, behind, x[1:])
		return err
	}
	var buf [8]int64
	dims := append(append(append(buf[:0], x[:at]...), in[1].Dims()[batch:]...), x[at+1:]...)
	if out[0], err = ctx.Alloc(in[0].DType(), dims); err != nil {
		return err
	}
	if out[0].NumElements() == 0 {
		return nil // whatever the indices are
	}
	rows, fresh, err := indices(ctx, in[1])
	if err != nil {
		return err
	}
	if fresh {
		defer ctx.Free(rows)
	}
	for i, r := range tensor.Of[int64](&rows) {
		if r < 0 || r >= int64(limit) {
			return outside(&in[1], i, r, limit)
		}
	}
	batches, outer := 1, 1
	for i, d := range x[:at] {
		if i < batch {
			batches *= int(d)
		} else {
			outer *= int(d)
		}
	}
	return takeRows(ctx, &out[0], &in[0], rows, batches, outer, limit*behind, behind)
}

// takeRows copies, for each of batches·outer blocks of the source, the runs of
// n elements that the batch's share of rows, of int64, names.
func takeRows(ctx *kernel.Context, dst, src *tensor.Value, rows tensor.Value, batches, outer, block, n int) error {
	if rows.NumElements()*outer*n > strided.Grain {
		return shareRows(ctx, dst, src, rows, batches, outer, block, n)
	}
	all, per := tensor.Of[int64](&rows), rows.NumElements()/batches
	for b := range batches * outer {
		strided.Gather(dst, b*per*n, src, b*block, all[b/outer*per:][:per], n)
	}
	return nil
}

// shareRows is takeRows for so many that they are worth sharing out.
func shareRows(ctx *kernel.Context, dst, src *tensor.Value, rows tensor.Value, batches, outer, block, n int) error {
	all, per := tensor.Of[int64](&rows), rows.NumElements()/batches
	ctx.Parallel(batches*outer*per, max(1, strided.Grain/n), func(lo, hi int) {
		for lo < hi && ctx.Err() == nil {
			b, i := lo/per, lo%per
			take := min(per-i, hi-lo)
			strided.Gather(dst, lo*n, src, b*block, all[b/outer*per+i:][:take], n)
			lo += take
		}
	})
	return ctx.Err()
}

// batchDims checks the attribute against the inputs' shapes.
func (g gather) batchDims(in []tensor.Value, at int) (int, error) {
	x, idx, b := in[0].Dims(), in[1].Dims(), g.batch
	if b < 0 {
		b += int64(len(idx))
	}
	switch {
	case b < 0 || b > int64(len(idx)):
		return 0, status.Invalid("Expected batch_dims in the range [%d, %d], but got %d", -len(idx), len(idx), g.batch)
	case b >= int64(len(x)):
		return 0, status.Invalid("batch_dims (%d) must be less than rank(params) (%d).", b, len(x))
	case b > int64(at):
		return 0, status.Invalid("batch_dims (%d) must be less than or equal to axis (%d).", b, at)
	}
	for i := range int(b) {
		if x[i] != idx[i] {
			return 0, status.Invalid("params.shape[%d]: %d should be equal to indices.shape[%d]: %d", i, x[i], i, idx[i])
		}
	}
	return int(b), nil
}

// indices is v, an integer tensor, as int64; fresh says that the caller is to
// free it.
func indices(ctx *kernel.Context, v tensor.Value) (wide tensor.Value, fresh bool, err error) {
	if v.DType() == tensor.Int64 {
		return v, false, nil
	}
	n := [1]int64{int64(v.NumElements())}
	if wide, err = ctx.Alloc(tensor.Int64, n[:]); err != nil {
		return wide, false, err
	}
	switch v.DType() {
	case tensor.Int32:
		widen(ctx, &wide, tensor.Of[int32](&v))
	case tensor.Int16:
		widen(ctx, &wide, tensor.Of[int16](&v))
	case tensor.Int8:
		widen(ctx, &wide, tensor.Of[int8](&v))
	case tensor.Uint8:
		widen(ctx, &wide, tensor.Of[uint8](&v))
	default:
		return wide, false, status.Errorf(status.Unimplemented, "indices of type %v", v.DType())
	}
	if err := ctx.Err(); err != nil {
		ctx.Free(wide)
		return tensor.Value{}, false, err
	}
	return wide, true, nil
}

// widen sets wide to x, as far as it comes before the step ends.
func widen[T int8 | int16 | int32 | uint8](ctx *kernel.Context, wide *tensor.Value, x []T) {
	o := tensor.Of[int64](wide)
	for len(x) > 0 {
		n := min(len(x), 1<<16)
		for i, k := range x[:n] {
			o[i] = int64(k)
		}
		if o, x = o[n:], x[n:]; len(x) > 0 && ctx.Err() != nil {
			return
		}
	}
}

// outside returns the error that element i of the indices, of value at, is none of
// [0, limit).
func outside(v *tensor.Value, i int, at int64, limit int) error {
	return status.Invalid("indices%s = %d is not in [0, %d)", place(v.Dims(), i), at, limit)
}

// place writes the coordinates of element i of a tensor: "[1,2]", and "" for a scalar.
func place(dims []int64, i int) string {
	if len(dims) == 0 {
		return ""
	}
	at := make([]int64, len(dims))
	for d := len(dims) - 1; d >= 0; d-- {
		at[d] = int64(i) % dims[d]
		i /= int(dims[d])
	}
	return tensor.FormatDims(at)
}

// ignoresBadIndices reads the attribute bad_indices_policy.
func ignoresBadIndices(c *kernel.Construction) (bool, error) {
	switch policy := c.Str("bad_indices_policy"); policy {
	case "", "DEFAULT", "ERROR":
		return false, nil
	case "IGNORE":
		return true, nil
	default:
		return false, c.Errorf("Unknown bad indices handling attribute: %s", policy)
	}
}

func gatherNd(ctx *kernel.Context, in, out []tensor.Value, ignore bool) error {
	x, idx := in[0].Dims(), in[1].Dims()
	if len(x) == 0 || len(idx) == 0 {
		return status.Invalid("params and indices must be at least a vector")
	}
	depth := int(idx[len(idx)-1])
	if idx[len(idx)-1] > int64(len(x)) {
		return status.Invalid("index innermost dimension length must be <= params rank; saw: %d vs. %d", depth, len(x))
	}
	var buf [8]int64
	dims := append(append(buf[:0], idx[:len(idx)-1]...), x[depth:]...)
	v, err := ctx.Alloc(in[0].DType(), dims)
	if err != nil {
		return err
	}
	out[0] = v
	if v.NumElements() == 0 && (in[0].NumElements() > 0 || slices.Contains(idx[:len(idx)-1], 0)) {
		return nil
	}
	if in[0].NumElements() == 0 {
		return status.Invalid("Requested more than 0 entries, but params is empty.  Params shape: %s", tensor.FormatDims(x))
	}
	rows, n, err := places(ctx, &in[1], x, ignore, func(i int, at []int64) error {
		return status.Invalid("indices%s = %s does not index into param shape %s", place(idx[:len(idx)-1], i), tensor.FormatDims(at), tensor.FormatDims(x))
	})
	if err != nil {
		return err
	}
	defer ctx.Free(rows)
	if list := tensor.Of[int64](&rows); slices.Contains(list, nowhere) {
		return takeSome(ctx, &out[0], &in[0], list, n)
	}
	return takeRows(ctx, &out[0], &in[0], rows, 1, 1, 0, n)
}

// takeSome copies the runs of n elements that rows names, and leaves zeros where
// it names none.
func takeSome(ctx *kernel.Context, dst, src *tensor.Value, rows []int64, n int) error {
	ctx.Free(*dst)
	var err error
	if *dst, err = ctx.AllocZeroed(src.DType(), dst.Dims()); err != nil {
		return err
	}
	for i, r := range rows {
		if i%strided.Grain == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if r != nowhere {
			strided.Move(dst, i*n, src, int(r)*n, n)
		}
	}
	return nil
}

// nowhere is the number of a run that does not exist.
const nowhere = -1

// places turns the rows of v, each a place in the first dimensions of a tensor
// of shape x, into numbers of runs of n elements, for the caller to free. A place
// that does not exist is nowhere with ignore; else it is the error that bad makes
// for row i.
func places(ctx *kernel.Context, v *tensor.Value, x []int64, ignore bool, bad func(i int, at []int64) error) (rows tensor.Value, n int, err error) {
	idx := v.Dims()
	depth := int(idx[len(idx)-1])
	count := int64(1)
	for _, d := range idx[:len(idx)-1] {
		count *= d
	}
	n = 1
	for _, d := range x[depth:] {
		n *= int(d)
	}
	wide, fresh, err := indices(ctx, *v)
	if err != nil {
		return rows, 0, err
	}
	if fresh {
		defer ctx.Free(wide)
	}
	dims := [1]int64{count}
	if rows, err = ctx.Alloc(tensor.Int64, dims[:]); err != nil {
		return rows, 0, err
	}
	flat, numbers := tensor.Of[int64](&wide), tensor.Of[int64](&rows)
	var credit kernel.Credit
	for i := range numbers {
		if !credit.Spend(ctx, 8+depth) {
			ctx.Free(rows)
			return tensor.Value{}, 0, ctx.Err()
		}
		r, at := int64(0), flat[i*depth:(i+1)*depth]
		for d, k := range at {
			if k < 0 || k >= x[d] {
				if !ignore {
					err := bad(i, at)
					ctx.Free(rows)
					return tensor.Value{}, 0, err
				}
				r = nowhere
				break
			}
			r = r*x[d] + k
		}
		numbers[i] = r
	}
	return rows, n, nil
}
