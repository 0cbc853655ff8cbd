package array

import (
	"math"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("BatchToSpace").
		Input("input: T").Input("crops: Tidx").Output("output: T").
		Attr("T: type").
		Attr("block_size: int >= 2").
		Attr("Tidx: {int32, int64} = DT_INT32").
		Doc(`Moves the batch into blocks of height and width, and cuts the edges.

crops: How much is cut before and after height and width.
block_size: The size of the blocks.`)
	registry.Define("BatchToSpaceND").
		Input("input: T").Input("block_shape: Tblock_shape").Input("crops: Tcrops").Output("output: T").
		Attr("T: type").
		Attr("Tblock_shape: {int32, int64} = DT_INT32").
		Attr("Tcrops: {int32, int64} = DT_INT32").
		Doc(`Moves the batch into blocks of spatial dimensions, and cuts the edges.

block_shape: The size of the blocks in each spatial dimension.
crops: How much is cut before and after each spatial dimension.`)
	registry.Define("SpaceToBatch").
		Input("input: T").Input("paddings: Tpaddings").Output("output: T").
		Attr("T: type").
		Attr("Tpaddings: {int32, int64} = DT_INT32").
		Attr("block_size: int >= 2").
		Doc(`Fills up height and width with zeros and moves blocks of them into the batch.

paddings: How much is filled up before and after height and width.
block_size: The size of the blocks.`)
	registry.Define("SpaceToBatchND").
		Input("input: T").Input("block_shape: Tblock_shape").Input("paddings: Tpaddings").
		Output("output: T").
		Attr("T: type").
		Attr("Tblock_shape: {int32, int64} = DT_INT32").
		Attr("Tpaddings: {int32, int64} = DT_INT32").
		Doc(`Fills up spatial dimensions with zeros and moves blocks of them into the batch.

block_shape: The size of the blocks in each spatial dimension.
paddings: How much is filled up before and after each spatial dimension.`)
	registry.Define("SpaceToDepth").
		Input("input: T").Output("output: T").
		Attr("T: type").
		Attr("block_size: int >= 2").
		Attr("data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'").
		Doc(`Moves blocks of height and width into channels, of which there are then block_size² times as many.

block_size: The size of the blocks, which divides what they are cut out of.
data_format: Where the channels are: the last dimension, the second, or, for "NCHW_VECT_C", the second in groups of four that the last one holds.`)
	registry.Define("DepthToSpace").
		Input("input: T").Output("output: T").
		Attr("T: type").
		Attr("block_size: int >= 2").
		Attr("data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'").
		Doc(`Moves channels into blocks of height and width, so that there are block_size² times fewer channels.

block_size: The size of the blocks, which divides what they are cut out of.
data_format: Where the channels are: the last dimension, the second, or, for "NCHW_VECT_C", the second in groups of four that the last one holds.`)

	for op, f := range map[string]kernel.Factory{
		"BatchToSpace": newBlocks(false), "BatchToSpaceND": newBlocks(false),
		"SpaceToBatch": newBlocks(true), "SpaceToBatchND": newBlocks(true),
	} {
		kernel.Register(kernel.Registration{Op: op, Types: map[string][]tensor.DType{"T": blockTypes}, New: f})
	}
	kernel.Register(kernel.Registration{Op: "DepthToSpace", Types: map[string][]tensor.DType{"T": depthTypes}, New: newDepthToSpace})
	kernel.Register(kernel.Registration{Op: "SpaceToDepth", Types: map[string][]tensor.DType{"T": append(depthTypes[:len(depthTypes):len(depthTypes)], tensor.Qint8)}, New: newSpaceToDepth})

	gradient.Unary(func(c *gradient.Context, _, _, dy graph.Output) graph.Output {
		return c.Op("SpaceToBatch", c.Attrs("block_size"), dy, c.Input(1))
	}, "BatchToSpace")
	gradient.Unary(func(c *gradient.Context, _, _, dy graph.Output) graph.Output {
		return c.Op("BatchToSpace", c.Attrs("block_size"), dy, c.Input(1))
	}, "SpaceToBatch")
	gradient.Unary(func(c *gradient.Context, _, _, dy graph.Output) graph.Output {
		return c.Apply("SpaceToBatchND", dy, c.Input(1), c.Input(2))
	}, "BatchToSpaceND")
	gradient.Unary(func(c *gradient.Context, _, _, dy graph.Output) graph.Output {
		return c.Apply("BatchToSpaceND", dy, c.Input(1), c.Input(2))
	}, "SpaceToBatchND")
	gradient.Unary(func(c *gradient.Context, _, _, dy graph.Output) graph.Output {
		return c.Op("SpaceToDepth", c.Attrs("block_size", "data_format"), dy)
	}, "DepthToSpace")
	gradient.Unary(func(c *gradient.Context, _, _, dy graph.Output) graph.Output {
		return c.Op("DepthToSpace", c.Attrs("block_size", "data_format"), dy)
	}, "SpaceToDepth")
}

