package array

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"sort"

	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/kernel/hash"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("LowerBound").
		Input("sorted_inputs: T").Input("values: T").Output("output: out_type").
		Attr("T: type").
		Attr("out_type: {int32, int64} = DT_INT32").
		Doc(`Finds where values could be put into sorted rows, before equal elements.

sorted_inputs: Rows in ascending order.
values: As many rows of values.
output: For each value the number of elements before its place.
out_type: The type of the places.`)
	registry.Define("UpperBound").
		Input("sorted_inputs: T").Input("values: T").Output("output: out_type").
		Attr("T: type").
		Attr("out_type: {int32, int64} = DT_INT32").
		Doc(`Finds where values could be put into sorted rows, after equal elements.

sorted_inputs: Rows in ascending order.
values: As many rows of values.
output: For each value the number of elements before its place.
out_type: The type of the places.`)
	registry.Define("UnravelIndex").
		Input("indices: Tidx").Input("dims: Tidx").Output("output: Tidx").
		Attr("Tidx: {int32, int64} = DT_INT32").
		Doc(`Turns places in a flattened tensor into coordinates.

indices: The places; one outside of the tensor is an error.
dims: The shape of the tensor.
output: The coordinates of a place in a column.`)
	registry.Define("EditDistance").
		Input("hypothesis_indices: int64").Input("hypothesis_values: T").Input("hypothesis_shape: int64").
		Input("truth_indices: int64").Input("truth_values: T").Input("truth_shape: int64").
		Output("output: float").
		Attr("normalize: bool = true").
		Attr("T: type").
		Doc(`Counts the insertions, deletions and replacements that turn each sequence into another (Levenshtein distance).

hypothesis_indices: The sequences, as a sparse tensor.
hypothesis_values: Their elements.
hypothesis_shape: Their shape; the last dimension is along sequences.
truth_indices: The others, as a sparse tensor.
truth_values: Their elements.
truth_shape: Their shape.
normalize: Whether to divide by the length of the other sequence; the distance to an empty one is ∞, or 0 from an empty one.`)
	registry.Define("Fingerprint").
		Input("data: T").Input("method: string").Output("fingerprint: uint8").
		Attr("T: type").
		Doc(`Hashes each slice along the first dimension.

method: "farmhash64".`)

	for _, op := range []string{"LowerBound", "UpperBound"} {
		kernel.ForType(op, "T", tensor.Float, newBound(tensor.Of[float32]))
		kernel.ForType(op, "T", tensor.Double, newBound(tensor.Of[float64]))
		kernel.ForType(op, "T", tensor.Half, newBound(func(v *tensor.Value) []float32 { return widened(tensor.Of[tensor.Float16](v)) }))
		kernel.ForType(op, "T", tensor.Bfloat16, newBound(func(v *tensor.Value) []float32 { return widened(tensor.Of[tensor.BFloat16](v)) }))
		kernel.ForType(op, "T", tensor.Int8, newBound(tensor.Of[int8]))
		kernel.ForType(op, "T", tensor.Int16, newBound(tensor.Of[int16]))
		kernel.ForType(op, "T", tensor.Int32, newBound(tensor.Of[int32]))
		kernel.ForType(op, "T", tensor.Int64, newBound(tensor.Of[int64]))
		kernel.ForType(op, "T", tensor.Uint8, newBound(tensor.Of[uint8]))
		kernel.ForType(op, "T", tensor.Uint16, newBound(tensor.Of[uint16]))
		kernel.ForType(op, "T", tensor.Uint32, newBound(tensor.Of[uint32]))
		kernel.ForType(op, "T", tensor.Uint64, newBound(tensor.Of[uint64]))
	}
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(unravel), nil }, "UnravelIndex")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(fingerprint), nil }, "Fingerprint")
	kernel.Register(kernel.Registration{Op: "EditDistance", Types: map[string][]tensor.DType{"T": append(elementwise.Numbers[:len(elementwise.Numbers):len(elementwise.Numbers)], tensor.Bool, tensor.String)}, New: newEditDistance})

	gradient.None("EditDistance")
}

