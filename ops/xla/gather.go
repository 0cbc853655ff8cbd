package xla

import (
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("XlaGather").
		Input("operand: T").Input("start_indices: Tindices").Input("slice_sizes: Tindices").
		Output("output: T").
		Attr("dimension_numbers: string").
		Attr("indices_are_sorted: bool").
		Attr("T: {numbertype, bool}").
		Attr("Tindices: {int32, int64}").
		Doc(`Takes boxes of one size out of a tensor, each moved inside where it would reach beyond.

operand: The tensor.
start_indices: The boxes' first corners, vectors along one of the dimensions.
slice_sizes: The size of the boxes in each dimension.
dimension_numbers: A serialized GatherDimensionNumbers, which says what the dimensions mean.
indices_are_sorted: Ignored.`)
	shape.Register(gatherShape, "XlaGather")
	kernel.ForAll(newGather, "XlaGather")
}

// A gathering is what the dimensions of an XlaGather mean: GatherDimensionNumbers
// of XLA, whose documentation of Gather defines them.
type gathering struct {
	offset          []int64 // dimensions of the output that are those of a box
	collapsed       []int64 // dimensions of the operand that boxes of size 1 lose
	start           []int64 // the dimension of the operand that each number of a corner is of
	vector          int64   // the dimension of start_indices that corners lie along
	batch, batching []int64 // dimensions of the operand and of start_indices that go together
}

func newGathering(text string) (*gathering, error) {
	lists, err := dimensionLists("GatherDimensionNumbers", text)
	if err != nil {
		return nil, err
	}
	g := &gathering{offset: lists[1], collapsed: lists[2], start: lists[3], batch: lists[5], batching: lists[6]}
	if v := lists[4]; len(v) > 0 {
		g.vector = v[len(v)-1]
	}
	return g, nil
}

// check reports whether the dimensions are those of an operand and indices of such
// ranks; length is that of the vectors, -1 if it is not known.
func (g *gathering) check(operand, indices int, length int64) error {
	if g.vector < 0 || g.vector > int64(indices) {
		return status.Invalid("index_vector_dim is %d for start_indices of rank %d", g.vector, indices)
	}
	for _, c := range []struct {
		dims []int64
		rank int
		what string
	}{
		{append(slices.Clone(g.collapsed), g.batch...), operand, "collapsed_slice_dims and operand_batching_dims"},
		{append(slices.Clone(g.start), g.batch...), operand, "start_index_map and operand_batching_dims"},
		{g.batching, indices, "start_indices_batching_dims"},
	} {
		if err := among(c.dims, c.rank, c.what); err != nil {
			return err
		}
	}
	switch {
	case len(g.offset)+len(g.collapsed)+len(g.batch) != operand:
		return status.Invalid("offset_dims, collapsed_slice_dims and operand_batching_dims have %d dimensions for an operand of rank %d", len(g.offset)+len(g.collapsed)+len(g.batch), operand)
	case len(g.batch) != len(g.batching):
		return status.Invalid("operand_batching_dims and start_indices_batching_dims have different lengths: %d and %d", len(g.batch), len(g.batching))
	case slices.Contains(g.batching, g.vector):
		return status.Invalid("start_indices_batching_dims contain index_vector_dim, %d", g.vector)
	case length >= 0 && length != int64(len(g.start)):
		return status.Invalid("start_index_map has %d dimensions for vectors of length %d", len(g.start), length)
	case !slices.IsSorted(g.offset):
		return status.Invalid("offset_dims are not in order: %v", g.offset)
	}
	rank := len(g.offset) + indices
	if g.vector < int64(indices) {
		rank--
	}
	return among(g.offset, rank, "offset_dims")
}

// output returns the shape of the result, of sizes and batch dimensions in order.
func (g *gathering) output(sizes, batch []int64) []int64 {
	var box []int64
	for d, n := range sizes {
		if !slices.Contains(g.collapsed, int64(d)) && !slices.Contains(g.batch, int64(d)) {
			box = append(box, n)
		}
	}
	dims := make([]int64, len(box)+len(batch))
	for i := range dims {
		if slices.Contains(g.offset, int64(i)) {
			dims[i], box = box[0], box[1:]
		} else {
			dims[i], batch = batch[0], batch[1:]
		}
	}
	return dims
}

// gatherShape is known where the sizes are.
func gatherShape(c *shape.Context) error {
	g, err := newGathering(c.Str("dimension_numbers"))
	if err != nil {
		return err
	}
	operand, indices := c.Input(0), c.Input(1)
	if !operand.Known() || !indices.Known() {
		return nil
	}
	length := int64(1)
	if g.vector >= 0 && g.vector < int64(indices.Rank()) {
		length = indices.Dim(int(g.vector))
	}
	if err := g.check(operand.Rank(), indices.Rank(), length); err != nil {
		return err
	}
	sizes, ok := c.ConstInts(2)
	if !ok {
		sizes = slices.Repeat([]int64{shape.Unknown}, operand.Rank())
	}
	if len(sizes) != operand.Rank() {
		return status.Invalid("slice_sizes has %d elements for an operand of rank %d", len(sizes), operand.Rank())
	}
	batch := slices.Clone(indices.Dims())
	if g.vector < int64(len(batch)) {
		batch = slices.Delete(batch, int(g.vector), int(g.vector)+1)
	}
	for _, n := range sizes {
		if n < shape.Unknown {
			return status.Invalid("slice_sizes are %v", sizes)
		}
	}
	c.SetOutput(0, shape.Of(g.output(sizes, batch)...))
	return c.Err()
}

