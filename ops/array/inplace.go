package array

import (
	"slices"

	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("InplaceUpdate").
		Input("x: T").Input("i: int32").Input("v: T").Output("y: T").
		Traits(registry.Impure).
		Attr("T: type").
		Doc(`Sets rows of a tensor, perhaps in its own memory.

i: Which rows, a vector.
v: Their values.`)
	registry.Define("InplaceAdd").
		Input("x: T").Input("i: int32").Input("v: T").Output("y: T").
		Traits(registry.Impure).
		Attr("T: type").
		Doc(`Adds to rows of a tensor, perhaps in its own memory.

i: Which rows, a vector.
v: What is added.`)
	registry.Define("InplaceSub").
		Input("x: T").Input("i: int32").Input("v: T").Output("y: T").
		Traits(registry.Impure).
		Attr("T: type").
		Doc(`Subtracts from rows of a tensor, perhaps in its own memory.

i: Which rows, a vector.
v: What is subtracted.`)
	registry.Define("ScatterNdNonAliasingAdd").
		Input("input: T").Input("indices: Tindices").Input("updates: T").Output("output: T").
		Attr("T: {numbertype, bool}").
		Attr("Tindices: {int32, int64}").
		Attr("bad_indices_policy: string = ''").
		Doc(`Adds updates to a tensor at given coordinates, perhaps in its own memory.

indices: Vectors of coordinates in the last dimension, each as long as the tensor has dimensions, for elements, or shorter, for slices.
updates: For each vector an element or slice.
bad_indices_policy: "IGNORE" to pass over places that do not exist, else "ERROR", "DEFAULT" or empty: they are an error.`)

	kernel.ForAll(newInplace(assign), "InplaceUpdate")
	kernel.ForAll(newInplace(sum), "InplaceAdd")
	kernel.ForAll(newInplace(difference), "InplaceSub")
	for _, dt := range append(slices.Clone(elementwise.Numbers), tensor.Bool) {
		kernel.ForType("ScatterNdNonAliasingAdd", "T", dt, newScatterOnto(sum))
	}

	gradient.Register(func(c *gradient.Context) {
		if c.Has(0) {
			c.Pass(0, 0)
			c.Set(2, c.Op("GatherNd", c.Attrs("bad_indices_policy"), c.Dy(0), c.Input(1)))
		}
	}, "ScatterNdNonAliasingAdd")
}

// newInplace makes the kernel of an operation on rows.
func newInplace(c combination) kernel.Factory {
	return func(*kernel.Construction) (kernel.Kernel, error) {
		return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error { return inplace(ctx, in, out, c) }), nil
	}
}

func inplace(ctx *kernel.Context, in, out []tensor.Value, c combination) error {
	x, i, v := in[0].Dims(), in[1].Dims(), in[2].Dims()
	if len(i) != 1 {
		return status.Invalid("i must be a vector. %s", tensor.FormatDims(i))
	}
	if len(x) != len(v) || len(x) == 0 {
		return status.Invalid("x and v shape doesn't match (ranks differ): %s vs. %s", tensor.FormatDims(x), tensor.FormatDims(v))
	}
	for d := 1; d < len(x); d++ {
		if x[d] != v[d] {
			return status.Invalid("x and v shape doesn't match at index %d : %s vs. %s", d, tensor.FormatDims(x), tensor.FormatDims(v))
		}
	}
	if i[0] != v[0] {
		return status.Invalid("i and x shape doesn't match at index 0: %s vs. %s", tensor.FormatDims(i), tensor.FormatDims(v))
	}
	if dt := in[0].DType(); c != assign && (dt == tensor.Bool || dt == tensor.String) {
		return status.Invalid("Unsupported data type: %v", dt)
	}
	if x[0] == 0 && i[0] > 0 {
		return status.Invalid("rows of a tensor without rows are updated")
	}
	// A row counts around: -1 is the last.
	rows := make([]int64, i[0])
	for k, r := range tensor.Of[int32](&in[1]) {
		rows[k] = (int64(r)%x[0] + x[0]) % x[0]
	}
	updates := in[2]
	if y, ok := ctx.Reuse(in, 0); ok {
		out[0] = y
	} else if err := deepCopy(ctx, in, out); err != nil {
		return err
	}
	n := sliceSize(x[1:])
	if n == 0 || len(rows) == 0 {
		return nil
	}
	if c == assign {
		strided.Scatter(&out[0], &updates, rows, n)
		return nil
	}
	return combineRows(ctx, &out[0], &updates, rows, n, c)
}
