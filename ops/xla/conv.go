package xla

import (
	"slices"

	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("XlaConv").
		Input("lhs: T").Input("rhs: T").Input("window_strides: Tindices").Input("padding: Tindices").
		Input("lhs_dilation: Tindices").Input("rhs_dilation: Tindices").Input("feature_group_count: Tindices").
		Output("output: T").
		Attr("T: numbertype").
		Attr("Tindices: {int32, int64}").
		Attr("dimension_numbers: string").
		Attr("precision_config: string").
		Doc(`Convolves a tensor with a filter.

lhs: The tensor.
rhs: The filter.
window_strides: The step in each dimension of space.
padding: For each dimension of space how many zeros are put before and behind; if negative, how much is cut off.
lhs_dilation: The distance that elements of the tensor are moved to, zeros between them.
rhs_dilation: The distance that elements of the filter are moved to.
feature_group_count: How many groups of features are convolved by themselves.
dimension_numbers: A serialized ConvolutionDimensionNumbers, which says what the dimensions mean.
precision_config: Ignored: products are as exact as their type.`)
	registry.Define("XlaConvV2").
		Input("lhs: LhsT").Input("rhs: RhsT").Input("window_strides: Tindices").Input("padding: Tindices").
		Input("lhs_dilation: Tindices").Input("rhs_dilation: Tindices").Input("feature_group_count: Tindices").
		Output("output: preferred_element_type").
		Attr("LhsT: numbertype").
		Attr("RhsT: numbertype").
		Attr("Tindices: {int32, int64}").
		Attr("dimension_numbers: string").
		Attr("precision_config: string").
		Attr("preferred_element_type: numbertype").
		Attr("batch_group_count: int = 1").
		Doc(`Convolves a tensor with a filter, in a given type.

lhs: The tensor.
rhs: The filter.
window_strides: The step in each dimension of space.
padding: For each dimension of space how many zeros are put before and behind; if negative, how much is cut off.
lhs_dilation: The distance that elements of the tensor are moved to, zeros between them.
rhs_dilation: The distance that elements of the filter are moved to.
feature_group_count: How many groups of features are convolved by themselves.
dimension_numbers: A serialized ConvolutionDimensionNumbers, which says what the dimensions mean.
precision_config: Ignored: products are as exact as their type.
preferred_element_type: The type of the result, in which is added up.
batch_group_count: How many groups of the batch have features of their own.`)
	shape.Register(convShape, "XlaConv", "XlaConvV2")
}

// A convolution is what the dimensions of an XlaConv mean: ConvolutionDimensionNumbers
// of XLA.
type convolution struct {
	batch, feature       int64 // of lhs
	space                []int64
	inputs, outputs      int64 // features of the filter
	window               []int64
	outBatch, outFeature int64
	outSpace             []int64
	batchGroups          int64
}

func newConv(text string, batchGroups int64) (*convolution, error) {
	lists, err := dimensionLists("ConvolutionDimensionNumbers", text)
	if err != nil {
		return nil, err
	}
	one := func(list []int64) int64 {
		if len(list) == 0 {
			return 0
		}
		return list[len(list)-1]
	}
	if batchGroups < 1 {
		return nil, status.Invalid("batch_group_count must be positive, got %d", batchGroups)
	}
	return &convolution{
		batch: one(lists[7]), feature: one(lists[8]), space: lists[11],
		inputs: one(lists[3]), outputs: one(lists[4]), window: lists[6],
		outBatch: one(lists[9]), outFeature: one(lists[10]), outSpace: lists[12],
		batchGroups: batchGroups,
	}, nil
}

// check reports whether the dimensions are those of operands of that rank.
func (v *convolution) check(lhs, rhs int) error {
	n := len(v.space)
	if len(v.window) != n || len(v.outSpace) != n || lhs != n+2 || rhs != n+2 {
		return status.Invalid("dimension_numbers have %d, %d and %d dimensions of space for operands of rank %d and %d", n, len(v.window), len(v.outSpace), lhs, rhs)
	}
	for _, dims := range v.orders() {
		if err := among(dims, n+2, "dimension_numbers"); err != nil {
			return err
		}
	}
	return nil
}

