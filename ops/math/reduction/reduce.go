package reduction

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

const reductionDoc = `

reduction_indices: The axes, as a scalar or a vector; negative ones count from the end. An empty vector leaves the input as it is, and no axis may occur twice.
output: The input without these axes.
keep_dims: Whether these axes stay, of size 1.`

func init() {
	registry.Define("Sum").
		Input("input: T").Input("reduction_indices: Tidx").Output("output: T").
		Attr("keep_dims: bool = false").
		Attr("T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}").
		Attr("Tidx: {int32, int64} = DT_INT32").
		Doc("Adds up the elements along the given axes; an empty sum is 0." + reductionDoc)
	registry.Define("Prod").
		Input("input: T").Input("reduction_indices: Tidx").Output("output: T").
		Attr("keep_dims: bool = false").
		Attr("T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}").
		Attr("Tidx: {int32, int64} = DT_INT32").
		Doc("Multiplies the elements along the given axes; an empty product is 1." + reductionDoc)
	registry.Define("Mean").
		Input("input: T").Input("reduction_indices: Tidx").Output("output: T").
		Attr("keep_dims: bool = false").
		Attr("T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}").
		Attr("Tidx: {int32, int64} = DT_INT32").
		Doc("Takes the mean of the elements along the given axes: NaN where there are none; for integers, rounded toward 0." + reductionDoc)
	registry.Define("Max").
		Input("input: T").Input("reduction_indices: Tidx").Output("output: T").
		Attr("keep_dims: bool = false").
		Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, qint8, quint8, qint32, qint16, quint16}").
		Attr("Tidx: {int32, int64} = DT_INT32").
		Doc(`Takes the largest of the elements along the given axes.

A NaN among them gives NaN. Where there are none, the result is the lowest value of the type, -∞ for floats.` + reductionDoc)
	registry.Define("Min").
		Input("input: T").Input("reduction_indices: Tidx").Output("output: T").
		Attr("keep_dims: bool = false").
		Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, qint8, quint8, qint32, qint16, quint16}").
		Attr("Tidx: {int32, int64} = DT_INT32").
		Doc(`Takes the smallest of the elements along the given axes.

A NaN among them gives NaN. Where there are none, the result is the highest value of the type, ∞ for floats.` + reductionDoc)
	registry.Define("EuclideanNorm").
		Input("input: T").Input("reduction_indices: Tidx").Output("output: T").
		Attr("keep_dims: bool = false").
		Attr("T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}").
		Attr("Tidx: {int32, int64} = DT_INT32").
		Doc("Takes the length of the vectors that the elements along the given axes are: √Σ|x|²." + reductionDoc)
	registry.Define("All").
		Input("input: bool").Input("reduction_indices: Tidx").Output("output: bool").
		Attr("keep_dims: bool = false").
		Attr("Tidx: {int32, int64} = DT_INT32").
		Doc("Says whether all elements along the given axes are true; where there are none, they are." + reductionDoc)
	registry.Define("Any").
		Input("input: bool").Input("reduction_indices: Tidx").Output("output: bool").
		Attr("keep_dims: bool = false").
		Attr("Tidx: {int32, int64} = DT_INT32").
		Doc("Says whether any element along the given axes is true; where there are none, none is." + reductionDoc)

	for _, r := range []struct {
		op    string
		types []tensor.DType
		kind  reduction
	}{
		{"Sum", elementwise.Numbers, total}, {"Prod", elementwise.Numbers, product},
		{"Mean", elementwise.Numbers, mean}, {"EuclideanNorm", elementwise.Numbers, norm},
		{"Max", elementwise.Reals, largest}, {"Min", elementwise.Reals, smallest},
	} {
		kernel.Register(kernel.Registration{Op: r.op, Types: map[string][]tensor.DType{"T": r.types}, New: func(c *kernel.Construction) (kernel.Kernel, error) {
			dt, keep := c.Type("T"), c.Bool("keep_dims")
			return newReduce(dt, r.kind, keep), nil
		}})
	}
	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) {
		return newReduction(conjunction, c.Bool("keep_dims")), nil
	}, "All")
	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) {
		return newReduction(disjunction, c.Bool("keep_dims")), nil
	}, "Any")

	gradient.Register(func(c *gradient.Context) {
		if c.Has(0) && c.Wants(0) {
			c.Set(0, c.Spread(c.Dy(0), c.Input(0), c.Input(1)))
		}
	}, "Sum")
	gradient.Unary(extremumGradient, "Max", "Min")
	gradient.Unary(func(c *gradient.Context, x, y, dy graph.Output) graph.Output {
		return c.Spread(c.Div(dy, c.Cast(elementsEach(c, x, y), c.Type("T"))), x, c.Input(1))
	}, "Mean")
	gradient.Unary(func(c *gradient.Context, x, y, dy graph.Output) graph.Output {
		kept := c.KeptShape(x, c.Input(1))
		return c.Div(x, c.Div(c.Reshape(y, kept), c.Reshape(dy, kept)))
	}, "EuclideanNorm")
	gradient.Unary(prodGradient, "Prod")
}

