package reduction

import (
	"slices"
	"strings"

	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("Einsum").
		Input("inputs: N * T").Output("output: T").
		Attr("equation: string").
		Attr("N: int >= 1").
		Attr("T: type").
		Doc(`Multiplies and adds up tensors as an equation in Einstein's notation says.

inputs: One or two tensors.
equation: Such as "ij,jk->ik": a letter for each dimension, of which those missing behind the arrow are summed over; "..." stands for dimensions that broadcast.`)

	einsumFor(tensor.Float, gemm[float32], numberReducer[float32](total))
	einsumFor(tensor.Double, gemm[float64], numberReducer[float64](total))
	einsumFor(tensor.Int32, gemm[int32], numberReducer[int32](total))
	einsumFor(tensor.Int64, gemm[int64], numberReducer[int64](total))
	einsumFor(tensor.Complex64, gemm[complex64], numberReducer[complex64](total))
	einsumFor(tensor.Complex128, gemm[complex128], numberReducer[complex128](total))
	for _, dt := range []tensor.DType{tensor.Half, tensor.Bfloat16} {
		kernel.ForType("Einsum", "T", dt, func(c *kernel.Construction) (kernel.Kernel, error) {
			k, err := newEinsum(c, tensor.Float, gemm[float32], &reducing[float32]{numberReducer[float32](total)})
			if err != nil {
				return nil, err
			}
			return elementwise.Widen(dt, k), nil
		})
	}

	gradient.Register(einsumGradient, "Einsum")
}

func einsumFor[T vec.Number](dt tensor.DType, gemm gemmFunc, sum reducer[T]) {
	by := &reducing[T]{sum}
	kernel.ForType("Einsum", "T", dt, func(c *kernel.Construction) (kernel.Kernel, error) {
		return newEinsum(c, dt, gemm, by)
	})
}

func newEinsum(c *kernel.Construction, dt tensor.DType, gemm gemmFunc, sum middleReducer) (kernel.Kernel, error) {
	equation := c.Str("equation")
	inputs, output, err := einsumLabels(equation)
	if err != nil {
		return nil, err
	}
	if len(inputs) > 2 {
		return nil, c.Errorf("Expecting 1 or 2 input subscripts in equation '%s' but got: %d", equation, len(inputs))
	}
	if len(inputs) != len(c.Inputs) {
		return nil, c.Errorf("Expected %d inputs but got: %d", len(inputs), len(c.Inputs))
	}
	for _, labels := range append(slices.Clone(inputs), output) {
		if strings.Count(labels, "...") > 1 {
			return nil, c.Errorf("Expected at most one ellipsis (...) in the subscripts '%s' of equation '%s'", labels, equation)
		}
	}
	return &einsum{dt, inputs, output, gemm, sum}, nil
}

// An einsum is the kernel of Einsum. It takes diagonals of operands, sums over
// what only one of them has, multiplies what is left as matrices, and puts the
// product's dimensions in their places.
type einsum struct {
	dt     tensor.DType
	inputs []string // the labels of each operand
	output string
	gemm   gemmFunc
	sum    middleReducer
}

// An axis is a label of the equation: a letter, or, for the dimensions that an
// ellipsis stands for, a negative number that counts from the last one.
type axis int

// A term is the elements of a tensor with an axis for each dimension of a view
// of them; no axis occurs twice.
type term struct {
	value tensor.Value
	view  strided.View
	axes  []axis
	fresh bool // the value is the kernel's own, and the view is the whole of it
}

// An extent is how long axes are.
type extent map[axis]int64

func (k *einsum) Run(ctx *kernel.Context, in, out []tensor.Value) (err error) {
	lengths := extent{}
	terms := make([]term, len(in))
	for i := range in {
		if terms[i], err = lengths.term(i, k.inputs[i], in[i]); err != nil {
			return err
		}
	}
	output, err := lengths.outputAxes(k.output)
	if err != nil {
		return err
	}
	for i := range terms {
		keep := output
		if len(terms) == 2 {
			keep = slices.Concat(output, terms[1-i].axes)
		}
		summed, err := k.sumOut(ctx, terms[i], keep)
		if err != nil {
			return err
		}
		terms[i] = summed
		if summed.fresh {
			defer ctx.Free(summed.value)
		}
	}
	result := terms[0]
	if len(terms) == 2 {
		if result, err = k.multiply(ctx, terms, output, lengths); err != nil {
			return err
		}
		if slices.Equal(result.axes, output) {
			out[0] = result.value
			return nil
		}
		defer ctx.Free(result.value)
	}
	return k.place(ctx, result, output, lengths, out)
}

