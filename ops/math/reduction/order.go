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
		expand := func(v graph.Output) graph.Output { return c.Apply("ExpandDims", v, last) }
		chosen := c.Cast(c.Apply("Equal", expand(y), x), c.Type("T"))
		count := expand(c.Apply("Sum", chosen, last))
		return c.Mul(c.Div(chosen, count), expand(dy))
	}, "NthElement")
}

func newNthElement(c *kernel.Construction) (kernel.Kernel, error) {
	return newNth(c.Type("T"), c.Bool("reverse")), nil
}

func newNth(dt tensor.DType, reverse bool) kernel.Kernel {
	switch dt {
	case tensor.Float:
		return nthElement{dt, reverse, selectIn[float32]}
	case tensor.Double:
		return nthElement{dt, reverse, selectIn[float64]}
	case tensor.Int32:
		return nthElement{dt, reverse, selectIn[int32]}
	case tensor.Int64:
		return nthElement{dt, reverse, selectIn[int64]}
	case tensor.Uint64:
		return nthElement{dt, reverse, selectIn[uint64]}
	case tensor.Half, tensor.Bfloat16:
		return elementwise.Widen(dt, newNth(tensor.Float, reverse))
	}
	return elementwise.WidenIntegers(dt, newNth(elementwise.Wider(dt), reverse), 0)
}

// An nthElement is the kernel of NthElement. NaNs are above all numbers.
type nthElement struct {
	dt      tensor.DType
	reverse bool
	find    func(o, x tensor.Memory, i, n, at int) // sets o[i] to the element at a place of row i of n
}

func (k nthElement) Run(ctx *kernel.Context, in, out []tensor.Value) error {
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
	if out[0], err = ctx.Alloc(k.dt, outer); err != nil {
		return err
	}
	scratch, err := ctx.Alloc(k.dt, in[0].Dims())
	if err != nil {
		return err
	}
	defer ctx.Free(scratch)
	if err := strided.Copy(ctx, &scratch, strided.Whole(scratch), &in[0], strided.Whole(in[0])); err != nil {
		return err
	}
	o, x := out[0].Memory(), scratch.Memory()
	ctx.Parallel(o.Len(), max(1, block/n), func(lo, hi int) {
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			k.find(o, x, i, n, at)
		}
	})
	return ctx.Err()
}

func selectIn[T elementwise.Real](o, x tensor.Memory, i, n, at int) {
	tensor.Elements[T](o)[i] = selectNth(tensor.Elements[T](x)[i*n:(i+1)*n], at)
}

// selectNth returns the element of x that is in place at once x is sorted. It moves
// elements: Hoare's algorithm FIND, with the median of three as the pivot, and
// sorting once that has taken longer than it does for most orders.
func selectNth[T elementwise.Real](x []T, at int) T {
	for budget := 16 * len(x); len(x) > 1; {
		if budget -= len(x); budget < 0 {
			sortHeap(x)
			return x[at]
		}
		a, pivot, b := x[0], x[len(x)/2], x[len(x)-1]
		if isBelow(b, a) {
			a, b = b, a
		}
		if isBelow(pivot, a) {
			pivot = a
		} else if isBelow(b, pivot) {
			pivot = b
		}
		i, j := 0, len(x)-1
		for i <= j {
			for isBelow(x[i], pivot) {
				i++
			}
			for isBelow(pivot, x[j]) {
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

// isBelow is the order of elements: NaNs are above all numbers.
func isBelow[T elementwise.Real](a, b T) bool { return a < b || b != b && a == a }

// sortHeap sorts by a heap (J. W. J. Williams, "Algorithm 232: Heapsort", 1964).
func sortHeap[T elementwise.Real](x []T) {
	for i := len(x)/2 - 1; i >= 0; i-- {
		siftDown(x, i)
	}
	for n := len(x) - 1; n > 0; n-- {
		x[0], x[n] = x[n], x[0]
		siftDown(x[:n], 0)
	}
}

// siftDown moves element i of a heap to where none below it is greater.
func siftDown[T elementwise.Real](heap []T, i int) {
	for {
		child := 2*i + 1
		if child >= len(heap) {
			return
		}
		if child+1 < len(heap) && isBelow(heap[child], heap[child+1]) {
			child++
		}
		if !isBelow(heap[i], heap[child]) {
			return
		}
		heap[i], heap[child] = heap[child], heap[i]
		i = child
	}
}
