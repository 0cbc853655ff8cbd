package math

import (
	"slices"
	"unsafe"

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
	registry.Define("Select").
		Input("condition: bool").Input("t: T").Input("e: T").Output("output: T").
		Traits(registry.Elementwise).
		Attr("T: type").
		Doc(`Takes elements of t where the condition is true, of e elsewhere.

condition: Of the shape of t and e, element by element; a vector, for slices along their first dimension; or a scalar, for all of them.`)
	registry.Define("SelectV2").
		Input("condition: bool").Input("t: T").Input("e: T").Output("output: T").
		Traits(registry.Elementwise).
		Attr("T: type").
		Doc("Takes elements of t where the condition is true, of e elsewhere, with broadcasting of all three.")

	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(selectV1), nil }, "Select")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return selectV2{}, nil }, "SelectV2")

	gradient.Register(func(c *gradient.Context) {
		if c.Has(0) {
			zeros := c.Zeros(c.Input(1))
			c.Set(1, c.Apply("Select", c.Input(0), c.Dy(0), zeros))
			c.Set(2, c.Apply("Select", c.Input(0), zeros, c.Dy(0)))
		}
	}, "Select")
	gradient.Register(func(c *gradient.Context) {
		if c.Has(0) {
			condition, zero, dz := c.Input(0), c.Scalar(c.Dy(0), 0), c.Dy(0)
			c.Set(1, c.SumAs(c.Select(condition, dz, zero), c.Output(0), c.Input(1)))
			c.Set(2, c.SumAs(c.Select(condition, zero, dz), c.Output(0), c.Input(2)))
		}
	}, "SelectV2")
}

func selectV1(ctx *kernel.Context, in, out []tensor.Value) error {
	if !tensor.SameShape(in[1], in[2]) {
		return status.Invalid("'then' and 'else' must have the same size.  but received: %s vs. %s", tensor.FormatDims(in[1].Dims()), tensor.FormatDims(in[2].Dims()))
	}
	switch {
	case in[0].IsScalar():
		return selectWhole(in, out)
	case tensor.SameShape(in[0], in[1]):
		v, err := ctx.Alloc(in[1].DType(), in[1].Dims())
		if err != nil {
			return err
		}
		out[0] = v
		return choose(ctx, &out[0], tensor.Of[bool](&in[0]), &in[1], &in[2])
	case in[0].Rank() == 1 && in[1].Rank() > 0 && in[0].Dim(0) == in[1].Dim(0):
		return selectRows(ctx, in, out)
	}
	return status.Invalid("'cond' must be a scalar, or a vector of the rows, or of the shape of 'then' and 'else', but received: %s vs. %s",
		tensor.FormatDims(in[0].Dims()), tensor.FormatDims(in[1].Dims()))
}

// selectWhole passes one of the inputs on.
func selectWhole(in, out []tensor.Value) error {
	if tensor.At0[bool](&in[0]) {
		out[0] = in[1]
	} else {
		out[0] = in[2]
	}
	return nil
}

func selectRows(ctx *kernel.Context, in, out []tensor.Value) error {
	v, err := ctx.Alloc(in[1].DType(), in[1].Dims())
	if err != nil || v.NumElements() == 0 {
		out[0] = v
		return err
	}
	out[0] = v
	rows := in[1].Dim(0)
	n := in[1].NumElements() / rows
	for i, c := range tensor.Of[bool](&in[0]) {
		from := &in[2]
		if c {
			from = &in[1]
		}
		strided.Move(&out[0], i*n, from, i*n, n)
	}
	return nil
}

// A selectV2 is the kernel of SelectV2. It repeats operands that are neither
// scalars nor of the result's shape in memory of their own: they are rare.
type selectV2 struct{}

// Prepare makes a selection by element ready, of operands that need not be
// repeated.
func (selectV2) Prepare(in []tensor.Value, _ uint64) (kernel.Prepared, bool) {
	if in[0].IsScalar() {
		return kernel.Prepared{}, false
	}
	dims, err := elementwise.BroadcastDims(in[1].Dims(), in[2].Dims())
	if err == nil {
		dims, err = elementwise.BroadcastDims(in[0].Dims(), dims)
	}
	if err != nil {
		return kernel.Prepared{}, false
	}
	for i := range in[:3] {
		if in[i].NumElements() != 1 && !slices.Equal(in[i].Dims(), dims) {
			return kernel.Prepared{}, false
		}
	}
	return kernel.OneOut(in[1].DType(), dims, func(ctx *kernel.Context, in, out []tensor.Value) {
		_ = choose(ctx, &out[0], tensor.Of[bool](&in[0]), &in[1], &in[2]) // so few cannot fail
	})
}

func (selectV2) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	if in[0].IsScalar() && tensor.SameShape(in[1], in[2]) {
		return selectWhole(in, out)
	}
	dims, err := elementwise.BroadcastDims(in[1].Dims(), in[2].Dims())
	if err != nil {
		return err
	}
	if dims, err = elementwise.BroadcastDims(in[0].Dims(), dims); err != nil {
		return err
	}
	for i := range in[:3] {
		if in[i].NumElements() != 1 && !slices.Equal(in[i].Dims(), dims) {
			return selectRepeated(ctx, in, out, dims)
		}
	}
	return selectInto(ctx, in, out, dims)
}

