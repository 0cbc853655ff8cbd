package array

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"

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
		for _, dt := range elementwise.Reals {
			kernel.ForType(op, "T", dt, newBound)
		}
	}
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(unravel), nil }, "UnravelIndex")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(fingerprint), nil }, "Fingerprint")
	kernel.Register(kernel.Registration{Op: "EditDistance", Types: map[string][]tensor.DType{"T": append(elementwise.Numbers[:len(elementwise.Numbers):len(elementwise.Numbers)], tensor.Bool, tensor.String)}, New: newEditDistance})

	gradient.None("EditDistance")
}

// newBound makes the kernel of LowerBound and UpperBound.
func newBound(c *kernel.Construction) (kernel.Kernel, error) {
	return newBoundOf(c.Type("T"), c.Type("out_type"), c.Op.Name == "UpperBound"), nil
}

func newBoundOf(dt, places tensor.DType, upper bool) kernel.Kernel {
	switch dt {
	case tensor.Float:
		return bound{places, boundsOf[float32], upper}
	case tensor.Double:
		return bound{places, boundsOf[float64], upper}
	case tensor.Int32:
		return bound{places, boundsOf[int32], upper}
	case tensor.Int64:
		return bound{places, boundsOf[int64], upper}
	case tensor.Uint64:
		return bound{places, boundsOf[uint64], upper}
	case tensor.Half, tensor.Bfloat16:
		return elementwise.Widen(dt, newBoundOf(tensor.Float, places, upper))
	}
	return elementwise.WidenIntegers(dt, newBoundOf(elementwise.Wider(dt), places, upper))
}

// A bound is the kernel of LowerBound and UpperBound.
type bound struct {
	places tensor.DType
	// of sets o[i] to the place of element i of y, for i from lo to hi-1, in its row of n
	// elements of x; there are each elements of y for a row.
	of    func(ctx *kernel.Context, o []int64, x, y tensor.Memory, lo, hi, n, each int, upper bool)
	upper bool
}

func (k bound) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	for i, name := range []string{"sorted_inputs", "values"} {
		if r := in[i].Rank(); r != 2 {
			return status.Invalid("Shape must be rank 2 but is rank %d for `%s` argument", r, name)
		}
	}
	if in[0].Dim(0) != in[1].Dim(0) {
		return status.Invalid("Leading dim_size of both tensors must match.")
	}
	if k.places == tensor.Int32 && in[0].Dim(1) > math.MaxInt32 {
		return status.Invalid("values tensor size must be less than INT_MAX")
	}
	v, err := ctx.Alloc(tensor.Int64, []int64{int64(in[1].NumElements())})
	if err != nil {
		return err
	}
	defer ctx.Free(v)
	x, y, o := in[0].Memory(), in[1].Memory(), tensor.Of[int64](&v)
	ctx.Parallel(y.Len(), 1<<10, func(lo, hi int) { k.of(ctx, o, x, y, lo, hi, in[0].Dim(1), in[1].Dim(1), k.upper) })
	if err := ctx.Err(); err != nil {
		return err
	}
	w, err := integers(ctx, k.places, o)
	if err != nil {
		return err
	}
	w.SetDims(in[1].Dims())
	out[0] = w
	return nil
}

func boundsOf[T elementwise.Real](ctx *kernel.Context, o []int64, sorted, values tensor.Memory, lo, hi, n, each int, upper bool) {
	x, y := tensor.Elements[T](sorted), tensor.Elements[T](values)
	for i := lo; i < hi && ctx.Err() == nil; i++ {
		row, y := x[i/each*n:][:n], y[i]
		first, last := 0, n
		for first < last {
			if at := (first + last) / 2; row[at] < y || upper && !(y < row[at]) {
				first = at + 1
			} else {
				last = at
			}
		}
		o[i] = int64(first)
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
		return status.Invalid("Unsupported fingerprint method: %.200s", method) // it may be long
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
	size := 8 * n // bytes of a row; a single string is copied
	switch {
	case in[0].DType() != tensor.String:
		size = n * in[0].DType().Size()
	case in[0].Rank() == 1:
		for _, s := range tensor.Of[string](&in[0]) {
			size = max(size, len(s))
		}
	}
	defer ctx.UnreserveTo(ctx.Reserved())
	if err := ctx.Reserve(2 * size); err != nil { // the row and its text
		return err
	}
	b := bytes.NewBuffer(make([]byte, 0, size))
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
		} else if _, err := in[0].Borrow(i*n, n, in[0].Dims()[1:]).Peek().WriteContentsTo(b); err != nil {
			return err
		}
		binary.LittleEndian.PutUint64(o[8*i:], hash.Fingerprint64(b.String()))
	}
	return nil
}
