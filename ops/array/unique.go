package array

import (
	"encoding/binary"
	"slices"
	"unsafe"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("Unique").
		Input("x: T").Output("y: T").Output("idx: out_idx").
		Attr("T: type").
		Attr("out_idx: {int32, int64} = DT_INT32").
		Doc(`Finds the distinct elements of a vector, in the order they first occur.

y: The distinct elements.
idx: The place of each element of x in y.
out_idx: The type of places and counts.`)
	registry.Define("UniqueV2").
		Input("x: T").Input("axis: Taxis").Output("y: T").Output("idx: out_idx").
		Attr("T: type").
		Attr("Taxis: {int32, int64} = DT_INT64").
		Attr("out_idx: {int32, int64} = DT_INT32").
		Doc(`Finds the distinct slices along a dimension, in the order they first occur.

axis: The dimension; empty for a vector.
y: The distinct slices.
idx: The place of each slice of x in y.
out_idx: The type of places and counts.`)
	registry.Define("UniqueWithCounts").
		Input("x: T").Output("y: T").Output("idx: out_idx").Output("count: out_idx").
		Attr("T: type").
		Attr("out_idx: {int32, int64} = DT_INT32").
		Doc(`Finds the distinct elements of a vector, and counts them.

y: The distinct elements.
idx: The place of each element of x in y.
count: How often each occurs.
out_idx: The type of places and counts.`)
	registry.Define("UniqueWithCountsV2").
		Input("x: T").Input("axis: Taxis").Output("y: T").Output("idx: out_idx").Output("count: out_idx").
		Attr("T: type").
		Attr("Taxis: {int32, int64} = DT_INT64").
		Attr("out_idx: {int32, int64} = DT_INT32").
		Doc(`Finds the distinct slices along a dimension, and counts them.

axis: The dimension; empty for a vector.
y: The distinct slices.
idx: The place of each slice of x in y.
count: How often each occurs.
out_idx: The type of places and counts.`)
	registry.Define("ListDiff").
		Input("x: T").Input("y: T").Output("out: T").Output("idx: out_idx").
		Attr("T: type").
		Attr("out_idx: {int32, int64} = DT_INT32").
		Doc(`Finds the elements of x that are not in y.

x: A vector, in which elements may occur several times.
out: These elements, in the order of x.
idx: Their places in x.
out_idx: The type of the places.`)

	for _, op := range []string{"Unique", "UniqueV2", "UniqueWithCounts", "UniqueWithCountsV2"} {
		registerDistinct(op, uniqueTypes, unique)
	}
	registerDistinct("ListDiff", slices.DeleteFunc(slices.Clone(uniqueTypes), func(dt tensor.DType) bool { return dt == tensor.Bool }), listDiff)
}

func registerDistinct(op string, types []tensor.DType, run func(ctx *kernel.Context, in, out []tensor.Value, places tensor.DType) error) {
	kernel.Register(kernel.Registration{Op: op, Types: map[string][]tensor.DType{"T": types}, New: func(c *kernel.Construction) (kernel.Kernel, error) {
		places := c.Type("out_idx")
		return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error { return run(ctx, in, out, places) }), nil
	}})
}

// uniqueTypes are the types of elements that are told apart.
var uniqueTypes = slices.Concat(elementwise.Reals, []tensor.DType{tensor.Bool, tensor.String})

// numbered returns each element of the tensors, which are of one type, the
// number of the first element that it equals, counting distinct ones from 0. A
// NaN equals nothing.
func numbered(ctx *kernel.Context, vs ...*tensor.Value) ([][]int64, error) {
	switch dt := vs[0].DType(); dt {
	case tensor.Float:
		return number(ctx, tensor.Of[float32], vs)
	case tensor.Double:
		return number(ctx, tensor.Of[float64], vs)
	case tensor.Half:
		return number(ctx, func(v *tensor.Value) []float32 { return widened(tensor.Of[tensor.Float16](v)) }, vs)
	case tensor.Bfloat16:
		return number(ctx, func(v *tensor.Value) []float32 { return widened(tensor.Of[tensor.BFloat16](v)) }, vs)
	case tensor.Bool, tensor.Int8, tensor.Uint8: // they are equal if their bits are
		return number(ctx, bitsOf[uint8], vs)
	case tensor.Int16, tensor.Uint16:
		return number(ctx, bitsOf[uint16], vs)
	case tensor.Int32, tensor.Uint32:
		return number(ctx, bitsOf[uint32], vs)
	case tensor.Int64, tensor.Uint64:
		return number(ctx, bitsOf[uint64], vs)
	case tensor.Complex64:
		return number(ctx, tensor.Of[complex64], vs)
	case tensor.Complex128:
		return number(ctx, tensor.Of[complex128], vs)
	case tensor.String:
		return number(ctx, tensor.Of[string], vs)
	default:
		return nil, status.Errorf(status.Unimplemented, "elements of type %v are not compared", dt)
	}
}

func bitsOf[T uint8 | uint16 | uint32 | uint64](v *tensor.Value) []T {
	return tensor.Elements[T](v.Memory())
}

func widened[T interface{ Float32() float32 }](x []T) []float32 {
	w := make([]float32, len(x))
	for i, v := range x {
		w[i] = v.Float32()
	}
	return w
}

