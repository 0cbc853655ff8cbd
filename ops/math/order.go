package math

import (
	"slices"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("NthElement").
		Input("input: T").Input("n: int32").Output("values: T").
		Attr("reverse: bool = false").
		Attr("T: realnumbertype").
		Doc(`Finds the element that is in place n when the row is sorted, in each row.

input: Rows in the last dimension, of more than n elements.
n: The place, from 0.
reverse: Whether the row is sorted in descending order.`)

	kernel.Register(kernel.Registration{
		Op:    "NthElement",
		Types: map[string][]tensor.DType{"T": elementwise.Reals},
		New:   newNthElement,
	})

	gradient.Unary(func(c *gradient.Context, x, y, dy graph.Output) graph.Output {
		last := c.Const(int32(-1))
		expand := func(v graph.Output) graph.Output { return c.Op("ExpandDims", nil, v, last) }
		chosen := c.Cast(c.Op("Equal", nil, expand(y), x), c.Type("T"))
		count := expand(c.Op("Sum", nil, chosen, last))
		return c.Mul(c.Div(chosen, count), expand(dy))
	}, "NthElement")
}

func newNthElement(c *kernel.Construction) (kernel.Kernel, error) {
	reverse := c.Bool("reverse")
	switch dt := c.Type("T"); dt {
	case tensor.Float:
		return nthElement[float32]{reverse}, nil
	case tensor.Double:
		return nthElement[float64]{reverse}, nil
	case tensor.Int8:
		return nthElement[int8]{reverse}, nil
	case tensor.Int16:
		return nthElement[int16]{reverse}, nil
	case tensor.Int32:
		return nthElement[int32]{reverse}, nil
	case tensor.Int64:
		return nthElement[int64]{reverse}, nil
	case tensor.Uint8:
		return nthElement[uint8]{reverse}, nil
	case tensor.Uint16:
		return nthElement[uint16]{reverse}, nil
	case tensor.Uint32:
		return nthElement[uint32]{reverse}, nil
	case tensor.Uint64:
		return nthElement[uint64]{reverse}, nil
	default: // half, bfloat16
		return elementwise.Widen(dt, nthElement[float32]{reverse}), nil
	}
}

// An nthElement is the kernel of NthElement. NaNs are above all numbers.
type nthElement[T elementwise.Real] struct{ reverse bool }

func (k nthElement[T]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	if in[1].Rank() != 0 {
		return status.Invalid("N must be scalar but has rank %d", in[1].Rank())
	}
	at := int(tensor.At0[int32](&in[1]))
	if at < 0 {
		return status.Invalid("n must be non-negative but is %d", at)
	}
	if in[0].Rank() < 1 {
		return status.Invalid("Input must be at least rank 1 but is rank 0")
	}
	outer := in[0].Dims()[:in[0].Rank()-1]
	n := in[0].Dim(len(outer))
	if n <= at {
		return status.Invalid("Input must have last dimension > n = %d", at)
	}
	if k.reverse {
		at = n - 1 - at
	}
	var err error
	if out[0], err = ctx.Alloc(tensor.DTypeOf[T](), outer); err != nil {
		return err
	}
	scratch, err := ctx.Alloc(tensor.DTypeOf[T](), in[0].Dims())
	if err != nil {
		return err
	}
	defer ctx.Free(scratch)
	o, x := tensor.Of[T](&out[0]), tensor.Of[T](&scratch)
	copy(x, tensor.Of[T](&in[0]))
	ctx.Parallel(len(o), max(1, block/n), func(lo, hi int) {
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			o[i] = selectNth(x[i*n:(i+1)*n], at)
		}
	})
	return ctx.Err()
}

// selectNth returns the element of x that is in place at once x is sorted. It moves
// elements: Hoare's algorithm FIND, with the median of three as the pivot, and
// sorting once that has taken longer than it does for most orders.
func selectNth[T elementwise.Real](x []T, at int) T {
	below := func(a, b T) bool { return a < b || b != b && a == a }
	for budget := 16 * len(x); len(x) > 1; {
		if budget -= len(x); budget < 0 {
			slices.SortFunc(x, func(a, b T) int {
				switch {
				case below(a, b):
					return -1
				case below(b, a):
					return 1
				}
				return 0
			})
			return x[at]
		}
		a, pivot, b := x[0], x[len(x)/2], x[len(x)-1]
		if below(b, a) {
			a, b = b, a
		}
		if below(pivot, a) {
			pivot = a
		} else if below(b, pivot) {
			pivot = b
		}
		i, j := 0, len(x)-1
		for i <= j {
			for below(x[i], pivot) {
				i++
			}
			for below(pivot, x[j]) {
				j--
			}
			if i <= j {
				x[i], x[j] = x[j], x[i]
				i++
				j--
			}
		}
		switch {
		case at <= j:
			x = x[:j+1]
		case at >= i:
			x, at = x[i:], at-i
		default:
			return x[at]
		}
	}
	return x[0]
}