// axesOf returns the axes of labels for a tensor of that many dimensions.
func axesOf(labels string, rank int) []axis {
	before, after, ellipsis := strings.Cut(labels, "...")
	var axes []axis
	for _, c := range []byte(before) {
		axes = append(axes, axis(c))
	}
	if ellipsis {
		for n := rank - len(before) - len(after); n > 0; n-- {
			axes = append(axes, axis(-n))
		}
	}
	for _, c := range []byte(after) {
		axes = append(axes, axis(c))
	}
	return axes
}

// term is operand i, of which an axis that occurs several times becomes the
// diagonal.
func (e extent) term(i int, labels string, v tensor.Value) (term, error) {
	named, ellipsis := len(strings.Replace(labels, "...", "", 1)), strings.Contains(labels, "...")
	switch {
	case !ellipsis && v.Rank() != named:
		return term{}, status.Invalid("Expected input %d to have rank %d but got: %d", i, named, v.Rank())
	case v.Rank() < named:
		return term{}, status.Invalid("Expected input %d to have rank at least %d but got: %d", i, named, v.Rank())
	}
	t := term{value: v}
	whole := strided.Whole(v)
	for d, a := range axesOf(labels, v.Rank()) {
		n := v.Dims()[d]
		have, ok := e[a]
		switch {
		case !ok || a < 0 && have == 1:
			e[a] = n
		case a < 0 && n != 1 && n != have:
			return t, status.Invalid("In[0] and In[1] must have compatible batch dimensions: %d vs. %d", have, n)
		case a > 0 && n != have:
			return t, status.Invalid("Expected dimension %d at axis %d of the input shaped %s but got dimension %d", have, d, tensor.FormatDims(v.Dims()), n)
		}
		if at := slices.Index(t.axes, a); at >= 0 {
			t.view.Strides[at] += whole.Strides[d]
			continue
		}
		t.axes = append(t.axes, a)
		t.view.Dims = append(t.view.Dims, whole.Dims[d])
		t.view.Strides = append(t.view.Strides, whole.Strides[d])
	}
	return t, nil
}

// outputAxes returns the axes of the result, in which one may occur several times.
func (e extent) outputAxes(labels string) ([]axis, error) {
	rest := 0 // dimensions of the ellipsis
	for a := range e {
		rest = max(rest, int(-a))
	}
	if rest > 0 && !strings.Contains(labels, "...") {
		return nil, status.Invalid("Output contains %d broadcasting dimension(s) but no ellipsis (...) was found in the output subscripts.", rest)
	}
	axes := axesOf(labels, rest+len(strings.Replace(labels, "...", "", 1)))
	for _, a := range axes {
		if _, ok := e[a]; !ok {
			return nil, status.Invalid("Label '%c' of the output is not in an input", rune(a))
		}
	}
	return axes, nil
}

// dims returns the lengths of axes.
func (e extent) dims(axes []axis) []int64 {
	dims := make([]int64, len(axes))
	for i, a := range axes {
		dims[i] = e[a]
	}
	return dims
}

// sumOut sums over the axes of t that keep lacks.
func (k *einsum) sumOut(ctx *kernel.Context, t term, keep []axis) (term, error) {
	var kept, summed []axis
	for _, a := range t.axes {
		if slices.Contains(keep, a) {
			kept = append(kept, a)
		} else {
			summed = append(summed, a)
		}
	}
	if len(summed) == 0 {
		return t, nil
	}
	rows, err := t.arrange(ctx, kept, summed)
	if err != nil {
		return t, err
	}
	if rows.fresh {
		defer ctx.Free(rows.value)
	}
	dims := make([]int64, len(kept))
	for i := range kept {
		dims[i] = int64(rows.view.Dims[i])
	}
	n := 1
	for _, d := range rows.view.Dims[len(kept):] {
		n *= d
	}
	v, err := ctx.Alloc(k.dt, dims)
	if err != nil {
		return t, err
	}
	s := term{v, strided.Of(dims), kept, true}
	return s, k.sum.run(ctx, s.value.Memory(), rows.value.Memory(), v.NumElements(), n, 1)
}

// arrange is t with its elements one after another in the order of the groups
// of axes: t itself if they are, else a fresh copy. An axis that t lacks has
// length 1.
func (t term) arrange(ctx *kernel.Context, groups ...[]axis) (term, error) {
	axes := slices.Concat(groups...)
	view := strided.View{Offset: t.view.Offset, Dims: make([]int, len(axes)), Strides: make([]int, len(axes))}
	dims := make([]int64, len(axes))
	for i, a := range axes {
		view.Dims[i] = 1
		if at := slices.Index(t.axes, a); at >= 0 {
			view.Dims[i], view.Strides[i] = t.view.Dims[at], t.view.Strides[at]
		}
		dims[i] = int64(view.Dims[i])
	}
	next, inOrder := 1, true // elements of the dimensions behind
	for i := len(axes) - 1; i >= 0; i-- {
		inOrder = inOrder && (view.Dims[i] == 1 || view.Strides[i] == next)
		next *= view.Dims[i]
	}
	if inOrder && next == t.value.NumElements() {
		return term{t.value, strided.Of(dims), axes, false}, nil
	}
	v, err := ctx.Alloc(t.value.DType(), dims)
	if err != nil {
		return t, err
	}
	a := term{v, strided.Of(dims), axes, true}
	return a, strided.Copy(ctx, &a.value, a.view, &t.value, view)
}

