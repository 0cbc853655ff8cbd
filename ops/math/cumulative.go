package math

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
				return &cumulative[float64]{logSumExp, math.Inf(-1), exclusive, reverse}, nil
			case tensor.Float:
				return &cumulative[float32]{narrow2(logSumExp), float32(math.Inf(-1)), exclusive, reverse}, nil
			}
			return elementwise.Widen(dt, &cumulative[float32]{narrow2(logSumExp), float32(math.Inf(-1)), exclusive, reverse}), nil
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
	zero := c.Op("Equal", nil, x, c.Scalar(x, 0))
	zeros := c.Op("Cumsum", graph.Attrs{"reverse": c.Bool("reverse")}, c.Cast(zero, tensor.Int32), c.Input(1)) // up to here
	first := c.Op("LogicalAnd", nil, zero, c.Op("Equal", nil, zeros, c.Const(int32(1))))
	others := accumulated(c, "Cumprod", false, c.Select(first, c.Scalar(x, 1), x))
	sum := func(products graph.Output) graph.Output { return accumulated(c, "Cumsum", true, c.Mul(products, dy)) }
	return c.Select(first, sum(others), c.Op("DivNoNan", nil, sum(y), x))
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
		log := c.Select(c.Op(test, nil, dy, zero), c.Log(size), lowest)
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

func newCumulative(c *kernel.Construction) (kernel.Kernel, error) {
	switch dt := c.Type("T"); dt {
	case tensor.Float:
		return cumulate[float32](c), nil
	case tensor.Double:
		return cumulate[float64](c), nil
	case tensor.Half, tensor.Bfloat16:
		return elementwise.Widen(dt, cumulate[float32](c)), nil
	case tensor.Int8:
		return cumulate[int8](c), nil
	case tensor.Int16:
		return cumulate[int16](c), nil
	case tensor.Int32:
		return cumulate[int32](c), nil
	case tensor.Int64:
		return cumulate[int64](c), nil
	case tensor.Uint8:
		return cumulate[uint8](c), nil
	case tensor.Uint16:
		return cumulate[uint16](c), nil
	case tensor.Uint32:
		return cumulate[uint32](c), nil
	case tensor.Uint64:
		return cumulate[uint64](c), nil
	case tensor.Complex64:
		return cumulate[complex64](c), nil
	case tensor.Complex128:
		return cumulate[complex128](c), nil
	default:
		return nil, status.Errorf(status.Unimplemented, "operation %s has no kernel for %v yet", c.Op.Name, dt)
	}
}

func cumulate[T elementwise.Number](c *kernel.Construction) kernel.Kernel {
	k := &cumulative[T]{plus[T], 0, c.Bool("exclusive"), c.Bool("reverse")}
	if c.Op.Name == "Cumprod" {
		k.f, k.empty = times[T], 1
	}
	return k
}

// A cumulative combines each element with those before it on its line.
type cumulative[T tensor.Element] struct {
	f         func(x, y T) T
	empty     T
	exclusive bool // the element itself is left out
	reverse   bool // from the last to the first
}

func (k *cumulative[T]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
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
	x := tensor.Of[T](&in[0])
	v, err := ctx.ReuseOrAlloc(in, 0, in[0].DType(), dims)
	if err != nil {
		return err
	}
	out[0] = v
	o := tensor.Of[T](&out[0])
	if len(o) == 0 {
		return nil
	}
	lines := len(o) / n
	ctx.Parallel(lines, max(1, block/n), func(lo, hi int) {
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			start := i/inner*n*inner + i%inner
			k.line(ctx, o[start:], x[start:], n, inner)
		}
	})
	return ctx.Err()
}

func (k *cumulative[T]) line(ctx *kernel.Context, o, x []T, n, step int) {
	i := 0
	if k.reverse {
		i, step = (n-1)*step, -step
	}
	for sum := k.empty; n > 0; i, n = i+step, n-1 {
		if n%block == 0 && ctx.Err() != nil {
			return
		}
		next := k.f(sum, x[i])
		if k.exclusive {
			o[i] = sum
		} else {
			o[i] = next
		}
		sum = next
	}
}
