package math

import (
	"math"

	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

const argDoc = `

input: A tensor of at least one dimension.
dimension: The dimension to search, a scalar; negative counts from the end. It may not be of size 0.
output: The places along the dimension, in the input's shape without it.
output_type: The type of the places.`

func init() {
	registry.Define("ArgMax").
		Input("input: T").Input("dimension: Tidx").Output("output: output_type").
		Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, qint8, quint8, qint32, qint16, quint16, bool}").
		Attr("Tidx: {int16, int32, int64} = DT_INT32").
		Attr("output_type: {int16, uint16, int32, int64} = DT_INT64").
		Doc("Finds the place of the largest element along a dimension, the first of equal ones." + argDoc)
	registry.Define("ArgMin").
		Input("input: T").Input("dimension: Tidx").Output("output: output_type").
		Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, qint8, quint8, qint32, qint16, quint16, bool}").
		Attr("Tidx: {int32, int64} = DT_INT32").
		Attr("output_type: {int32, int64} = DT_INT64").
		Doc("Finds the place of the smallest element along a dimension, the first of equal ones." + argDoc)

	for _, op := range []string{"ArgMax", "ArgMin"} {
		kernel.Register(kernel.Registration{Op: op, New: newArg})
	}

	gradient.Flat("ArgMax", "ArgMin")
}

func newArg(c *kernel.Construction) (kernel.Kernel, error) {
	most := c.Op.Name == "ArgMax"
	switch c.Type("T") {
	case tensor.Float:
		return newArgOf[float32](c, most)
	case tensor.Double:
		return newArgOf[float64](c, most)
	case tensor.Half, tensor.Bfloat16:
		k, err := newArgOf[float32](c, most)
		return elementwise.Widen(c.Type("T"), k), err
	case tensor.Int8:
		return newArgOf[int8](c, most)
	case tensor.Int16:
		return newArgOf[int16](c, most)
	case tensor.Int32:
		return newArgOf[int32](c, most)
	case tensor.Int64:
		return newArgOf[int64](c, most)
	case tensor.Uint8:
		return newArgOf[uint8](c, most)
	case tensor.Uint16:
		return newArgOf[uint16](c, most)
	case tensor.Uint32:
		return newArgOf[uint32](c, most)
	case tensor.Uint64:
		return newArgOf[uint64](c, most)
	case tensor.Bool:
		return newArgBool(c, most)
	}
	return nil, status.Errorf(status.Unimplemented, "operation %s has no kernel for %v yet", c.Op.Name, c.Type("T"))
}

func newArgOf[T elementwise.Real](c *kernel.Construction, most bool) (kernel.Kernel, error) {
	better, worst := func(x, y T) bool { return x < y }, math.Inf(1)
	if most {
		better, worst = func(x, y T) bool { return x > y }, math.Inf(-1)
	}
	var whole func(x []T) int
	if most {
		whole, _ = any(argMaxFloats).(func(x []T) int)
	}
	return newArgBy(c, better, func(x T) T {
		if x != x {
			return T(worst)
		}
		return x
	}, whole)
}

func newArgBool(c *kernel.Construction, most bool) (kernel.Kernel, error) {
	return newArgBy(c, func(x, y bool) bool { return x != y && x == most }, func(x bool) bool { return x }, nil)
}

func newArgBy[T tensor.Element](c *kernel.Construction, better func(x, y T) bool, start func(T) T, whole func(x []T) int) (kernel.Kernel, error) {
	switch dt := c.Type("output_type"); dt {
	case tensor.Int16:
		return &arg[T, int16]{dt, better, start, whole}, nil
	case tensor.Uint16:
		return &arg[T, uint16]{dt, better, start, whole}, nil
	case tensor.Int32:
		return &arg[T, int32]{dt, better, start, whole}, nil
	case tensor.Int64:
		return &arg[T, int64]{dt, better, start, whole}, nil
	default:
		return nil, c.Errorf("output_type %v is none for indices", dt)
	}
}

// An arg finds the first element that no other of its line is better than. NaN
// is better than nothing, and what starts with it starts from the worst number.
type arg[T tensor.Element, R elementwise.Integer] struct {
	dt     tensor.DType
	better func(x, y T) bool
	start  func(T) T       // what the first element counts as
	whole  func(x []T) int // line for consecutive elements; nil: line itself
}

func (k *arg[T, R]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	dims := in[0].Dims()
	if in[1].Rank() != 0 {
		return status.Invalid("dim must be a scalar, but received tensor of shape: %s", tensor.FormatDims(in[1].Dims()))
	}
	var axis int64
	if in[1].DType() == tensor.Int16 {
		axis = int64(tensor.At0[int16](&in[1]))
	} else {
		axis, _ = kernel.Int(&in[1], "dim")
	}
	at, ok := kernel.Axis(axis, len(dims))
	if !ok {
		return status.Invalid("Expected dimension in the range [%d, %d), but got %d", -len(dims), len(dims), axis)
	}
	if dims[at] == 0 {
		return status.Invalid("Reduction axis %d is empty in shape %s", at, tensor.FormatDims(dims))
	}
	var buf [8]int64
	v, err := ctx.Alloc(k.dt, append(append(buf[:0], dims[:at]...), dims[at+1:]...))
	if err != nil {
		return err
	}
	out[0] = v
	n, inner := int(dims[at]), 1
	for _, d := range dims[at+1:] {
		inner *= int(d)
	}
	o, x := tensor.Of[R](&out[0]), tensor.Of[T](&in[0])
	if len(x) <= block {
		k.lines(o, x, 0, n, inner)
		return nil
	}
	return k.share(ctx, o, x, n, inner)
}

// share is for inputs of several blocks.
func (k *arg[T, R]) share(ctx *kernel.Context, o []R, x []T, n, inner int) error {
	ctx.Parallel(len(o), max(1, block/n), func(lo, hi int) {
		for ; lo < hi && ctx.Err() == nil; lo++ {
			if n > 2*block && (k.whole == nil || inner > 1) {
				o[lo] = R(k.long(ctx, x[lo/inner*n*inner+lo%inner:], n, inner))
				continue
			}
			k.lines(o[lo:lo+1], x, lo, n, inner)
		}
	})
	return ctx.Err()
}

// lines sets o to results lo and following.
func (k *arg[T, R]) lines(o []R, x []T, lo, n, inner int) {
	for j := range o {
		i := lo + j
		if k.whole != nil && inner == 1 && n >= vectorLeast {
			o[j] = R(k.whole(x[i*n : (i+1)*n]))
			continue
		}
		o[j] = R(k.line(x[i/inner*n*inner+i%inner:], n, inner))
	}
}

// line looks at n elements, step apart.
func (k *arg[T, R]) line(x []T, n, step int) int {
	best, at := k.start(x[0]), 0
	for i := 1; i < n; i++ {
		if y := x[i*step]; k.better(y, best) {
			best, at = y, i
		}
	}
	return at
}

// long is line for lines that take long.
func (k *arg[T, R]) long(ctx *kernel.Context, x []T, n, step int) int {
	best, at := k.start(x[0]), 0
	for lo, hi := range ctx.Ranges(n, block) {
		for i := lo; i < hi; i++ {
			if y := x[i*step]; k.better(y, best) {
				best, at = y, i
			}
		}
	}
	return at
}

// argMaxFloats finds the largest number in one pass and its place in another. It
// is the first place if there is no number above -∞.
func argMaxFloats(x []float32) int {
	most := vec.LargestNumber(x)
	if !(most > float32(math.Inf(-1))) {
		return 0
	}
	return vec.Index(x, most)
}