// multiply multiplies two terms and sums over the axes that both have and the
// output lacks.
func (k *einsum) multiply(ctx *kernel.Context, terms []term, output []axis, e extent) (term, error) {
	x, y := terms[0], terms[1]
	var batch, rows, columns, inner []axis
	for i, a := range output {
		inX, inY := slices.Contains(x.axes, a), slices.Contains(y.axes, a)
		switch {
		case slices.Contains(output[:i], a):
		case a < 0 || inX && inY:
			batch = append(batch, a)
		case inX:
			rows = append(rows, a)
		default:
			columns = append(columns, a)
		}
	}
	for _, a := range x.axes {
		if !slices.Contains(output, a) {
			inner = append(inner, a)
		}
	}
	p := matrices{dt: k.dt}
	var err error
	if x, p.transA, err = x.matrices(ctx, batch, rows, inner); err != nil {
		return term{}, err
	}
	if x.fresh {
		defer ctx.Free(x.value)
	}
	if y, p.transB, err = y.matrices(ctx, batch, inner, columns); err != nil {
		return term{}, err
	}
	if y.fresh {
		defer ctx.Free(y.value)
	}
	m, n, depth := e.size(rows), e.size(columns), e.size(inner)
	axes := slices.Concat(batch, rows, columns)
	dims := e.dims(axes)
	v, err := ctx.Alloc(k.dt, dims)
	if err != nil {
		return term{}, err
	}
	product := term{v, strided.Of(dims), axes, true}
	if v.NumElements() == 0 {
		return product, nil
	}
	b, err := elementwise.NewBroadcast(x.lengths(len(batch)), y.lengths(len(batch)))
	if err != nil {
		return product, err
	}
	one := []tensor.Value{product.value}
	ops := []tensor.Value{
		asMatrix(x.value, m, depth, p.transA),
		asMatrix(y.value, depth, n, p.transB),
	}
	err = k.gemm(ctx, &p, b, ops, one, m, n, depth)
	product.value = one[0] // a scalar is inside its value
	return product, err
}

// size returns the product of the lengths of axes.
func (e extent) size(axes []axis) int {
	n := 1
	for _, a := range axes {
		n *= int(e[a])
	}
	return n
}

// lengths returns those of t's first axes.
func (t term) lengths(n int) []int64 {
	dims := make([]int64, n)
	for i, d := range t.view.Dims[:n] {
		dims[i] = int64(d)
	}
	return dims
}

// matrices arranges t as a batch of matrices, transposed if that is how its
// elements lie.
func (t term) matrices(ctx *kernel.Context, batch, rows, columns []axis) (arranged term, transposed bool, err error) {
	last := axis(0)
	for i, a := range t.axes {
		if t.view.Strides[i] == 1 && t.view.Dims[i] != 1 {
			last = a
		}
	}
	if slices.Contains(rows, last) {
		t, err = t.arrange(ctx, batch, columns, rows)
		return t, true, err
	}
	t, err = t.arrange(ctx, batch, rows, columns)
	return t, false, err
}

// asMatrix is v as matrices of that size one below the other, or of their
// transposes.
func asMatrix(v tensor.Value, rows, columns int, transposed bool) tensor.Value {
	if transposed {
		rows, columns = columns, rows
	}
	if n := rows * columns; n > 0 {
		rows *= v.NumElements() / n
	}
	return v.Reshaped([]int64{int64(rows), int64(columns)})
}

// place puts t's elements where the output has its axes; one that the output
// has several times fills a diagonal between zeros.
func (k *einsum) place(ctx *kernel.Context, t term, output []axis, e extent, out []tensor.Value) (err error) {
	dims := e.dims(output)
	whole := strided.Of(dims)
	to := strided.View{Dims: t.view.Dims, Strides: make([]int, len(t.axes))}
	for d, a := range output {
		to.Strides[slices.Index(t.axes, a)] += whole.Strides[d]
	}
	if len(output) == len(t.axes) {
		out[0], err = ctx.Alloc(k.dt, dims)
	} else {
		out[0], err = ctx.AllocZeroed(k.dt, dims)
	}
	if err != nil {
		return err
	}
	return strided.Copy(ctx, &out[0], to, &t.value, t.view)
}
