package array

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

const scatterDoc = `

indices: Vectors of coordinates in the last dimension, each as long as the tensor has dimensions, for elements, or shorter, for slices.
updates: For each vector an element or slice.
bad_indices_policy: "IGNORE" to pass over places that do not exist, else "ERROR", "DEFAULT" or empty: they are an error.`

func init() {
	registry.Define("ScatterNd").
		Input("indices: Tindices").Input("updates: T").Input("shape: Tindices").Output("output: T").
		Attr("T: type").
		Attr("Tindices: {int16, int32, int64}").
		Attr("bad_indices_policy: string = ''").
		Doc(`Puts updates at given coordinates into zeros; those for one place are added up.

shape: The shape of the result.` + scatterDoc)
	registry.Define("TensorScatterUpdate").
		Input("tensor: T").Input("indices: Tindices").Input("updates: T").Output("output: T").
		Attr("T: type").
		Attr("Tindices: {int16, int32, int64, uint16}").
		Attr("bad_indices_policy: string = ''").
		Doc("Copies a tensor with updates at given coordinates; of several for one place the last counts." + scatterDoc)
	registry.Define("TensorScatterAdd").
		Input("tensor: T").Input("indices: Tindices").Input("updates: T").Output("output: T").
		Attr("T: type").
		Attr("Tindices: {int32, int64}").
		Attr("bad_indices_policy: string = ''").
		Doc("Copies a tensor with updates added at given coordinates." + scatterDoc)
	registry.Define("TensorScatterSub").
		Input("tensor: T").Input("indices: Tindices").Input("updates: T").Output("output: T").
		Attr("T: type").
		Attr("Tindices: {int32, int64}").
		Attr("bad_indices_policy: string = ''").
		Doc("Copies a tensor with updates subtracted at given coordinates." + scatterDoc)
	registry.Define("TensorScatterMax").
		Input("tensor: T").Input("indices: Tindices").Input("updates: T").Output("output: T").
		Attr("T: type").
		Attr("Tindices: {int32, int64}").
		Attr("bad_indices_policy: string = ''").
		Doc("Copies a tensor with the larger of element and update at given coordinates." + scatterDoc)
	registry.Define("TensorScatterMin").
		Input("tensor: T").Input("indices: Tindices").Input("updates: T").Output("output: T").
		Attr("T: type").
		Attr("Tindices: {int32, int64}").
		Attr("bad_indices_policy: string = ''").
		Doc("Copies a tensor with the smaller of element and update at given coordinates." + scatterDoc)

	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) {
		ignore, err := ignoresBadIndices(c)
		return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error { return scatterNd(ctx, in, out, ignore) }), err
	}, "ScatterNd")
	onto := func(op string, c combination) { kernel.ForAll(newScatterOnto(c), op) }
	onto("TensorScatterUpdate", assign)
	onto("TensorScatterAdd", sum)
	onto("TensorScatterSub", difference)
	onto("TensorScatterMax", largest)
	onto("TensorScatterMin", smallest)

	gradient.Register(func(c *gradient.Context) {
		if c.Has(0) {
			c.Set(1, c.Op("GatherNd", c.Attrs("bad_indices_policy"), c.Dy(0), c.Input(0)))
		}
	}, "ScatterNd")
	gradient.Register(func(c *gradient.Context) {
		if c.Has(0) {
			c.Set(0, c.Op("TensorScatterUpdate", c.Attrs("bad_indices_policy"), c.Dy(0), c.Input(1), c.Zeros(c.Input(2))))
			c.Set(2, ofUpdates(c, c.Dy(0)))
		}
	}, "TensorScatterUpdate")
	gradient.Register(func(c *gradient.Context) {
		if c.Pass(0, 0); c.Has(0) && c.Wants(2) {
			c.Set(2, ofUpdates(c, c.Dy(0)))
		}
	}, "TensorScatterAdd")
	gradient.Register(func(c *gradient.Context) {
		if c.Pass(0, 0); c.Has(0) && c.Wants(2) {
			c.Set(2, c.Neg(ofUpdates(c, c.Dy(0))))
		}
	}, "TensorScatterSub")
	gradient.Register(scatterExtremumGradient, "TensorScatterMax", "TensorScatterMin")
}

// ofUpdates returns what of v stands where the updates went.
func ofUpdates(c *gradient.Context, v graph.Output) graph.Output {
	return c.Op("GatherNd", c.Attrs("bad_indices_policy"), v, c.Input(1))
}

