package reduction

import (
	"slices"

	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/ops/math/cast"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("BatchMatMul").
		Input("x: T").Input("y: T").Output("output: T").
		Attr("T: {bfloat16, half, float, double, int32, int64, complex64, complex128}").
		Attr("adj_x: bool = false").
		Attr("adj_y: bool = false").
		Attr("grad_x: bool = false").
		Attr("grad_y: bool = false").
		Doc(`Multiplies the matrices in the last two dimensions of two tensors whose other dimensions are equal.

adj_x: Whether to transpose and conjugate each matrix of x.
adj_y: Whether to transpose and conjugate each matrix of y.`)
	registry.Define("BatchMatMulV2").
		Input("x: T").Input("y: T").Output("output: T").
		Attr("T: {bfloat16, half, float, double, int16, int32, int64, uint8, uint16, uint32, uint64, complex64, complex128}").
		Attr("adj_x: bool = false").
		Attr("adj_y: bool = false").
		Attr("grad_x: bool = false").
		Attr("grad_y: bool = false").
		Doc(`Multiplies the matrices in the last two dimensions of two tensors, with broadcasting of the others.

adj_x: Whether to transpose and conjugate each matrix of x.
adj_y: Whether to transpose and conjugate each matrix of y.`)
	registry.Define("BatchMatMulV3").
		Input("x: Ta").Input("y: Tb").Output("output: Tout").
		Attr("Ta: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, complex128}").
		Attr("Tb: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, complex128}").
		Attr("Tout: {bfloat16, half, float, double, int16, int32, int64, complex64, complex128}").
		Attr("adj_x: bool = false").
		Attr("adj_y: bool = false").
		Attr("grad_x: bool = false").
		Attr("grad_y: bool = false").
		Doc(`Multiplies the matrices in the last two dimensions of two tensors, perhaps of different types, with broadcasting of the others.

Tout: The type of the product.
adj_x: Whether to transpose and conjugate each matrix of x.
adj_y: Whether to transpose and conjugate each matrix of y.`)

	kernel.ForAll(newBatchMatMul, "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3")

	gradient.Register(batchMatMulGradient, "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3")
}

// batchMatMulGradient is that of MatMul with adjoints for transposes; dimensions of
// the batch may have been spread.
func batchMatMulGradient(c *gradient.Context) {
	if !c.Has(0) {
		return
	}
	x, y, dz := c.Input(0), c.Input(1), c.Dy(0)
	ax, ay := c.Bool("adj_x"), c.Bool("adj_y")
	set := func(i int, a graph.Output, aa bool, b graph.Output, ab bool) {
		attrs := graph.Attrs{"adj_x": aa, "adj_y": ab}
		if c.Node().Type() == "BatchMatMulV3" {
			attrs["Tout"] = c.Input(i).DataType()
		}
		c.Set(i, c.SumTo(c.Op(c.Node().Type(), attrs, a, b), c.Input(i)))
	}
	switch {
	case !c.Wants(0):
	case ax:
		set(0, y, ay, dz, true)
	default:
		set(0, dz, false, y, !ay)
	}
	switch {
	case !c.Wants(1):
	case ay:
		set(1, dz, true, x, ax)
	default:
		set(1, x, !ax, dz, false)
	}
}

func newBatchMatMul(c *kernel.Construction) (kernel.Kernel, error) {
	ta, tb, to := c.Type("T"), c.Type("T"), c.Type("T")
	if c.Op.Name == "BatchMatMulV3" {
		ta, tb, to = c.Type("Ta"), c.Type("Tb"), c.Type("Tout")
	}
	// Narrow and mixed operands are converted: products are of one type.
	dt := to
	if dt == tensor.Half || dt == tensor.Bfloat16 {
		dt = tensor.Float
	}
	var err error
	p := &batchMatMul{matrices: matrices{dt: dt, transA: c.Bool("adj_x"), transB: c.Bool("adj_y")}, broadcast: c.Op.Name != "BatchMatMul"}
	if dt == elementwise.Wider(dt) {
		p.multiply = gemmOf(dt)
	} else if wide := gemmOf(elementwise.Wider(dt)); wide != nil && dt != tensor.Int8 {
		p.dt = elementwise.Wider(dt)
		dt, p.multiply = p.dt, wide
	}
	switch dt {
	case tensor.Complex64:
		p.conj = conj64
	case tensor.Complex128:
		p.conj = conj128
	}
	if p.multiply == nil {
		return nil, status.Errorf(status.Unimplemented, "operation %s has no kernel for %v yet", c.Op.Name, to)
	}
	for i, t := range []tensor.DType{ta, tb} {
		if p.convert[i], err = newConversion(c, t, dt); err != nil {
			return nil, err
		}
	}
	p.round, err = newConversion(c, dt, to)
	return p, err
}

// newConversion returns the kernel of Cast, nil if there is nothing to convert.
func newConversion(c *kernel.Construction, from, to tensor.DType) (kernel.Kernel, error) {
	if from == to {
		return nil, nil
	}
	return cast.New(&kernel.Construction{Node: c.Node, Op: c.Op, Device: c.Device, Attrs: registry.Attrs{
		{Name: "DstT", Value: registry.TypeAttr(to)},
		{Name: "SrcT", Value: registry.TypeAttr(from)},
	}})
}

// A batchMatMul is the kernel of the products of many matrices.
type batchMatMul struct {
	matrices
	broadcast bool
	multiply  gemmFunc
	conj      func(ctx *kernel.Context, v *tensor.Value) (tensor.Value, error) // nil for real numbers
	convert   [2]kernel.Kernel
	round     kernel.Kernel
}