var (
	// blockTypes are what moves between batch and space.
	blockTypes = elementwise.Reals
	// depthTypes are what moves between depth and space.
	depthTypes = slices.Concat(elementwise.Numbers, []tensor.DType{tensor.Bool, tensor.String, tensor.Resource, tensor.Variant})
)

func newSpaceToDepth(c *kernel.Construction) (kernel.Kernel, error) {
	size, err := depthBlock(c)
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		x := in[0].Dims()
		if len(x) != 4 {
			return status.Invalid("Input rank should be 4 instead of %d", len(x))
		}
		if x[1]%size != 0 || x[2]%size != 0 {
			return status.Invalid("Image width %d and height %d should be divisible by block_size: %d", x[2], x[1], size)
		}
		h, w := x[1]/size, x[2]/size
		if out[0], err = ctx.Alloc(in[0].DType(), []int64{x[0], h, w, x[3] * size * size}); err != nil {
			return err
		}
		from := strided.Of([]int64{x[0], h, size, w, size, x[3]}).Permute([]int{0, 1, 3, 2, 4, 5})
		return strided.Copy(ctx, &out[0], strided.Of([]int64{x[0], h, w, size, size, x[3]}), &in[0], from)
	}), err
}

// A depthToSpace is the kernel of DepthToSpace: the size of its blocks.
type depthToSpace struct{ size int64 }

func newDepthToSpace(c *kernel.Construction) (kernel.Kernel, error) {
	size, err := depthBlock(c)
	return depthToSpace{size}, err
}

func (k depthToSpace) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	dims, err := k.dims(in[0].Dims())
	if err != nil {
		return err
	}
	if out[0], err = ctx.Alloc(in[0].DType(), dims[:]); err != nil {
		return err
	}
	x, size, c := in[0].Dims(), k.size, dims[3]
	to := strided.Of([]int64{x[0], x[1], size, x[2], size, c}).Permute([]int{0, 1, 3, 2, 4, 5})
	return strided.Copy(ctx, &out[0], to, &in[0], strided.Of([]int64{x[0], x[1], x[2], size, size, c}))
}

// dims returns the shape of the result for an input of shape x.
func (k depthToSpace) dims(x []int64) (dims [4]int64, err error) {
	size := k.size
	if len(x) != 4 {
		return dims, status.Invalid("Input rank should be: 4 instead of: %d", len(x))
	}
	if x[3]%(size*size) != 0 {
		return dims, status.Invalid("Input depth dimension %d should be divisible by: %d", x[3], size*size)
	}
	if x[1] > math.MaxInt64/size || x[2] > math.MaxInt64/size {
		return dims, status.Invalid("height %d and width %d are too large for block_size: %d", x[1], x[2], size)
	}
	return [4]int64{x[0], x[1] * size, x[2] * size, x[3] / (size * size)}, nil
}

// depthBlock returns the block size of a node on channels in the last dimension,
// the only order that there are CPU kernels for.
func depthBlock(c *kernel.Construction) (int64, error) {
	size := c.Int("block_size")
	if format := c.Str("data_format"); format != "NHWC" {
		return 0, c.Errorf("No OpKernel was registered to support Op '%s' with data_format=%q: only NHWC is supported on CPU", c.Op.Name, format)
	}
	if size < 2 || size > math.MaxInt32 {
		return 0, c.Errorf("Block size should be > 1: %d", size)
	}
	return size, nil
}

// newBlocks makes the kernels between batch and space. Without an input for
// them, blocks are squares in the first two dimensions behind the batch.
//
//go:noinline
func newBlocks(toBatch bool) kernel.Factory {
	return func(c *kernel.Construction) (kernel.Kernel, error) {
		square := c.Int("block_size")
		return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
			block, edges := []int64{square, square}, &in[len(in)-1]
			if len(in) > 2 {
				if in[1].Rank() != 1 {
					return status.Invalid("block_shape rank should be 1 instead of %d", in[1].Rank())
				}
				block = kernel.AppendInts(nil, &in[1])
			} else if in[0].Rank() != 4 {
				return status.Invalid("Input rank should be: 4 instead of: %d", in[0].Rank())
			}
			b := blockMove{shape: block, toBatch: toBatch}
			if err := b.plan(&in[0], edges); err != nil {
				return err
			}
			var err error
			if toBatch {
				out[0], err = ctx.AllocZeroed(in[0].DType(), b.other)
			} else {
				out[0], err = ctx.Alloc(in[0].DType(), b.other)
			}
			if err != nil || out[0].NumElements() == 0 || in[0].NumElements() == 0 {
				return err
			}
			return b.move(ctx, &out[0], &in[0])
		}), nil
	}
}