func newGather(c *kernel.Construction) (kernel.Kernel, error) {
	g, err := newGathering(c.Str("dimension_numbers"))
	if err != nil {
		return nil, err
	}
	return kernel.Func(g.run), nil
}

func (g *gathering) run(ctx *kernel.Context, in, out []tensor.Value) error {
	operand, indices := &in[0], &in[1]
	length := int64(1)
	if g.vector >= 0 && g.vector < int64(indices.Rank()) {
		length = indices.Dims()[g.vector]
	}
	if err := g.check(operand.Rank(), indices.Rank(), length); err != nil {
		return err
	}
	sizes, err := kernel.AppendIntVector(nil, &in[2], "slice_sizes")
	if err != nil {
		return err
	}
	if len(sizes) != operand.Rank() {
		return status.Invalid("slice_sizes has %d elements for an operand of rank %d", len(sizes), operand.Rank())
	}
	for d, n := range sizes {
		alone := slices.Contains(g.collapsed, int64(d)) || slices.Contains(g.batch, int64(d))
		if n < 0 || n > operand.Dims()[d] || alone && n > 1 {
			return status.Invalid("slice_sizes[%d] is %d for an operand of shape %s", d, n, tensor.FormatDims(operand.Dims()))
		}
		if alone && n == 0 && operand.NumElements() > 0 {
			return status.Invalid("slice_sizes[%d] is 0 for a dimension that is collapsed", d)
		}
	}
	corners := indices.Dims()
	batch, step := slices.Clone(corners), int64(1) // from number to number of a corner
	if g.vector < int64(len(corners)) {
		for _, d := range corners[g.vector+1:] {
			step *= d
		}
		batch = slices.Delete(batch, int(g.vector), int(g.vector)+1)
	}
	if err := g.matching(operand.Dims(), corners); err != nil {
		return err
	}
	if out[0], err = ctx.Alloc(operand.DType(), g.output(sizes, batch)); err != nil || out[0].NumElements() == 0 {
		return err
	}
	starts := kernel.AppendInts(make([]int64, 0, indices.NumElements()), indices)
	to, from := g.box(out[0].Dims()), strided.Whole(*operand)
	kept := strided.View{Offset: 0}
	for d := range sizes {
		if !slices.Contains(g.collapsed, int64(d)) && !slices.Contains(g.batch, int64(d)) {
			kept.Dims, kept.Strides = append(kept.Dims, int(sizes[d])), append(kept.Strides, from.Strides[d])
		}
	}
	at := make([]int64, len(batch))
	outStrides := g.places(out[0].Dims())
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		first, place, d := int64(0), 0, 0
		for i, n := range corners {
			if int64(i) == g.vector {
				first *= n
				continue
			}
			first = first*n + at[d]
			place += int(at[d]) * outStrides[d]
			d++
		}
		offset := 0
		for i, d := range g.start {
			x := min(max(starts[first+int64(i)*step], 0), operand.Dims()[d]-sizes[d])
			offset += int(x) * from.Strides[d]
		}
		for i, d := range g.batch {
			b := g.batching[i]
			if b > g.vector {
				b--
			}
			offset += int(at[b]) * from.Strides[d]
		}
		dst, src := to, kept
		dst.Offset, src.Offset = place, offset
		if err := strided.Copy(ctx, &out[0], dst, operand, src); err != nil {
			return err
		}
		i := len(at) - 1
		for ; i >= 0; i-- {
			if at[i]++; at[i] < batch[i] {
				break
			}
			at[i] = 0
		}
		if i < 0 {
			return nil
		}
	}
}

// matching reports whether batch dimensions that go together are of one size.
func (g *gathering) matching(operand, indices []int64) error {
	for i, d := range g.batch {
		if operand[d] != indices[g.batching[i]] {
			return status.Invalid("dimension %d of the operand and %d of start_indices go together and are %d and %d", d, g.batching[i], operand[d], indices[g.batching[i]])
		}
	}
	return nil
}

// box returns the elements of the first box in an output of that shape.
func (g *gathering) box(dims []int64) strided.View {
	all, v := strided.Of(dims), strided.View{}
	for _, d := range g.offset {
		v.Dims, v.Strides = append(v.Dims, all.Dims[d]), append(v.Strides, all.Strides[d])
	}
	return v
}

// places returns the strides of the batch dimensions of an output of that shape.
func (g *gathering) places(dims []int64) (strides []int) {
	for d, s := range strided.Of(dims).Strides {
		if !slices.Contains(g.offset, int64(d)) {
			strides = append(strides, s)
		}
	}
	return strides
}