// selectInto is selectV2 for operands that have one element or the shape of the
// result.
func selectInto(ctx *kernel.Context, in, out []tensor.Value, dims []int64) error {
	v, err := ctx.Alloc(in[1].DType(), dims)
	if err != nil {
		return err
	}
	out[0] = v
	return choose(ctx, &out[0], tensor.Of[bool](&in[0]), &in[1], &in[2])
}

// selectRepeated repeats operands that are neither.
func selectRepeated(ctx *kernel.Context, in, out []tensor.Value, dims []int64) (err error) {
	var ops [3]tensor.Value
	for i := range ops {
		if in[i].NumElements() == 1 || slices.Equal(in[i].Dims(), dims) {
			ops[i] = in[i]
			continue
		}
		if ops[i], err = ctx.Alloc(in[i].DType(), dims); err != nil {
			return err
		}
		defer ctx.Free(ops[i])
		if err := strided.Copy(ctx, &ops[i], strided.Of(dims), &in[i], strided.Whole(in[i]).Broadcast(dims)); err != nil {
			return err
		}
	}
	return selectInto(ctx, ops[:], out, dims)
}

// choose sets the elements of o; c, x and y have as many, or one for all.
func choose(ctx *kernel.Context, o *tensor.Value, c []bool, x, y *tensor.Value) error {
	switch dt := o.DType(); dt {
	case tensor.String:
		return pick(ctx, tensor.Of[string](o), c, tensor.Of[string](x), tensor.Of[string](y))
	case tensor.Resource:
		return pick(ctx, tensor.Of[*tensor.Handle](o), c, tensor.Of[*tensor.Handle](x), tensor.Of[*tensor.Handle](y))
	case tensor.Variant:
		return pick(ctx, tensor.Of[*tensor.Object](o), c, tensor.Of[*tensor.Object](x), tensor.Of[*tensor.Object](y))
	default:
		switch dt.Size() {
		case 1:
			return pick(ctx, tensor.Words[uint8](o), c, tensor.Words[uint8](x), tensor.Words[uint8](y))
		case 2:
			return pick(ctx, tensor.Words[uint16](o), c, tensor.Words[uint16](x), tensor.Words[uint16](y))
		case 4:
			return pick(ctx, tensor.Words[uint32](o), c, tensor.Words[uint32](x), tensor.Words[uint32](y))
		case 8:
			return pick(ctx, tensor.Words[uint64](o), c, tensor.Words[uint64](x), tensor.Words[uint64](y))
		default:
			return pick(ctx, tensor.Words[complex128](o), c, tensor.Words[complex128](x), tensor.Words[complex128](y))
		}
	}
}

func pick[T tensor.Element](ctx *kernel.Context, o []T, c []bool, x, y []T) error {
	if len(o) == 0 { // operands of one element may stand beside those of none
		return nil
	}
	if len(o) <= elementwise.Grain {
		pickRange(0, o, c, x, y)
		return nil
	}
	ctx.Parallel(len(o), elementwise.Grain, func(lo, hi int) {
		if ctx.Err() == nil {
			pickRange(lo, o[lo:hi], c, x, y)
		}
	})
	return ctx.Err()
}

// pickRange sets the elements of o, which begins at element lo of the result.
func pickRange[T tensor.Element](lo int, o []T, c []bool, x, y []T) {
	if len(c) == 1 {
		if !c[0] {
			x = y
		}
		if len(x) == 1 {
			for i := range o {
				o[i] = x[0]
			}
			return
		}
		copy(o, x[lo:])
		return
	}
	c = c[lo : lo+len(o)]
	if unsafe.Sizeof(o[0]) == 4 { // words of any kind
		pickWords(asFloats(o), c, asFloats(x), asFloats(y), lo)
		return
	}
	xs, ys := 1, 1
	if len(x) == 1 {
		xs = 0
	} else {
		x = x[lo:]
	}
	if len(y) == 1 {
		ys = 0
	} else {
		y = y[lo:]
	}
	for i, c := range c {
		if c {
			o[i] = x[i*xs]
		} else {
			o[i] = y[i*ys]
		}
	}
}

// pickWords is pickRange for elements of 4 bytes.
func pickWords(o []float32, c []bool, x, y []float32, lo int) {
	switch {
	case len(x) > 1 && len(y) > 1:
		vec.Choose(o, c, x[lo:], y[lo:])
		return
	case len(x) == 1 && len(y) == 1 && len(o) == 1:
		if o[0] = y[0]; c[0] {
			o[0] = x[0]
		}
		return
	}
	// One element for all is repeated for a stretch.
	var xs, ys [256]float32
	for i := range xs {
		xs[i], ys[i] = x[0], y[0]
	}
	for len(o) > 0 {
		n := min(len(o), len(xs))
		from, other := xs[:], ys[:]
		if len(x) > 1 {
			from = x[lo:]
		}
		if len(y) > 1 {
			other = y[lo:]
		}
		vec.Choose(o[:n], c, from, other)
		o, c, lo = o[n:], c[n:], lo+n
	}
}

// asFloats returns the memory of elements of 4 bytes.
func asFloats[T tensor.Element](x []T) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}
