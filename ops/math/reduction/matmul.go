package reduction

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
	registry.Define("MatMul").
		Input("a: T").Input("b: T").Output("product: T").
		Attr("transpose_a: bool = false").
		Attr("transpose_b: bool = false").
		Attr("T: {bfloat16, half, float, double, int32, int64, uint8, uint16, uint32, uint64, complex64, complex128}").
		Attr("grad_a: bool = false").
		Attr("grad_b: bool = false").
		Doc(`Multiplies two matrices, either of which may be transposed first.

a: A matrix.
b: A matrix with as many rows as a has columns, both after they are transposed.
transpose_a: Whether to transpose a.
transpose_b: Whether to transpose b.`)
	registry.Define("SparseMatMul").
		Input("a: Ta").Input("b: Tb").Output("product: float").
		Attr("transpose_a: bool = false").
		Attr("transpose_b: bool = false").
		Attr("a_is_sparse: bool = false").
		Attr("b_is_sparse: bool = false").
		Attr("Ta: {float, bfloat16} = DT_FLOAT").
		Attr("Tb: {float, bfloat16} = DT_FLOAT").
		Doc(`Multiplies two matrices of which one, or both, hold many zeros.

a: A matrix.
b: A matrix.
product: Their product, as an ordinary matrix.
transpose_a: Whether to transpose a.
transpose_b: Whether to transpose b.
a_is_sparse: Whether a holds many zeros; a hint.
b_is_sparse: Whether b holds many zeros; a hint.`)

	for _, dt := range []tensor.DType{
		tensor.Half, tensor.Bfloat16, tensor.Float, tensor.Double, tensor.Int16, tensor.Int32, tensor.Int64,
		tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64, tensor.Complex64, tensor.Complex128,
	} {
		kernel.ForType("MatMul", "T", dt, func(c *kernel.Construction) (kernel.Kernel, error) {
			return newMatMul(matrices{dt, c.Bool("transpose_a"), c.Bool("transpose_b"), c.Constant&2 > 0}), nil
		})
	}
	kernel.ForAll(newSparseMatMul, "SparseMatMul")

	gradient.Register(matMulGradient, "MatMul")
	gradient.Register(sparseMatMulGradient, "SparseMatMul")
}

// sparseMatMulGradient is that of MatMul, where each operand has a type and says
// whether it is sparse.
func sparseMatMulGradient(c *gradient.Context) {
	if !c.Has(0) {
		return
	}
	type operand struct {
		graph.Output
		transpose, sparse bool
	}
	a := operand{c.Input(0), c.Bool("transpose_a"), c.Bool("a_is_sparse")}
	b := operand{c.Input(1), c.Bool("transpose_b"), c.Bool("b_is_sparse")}
	dz := operand{c.Dy(0), false, false}
	transposed := func(o operand) operand { o.transpose = !o.transpose; return o }
	set := func(i int, x, y operand) {
		c.Set(i, c.Cast(c.Op("SparseMatMul", graph.Attrs{
			"transpose_a": x.transpose, "transpose_b": y.transpose,
			"a_is_sparse": x.sparse, "b_is_sparse": y.sparse,
		}, x.Output, y.Output), c.Input(i).DataType()))
	}
	switch {
	case !c.Wants(0):
	case a.transpose:
		set(0, b, transposed(dz))
	default:
		set(0, dz, transposed(b))
	}
	switch {
	case !c.Wants(1):
	case b.transpose:
		set(1, transposed(dz), a)
	default:
		set(1, transposed(a), dz)
	}
}

// matMulGradient: of z = xy, dx = dz·y' and dy = x'·dz, and so on for operands that
// are transposed.
func matMulGradient(c *gradient.Context) {
	if !c.Has(0) {
		return
	}
	product := func(a graph.Output, ta bool, b graph.Output, tb bool) graph.Output {
		return c.Op("MatMul", graph.Attrs{"transpose_a": ta, "transpose_b": tb}, a, b)
	}
	x, y, dz := c.Conj(c.Input(0)), c.Conj(c.Input(1)), c.Dy(0)
	tx, ty := c.Bool("transpose_a"), c.Bool("transpose_b")
	isReal := y == c.Input(1)
	turned := ty
	if isReal && !tx && !ty && c.Wants(0) {
		if y, turned = c.Turned(y); !turned {
			y = c.Input(1)
		}
	}
	switch {
	case !c.Wants(0):
	case tx:
		c.Set(0, product(y, ty, dz, true))
	default:
		c.Set(0, product(dz, false, y, !turned))
	}
	switch {
	case !c.Wants(1):
	case isReal && !tx && !ty:
		c.SetProduct(1, x, dz)
	case isReal && !tx:
		c.SetProduct(1, dz, x)
	case ty:
		c.Set(1, product(dz, true, x, tx))
	default:
		c.Set(1, product(x, !tx, dz, false))
	}
}

