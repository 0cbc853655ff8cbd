package nn

import (
	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("BiasAdd").
		Input("value: T").Input("bias: T").Output("output: T").
		Attr("T: numbertype").
		Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'").
		Doc(`Adds a number to each channel.

bias: A vector, of the size of the channels.
data_format: Where the channels are: the last dimension, or the second with NCHW.`)
	registry.Define("BiasAddGrad").
		Input("out_backprop: T").Output("output: T").
		Attr("T: numbertype").
		Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'").
		Doc(`Adds up a gradient over all dimensions but the channels.

data_format: Where the channels are: the last dimension, or the second with NCHW.`)
	registry.Define("BiasAddV1").
		Input("value: T").Input("bias: T").Output("output: T").
		Attr("T: numbertype").
		Doc(`Adds a vector to the last dimension.

bias: The vector, of the size of that dimension.`)

	for _, op := range []string{"BiasAdd", "BiasAddV1", "BiasAddGrad"} {
		for _, dt := range elementwise.Numbers {
			kernel.ForType(op, "T", dt, newBias)
		}
	}

	gradient.Register(func(c *gradient.Context) {
		if c.Pass(0, 0); c.Has(0) && c.Wants(1) {
			c.Set(1, c.Op("BiasAddGrad", c.Attrs("data_format"), c.Dy(0)))
		}
	}, "BiasAdd")
	gradient.Register(func(c *gradient.Context) {
		if c.Pass(0, 0); c.Has(0) && c.Wants(1) {
			c.Set(1, c.Apply("Sum", c.Dy(0), c.Range(c.Sub(c.Rank(c.Dy(0)), c.Const(int32(1))))))
		}
	}, "BiasAddV1")
	gradient.Unary(func(c *gradient.Context, x, _, dy graph.Output) graph.Output {
		if c.Str("data_format") == "NCHW" { // channels are second
			n := c.Apply("ExpandDims", c.Sub(c.Rank(x), c.Const(int32(2))), c.Const(int32(0)))
			ones := c.Apply("Fill", n, c.Const(int32(1)))
			dy = c.Reshape(dy, c.Op("ConcatV2", nil, graph.OutputList{c.Int32s(-1), ones}, c.Const(int32(0))))
		}
		return c.Apply("BroadcastTo", dy, c.Shape(x))
	}, "BiasAddGrad")
}

func newBias(c *kernel.Construction) (kernel.Kernel, error) {
	switch dt := c.Type("T"); dt {
	case tensor.Float:
		return newBiasOf[float32](c), nil
	case tensor.Double:
		return newBiasOf[float64](c), nil
	case tensor.Half, tensor.Bfloat16:
		return elementwise.Widen(dt, newBiasOf[float32](c)), nil
	case tensor.Int8, tensor.Int16, tensor.Int32, tensor.Uint8, tensor.Uint16:
		return elementwise.WidenIntegers(dt, newBiasOf[int32](c), 0), nil
	case tensor.Int64, tensor.Uint32, tensor.Uint64: // with and without a sign, the bits are the same
		return elementwise.WidenIntegers(dt, newBiasOf[int64](c), 0), nil
	case tensor.Complex64:
		return newBiasOf[complex64](c), nil
	case tensor.Complex128:
		return newBiasOf[complex128](c), nil
	}
	return available(c, nil)
}

func newBiasOf[T elementwise.Number](c *kernel.Construction) kernel.Kernel {
	second := c.Str("data_format") == "NCHW"
	if c.Op.Name == "BiasAddGrad" {
		return biasGradient{second, addRows[T]}
	}
	var sums elementwise.Loops[T, T] = plus[T]{}
	if s, ok := any(plusFloat{}).(elementwise.Loops[T, T]); ok {
		sums = s
	}
	return &biasAdd{second, elementwise.PairwiseOf(sums)}
}

// A biasAdd is the kernel of BiasAdd.
type biasAdd struct {
	second bool // whether the channels are the second dimension, not the last
	sums   elementwise.Pairwise
}

// plus is the loops of a sum.
type plus[T elementwise.Number] struct{}

func (plus[T]) VV(o, x, y []T) {
	x, y = x[:len(o)], y[:len(o)]
	for i := range o {
		o[i] = x[i] + y[i]
	}
}

func (plus[T]) VS(o, x []T, y T) {
	for i, x := range x[:len(o)] {
		o[i] = x + y
	}
}

func (p plus[T]) SV(o []T, x T, y []T) { p.VS(o, y, x) }

// plusFloat is plus of float32 by the CPU's vectors.
type plusFloat struct{ plus[float32] }

func (plusFloat) VV(o, x, y []float32) { vec.Add(o, x, y) }

// channels returns a tensor seen as outer blocks of so many channels of inner
// elements each.
func channels(dims []int64, second bool) (outer, channels, inner int) {
	at := len(dims) - 1
	if second {
		at = 1
	}
	outer, inner = 1, 1
	for i, d := range dims {
		if i < at {
			outer *= int(d)
		} else if i > at {
			inner *= int(d)
		}
	}
	return outer, int(dims[at]), inner
}

// last reports whether the channels are the last dimension of a tensor of that rank.
func (k *biasAdd) last(rank int) bool { return !k.second || rank == 2 }