// extremumGradient shares dy out among the elements that are largest, or smallest.
func extremumGradient(c *gradient.Context, x, y, dy graph.Output) graph.Output {
	axes := c.Input(1)
	kept := c.KeptShape(x, axes)
	chosen := c.Cast(c.Apply("Equal", c.Reshape(y, kept), x), c.Type("T"))
	count := c.Reshape(c.Apply("Sum", chosen, axes), kept)
	return c.Mul(c.Div(chosen, count), c.Reshape(dy, kept))
}

// elementsEach returns how many elements of x make one of y, an int32.
func elementsEach(c *gradient.Context, x, y graph.Output) graph.Output {
	if a, b := c.StaticShape(x), c.StaticShape(y); a.Full() && b.Full() {
		n, m := int64(1), int64(1)
		for _, d := range a.Dims() {
			n *= d
		}
		for _, d := range b.Dims() {
			m *= d
		}
		if each := n / max(m, 1); each == int64(int32(each)) {
			return c.Const(int32(each))
		}
	}
	return c.Div(c.Size(x), c.Apply("Maximum", c.Size(y), c.Const(int32(1))))
}

// prodGradient multiplies dy by the product of all others, which is that of the
// elements before times that of the elements after, so that zeros do no harm. For
// that, what is reduced is brought to the front, as one dimension.
func prodGradient(c *gradient.Context, x, _, dy graph.Output) graph.Output {
	axes, rank := c.Cast(c.Apply("Reshape", c.Input(1), c.Int32s(-1)), tensor.Int32), c.Rank(x)
	axes = c.Apply("FloorMod", c.Add(axes, rank), rank)
	others := c.Apply("ListDiff", c.Range(rank), axes)
	first := c.Const(int32(0))
	order := c.Op("ConcatV2", nil, graph.OutputList{axes, others}, first)
	size := func(of graph.Output) graph.Output {
		return c.Apply("Prod", c.Apply("GatherV2", c.Shape(x), of, first), first)
	}
	front := c.Apply("Transpose", x, order)
	flat := c.Reshape(front, c.Op("Pack", nil, graph.OutputList{size(axes), size(others)}))
	product := func(reverse bool) graph.Output {
		return c.Op("Cumprod", graph.Attrs{"exclusive": true, "reverse": reverse}, flat, first)
	}
	rest := c.Reshape(c.Mul(c.Conj(product(false)), c.Conj(product(true))), c.Apply("Shape", front))
	rest = c.Apply("Transpose", rest, c.Apply("InvertPermutation", order))
	return c.Mul(c.Spread(dy, x, c.Input(1)), rest)
}

// block is the number of elements that are reduced at a time. Longer runs give
// a partial result for each block; these are combined in order, so that the
// result does not depend on the number of workers.
const block = 1 << 15