func (p *batchMatMul) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	for i := range 2 {
		if in[i].Rank() < 2 {
			return status.Invalid("In[%d] ndims must be >= 2: %d", i, in[i].Rank())
		}
	}
	x, y := in[0].Dims(), in[1].Dims()
	if !p.broadcast && (len(x) != len(y) || !slices.Equal(x[:len(x)-2], y[:len(y)-2])) {
		return status.Invalid("In[0] and In[1] must have compatible batch dimensions: %s vs. %s", tensor.FormatDims(x), tensor.FormatDims(y))
	}
	b, err := elementwise.NewBroadcast(x[:len(x)-2], y[:len(y)-2])
	if err != nil {
		return status.Invalid("In[0] and In[1] must have compatible batch dimensions: %s vs. %s", tensor.FormatDims(x), tensor.FormatDims(y))
	}
	m, n, k, ok := p.sizes(in)
	if !ok {
		return status.Invalid("Matrix size-incompatible: In[0]: %s, In[1]: %s", tensor.FormatDims(x), tensor.FormatDims(y))
	}
	var buf [8]int64
	v, err := ctx.Alloc(p.dt, append(append(buf[:0], b.Dims...), int64(m), int64(n)))
	if err != nil {
		return err
	}
	ops := []tensor.Value{in[0], in[1]}
	for i := range ops {
		if p.convert[i] != nil {
			one := []tensor.Value{{}}
			if err := p.convert[i].Run(ctx, ops[i:i+1], one); err != nil {
				return err
			}
			ops[i] = one[0]
			defer ctx.Free(one[0])
		}
		if p.conj != nil && (i == 0 && p.transA || i == 1 && p.transB) {
			if ops[i], err = p.conj(ctx, &ops[i]); err != nil {
				return err
			}
			defer ctx.Free(ops[i])
		}
	}
	out[0] = v
	if v.NumElements() > 0 {
		if err := p.multiply(ctx, &p.matrices, b, ops, out, m, n, k); err != nil {
			return err
		}
	}
	if p.round != nil {
		wide := []tensor.Value{out[0]}
		defer ctx.Free(wide[0])
		return p.round.Run(ctx, wide, out)
	}
	return nil
}

// A gemmFunc multiplies pairs of matrices: side by side where there are many, or where
// they are small; a few large ones one after the other, each shared out.
type gemmFunc func(ctx *kernel.Context, p *matrices, b *elementwise.Broadcast, in, out []tensor.Value, m, n, k int) error

// gemmOf returns the products of matrices of dt; nil if there are none.
func gemmOf(dt tensor.DType) gemmFunc {
	switch dt {
	case tensor.Float:
		return gemm[float32]
	case tensor.Double:
		return gemm[float64]
	case tensor.Int32:
		return gemm[int32]
	case tensor.Int64, tensor.Uint64: // the same bits
		return gemm[int64]
	case tensor.Complex64:
		return gemm[complex64]
	case tensor.Complex128:
		return gemm[complex128]
	}
	return nil
}

// gemm is the gemmFunc of a type.
func gemm[T vec.Number](ctx *kernel.Context, p *matrices, b *elementwise.Broadcast, in, out []tensor.Value, m, n, k int) error {
	x, y, o := tensor.Elements[T](in[0].Memory()), tensor.Elements[T](in[1].Memory()), tensor.Elements[T](out[0].Memory())
	ldx, ldy := in[0].Dim(in[0].Rank()-1), in[1].Dim(in[1].Rank()-1)
	multiply := func(pool kernel.Pool, lo, hi int) {
		b.Pairs(lo, hi, func(i, xi, yi int) {
			if ctx.Err() == nil { // the error is asked for below
				_ = panels(ctx, pool, p, m, n, k, x[xi*m*k:], ldx, y[yi*k*n:], ldy, nil, o[i*m*n:(i+1)*m*n], n)
			}
		})
	}
	batch := len(o) / (m * n)
	const (
		enough = 1 << 16 // multiplications that are worth a worker's attention
		large  = 1 << 20 // those of which a product is shared out well
		many   = 4       // matrices for each worker, so that none waits long for the last
	)
	if one := m * n * max(k, 1); batch > 1 && (one < large || batch >= many*ctx.Step.Pool.Workers()) {
		vec.Expect[T](ctx.Step.Pool, batch*m, n, k)
		ctx.Parallel(batch, max(1, enough/one), func(lo, hi int) { multiply(nil, lo, hi) })
	} else {
		multiply(ctx.Step.Pool, 0, batch)
	}
	return ctx.Err()
}

func conj64(ctx *kernel.Context, v *tensor.Value) (tensor.Value, error) {
	w, err := ctx.Alloc(v.DType(), v.Dims())
	if err != nil {
		return w, err
	}
	o := tensor.Of[complex64](&w)
	for i, x := range tensor.Of[complex64](v) {
		o[i] = complex(real(x), -imag(x))
	}
	return w, nil
}

func conj128(ctx *kernel.Context, v *tensor.Value) (tensor.Value, error) {
	w, err := ctx.Alloc(v.DType(), v.Dims())
	if err != nil {
		return w, err
	}
	o := tensor.Of[complex128](&w)
	for i, x := range tensor.Of[complex128](v) {
		o[i] = complex(real(x), -imag(x))
	}
	return w, nil
}