// orders is, of lhs, the filter and the result, the two dimensions of batch and
// features (of the filter, those of its outputs and its inputs) and those of space.
func (v *convolution) orders() [3][]int64 {
	return [3][]int64{
		append([]int64{v.batch, v.feature}, v.space...),
		append([]int64{v.outputs, v.inputs}, v.window...),
		append([]int64{v.outBatch, v.outFeature}, v.outSpace...),
	}
}

// convShape knows the rank, which the operands have.
func convShape(c *shape.Context) error {
	groups := int64(1)
	if c.Attrs.Find("batch_group_count") != nil {
		groups = c.Int("batch_group_count")
	}
	v, err := newConv(c.Str("dimension_numbers"), groups)
	if err != nil {
		return err
	}
	lhs, rhs := c.Input(0), c.Input(1)
	if !lhs.Known() || !rhs.Known() {
		return nil
	}
	if err := v.check(lhs.Rank(), rhs.Rank()); err != nil {
		return err
	}
	out := shape.OfRank(lhs.Rank()).ReplaceDim(int(v.outFeature), rhs.Dim(int(v.outputs)))
	if groups == 1 {
		out = out.ReplaceDim(int(v.outBatch), lhs.Dim(int(v.batch)))
	}
	c.SetOutput(0, out)
	return c.Err()
}

// An extent is a dimension of space of a convolution.
type extent struct{ in, window, out, stride, before, spread, dilation int }

// from returns the element of lhs that element k of the window meets at position q, if
// it is one.
func (e *extent) from(q, k int) (i int, ok bool) {
	at := q*e.stride + k*e.dilation - e.before
	if at < 0 || at%e.spread != 0 || at/e.spread >= e.in {
		return 0, false
	}
	return at / e.spread, true
}

// maxExtent bounds strides, dilations and paddings, so that no place overflows.
const maxExtent = 1 << 31

// extents reads the inputs behind the operands.
func (v *convolution) extents(in []tensor.Value) ([]extent, int, error) {
	n := len(v.space)
	lists := make([][]int64, 4)
	for i, name := range []string{"window_strides", "padding", "lhs_dilation", "rhs_dilation"} {
		list, want := kernel.AppendInts(nil, &in[2+i]), n
		if i == 1 {
			want = 2 * n
		}
		if len(list) != want {
			return nil, 0, status.Invalid("%s has %d elements, want %d", name, len(list), want)
		}
		for _, x := range list {
			if i != 1 && x < 1 || x < -maxExtent || x > maxExtent {
				return nil, 0, status.Invalid("%s is out of range: %v", name, list)
			}
		}
		lists[i] = list
	}
	groups, err := kernel.OnlyInt(&in[6], "feature_group_count")
	if err != nil {
		return nil, 0, err
	}
	if groups < 1 || groups > 1 && v.batchGroups > 1 {
		return nil, 0, status.Invalid("feature_group_count is %d, batch_group_count %d", groups, v.batchGroups)
	}
	all := make([]extent, n)
	for i := range all {
		e := extent{
			in: in[0].Dim(int(v.space[i])), window: in[1].Dim(int(v.window[i])), stride: int(lists[0][i]),
			before: int(lists[1][2*i]), spread: int(lists[2][i]), dilation: int(lists[3][i]),
		}
		size, reach := max(0, (e.in-1)*e.spread+1), max(0, (e.window-1)*e.dilation+1)
		if size += e.before + int(lists[1][2*i+1]); size >= reach && size > 0 {
			e.out = (size-reach)/e.stride + 1
		}
		all[i] = e
	}
	return all, int(groups), nil
}

// newConvolution makes the kernel for operands of a type: for each group the patches of
// an image, which are a matrix, are multiplied with the filter, another one.
func newConvolution(c *kernel.Construction, a *arithmetic) (kernel.Func, error) {
	groups := int64(1)
	if c.Attrs.Find("batch_group_count") != nil {
		groups = c.Int("batch_group_count")
	}
	v, err := newConv(c.Str("dimension_numbers"), groups)
	if err != nil {
		return nil, err
	}
	return func(ctx *kernel.Context, in, out []tensor.Value) error { return a.convolve(ctx, v, in, out) }, nil
}