// A reduce is the kernel of a reduction.
type reduce struct {
	middle middleReducer
	always bool // a single element's result is not the element
	keep   bool // reduced dimensions stay as 1
}

// A middleReducer reduces the middle one of three dimensions.
type middleReducer interface {
	run(ctx *kernel.Context, o, x tensor.Memory, outer, n, inner int) error
}

func newReduction[T tensor.Element](r reducer[T], keep bool) *reduce {
	return &reduce{&reducing[T]{r}, r.always, keep}
}

// Run brings the input to three dimensions, of which the middle one is
// reduced, by merging neighbours and, where reduced and other dimensions
// alternate more often, by a transpose.
func (r *reduce) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	x := in[0].Dims()
	var flags [8]bool
	reduced, err := axes(&in[1], len(x), flags[:0])
	if err != nil {
		return err
	}
	var buf [8]int64
	dims := buf[:0]
	for i, d := range x {
		if !reduced[i] {
			dims = append(dims, d)
		} else if r.keep {
			dims = append(dims, 1)
		}
	}
	spans := merge(x, reduced)
	if (len(spans) == 0 || len(spans) == 1 && !spans[0].reduced) && !r.always {
		out[0], err = ctx.Reshaped(in, 0, dims)
		return err
	}
	if out[0], err = ctx.Alloc(in[0].DType(), dims); err != nil {
		return err
	}
	if out[0].NumElements() == 0 {
		return nil
	}
	outer, n, inner := 1, 1, 1
	switch {
	case len(spans) == 3 && spans[1].reduced:
		outer, n, inner = spans[0].n, spans[1].n, spans[2].n
	case len(spans) == 2 && spans[1].reduced:
		outer, n = spans[0].n, spans[1].n
	case len(spans) == 2:
		n, inner = spans[0].n, spans[1].n
	case len(spans) == 1 && spans[0].reduced:
		n = spans[0].n
	case len(spans) <= 1:
		outer = out[0].NumElements()
	default:
		v, err := reducedLast(ctx, &in[0], reduced)
		if err != nil {
			return err
		}
		defer ctx.Free(v)
		outer = out[0].NumElements()
		return r.middle.run(ctx, out[0].Memory(), v.Memory(), outer, v.NumElements()/outer, 1)
	}
	return r.middle.run(ctx, out[0].Memory(), in[0].Memory(), outer, n, inner)
}

// A run is neighbouring dimensions, merged, that are all reduced or all not.
type run struct {
	n       int
	reduced bool
}

// merge leaves dimensions of 1 off.
func merge(x []int64, reduced []bool) []run {
	runs := make([]run, 0, 8)
	for i, d := range x {
		switch last := len(runs) - 1; {
		case d == 1:
		case last >= 0 && runs[last].reduced == reduced[i]:
			runs[last].n *= int(d)
		default:
			runs = append(runs, run{int(d), reduced[i]})
		}
	}
	return runs
}

// axes says of each of rank dimensions whether v, of whatever shape, names it.
func axes(v *tensor.Value, rank int, flags []bool) ([]bool, error) {
	flags = append(flags, make([]bool, rank)...)
	var buf [8]int64
	for _, a := range kernel.AppendFirst(buf[:0], v, rank+1) { // of more, one is wrong
		d, ok := kernel.Axis(a, rank)
		if !ok {
			return nil, status.Invalid("Invalid reduction dimension (%d for input with %d dimension(s))", a, rank)
		}
		if flags[d] {
			return nil, status.Invalid("Invalid reduction arguments: Axes contains duplicate dimension: %d", d)
		}
		flags[d] = true
	}
	return flags, nil
}