// matrices says how the operands of a product are to be taken.
type matrices struct {
	dt             tensor.DType
	transA, transB bool
	constant       bool // the right one
}

// newMatMul returns the kernel of MatMul for elements of m.dt.
func newMatMul(m matrices) kernel.Kernel {
	switch m.dt {
	case tensor.Float:
		return &matMulFloat{matMul{m, typedProductOf[float32](m)}}
	case tensor.Double:
		return &matMul{m, typedProductOf[float64](m)}
	case tensor.Int32:
		return &matMul{m, typedProductOf[int32](m)}
	case tensor.Int64, tensor.Uint64: // the same bits
		return &matMul{m, typedProductOf[int64](m)}
	case tensor.Complex64:
		return &matMul{m, typedProductOf[complex64](m)}
	case tensor.Complex128:
		return &matMul{m, typedProductOf[complex128](m)}
	}
	dt := m.dt
	m.constant = false // what is converted is another tensor each time
	if dt == tensor.Half || dt == tensor.Bfloat16 {
		m.dt = tensor.Float
		return elementwise.Widen(dt, newMatMul(m))
	}
	m.dt = elementwise.Wider(dt)
	return elementwise.WidenIntegers(dt, newMatMul(m), 0)
}

// A matMul is the kernel of MatMul.
type matMul struct {
	matrices
	typedProduct
}

// A typedProduct is products of matrices of one type.
type typedProduct interface {
	multiply(ctx *kernel.Context, p *matrices, m, n, k int, in, out []tensor.Value) error
	prepare(p *matrices, dims []int64, m, n, k, ldx, ldy int) (kernel.Prepared, bool)
}

// A product of matrices with elements T.
type productsOf[T vec.Number] struct {
	right *constantRight[T] // nil unless it is constant
}

func typedProductOf[T vec.Number](m matrices) typedProduct {
	if m.constant {
		return productsOf[T]{&constantRight[T]{}}
	}
	return productsOf[T]{}
}

func (t productsOf[T]) multiply(ctx *kernel.Context, p *matrices, m, n, k int, in, out []tensor.Value) error {
	x, y, o := tensor.Elements[T](in[0].Memory()), tensor.Elements[T](in[1].Memory()), tensor.Elements[T](out[0].Memory())
	return panels(ctx, ctx.Step.Pool, p, m, n, k, x, in[0].Dim(1), y, in[1].Dim(1), t.right.of(ctx, p.transB, m, n, k, in[1], y, in[1].Dim(1)), o, n)
}

func (t productsOf[T]) prepare(p *matrices, dims []int64, m, n, k, ldx, ldy int) (kernel.Prepared, bool) {
	if right := t.right.kept(m); right != nil && p.transB {
		return elementwise.Prepared(p.dt, dims, func(o, x, y []T) {
			vec.GemmRight(nil, p.transA, true, m, n, k, x, ldx, y, ldy, right, o, n)
		})
	}
	return elementwise.Prepared(p.dt, dims, vec.GemmAgain[T](p.transA, p.transB, m, n, k, ldx, ldy, n))
}

func (p *matMul) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	for i := range 2 {
		if in[i].Rank() != 2 {
			return status.Invalid("In[%d] is not a matrix. Instead it has shape %s", i, tensor.FormatDims(in[i].Dims()))
		}
	}
	m, n, k, ok := p.sizes(in)
	if !ok {
		return status.Invalid("Matrix size-incompatible: In[0]: %s, In[1]: %s", tensor.FormatDims(in[0].Dims()), tensor.FormatDims(in[1].Dims()))
	}
	dims := [2]int64{int64(m), int64(n)}
	v, err := ctx.Alloc(p.dt, dims[:])
	if err != nil {
		return err
	}
	out[0] = v
	if v.NumElements() == 0 {
		return nil
	}
	return p.multiply(ctx, &p.matrices, m, n, k, in, out)
}

