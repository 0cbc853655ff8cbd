package reduction

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
	worst := math.Inf(1)
	if most {
		worst = math.Inf(-1)
	}
	start := func(x T) T {
		if x != x {
			return T(worst)
		}
		return x
	}
	if !most {
		return newArgument(c, nil, func(m tensor.Memory, first, step, at, lo, hi int) int {
			x := tensor.Elements[T](m)[first:]
			least := x[at*step]
			if at == 0 {
				least = start(least)
			}
			for i := lo; i < hi; i++ {
				if y := x[i*step]; y < least {
					least, at = y, i
				}
			}
			return at
		})
	}
	var whole func(x []float32) int
	if _, ok := any(T(0)).(float32); ok {
		whole = argMaxFloats
	}
	return newArgument(c, whole, func(m tensor.Memory, first, step, at, lo, hi int) int {
		x := tensor.Elements[T](m)[first:]
		most := x[at*step]
		if at == 0 {
			most = start(most)
		}
		for i := lo; i < hi; i++ {
			if y := x[i*step]; y > most {
				most, at = y, i
			}
		}
		return at
	})
}

func newArgBool(c *kernel.Construction, most bool) (kernel.Kernel, error) {
	return newArgument(c, nil, func(m tensor.Memory, first, step, at, lo, hi int) int {
		x := tensor.Elements[bool](m)[first:]
		for i := lo; i < hi && x[at*step] != most; i++ {
			if x[i*step] == most {
				at = i
			}
		}
		return at
	})
}

// An argument is the kernel of ArgMax and ArgMin: it finds the first element that no other
// of its line is better than. NaN is better than nothing, and what starts with it starts
// from the worst number.
type argument struct {
	dt    tensor.DType
	put   func(o tensor.Memory, i, at int)
	whole func(x []float32) int // for consecutive elements; nil: best
	// best is the place of the best of the elements of a line, which begins with element
	// first and has its elements step apart: of those at places lo to hi-1, or at, the
	// best so far.
	best func(x tensor.Memory, first, step, at, lo, hi int) int
}

func newArgument(c *kernel.Construction, whole func(x []float32) int, best func(x tensor.Memory, first, step, at, lo, hi int) int) (kernel.Kernel, error) {
	k := &argument{c.Type("output_type"), nil, whole, best}
	switch k.dt {
	case tensor.Int16:
		k.put = put[int16]
	case tensor.Uint16:
		k.put = put[uint16]
	case tensor.Int32:
		k.put = put[int32]
	case tensor.Int64:
		k.put = put[int64]
	default:
		return nil, c.Errorf("output_type %v is none for indices", k.dt)
	}
	return k, nil
}

func put[R elementwise.Integer](o tensor.Memory, i, at int) { tensor.Elements[R](o)[i] = R(at) }

func (k *argument) Run(ctx *kernel.Context, in, out []tensor.Value) error {
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
	o, x := out[0].Memory(), in[0].Memory()
	if x.Len() <= block { // it costs no closure
		for i := range o.Len() {
			k.put(o, i, k.line(ctx, x, i/inner*n*inner+i%inner, n, inner))
		}
		return nil
	}
	ctx.Parallel(o.Len(), max(1, block/n), func(lo, hi int) {
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			k.put(o, i, k.line(ctx, x, i/inner*n*inner+i%inner, n, inner))
		}
	})
	return ctx.Err()
}

// line returns the place of the best of n elements, step apart, from element first on.
func (k *argument) line(ctx *kernel.Context, x tensor.Memory, first, n, step int) int {
	if k.whole != nil && step == 1 && n >= vectorLeast {
		return k.whole(tensor.Elements[float32](x)[first : first+n])
	}
	if n <= 2*block {
		return k.best(x, first, step, 0, 1, n)
	}
	at := 0
	for lo, hi := range ctx.Ranges(n, block) {
		at = k.best(x, first, step, at, lo, hi)
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
