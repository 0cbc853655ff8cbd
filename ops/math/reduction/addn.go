package reduction

import (
	"slices"

	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/kernel/variant"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("AddN").
		Input("inputs: N * T").Output("sum: T").
		Traits(registry.Addition).
		Attr("N: int >= 1").
		Attr("T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64, variant}").
		Commutative().
		Aggregate().
		Doc("Adds up tensors of one shape and type.")
	registry.Define("AccumulateNV2").
		Input("inputs: N * T").Output("sum: T").
		Attr("N: int >= 1").
		Attr("T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}").
		Attr("shape: shape").
		Commutative().
		Aggregate().
		Doc(`Adds up tensors of one shape and type.

shape: Their shape.`)

	for _, op := range []string{"AddN", "AccumulateNV2"} {
		kernel.ForTypes(op, "T", newAddN, elementwise.Numbers...)
	}
	kernel.Register(kernel.Registration{Op: "AddN", Types: map[string][]tensor.DType{"T": {tensor.Variant}}, Holders: true,
		New: func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(addVariants), nil }})

	gradient.Register(func(c *gradient.Context) {
		for i := range c.NumInputs() {
			c.Pass(0, i)
		}
	}, "AddN", "AccumulateNV2")
}

func newAddN(dt tensor.DType) kernel.Kernel {
	switch dt {
	case tensor.Float:
		return &addN{dt, addFloats, addFloatsInto}
	case tensor.Double:
		return &addN{dt, sumOf[float64], sumIntoOf[float64]}
	case tensor.Half, tensor.Bfloat16:
		return elementwise.Widen(dt, newAddN(tensor.Float))
	case tensor.Int8, tensor.Uint8: // with and without a sign, the bits are the same
		return &addN{dt, sumOf[int8], sumIntoOf[int8]}
	case tensor.Int16, tensor.Uint16:
		return &addN{dt, sumOf[int16], sumIntoOf[int16]}
	case tensor.Int32, tensor.Uint32:
		return &addN{dt, sumOf[int32], sumIntoOf[int32]}
	case tensor.Int64, tensor.Uint64:
		return &addN{dt, sumOf[int64], sumIntoOf[int64]}
	case tensor.Complex64:
		return &addN{dt, sumOf[complex64], sumIntoOf[complex64]}
	case tensor.Complex128:
		return &addN{dt, sumOf[complex128], sumIntoOf[complex128]}
	}
	return nil
}

// An addN adds its inputs in their order.
type addN struct {
	dt   tensor.DType
	sum  func(o, x, y tensor.Memory, lo, hi int) // sets elements lo to hi-1 of o to x + y
	into func(o, x tensor.Memory, lo, hi int)    // adds those of x to those of o
}

func (k *addN) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	if len(in) == 0 {
		return status.Invalid("AddN needs at least one input")
	}
	for i := range in {
		if !tensor.SameShape(in[0], in[i]) {
			return status.Invalid("Inputs to operation AddN must have the same size and shape.  Input 0: %s != input %d: %s",
				tensor.FormatDims(in[0].Dims()), i, tensor.FormatDims(in[i].Dims()))
		}
	}
	if len(in) == 1 {
		out[0] = in[0]
		return nil
	}
	if len(in) == 2 {
		return k.two(ctx, in, out)
	}
	all := slices.Clone(in) // the first may be moved to the result
	x := make([]tensor.Memory, len(in))
	for i := range all {
		x[i] = all[i].Memory()
	}
	v, err := ctx.ReuseOrAlloc(in, 0, k.dt, all[0].Dims())
	if err != nil {
		return err
	}
	out[0] = v
	o := out[0].Memory()
	ctx.Parallel(o.Len(), elementwise.Grain, func(lo, hi int) {
		if ctx.Err() != nil {
			return
		}
		k.sum(o, x[0], x[1], lo, hi)
		for _, x := range x[2:] {
			k.into(o, x, lo, hi)
		}
	})
	return ctx.Err()
}

// Tile is that of a chain of sums.
func (k *addN) Tile(in []kernel.TileInput, inner int) kernel.Tiling {
	var links []elementwise.Link[float32]
	for i := range in {
		switch {
		case in[i].DType != tensor.Float || !slices.Equal(in[i].Dims, in[0].Dims):
			return kernel.Tiling{}
		case i == 1:
			links = append(links, elementwise.Link[float32]{Two: floatSums{}, X: 0, Y: 1})
		case i > 1:
			links = append(links, elementwise.Link[float32]{Two: floatSums{}, X: len(in) + i - 2, Y: i})
		}
	}
	if len(in) < 2 {
		return kernel.Tiling{Dims: in[0].Dims}
	}
	return elementwise.TileLinks(links, in, inner)
}