func number[T comparable](ctx *kernel.Context, elements func(*tensor.Value) []T, vs []*tensor.Value) ([][]int64, error) {
	seen, next := map[T]int64{}, int64(0)
	numbers := make([][]int64, len(vs))
	const block = 1 << 14
	for k, v := range vs {
		if err := ctx.Reserve(8 * v.NumElements()); err != nil {
			return nil, err
		}
		numbers[k] = make([]int64, v.NumElements())
		for i, x := range elements(v) {
			if i%block == 0 {
				// Room for a block of new ones. The map is half empty at times, and there
				// twice while it grows.
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				if err := ctx.Reserve(min(block, len(numbers[k])-i) * 2 * int(8+unsafe.Sizeof(x))); err != nil {
					return nil, err
				}
			}
			n, ok := seen[x]
			if !ok {
				n = next
				seen[x] = n
				next++
			}
			numbers[k][i] = n
		}
	}
	return numbers, nil
}

// numberedRows is numbered for the rows of n numbers each. A row counts from
// the first.
func numberedRows(ctx *kernel.Context, x []int64, rows, n int) ([]int64, error) {
	if n == 1 {
		return x, nil
	}
	seen, key := map[string]int64{}, []byte(nil)
	numbers := make([]int64, rows)
	for i := range numbers {
		if i&0xfff == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		key = key[:0]
		for _, e := range x[i*n : (i+1)*n] {
			key = binary.LittleEndian.AppendUint64(key, uint64(e))
		}
		k, ok := seen[string(key)]
		if !ok {
			k = int64(len(seen))
			seen[string(key)] = k
		}
		numbers[i] = k
	}
	return numbers, nil
}

// unique returns the kernel of the operations on distinct elements and slices.
func unique(ctx *kernel.Context, in, out []tensor.Value, places tensor.DType) error {
	defer ctx.UnreserveTo(ctx.Reserved())
	x, axis := in[0].Dims(), 0
	if len(in) > 1 && in[1].Rank() != 1 {
		return status.Invalid("axis expects a 1D vector.")
	}
	switch {
	case len(in) == 1 || in[1].NumElements() == 0:
		if len(x) != 1 {
			return status.Invalid("unique expects a 1D vector.")
		}
	case in[1].NumElements() > 1:
		return status.Invalid("axis does not support input tensors larger than 1 elements")
	default:
		a, ok := kernel.Axis(kernel.AppendInts(nil, &in[1])[0], len(x))
		if !ok {
			return status.Invalid("axis has to be between [0, %d)", len(x))
		}
		axis = a
	}
	// The dimension goes to the front, and back when done.
	outer, rows, inner := sliceSize(x[:axis]), int(x[axis]), sliceSize(x[axis+1:])
	flat := in[0]
	if outer > 1 && flat.NumElements() > 0 {
		v, err := ctx.Alloc(flat.DType(), []int64{int64(rows), int64(outer), int64(inner)})
		if err != nil {
			return err
		}
		defer ctx.Free(v)
		from := strided.Of([]int64{int64(outer), int64(rows), int64(inner)}).Permute([]int{1, 0, 2})
		if err := strided.Copy(ctx, &v, strided.Whole(v), &in[0], from); err != nil {
			return err
		}
		flat = v
	}
	numbers, err := numbered(ctx, &flat)
	if err != nil {
		return err
	}
	n := outer * inner
	which, err := numberedRows(ctx, numbers[0], rows, n)
	if err != nil {
		return err
	}
	var first, counts []int64
	for i, k := range which {
		if int(k) == len(first) {
			first, counts = append(first, int64(i)), append(counts, 0)
		}
		counts[k]++
	}
	dims := slices.Clone(x)
	dims[axis] = int64(len(first))
	if out[0], err = ctx.Alloc(in[0].DType(), dims); err != nil {
		return err
	}
	switch {
	case out[0].NumElements() == 0:
	case outer == 1:
		strided.Gather(&out[0], 0, &flat, 0, first, n)
	default:
		for k, r := range first {
			to := strided.Of([]int64{int64(outer), int64(len(first)), int64(inner)})
			to.Slice(1, k, 1, 1)
			from := strided.Of([]int64{int64(rows), int64(outer), int64(inner)}).Permute([]int{1, 0, 2})
			from.Slice(1, int(r), 1, 1)
			if err := strided.Copy(ctx, &out[0], to, &flat, from); err != nil {
				return err
			}
		}
	}
	if out[1], err = integers(ctx, places, which); err != nil || len(out) < 3 {
		return err
	}
	out[2], err = integers(ctx, places, counts)
	return err
}

// integers returns a vector of int32 or int64.
func integers(ctx *kernel.Context, dt tensor.DType, x []int64) (tensor.Value, error) {
	v, err := ctx.Alloc(dt, []int64{int64(len(x))})
	if err != nil {
		return v, err
	}
	if dt == tensor.Int64 {
		copy(tensor.Of[int64](&v), x)
		return v, nil
	}
	o := tensor.Of[int32](&v)
	for i, k := range x {
		o[i] = int32(k)
	}
	return v, nil
}

func listDiff(ctx *kernel.Context, in, out []tensor.Value, places tensor.DType) error {
	defer ctx.UnreserveTo(ctx.Reserved())
	for i, name := range []string{"x", "y"} {
		if in[i].Rank() != 1 {
			return status.Invalid("%s should be a 1D vector.", name)
		}
	}
	numbers, err := numbered(ctx, &in[1], &in[0])
	if err != nil {
		return err
	}
	drop := make(map[int64]bool, len(numbers[0]))
	for _, k := range numbers[0] {
		drop[k] = true
	}
	var keep []int64
	for i, k := range numbers[1] {
		if !drop[k] {
			keep = append(keep, int64(i))
		}
	}
	if out[0], err = ctx.Alloc(in[0].DType(), []int64{int64(len(keep))}); err != nil {
		return err
	}
	if len(keep) > 0 {
		strided.Gather(&out[0], 0, &in[0], 0, keep, 1)
	}
	out[1], err = integers(ctx, places, keep)
	return err
}
