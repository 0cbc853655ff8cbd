package xla

import (
	"cmp"
	"math"
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("XlaSort").
		Input("input: T").Output("output: T").
		Attr("T: type").
		Doc("Sorts along the last dimension, smallest first.")
	registry.Define("XlaKeyValueSort").
		Input("keys: K").Input("values: V").Output("sorted_keys: K").
		Output("sorted_values: V").
		Attr("K: realnumbertype").
		Attr("V: type").
		Doc(`Sorts keys along the last dimension, smallest first, and moves values along with them.

values: Of the shape of keys; those of equal keys keep their order.`)

	shape.Register(shape.Unchanged, "XlaSort")
	shape.Register(func(c *shape.Context) error {
		c.SetOutput(0, c.Input(0))
		c.SetOutput(1, c.Input(1))
		return nil
	}, "XlaKeyValueSort")
	kernel.ForAll(newSorter, "XlaSort", "XlaKeyValueSort")
}

// newSorter makes the kernel of both operations.
func newSorter(c *kernel.Construction) (kernel.Kernel, error) {
	order := orders[c.Inputs[0]]
	if order == nil {
		return nil, c.Errorf("%v has no order to sort by", c.Inputs[0])
	}
	return sorter{order}, nil
}

// orders says for each type how elements i and j of a tensor compare.
var orders = map[tensor.DType]func(v *tensor.Value) func(i, j int64) int{
	tensor.Bool: order(func(x bool) int {
		if x {
			return 1
		}
		return 0
	}),
	tensor.Int8:     order(func(x int8) int8 { return x }),
	tensor.Int16:    order(func(x int16) int16 { return x }),
	tensor.Int32:    order(func(x int32) int32 { return x }),
	tensor.Int64:    order(func(x int64) int64 { return x }),
	tensor.Uint8:    order(func(x uint8) uint8 { return x }),
	tensor.Uint16:   order(func(x uint16) uint16 { return x }),
	tensor.Uint32:   order(func(x uint32) uint32 { return x }),
	tensor.Uint64:   order(func(x uint64) uint64 { return x }),
	tensor.Half:     order(func(x tensor.Float16) int64 { return rank(float64(x.Float32())) }),
	tensor.Bfloat16: order(func(x tensor.BFloat16) int64 { return rank(float64(x.Float32())) }),
	tensor.Float:    order(func(x float32) int64 { return rank(float64(x)) }),
	tensor.Double:   order(func(x float64) int64 { return rank(x) }),
}

// order compares the elements of a tensor by what key makes of them.
//
//go:noinline
func order[T tensor.Element, K cmp.Ordered](key func(T) K) func(v *tensor.Value) func(i, j int64) int {
	return func(v *tensor.Value) func(i, j int64) int {
		x := tensor.Of[T](v)
		return func(i, j int64) int { return cmp.Compare(key(x[i]), key(x[j])) }
	}
}

// rank orders all numbers of IEEE 754: -NaN, -∞, …, -0, +0, …, ∞, NaN.
func rank(x float64) int64 {
	bits := int64(math.Float64bits(x))
	return bits ^ (bits >> 63 & math.MaxInt64)
}

// A sorter sorts rows, and values along with keys.
type sorter struct {
	order func(v *tensor.Value) func(i, j int64) int
}

func (k sorter) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	x := in[0].Dims()
	if len(x) == 0 && len(in) > 1 && in[1].Rank() == 0 {
		copy(out, in)
		return nil
	}
	if len(x) == 0 {
		return status.Invalid("the tensor to sort must have a dimension")
	}
	if len(in) > 1 && !slices.Equal(x, in[1].Dims()) {
		return status.Invalid("keys and values must have one shape, got %s and %s", tensor.FormatDims(x), tensor.FormatDims(in[1].Dims()))
	}
	var err error
	for i := range in {
		if out[i], err = ctx.Alloc(in[i].DType(), x); err != nil {
			return err
		}
	}
	all, row := in[0].NumElements(), in[0].Dim(len(x)-1)
	if all == 0 {
		return nil
	}
	compare := k.order(&in[0])
	defer ctx.UnreserveTo(ctx.Reserved())
	if err := ctx.Reserve(8 * row); err != nil {
		return err
	}
	places := make([]int64, row)
	for at := 0; at < all; at += row {
		if err := ctx.Err(); err != nil {
			return err
		}
		for i := range places {
			places[i] = int64(at + i)
		}
		if err := kernel.SortStable(ctx, places, compare); err != nil {
			return err
		}
		for i := range in {
			strided.Gather(&out[i], at, &in[i], 0, places, 1)
		}
	}
	return nil
}
