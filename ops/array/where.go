package array

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("Where").
		Input("input: T").Output("index: int64").
		Attr("T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64, bool} = DT_BOOL").
		Doc(`Lists the coordinates of the elements that are true or not 0, in row-major order.

index: One element a row, as many columns as the input has dimensions.`)

	kernel.ForTypes("Where", "T", newWhere, append(elementwise.Numbers[:len(elementwise.Numbers):len(elementwise.Numbers)], tensor.Bool)...)
}

func newWhere(dt tensor.DType) kernel.Kernel {
	switch dt {
	case tensor.Bool, tensor.Int8, tensor.Uint8: // what is not 0 can be seen from the bits
		return where{collectBy(func(x uint8) bool { return x != 0 })}
	case tensor.Int16, tensor.Uint16:
		return where{collectBy(func(x uint16) bool { return x != 0 })}
	case tensor.Half, tensor.Bfloat16:
		return where{collectBy(func(x uint16) bool { return x&0x7fff != 0 })}
	case tensor.Int32, tensor.Uint32:
		return where{collectBy(func(x uint32) bool { return x != 0 })}
	case tensor.Float:
		return where{collectBy(func(x float32) bool { return x != 0 })}
	case tensor.Int64, tensor.Uint64:
		return where{collectBy(func(x uint64) bool { return x != 0 })}
	case tensor.Double:
		return where{collectBy(func(x float64) bool { return x != 0 })}
	case tensor.Complex64:
		return where{collectBy(func(x complex64) bool { return x != 0 })}
	case tensor.Complex128:
		return where{collectBy(func(x complex128) bool { return x != 0 })}
	}
	return nil
}

// A where is the kernel of Where: collect puts the places, from lo, of elements lo to hi-1
// that hold in order, and says how many they are.
type where struct {
	collect func(places *[1 << 10]int32, x tensor.Memory, lo, hi int) int
}

func (k where) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	dims := in[0].Dims()
	if len(dims) == 0 {
		return status.Invalid("WhereOp : the input must have at least one dimension")
	}
	x := in[0].Memory()
	count := 0
	var places [1 << 10]int32
	for lo, hi := range ctx.Ranges(x.Len(), 1<<16) {
		for ; lo < hi; lo += len(places) {
			count += k.collect(&places, x, lo, min(lo+len(places), hi))
		}
	}
	v, err := ctx.Alloc(tensor.Int64, []int64{int64(count), int64(len(dims))})
	if err != nil {
		return err
	}
	out[0] = v
	o := tensor.Of[int64](&out[0])
	for lo, hi := range ctx.Ranges(x.Len(), max(1, 1<<15/len(dims))) {
		for ; lo < hi; lo += len(places) {
			n := k.collect(&places, x, lo, min(lo+len(places), hi))
			for _, p := range places[:n] {
				row, at := o[:len(dims)], int64(lo)+int64(p)
				o = o[len(dims):]
				for d := len(dims) - 1; d > 0; d-- {
					row[d] = at % dims[d]
					at /= dims[d]
				}
				row[0] = at
			}
		}
	}
	return nil
}

func collectBy[T tensor.Element](holds func(T) bool) func(places *[1 << 10]int32, x tensor.Memory, lo, hi int) int {
	return func(places *[1 << 10]int32, x tensor.Memory, lo, hi int) int {
		return collect(places, tensor.Elements[T](x)[lo:hi], holds)
	}
}

// collect puts the places of elements that hold in order, and says how many they are.
// Which hold need not be foreseen: places are written in any case, and kept or not.
func collect[T tensor.Element](places *[1 << 10]int32, x []T, holds func(T) bool) (n int) {
	for i, x := range x[:min(len(x), len(places))] {
		places[n&(len(places)-1)] = int32(i)
		if holds(x) {
			n++
		}
	}
	return n
}