// scatterExtremumGradient shares dy out among the elements that are equal to the
// result: the one that was there, and those that came.
func scatterExtremumGradient(c *gradient.Context) {
	if !c.Has(0) {
		return
	}
	x, indices, updates, y, dt := c.Input(0), c.Input(1), c.Input(2), c.Output(0), c.Type("T")
	stayed := c.Cast(c.Apply("Equal", x, y), dt)
	came := c.Cast(c.Apply("Equal", updates, ofUpdates(c, y)), dt)
	count := c.Add(stayed, c.Op("ScatterNd", c.Attrs("bad_indices_policy"), indices, came, c.ShapeOf(x, indices.DataType())))
	share := c.Div(c.Dy(0), count)
	c.Set(0, c.Mul(share, stayed))
	c.Set(2, c.Mul(ofUpdates(c, share), came))
}

// A combination is what becomes of an element and an update.
type combination uint8

const (
	assign combination = iota
	sum
	difference
	largest
	smallest
)

func newScatterOnto(how combination) kernel.Factory {
	return func(c *kernel.Construction) (kernel.Kernel, error) {
		ignore, err := ignoresBadIndices(c)
		return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error { return scatterOnto(ctx, in, out, how, ignore) }), err
	}
}

func scatterNd(ctx *kernel.Context, in, out []tensor.Value, ignore bool) error {
	dims, err := kernel.Dims(&in[2], "shape")
	if err != nil {
		return err
	}
	if _, err := tensor.NumElements(in[1].DType(), dims); err != nil {
		return err
	}
	if err := checkUpdates(&in[0], &in[1], dims); err != nil {
		return err
	}
	if out[0], err = ctx.AllocZeroed(in[1].DType(), dims); err != nil {
		return err
	}
	return scatter(ctx, &out[0], &in[0], &in[1], sum, ignore)
}

func scatterOnto(ctx *kernel.Context, in, out []tensor.Value, c combination, ignore bool) error {
	if err := checkUpdates(&in[1], &in[2], in[0].Dims()); err != nil {
		return err
	}
	if v, ok := ctx.Reuse(in, 0); ok {
		out[0] = v
	} else if err := deepCopy(ctx, in, out); err != nil {
		return err
	}
	return scatter(ctx, &out[0], &in[1], &in[2], c, ignore)
}

// checkUpdates checks that updates holds, for each row of idx, a slice of a
// tensor of those dims.
func checkUpdates(idx, updates *tensor.Value, dims []int64) error {
	i, u := idx.Dims(), updates.Dims()
	bad := func() error {
		return status.Invalid("Dimensions of indices %s and updates %s must match the output's %s",
			tensor.FormatDims(i), tensor.FormatDims(u), tensor.FormatDims(dims))
	}
	if len(dims) == 0 {
		return status.Invalid("Output must be at least 1-D, got shape: []")
	}
	if len(i) == 0 || len(u) == 0 {
		return bad()
	}
	depth := i[len(i)-1]
	if depth > int64(len(dims)) || len(u) != len(i)-1+len(dims)-int(depth) {
		return bad()
	}
	if !equalDims(u[:len(i)-1], i[:len(i)-1]) || !equalDims(u[len(i)-1:], dims[depth:]) {
		return bad()
	}
	if n, _ := tensor.NumElements(updates.DType(), dims); n == 0 && updates.NumElements() > 0 {
		return status.Invalid("Indices and updates specified for empty output")
	}
	return nil
}

func scatter(ctx *kernel.Context, dst, idx, updates *tensor.Value, c combination, ignore bool) error {
	if dst.NumElements() == 0 {
		return nil
	}
	i := idx.Dims()
	rows, n, err := places(ctx, idx, dst.Dims(), ignore, func(row int, at []int64) error {
		return status.Invalid("indices%s = %s does not index into shape %s", place(i[:len(i)-1], row), tensor.FormatDims(at), tensor.FormatDims(dst.Dims()))
	})
	if err != nil {
		return err
	}
	defer ctx.Free(rows)
	list := tensor.Of[int64](&rows)
	if c == assign && !ignore {
		strided.Scatter(dst, updates, list, n)
		return nil
	}
	if c == assign {
		for i, r := range list {
			if i%(1<<13) == 1<<13-1 {
				ctx.Ask()
			}
			if r != nowhere {
				strided.Move(dst, int(r)*n, updates, i*n, n)
			}
		}
		return nil
	}
	return combineRows(ctx, dst, updates, list, n, c)
}