func (a *arithmetic) convolve(ctx *kernel.Context, v *convolution, in, out []tensor.Value) error {
	if err := v.check(in[0].Rank(), in[1].Rank()); err != nil {
		return err
	}
	space, groups, err := v.extents(in)
	if err != nil {
		return err
	}
	batch, features, outputs, inputs := in[0].Dim(int(v.batch)), in[0].Dim(int(v.feature)), in[1].Dim(int(v.outputs)), in[1].Dim(int(v.inputs))
	parts := int(v.batchGroups)
	switch {
	case features != inputs*groups:
		return status.Invalid("the filter has %d input features in %d groups, lhs has %d", inputs, groups, features)
	case outputs%groups != 0 || outputs%parts != 0 || batch%parts != 0:
		return status.Invalid("%d output features and a batch of %d do not divide into %d and %d groups", outputs, batch, groups, parts)
	}
	orders := v.orders()
	dims := make([]int64, len(space)+2) // batch, features, space
	dims[0], dims[1] = int64(batch/parts), int64(outputs)
	taps := int64(1)
	for i, e := range space {
		dims[2+i] = int64(e.out)
		taps *= int64(e.window) // no more than the filter has
	}
	shape := make([]int64, len(dims))
	for i, d := range orders[2] {
		shape[d] = dims[i]
	}
	if out[0], err = ctx.AllocZeroed(a.dt, shape); err != nil || out[0].NumElements() == 0 || in[0].NumElements() == 0 || in[1].NumElements() == 0 {
		return err
	}
	x, freeX, err := ordered(ctx, &in[0], ints(orders[0]))
	if err != nil {
		return err
	}
	defer freeX()
	w, freeW, err := ordered(ctx, &in[1], ints(orders[1]))
	if err != nil {
		return err
	}
	defer freeW()
	positions := out[0].NumElements() / (batch / parts) / outputs
	width := inputs * int(taps)
	rows, err := ctx.Alloc(a.dt, []int64{int64(positions), int64(width)})
	if err != nil {
		return err
	}
	defer ctx.Free(rows)
	image, err := ctx.Alloc(a.dt, []int64{int64(outputs), int64(positions)}) // of the result, features first
	if err != nil {
		return err
	}
	defer ctx.Free(image)
	pixels := in[0].NumElements() / batch / features
	all := strided.Whole(out[0]).Permute(ints(orders[2]))
	per := outputs / max(groups, parts)
	for b := range batch / parts {
		for g := range max(groups, parts) {
			first := b*features + g*inputs
			if parts > 1 {
				first = (g*batch/parts + b) * features
			}
			a.patches(ctx, space, inputs, pixels, part{&x, first * pixels}, &rows, width)
			if err := ctx.Err(); err != nil {
				return err
			}
			a.multiply(vec.PoolOf(ctx, per, positions, width), per, positions, width, part{&w, g * per * width}, part{&rows, 0}, part{&image, g * per * positions})
		}
		to := all
		to.Dims, to.Strides = slices.Clone(all.Dims[1:]), slices.Clone(all.Strides[1:])
		to.Offset += b * all.Strides[0]
		if err := strided.Copy(ctx, &out[0], to, &image, strided.Of(dims[1:])); err != nil {
			return err
		}
	}
	return nil
}

func ints(x []int64) []int {
	o := make([]int, len(x))
	for i, v := range x {
		o[i] = int(v)
	}
	return o
}

// patches writes a row for each position: what the window meets there, feature by
// feature.
func patches[T vec.Number](ctx *kernel.Context, space []extent, features, pixels int, image part, matrix *tensor.Value, width int) {
	x, rows := tensor.Of[T](image.of)[image.at:], tensor.Of[T](matrix)
	taps := width / features
	ctx.Parallel(len(rows)/width, max(1, strided.Grain/width), func(lo, hi int) {
		at, k := make([]int, len(space)), make([]int, len(space))
		for r := lo; r < hi; r++ {
			if r%256 == 0 && ctx.Err() != nil {
				return
			}
			rest := r
			for i := len(space) - 1; i >= 0; i-- {
				at[i], rest = rest%space[i].out, rest/space[i].out
			}
			row := rows[r*width:][:width]
			for tap := range taps {
				rest, from, inside := tap, 0, true
				for i := len(space) - 1; i >= 0; i-- {
					k[i], rest = rest%space[i].window, rest/space[i].window
				}
				for i := range space {
					p, ok := space[i].from(at[i], k[i])
					from, inside = from*space[i].in+p, inside && ok
				}
				for f := range features {
					if inside {
						row[f*taps+tap] = x[f*pixels+from]
					} else {
						row[f*taps+tap] = 0
					}
				}
			}
		}
	})
}