// reducedLast is v with its reduced dimensions behind the others.
func reducedLast(ctx *kernel.Context, v *tensor.Value, reduced []bool) (tensor.Value, error) {
	var perm []int
	for _, want := range []bool{false, true} {
		for i, r := range reduced {
			if r == want {
				perm = append(perm, i)
			}
		}
	}
	dims := make([]int64, len(perm))
	for i, p := range perm {
		dims[i] = v.Dims()[p]
	}
	w, err := ctx.Alloc(v.DType(), dims)
	if err != nil {
		return w, err
	}
	return w, strided.Copy(ctx, &w, strided.Whole(w), v, strided.Whole(*v).Permute(perm))
}

// A reducing is a middleReducer of elements of one type.
type reducing[T tensor.Element] struct{ reducer[T] }

func (r *reducing[T]) run(ctx *kernel.Context, to, from tensor.Memory, outer, n, inner int) error {
	o, x := tensor.Elements[T](to), tensor.Elements[T](from)
	if inner == 1 {
		return r.rows(ctx, o, x, outer, n)
	}
	if outer*n*inner <= block || n == 0 {
		for i := range outer {
			r.columns(o[i*inner:(i+1)*inner], x[i*n*inner:(i+1)*n*inner])
			r.end(o[i*inner:(i+1)*inner], n)
		}
		return nil
	}
	return r.sharedColumns(ctx, o, x, outer, n, inner)
}

func (r *reducing[T]) rows(ctx *kernel.Context, o, x []T, outer, n int) error {
	if n == 0 { // not r.of, which gives the least or greatest number of T, where that of a narrower type is wanted
		for i := range o {
			o[i] = r.empty
		}
		r.end(o, n)
		return nil
	}
	if outer*n <= block {
		for i := range o {
			o[i] = r.of(x[i*n : (i+1)*n])
		}
		r.end(o, n)
		return nil
	}
	parts := (n + block - 1) / block
	partial := o
	if parts > 1 {
		partial = make([]T, outer*parts)
	}
	ctx.Parallel(outer*parts, max(1, block/n), func(lo, hi int) {
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			row, from := x[i/parts*n:(i/parts+1)*n], i%parts*block
			partial[i] = r.of(row[from:min(from+block, n)])
		}
	})
	if parts > 1 {
		for i := range o {
			o[i] = partial[i*parts]
			for _, p := range partial[i*parts+1 : (i+1)*parts] {
				o[i] = r.with(o[i], p)
			}
		}
	}
	r.end(o, n)
	return ctx.Err()
}

// columns reduces the rows of x into o.
func (r *reducing[T]) columns(o, x []T) {
	if r.all != nil {
		r.all(o, x)
		return
	}
	for i := range o {
		o[i] = r.empty
	}
	for ; len(x) > 0; x = x[len(o):] {
		r.into(o, x[:len(o)])
	}
}

func (r *reducing[T]) sharedColumns(ctx *kernel.Context, o, x []T, outer, n, inner int) error {
	height := max(16, block/inner) // rows of a block
	parts := (n + height - 1) / height
	partial := o
	if parts > 1 {
		partial = make([]T, outer*parts*inner)
	}
	ctx.Parallel(outer*parts, max(1, block/(min(n, height)*inner)), func(lo, hi int) {
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			first := i % parts * height
			last := min(first+height, n)
			base := i / parts * n
			r.columns(partial[i*inner:(i+1)*inner], x[(base+first)*inner:(base+last)*inner])
		}
	})
	if parts > 1 {
		for i := range outer {
			o := o[i*inner : (i+1)*inner]
			p := partial[i*parts*inner : (i+1)*parts*inner]
			copy(o, p)
			for p = p[inner:]; len(p) > 0; p = p[inner:] {
				for j, y := range p[:inner] {
					o[j] = r.with(o[j], y)
				}
			}
		}
	}
	r.end(o, n)
	return ctx.Err()
}

// end makes results of the combined partial ones.
func (r *reducing[T]) end(o []T, n int) {
	if r.finish == nil {
		return
	}
	for i, x := range o {
		o[i] = r.finish(x, n)
	}
}