// newBound makes the kernel of LowerBound and UpperBound on elements of a type.
func newBound[T elementwise.Real](elements func(*tensor.Value) []T) kernel.Factory {
	return func(c *kernel.Construction) (kernel.Kernel, error) {
		upper, dt := c.Op.Name == "UpperBound", c.Type("out_type")
		return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
			for i, name := range []string{"sorted_inputs", "values"} {
				if r := in[i].Rank(); r != 2 {
					return status.Invalid("Shape must be rank 2 but is rank %d for `%s` argument", r, name)
				}
			}
			if in[0].Dim(0) != in[1].Dim(0) {
				return status.Invalid("Leading dim_size of both tensors must match.")
			}
			if dt == tensor.Int32 && in[0].Dim(1) > math.MaxInt32 {
				return status.Invalid("values tensor size must be less than INT_MAX")
			}
			v, err := ctx.Alloc(tensor.Int64, []int64{int64(in[1].NumElements())})
			if err != nil {
				return err
			}
			defer ctx.Free(v)
			x, y, o := elements(&in[0]), elements(&in[1]), tensor.Of[int64](&v)
			n := in[0].Dim(1)
			ctx.Parallel(len(y), 1<<10, func(lo, hi int) {
				for i := lo; i < hi && ctx.Err() == nil; i++ {
					row, y := x[i/in[1].Dim(1)*n:][:n], y[i]
					if upper {
						o[i] = int64(sort.Search(n, func(j int) bool { return y < row[j] }))
					} else {
						o[i] = int64(sort.Search(n, func(j int) bool { return !(row[j] < y) }))
					}
				}
			})
			if err := ctx.Err(); err != nil {
				return err
			}
			w, err := integers(ctx, dt, o)
			if err != nil {
				return err
			}
			w.SetDims(in[1].Dims())
			out[0] = w
			return nil
		}), nil
	}
}

func unravel(ctx *kernel.Context, in, out []tensor.Value) error {
	if r := in[0].Rank(); r > 1 {
		return status.Invalid("The indices can only be scalar or vector, got \"%s\"", tensor.FormatDims(in[0].Dims()))
	}
	if in[1].Rank() != 1 {
		return status.Invalid("The indices can only be 1-D, got \"%s\"", tensor.FormatDims(in[1].Dims()))
	}
	if in[0].NumElements() == 0 {
		return status.Invalid("received empty tensor indices: %s", tensor.FormatDims(in[0].Dims()))
	}
	if err := kernel.Short(&in[1], "dims"); err != nil {
		return err
	}
	dims := kernel.AppendInts(nil, &in[1])
	limit := int64(math.MaxInt64)
	if in[0].DType() == tensor.Int32 {
		limit = math.MaxInt32
	}
	size := int64(1)
	for i, d := range dims {
		switch {
		case d == 0:
			return status.Invalid("Input dims cannot contain a dim of zero, but dims contains zero at index %d", i)
		case d < 0:
			return status.Invalid("Input dims cannot be negative. Got dim = %d at index %d", d, i)
		case size > limit/d:
			return status.Invalid("Input dims product is causing integer overflow: %s", tensor.FormatDims(dims))
		}
		size *= d
	}
	shape := append([]int64{int64(len(dims))}, in[0].Dims()...)
	v, err := ctx.Alloc(in[0].DType(), shape)
	if err != nil {
		return err
	}
	out[0] = v
	if v.DType() == tensor.Int32 {
		return coordinates[int32](ctx, &in[0], dims, size, &out[0])
	}
	return coordinates[int64](ctx, &in[0], dims, size, &out[0])
}

// coordinates writes a column for each index, all of which are to be below size.
func coordinates[T int32 | int64](ctx *kernel.Context, indices *tensor.Value, dims []int64, size int64, v *tensor.Value) error {
	x, o := tensor.Of[T](indices), tensor.Of[T](v)
	for lo, hi := range ctx.Ranges(len(x), max(1, 1<<14/(len(dims)+1))) {
		for i, k := range x[lo:hi] {
			k := int64(k)
			if k >= size {
				return status.Invalid("index is out of bound as with dims")
			}
			for d, n := range slices.Backward(dims) {
				o[d*len(x)+lo+i] = T(k % n)
				k /= n
			}
		}
	}
	return nil
}

func fingerprint(ctx *kernel.Context, in, out []tensor.Value) error {
	if in[1].Rank() != 0 {
		return status.Invalid("`method` should be a scalar string: %s", tensor.FormatDims(in[1].Dims()))
	}
	if method := tensor.At0[string](&in[1]); method != "farmhash64" {
		return status.Invalid("Unsupported fingerprint method: %s", method)
	}
	if in[0].Rank() < 1 {
		return status.Invalid("`data` should have at least one dimension: %s", tensor.FormatDims(in[0].Dims()))
	}
	rows := in[0].Dim(0)
	v, err := ctx.Alloc(tensor.Uint8, []int64{int64(rows), 8})
	if err != nil {
		return err
	}
	out[0] = v
	o := tensor.Of[uint8](&out[0])
	n := sliceSize(in[0].Dims()[1:])
	var b bytes.Buffer
	for i := range rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		b.Reset()
		if in[0].DType() == tensor.String {
			row := tensor.Of[string](&in[0])[i*n : (i+1)*n]
			if in[0].Rank() == 1 {
				b.WriteString(row[0])
			} else { // a hash of the strings' hashes
				for _, s := range row {
					b.Write(binary.LittleEndian.AppendUint64(nil, hash.Fingerprint64(s)))
				}
			}
		} else if _, err := in[0].Borrow(i*n, n, in[0].Dims()[1:]).Peek().WriteContentsTo(&b); err != nil {
			return err
		}
		binary.LittleEndian.PutUint64(o[8*i:], hash.Fingerprint64(b.String()))
	}
	return nil
}