// panels returns a product of matrices. Of large ones that are not shared out in small parts
// anyway it computes a block at a time, asking in between whether to stop.
func panels[T vec.Number](ctx *kernel.Context, pool kernel.Pool, p *matrices, m, n, k int, x []T, ldx int, y []T, ldy int, right *vec.Right[T], o []T, ldo int) error {
	rows, cols := m, n
	most := 1 << 22 // multiplications in some milliseconds
	if p.dt == tensor.Float || p.dt == tensor.Double {
		if most <<= 9; pool != nil && pool.Workers() > 1 {
			most = 1 << 62 // it is shared out in small parts
			pool = vec.PoolOf(ctx, m, n, k)
		}
	} else if k > 0 {
		cols = min(n, max(64, most/k))
	}
	if cols*k > 0 && m > most/(cols*k) {
		rows = max(1, most/(cols*k))
	}
	for j := 0; j < n; j += cols {
		to := j
		if p.transB {
			to = j * ldy
		}
		for i := 0; i < m; i += rows {
			from := i * ldx
			if p.transA {
				from = i
			}
			vec.GemmRight(pool, p.transA, p.transB, min(rows, m-i), min(cols, n-j), k, x[from:], ldx, y[to:], ldy, right, o[i*ldo+j:], ldo)
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	}
	return nil
}

// preparedWork is how many multiplications at most a prepared product takes:
// some microseconds of them, which nobody shares out.
const preparedWork = 1 << 18

// Prepare makes a small product ready.
func (p *matMul) Prepare(in []tensor.Value, _ uint64) (kernel.Prepared, bool) {
	if in[0].Rank() != 2 || in[1].Rank() != 2 {
		return kernel.Prepared{}, false
	}
	m, n, k, ok := p.sizes(in)
	if !ok || m == 0 || n == 0 || m > preparedWork || n > preparedWork/m || k > preparedWork/(m*n) {
		return kernel.Prepared{}, false
	}
	return p.prepare(&p.matrices, []int64{int64(m), int64(n)}, m, n, k, in[0].Dim(1), in[1].Dim(1))
}

// sizes are those of the product of an m×k and a k×n matrix.
func (p *matrices) sizes(in []tensor.Value) (m, n, k int, ok bool) {
	return p.sizesOf(in[0].Dims(), in[1].Dims())
}

// sizesOf is sizes of operands of shapes a and b.
func (p *matrices) sizesOf(a, b []int64) (m, n, k int, ok bool) {
	if len(a) < 2 || len(b) < 2 {
		return 0, 0, 0, false
	}
	a, b = a[len(a)-2:], b[len(b)-2:]
	m, k = int(a[0]), int(a[1])
	if p.transA {
		m, k = k, m
	}
	l, n := int(b[0]), int(b[1])
	if p.transB {
		l, n = n, l
	}
	return m, n, k, k == l
}

// newSparseMatMul multiplies as MatMul does: skipping zeros would save time
// only where nearly all are.
func newSparseMatMul(c *kernel.Construction) (kernel.Kernel, error) {
	k := newMatMul(matrices{dt: tensor.Float, transA: c.Bool("transpose_a"), transB: c.Bool("transpose_b")})
	if c.Type("Ta") == tensor.Float && c.Type("Tb") == tensor.Float {
		return k, nil
	}
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		var wide [2]tensor.Value
		for i := range wide {
			if in[i].DType() == tensor.Float {
				wide[i] = in[i]
				continue
			}
			v, err := ctx.Alloc(tensor.Float, in[i].Dims())
			if err != nil {
				return err
			}
			wide[i] = v
			defer ctx.Free(v)
			ctx.Parallel(v.NumElements(), elementwise.Grain, func(lo, hi int) {
				elementwise.FromNarrow(tensor.Of[float32](&v)[lo:hi], &in[i], lo)
			})
		}
		return k.Run(ctx, wide[:], out)
	}), nil
}