func (k *biasAdd) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	dims := in[0].Dims()
	if len(dims) < 2 {
		return status.Invalid("Input tensor must be at least 2D: %s", tensor.FormatDims(dims))
	}
	if in[1].Rank() != 1 {
		return status.Invalid("Biases must be 1D: %s", tensor.FormatDims(in[1].Dims()))
	}
	outer, n, inner := channels(dims, k.second)
	if in[1].NumElements() != n {
		which := "the last dimension"
		if k.second {
			which = "the channel dimension"
		}
		return status.Invalid("Must provide as many biases as %s of the input tensor: %s vs. %s", which,
			tensor.FormatDims(in[1].Dims()), tensor.FormatDims(dims))
	}
	if k.last(len(dims)) { // a sum with broadcasting
		return elementwise.Binary(ctx, in, out, in[0].DType(), k.sums, nil)
	}
	return k.planes(ctx, in, out, n, outer*n, inner)
}

// Prepare makes a sum with broadcasting ready.
func (k *biasAdd) Prepare(in []tensor.Value, _ uint64) (kernel.Prepared, bool) {
	dims := in[0].Dims()
	if len(dims) < 2 || in[1].Rank() != 1 || !k.last(len(dims)) || in[1].Dims()[0] != dims[len(dims)-1] {
		return kernel.Prepared{}, false
	}
	return elementwise.PrepareBinary(in, in[0].DType(), k.sums)
}

// Tile is that of a sum with broadcasting.
func (k *biasAdd) Tile(in []kernel.TileInput, inner int) kernel.Tiling {
	dims, bias := in[0].Dims, in[1].Dims
	if in[0].DType != tensor.Float || len(dims) < 2 || len(bias) != 1 || !k.last(len(dims)) || bias[0] != dims[len(dims)-1] {
		return kernel.Tiling{}
	}
	return elementwise.TileLinks([]elementwise.Link[float32]{{Two: plusFloat{}, X: 0, Y: 1}}, in, inner)
}

// Elementwise says that it is, for tiles.
func (k *biasAdd) Elementwise() {}

// planes adds a number to each of so many planes of inner elements; there is
// a bias for each of n.
func (k *biasAdd) planes(ctx *kernel.Context, in, out []tensor.Value, n, planes, inner int) error {
	all := [2]tensor.Value{in[0], in[1]} // the first may become the result
	x, b := all[0].Memory(), all[1].Memory()
	v, err := ctx.ReuseOrAlloc(in, 0, in[0].DType(), in[0].Dims())
	if err != nil {
		return err
	}
	out[0] = v
	o := out[0].Memory()
	if o.Len() == 0 {
		return nil
	}
	ctx.Parallel(planes, max(1, elementwise.Grain/inner), func(lo, hi int) {
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			k.sums.Pairs(o, x, b, elementwise.Stretch{O: i * inner, X: i * inner, Y: i % n, N: inner, Repeats: elementwise.RepeatsY})
		}
	})
	return ctx.Err()
}

// A biasGradient is the kernel of BiasAddGrad.
type biasGradient struct {
	second bool
	add    func(ctx *kernel.Context, sums tensor.Memory, part, n int, x tensor.Memory, first, last, inner int)
}

// Run adds up blocks of rows, and then the blocks' sums in order.
func (k biasGradient) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	dims := in[0].Dims()
	if len(dims) < 2 {
		return status.Invalid("Input tensor must be at least 2D: %s", tensor.FormatDims(dims))
	}
	outer, n, inner := channels(dims, k.second)
	v, err := ctx.AllocZeroed(in[0].DType(), []int64{int64(n)})
	if err != nil || in[0].NumElements() == 0 {
		out[0] = v
		return err
	}
	out[0] = v
	height := max(16, elementwise.Grain/(n*inner)) // outer blocks of one partial sum
	parts := (outer + height - 1) / height
	partial, err := ctx.AllocZeroed(in[0].DType(), []int64{int64(parts), int64(n)})
	if err != nil {
		return err
	}
	defer ctx.Free(partial)
	x, sums := in[0].Memory(), partial.Memory()
	ctx.Parallel(parts, 1, func(lo, hi int) {
		for p := lo; p < hi && ctx.Err() == nil; p++ {
			k.add(ctx, sums, p, n, x, p*height, min((p+1)*height, outer), inner)
		}
	})
	k.add(ctx, out[0].Memory(), 0, n, sums, 0, parts, 1)
	return ctx.Err()
}

// addRows adds blocks first to last-1 of x, each of n rows of inner elements, to a part of
// sums, which has an element for each row, all zeros.
func addRows[T elementwise.Number](ctx *kernel.Context, to tensor.Memory, part, n int, from tensor.Memory, first, last, inner int) {
	sums, x := tensor.Elements[T](to)[part*n:(part+1)*n], tensor.Elements[T](from)
	if floats, ok := any(sums).([]float32); ok && inner == 1 {
		vec.SumRows(floats, any(x).([]float32)[first*n:last*n])
		return
	}
	for i := first; i < last; i++ {
		ctx.Ask()
		block := x[i*n*inner : (i+1)*n*inner]
		if inner == 1 {
			for j, x := range block {
				sums[j] += x
			}
			continue
		}
		for j := range sums {
			if inner > elementwise.Grain {
				ctx.Ask()
			}
			for _, x := range block[j*inner : (j+1)*inner] {
				sums[j] += x
			}
		}
	}
}