// A blockMove is how the elements of space, whole, lie in those of the batch.
type blockMove struct {
	shape   []int64 // of a block
	toBatch bool
	before  []int64 // elements of padding or cropping in front of each dimension
	space   []int64 // the shape in space, without padding or cropping
	batch   []int64 // the shape with blocks in the batch
	other   []int64 // the result's shape, one of both
}

// plan checks the inputs and works out the shapes.
func (b *blockMove) plan(x, edges *tensor.Value) error {
	m, dims, what := len(b.shape), x.Dims(), "crops"
	if b.toBatch {
		what = "paddings"
	}
	if len(dims) < m+1 {
		return status.Invalid("input rank should be >= %d instead of %d", m+1, len(dims))
	}
	if edges.Rank() != 2 || edges.Dim(0) != m || edges.Dim(1) != 2 {
		return status.Invalid("%s should have shape [%d, 2] instead of %s", what, m, tensor.FormatDims(edges.Dims()))
	}
	size := int64(1)
	for i, n := range b.shape {
		if n < 1 && b.toBatch {
			return status.Invalid("All values in block_shape must be positive, got value, %d at index %d.", n, i)
		}
		if n < 1 {
			return status.Invalid("Product of block sizes must be positive, got %d", n)
		}
		if size > math.MaxInt64/n {
			return status.Invalid("Product of block sizes must be less than 2^63")
		}
		size *= n
	}
	b.other = slices.Clone(dims)
	if b.toBatch {
		b.space, b.batch = dims, b.other
		if dims[0] > 0 && size > math.MaxInt64/dims[0] {
			return status.Invalid("Product of block sizes and batch must be less than 2^63")
		}
		b.batch[0] *= size
	} else {
		b.space, b.batch = b.other, dims
		if dims[0]%size != 0 {
			return status.Invalid("Input batch dimension (%d) is not divisible by product of block sizes (%d)", dims[0], size)
		}
		b.space[0] /= size
	}
	e := kernel.AppendInts(nil, edges)
	for i, n := range b.shape {
		before, after := e[2*i], e[2*i+1]
		if before < 0 || after < 0 {
			return status.Invalid("%s must be non-negative", strings.ToUpper(what[:1])+what[1:])
		}
		b.before = append(b.before, before)
		if before > math.MaxInt64-after || b.toBatch && before+after > math.MaxInt64-dims[i+1] || !b.toBatch && dims[i+1] > math.MaxInt64/n {
			return status.Invalid("%s of dimension %d are too large: %d, %d", what, i, before, after)
		}
		if b.toBatch {
			padded := dims[i+1] + before + after
			if padded%n != 0 {
				return status.Invalid("padded_shape[%d]=%d is not divisible by block_shape[%[1]d]=%[3]d", i, padded, n)
			}
			b.batch[i+1] = padded / n
			continue
		}
		if b.space[i+1] = dims[i+1]*n - before - after; b.space[i+1] < 0 {
			return status.Invalid("cropped_shape[%d]=%d must be non-negative", i, b.space[i+1])
		}
	}
	return nil
}

// move copies the elements of each place in a block, which are neighbours in
// the batch.
func (b *blockMove) move(ctx *kernel.Context, dst, src *tensor.Value) error {
	m := len(b.shape)
	at := make([]int64, m) // in a block
	for k := int64(0); ; k++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		space, batch := strided.Of(b.space), strided.Of(b.batch)
		batch.Slice(0, int(k*b.space[0]), 1, int(b.space[0]))
		for i, n := range b.shape {
			// Place j of the batch is element j·n + at - before of space.
			first := max(0, (b.before[i]-at[i]+n-1)/n)
			end := min(b.batch[i+1], (b.space[i+1]+b.before[i]-at[i]+n-1)/n)
			count := int(max(0, end-first))
			start := 0
			if count > 0 {
				start = int(first*n + at[i] - b.before[i])
			} else {
				first = 0
			}
			batch.Slice(i+1, int(first), 1, count)
			space.Slice(i+1, start, int(n), count)
		}
		to, from := batch, space
		if !b.toBatch {
			to, from = space, batch
		}
		if to.Len() > 0 {
			if err := strided.Copy(ctx, dst, to, src, from); err != nil {
				return err
			}
		}
		i := m - 1
		for ; i >= 0; i-- {
			if at[i]++; at[i] < b.shape[i] {
				break
			}
			at[i] = 0
		}
		if i < 0 {
			return nil
		}
	}
}