// Elementwise says that it is, for tiles.
func (k *addN) Elementwise() {}

// floatSums are the loops of sums.
type floatSums struct{}

func (floatSums) VV(o, x, y []float32)                   { vec.Add(o, x, y) }
func (floatSums) VS(o, x []float32, y float32)           { vec.AddScalar(o, x, y) }
func (floatSums) SV(o []float32, x float32, y []float32) { vec.AddScalar(o, y, x) }

// two adds two tensors, as most sums do, and leaves nothing to the collector.
func (k *addN) two(ctx *kernel.Context, in, out []tensor.Value) (err error) {
	a, b := in[0], in[1]
	if out[0], err = ctx.ReuseOrAlloc(in, 0, k.dt, a.Dims()); err != nil {
		return err
	}
	if n := a.NumElements(); n <= elementwise.Grain {
		k.sum(out[0].Memory(), a.Memory(), b.Memory(), 0, n)
		return nil
	}
	return k.twoLarge(ctx, a, b, &out[0])
}

func (k *addN) twoLarge(ctx *kernel.Context, a, b tensor.Value, out *tensor.Value) error {
	x, y, o := a.Memory(), b.Memory(), out.Memory()
	ctx.Parallel(o.Len(), elementwise.Grain, func(lo, hi int) {
		if ctx.Err() == nil {
			k.sum(o, x, y, lo, hi)
		}
	})
	return ctx.Err()
}

func addFloats(o, x, y tensor.Memory, lo, hi int) {
	vec.Add(tensor.Elements[float32](o)[lo:hi], tensor.Elements[float32](x)[lo:hi], tensor.Elements[float32](y)[lo:hi])
}

func addFloatsInto(o, x tensor.Memory, lo, hi int) { addFloats(o, o, x, lo, hi) }

func sumOf[T elementwise.Number](to, a, b tensor.Memory, lo, hi int) {
	o, x, y := tensor.Elements[T](to)[lo:hi], tensor.Elements[T](a)[lo:hi], tensor.Elements[T](b)[lo:hi]
	x, y = x[:len(o)], y[:len(o)]
	for i := range o {
		o[i] = x[i] + y[i]
	}
}

func sumIntoOf[T elementwise.Number](o, x tensor.Memory, lo, hi int) {
	addInto(tensor.Elements[T](o)[lo:hi], tensor.Elements[T](x)[lo:hi])
}

// Prepare makes a sum of small tensors ready.
func (k *addN) Prepare(in []tensor.Value, _ uint64) (kernel.Prepared, bool) {
	for i := range in {
		if !tensor.SameShape(in[0], in[i]) {
			return kernel.Prepared{}, false
		}
	}
	if len(in) < 2 {
		return kernel.Prepared{}, false
	}
	dims := in[0].Dims()
	if len(in) == 2 && k.dt == tensor.Float {
		return elementwise.Prepared(k.dt, dims, vec.Add)
	}
	return kernel.OneOut(k.dt, dims, func(_ *kernel.Context, in, out []tensor.Value) {
		o := out[0].Memory()
		k.sum(o, in[0].Memory(), in[1].Memory(), 0, o.Len())
		for i := 2; i < len(in); i++ {
			k.into(o, in[i].Memory(), 0, o.Len())
		}
	})
}

func addVariants(ctx *kernel.Context, in, out []tensor.Value) error {
	var sum tensor.Value
	for i := range in {
		if !in[i].IsScalar() {
			return status.Invalid("AddN of non-scalar tensor with dtype=variant is not supported: input %d has shape %s", i, tensor.FormatDims(in[i].Dims()))
		}
		if i == 0 {
			sum = in[i]
			continue
		}
		if i == 1 && len(in) == 2 {
			if done, err := variant.AddTo(ctx, in, &out[0], &in[1]); done || err != nil {
				return err
			}
		}
		z, err := variant.Add(ctx, &sum, &in[i], 0)
		if err != nil {
			return err
		}
		if i > 1 {
			ctx.Free(sum)
		}
		sum = z
	}
	out[0] = sum
	return nil
}
