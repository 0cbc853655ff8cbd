package reduction

import (
	"math"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

const cumulativeDoc = `

axis: The dimension, a scalar; negative counts from the end.
exclusive: Whether a place gets the value of what comes before it, without its own element.
reverse: Whether to run from the end of the dimension.`

func init() {
	registry.Define("Cumsum").
		Input("x: T").Input("axis: Tidx").Output("out: T").
		Attr("exclusive: bool = false").
		Attr("reverse: bool = false").
		Attr("T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}").
		Attr("Tidx: {int32, int64} = DT_INT32").
		Doc("Computes running sums along a dimension: [a, a+b, a+b+c, ...]." + cumulativeDoc)
	registry.Define("Cumprod").
		Input("x: T").Input("axis: Tidx").Output("out: T").
		Attr("exclusive: bool = false").
		Attr("reverse: bool = false").
		Attr("T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}").
		Attr("Tidx: {int32, int64} = DT_INT32").
		Doc("Computes running products along a dimension: [a, a·b, a·b·c, ...]." + cumulativeDoc)
	registry.Define("CumulativeLogsumexp").
		Input("x: T").Input("axis: Tidx").Output("out: T").
		Attr("exclusive: bool = false").
		Attr("reverse: bool = false").
		Attr("T: {bfloat16, half, float, double}").
		Attr("Tidx: {int32, int64} = DT_INT32").
		Doc("Computes running values of log(Σexp(x)) along a dimension." + cumulativeDoc)

	kernel.ForAll(newCumulative, "Cumsum", "Cumprod")
	for _, dt := range elementwise.Floats {
		kernel.ForType("CumulativeLogsumexp", "T", dt, func(c *kernel.Construction) (kernel.Kernel, error) {
			exclusive, reverse := c.Bool("exclusive"), c.Bool("reverse")
			switch dt {
			case tensor.Double:
				return &cumulative{linesOf(logSumExp, math.Inf(-1)), exclusive, reverse}, nil
			case tensor.Float:
				return &cumulative{linesOf(logSumExp32, float32(math.Inf(-1))), exclusive, reverse}, nil
			}
			return elementwise.Widen(dt, &cumulative{linesOf(logSumExp32, float32(math.Inf(-1))), exclusive, reverse}), nil
		})
	}

	gradient.Unary(func(c *gradient.Context, _, _, dy graph.Output) graph.Output {
		return accumulated(c, "Cumsum", true, dy)
	}, "Cumsum")
	gradient.Unary(cumprodGradient, "Cumprod")
	gradient.Unary(cumulativeLogsumexpGradient, "CumulativeLogsumexp")
}

// accumulated is x, accumulated as by the node, or in the opposite direction.
func accumulated(c *gradient.Context, op string, opposite bool, x graph.Output) graph.Output {
	return c.Op(op, graph.Attrs{"exclusive": c.Bool("exclusive"), "reverse": c.Bool("reverse") != opposite}, x, c.Input(1))
}

// cumprodGradient sums up, for each x, the products that have it as a factor, each times
// its dy and without that factor: for an x that is not 0 it is divided out. Of several
// zeros, the first in a line is a factor of all products of the others, so that those
// have no gradient, and for the first one 1 is multiplied in its place.
func cumprodGradient(c *gradient.Context, x, y, dy graph.Output) graph.Output {
	zero := c.Apply("Equal", x, c.Scalar(x, 0))
	zeros := c.Op("Cumsum", graph.Attrs{"reverse": c.Bool("reverse")}, c.Cast(zero, tensor.Int32), c.Input(1)) // up to here
	first := c.Apply("LogicalAnd", zero, c.Apply("Equal", zeros, c.Const(int32(1))))
	others := accumulated(c, "Cumprod", false, c.Select(first, c.Scalar(x, 1), x))
	sum := func(products graph.Output) graph.Output { return accumulated(c, "Cumsum", true, c.Mul(products, dy)) }
	return c.Select(first, sum(others), c.Apply("DivNoNan", sum(y), x))
}

// cumulativeLogsumexpGradient: with y = log Σexp(x), dx = exp(x)·Σ dy·exp(-y), the
// sum in the opposite direction. It is worked out among logarithms, apart for
// positive and negative dy, so that nothing overflows.
func cumulativeLogsumexpGradient(c *gradient.Context, x, y, dy graph.Output) graph.Output {
	if x.Op == nil || dy.Op == nil {
		return graph.Output{}
	}
	zero := c.Scalar(dy, 0)
	lowest := c.Scalar(dy, lowestFinite(dy.DataType()))
	part := func(test string, size graph.Output) graph.Output {
		log := c.Select(c.Apply(test, dy, zero), c.Log(size), lowest)
		return c.Exp(c.Add(accumulated(c, "CumulativeLogsumexp", true, c.Sub(log, y)), x))
	}
	return c.Sub(part("Greater", dy), part("Less", c.Neg(dy)))
}

// lowestFinite returns the lowest finite number of a type.
func lowestFinite(dt tensor.DType) float64 {
	switch dt {
	case tensor.Half:
		return -65504
	case tensor.Bfloat16:
		return -0x1.fep127
	case tensor.Float:
		return -math.MaxFloat32
	}
	return -math.MaxFloat64
}

// logSumExp is log(exp(x)+exp(y)) without overflow.
func logSumExp(x, y float64) float64 {
	if x < y {
		x, y = y, x
	}
	if math.IsInf(x, -1) {
		return x
	}
	return x + math.Log1p(math.Exp(y-x))
}

func logSumExp32(x, y float32) float32 { return float32(logSumExp(float64(x), float64(y))) }

func newCumulative(c *kernel.Construction) (kernel.Kernel, error) {
	dt := c.Type("T")
	wide := dt
	if dt == tensor.Half || dt == tensor.Bfloat16 {
		wide = tensor.Float
	}
	line := accumulation(elementwise.Wider(wide), c.Op.Name == "Cumprod")
	if line == nil {
		return nil, status.Errorf(status.Unimplemented, "operation %s has no kernel for %v yet", c.Op.Name, dt)
	}
	k := &cumulative{line, c.Bool("exclusive"), c.Bool("reverse")}
	if wide != dt {
		return elementwise.Widen(dt, k), nil
	}
	return elementwise.WidenIntegers(dt, k, 0), nil
}

// accumulation returns what adds up lines, or multiplies; nil if there is none for dt.
func accumulation(dt tensor.DType, product bool) lineFunc {
	switch dt {
	case tensor.Float:
		return accumulating[float32](product)
	case tensor.Double:
		return accumulating[float64](product)
	case tensor.Int32:
		return accumulating[int32](product)
	case tensor.Int64, tensor.Uint64: // the same bits
		return accumulating[int64](product)
	case tensor.Complex64:
		return accumulating[complex64](product)
	case tensor.Complex128:
		return accumulating[complex128](product)
	}
	return nil
}

func accumulating[T elementwise.Number](product bool) lineFunc {
	if product {
		return linesOf(times[T], 1)
	}
	return linesOf(plus[T], 0)
}

// A lineFunc combines each of n elements, from one on and a step apart, with those
// before it.
type lineFunc func(ctx *kernel.Context, o, x tensor.Memory, start, n, step int, exclusive bool)

func linesOf[T tensor.Element](f func(x, y T) T, empty T) lineFunc {
	return func(ctx *kernel.Context, to, from tensor.Memory, start, n, step int, exclusive bool) {
		o, x := tensor.Elements[T](to), tensor.Elements[T](from)
		i := start
		for sum := empty; n > 0; i, n = i+step, n-1 {
			if n%block == 0 && ctx.Err() != nil {
				return
			}
			next := f(sum, x[i])
			if exclusive {
				o[i] = sum
			} else {
				o[i] = next
			}
			sum = next
		}
	}
}

// A cumulative combines each element with those before it on its line.
type cumulative struct {
	line      lineFunc
	exclusive bool // the element itself is left out
	reverse   bool // from the last to the first
}

func (k *cumulative) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	dims := in[0].Dims()
	if in[1].Rank() != 0 {
		return status.Invalid("axis must be a scalar, got shape %s", tensor.FormatDims(in[1].Dims()))
	}
	axis, err := kernel.Int(&in[1], "axis")
	if err != nil {
		return err
	}
	at, ok := kernel.Axis(axis, len(dims))
	if !ok {
		return status.Invalid("Expected scan axis in the range [%d, %d), but got %d", -len(dims), len(dims), axis)
	}
	n, inner := int(dims[at]), 1
	for _, d := range dims[at+1:] {
		inner *= int(d)
	}
	x := in[0].Memory()
	v, err := ctx.ReuseOrAlloc(in, 0, in[0].DType(), dims)
	if err != nil {
		return err
	}
	out[0] = v
	o := out[0].Memory()
	if o.Len() == 0 {
		return nil
	}
	lines := o.Len() / n
	ctx.Parallel(lines, max(1, block/n), func(lo, hi int) {
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			start, step := i/inner*n*inner+i%inner, inner
			if k.reverse {
				start, step = start+(n-1)*inner, -inner
			}
			k.line(ctx, o, x, start, n, step, k.exclusive)
		}
	})
	return ctx.Err()
}