// combineRows combines the runs of n elements that rows names with updates;
// nowhere is passed over.
func combineRows(ctx *kernel.Context, dst, updates *tensor.Value, rows []int64, n int, c combination) error {
	switch dt := dst.DType(); dt {
	case tensor.Float:
		return combineReals[float32](ctx, dst, updates, rows, n, c)
	case tensor.Double:
		return combineReals[float64](ctx, dst, updates, rows, n, c)
	case tensor.Int8:
		return combineReals[int8](ctx, dst, updates, rows, n, c)
	case tensor.Int16:
		return combineReals[int16](ctx, dst, updates, rows, n, c)
	case tensor.Int32:
		return combineReals[int32](ctx, dst, updates, rows, n, c)
	case tensor.Int64:
		return combineReals[int64](ctx, dst, updates, rows, n, c)
	case tensor.Uint8:
		return combineReals[uint8](ctx, dst, updates, rows, n, c)
	case tensor.Uint16:
		return combineReals[uint16](ctx, dst, updates, rows, n, c)
	case tensor.Uint32:
		return combineReals[uint32](ctx, dst, updates, rows, n, c)
	case tensor.Uint64:
		return combineReals[uint64](ctx, dst, updates, rows, n, c)
	case tensor.Complex64:
		return combineNumbers[complex64](ctx, dst, updates, rows, n, c)
	case tensor.Complex128:
		return combineNumbers[complex128](ctx, dst, updates, rows, n, c)
	case tensor.Half:
		combine(ctx, dst, updates, rows, n, elementwise.Half2(narrowly(c)))
	case tensor.Bfloat16:
		combine(ctx, dst, updates, rows, n, elementwise.Bfloat2(narrowly(c)))
	case tensor.Bool:
		if c != sum {
			return noCombination(dt)
		}
		combine(ctx, dst, updates, rows, n, func(x, y bool) bool { return x || y })
	case tensor.String:
		if c != sum {
			return noCombination(dt)
		}
		combine(ctx, dst, updates, rows, n, func(x, y string) string { return x + y })
	default:
		return noCombination(dt)
	}
	return nil
}

func noCombination(dt tensor.DType) error {
	return status.Errorf(status.Unimplemented, "no kernel of this scatter operation for %v", dt)
}

func combineReals[T elementwise.Real](ctx *kernel.Context, dst, updates *tensor.Value, rows []int64, n int, c combination) error {
	switch c {
	case largest:
		combine(ctx, dst, updates, rows, n, func(x, y T) T { return max(x, y) })
	case smallest:
		combine(ctx, dst, updates, rows, n, func(x, y T) T { return min(x, y) })
	default:
		return combineNumbers[T](ctx, dst, updates, rows, n, c)
	}
	return nil
}

func combineNumbers[T elementwise.Number](ctx *kernel.Context, dst, updates *tensor.Value, rows []int64, n int, c combination) error {
	switch c {
	case sum:
		combine(ctx, dst, updates, rows, n, func(x, y T) T { return x + y })
	case difference:
		combine(ctx, dst, updates, rows, n, func(x, y T) T { return x - y })
	default:
		return noCombination(dst.DType())
	}
	return nil
}

func narrowly(c combination) func(x, y float32) float32 {
	switch c {
	case sum:
		return func(x, y float32) float32 { return x + y }
	case difference:
		return func(x, y float32) float32 { return x - y }
	case largest:
		return func(x, y float32) float32 { return max(x, y) }
	}
	return func(x, y float32) float32 { return min(x, y) }
}

// combine applies f to the elements of the runs that rows names, and to the
// updates, one row after the other: the result does not depend on threads.
func combine[T tensor.Element](ctx *kernel.Context, dst, updates *tensor.Value, rows []int64, n int, f func(x, y T) T) {
	d, u := tensor.Of[T](dst), tensor.Of[T](updates)
	each := max(1, 1<<16/max(1, n))
	for i, r := range rows {
		if i%each == each-1 {
			ctx.Ask()
		}
		if r == nowhere {
			continue
		}
		to, from := d[int(r)*n:(int(r)+1)*n], u[i*n:(i+1)*n]
		for j, x := range from {
			to[j] = f(to[j], x)
		}
	}
}
