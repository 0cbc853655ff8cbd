package state

import (
	"slices"

	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// The operations that change rows of a variable: row indices[i] by updates[i],
// one after the other, so that a row may be changed several times. They come
// in pairs, for references and for handles.
func init() {
	reals := []tensor.DType{tensor.Half, tensor.Bfloat16, tensor.Float, tensor.Double, tensor.Int32, tensor.Int64}
	for _, op := range []struct {
		name, doc string
		update    elementwise.Update
		types     []tensor.DType // with kernels
		refTypes  string         // that the definition of the reference form allows
	}{
		{"Add", "Adds updates to the slices of a variable that indices name.", elementwise.UpdateAdd, elementwise.Numbers, "numbertype"},
		{"Sub", "Subtracts updates from the slices of a variable that indices name.", elementwise.UpdateSub, elementwise.Numbers, "numbertype"},
		{"Mul", "Multiplies the slices of a variable that indices name by updates.", elementwise.UpdateMul, elementwise.Numbers, "numbertype"},
		{"Div", "Divides the slices of a variable that indices name by updates.", elementwise.UpdateDiv, elementwise.Numbers, "numbertype"},
		{"Min", "Sets the slices of a variable that indices name to the lesser of them and updates.", elementwise.UpdateMin, elementwise.Reals, "{half, bfloat16, float, double, int32, int64}"},
		{"Max", "Sets the slices of a variable that indices name to the greater of them and updates.", elementwise.UpdateMax, elementwise.Reals, "{half, bfloat16, float, double, int32, int64}"},
	} {
		access := (*registry.Builder).Writes
		if op.update == elementwise.UpdateAdd || op.update == elementwise.UpdateSub {
			access = (*registry.Builder).AddsTo
		}
		access(defineScatter("Scatter"+op.name, op.refTypes, "false", op.doc), "ref")
		access(defineResourceScatter("ResourceScatter"+op.name, "numbertype", op.doc), "resource")
		create := func(dt tensor.DType) kernel.Kernel {
			return &scatter{combine: elementwise.Combine(op.update, dt), dt: dt, divides: op.update == elementwise.UpdateDiv}
		}
		types := op.types
		if op.refTypes != "numbertype" {
			types = reals
		}
		kernel.ForTypes("Scatter"+op.name, "T", create, types...)
		kernel.ForTypes("ResourceScatter"+op.name, "dtype", create, op.types...)
	}
	const doc = "Sets the slices of a variable that indices name to updates."
	defineScatter("ScatterUpdate", "type", "true", doc).Writes("ref")
	defineResourceScatter("ResourceScatterUpdate", "type", doc).Writes("resource")
	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) { return &scatter{dt: c.Inputs[2]}, nil }, "ScatterUpdate", "ResourceScatterUpdate")

	gradient.None("ScatterAdd", "ScatterSub", "ScatterMul", "ScatterDiv")
}

const scatterDoc = `

indices: Which slices along the first dimension, in any shape; one may come several times, and one that is out of range is an error.
updates: For each index a slice, or one scalar for all.`

func defineScatter(name, types, locking, doc string) *registry.Builder {
	shape.Register(scatterShape, name)
	return registry.Define(name).
		Input("ref: Ref(T)").Input("indices: Tindices").Input("updates: T").Output("output_ref: Ref(T)").
		Attr("T: " + types).
		Attr("Tindices: {int32, int64}").
		Attr("use_locking: bool = " + locking).
		Doc(doc + scatterDoc)
}

func defineResourceScatter(name, types, doc string) *registry.Builder {
	shape.Register(scatterShape, name)
	return registry.Define(name).
		Input("resource: resource").Input("indices: Tindices").Input("updates: dtype").
		Attr("dtype: " + types).
		Attr("Tindices: {int32, int64}").
		Stateful().
		Doc(doc + scatterDoc)
}

func scatterShape(c *shape.Context) error {
	params := c.HandleShape(0)
	if h, ok := c.Handle(0); ok {
		if err := sameType(h.Type, c.Type("dtype"), "read"); err != nil {
			return err
		}
	}
	if updates := c.Input(2); updates.Rank() != 0 {
		want := c.Try(shape.Concat(c.Input(1), params.From(1)))
		c.Try(shape.Merge(updates, want))
	}
	c.SetOutput(0, c.Input(0))
	return c.Err()
}

// scatter serves both kinds of variable.
type scatter struct {
	target  resource.Target
	dt      tensor.DType
	combine *elementwise.Combination // nil: rows are replaced
	divides bool
}

func (k *scatter) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	v, err := k.target.Find(ctx.Step.Resources, &in[0])
	if err != nil {
		return err
	}
	if v.Type != k.dt {
		return status.Invalid("DType of scatter resource and updates does not match.")
	}
	byRef, indices, updates := in[0].IsRef(), in[1], in[2]
	if k.divides && !byRef && anyZero(&updates) {
		return status.Invalid("updates must not contain 0")
	}
	err = v.Rewrite(ctx.Step.Context, func(now, next tensor.Value) (tensor.Value, error) {
		if err := checkScatter(now, indices, updates, byRef); err != nil {
			return tensor.Value{}, err
		}
		start(&next, &now)
		return next, k.rows(ctx, &next, &indices, updates)
	})
	if err == nil && len(out) > 0 {
		out[0] = in[0]
	}
	return err
}

// anyZero reports whether an element of a tensor of numbers is 0.
func anyZero(v *tensor.Value) bool {
	switch dt := v.DType(); dt {
	case tensor.Half, tensor.Bfloat16:
		half := func(bits uint16) bool { return bits&0x7fff == 0 }
		if dt == tensor.Half {
			return slices.ContainsFunc(tensor.Of[tensor.Float16](v), func(x tensor.Float16) bool { return half(uint16(x)) })
		}
		return slices.ContainsFunc(tensor.Of[tensor.BFloat16](v), func(x tensor.BFloat16) bool { return half(uint16(x)) })
	case tensor.Float:
		return slices.Contains(tensor.Of[float32](v), 0)
	case tensor.Double:
		return slices.Contains(tensor.Of[float64](v), 0)
	case tensor.Complex64:
		return slices.Contains(tensor.Of[complex64](v), 0)
	case tensor.Complex128:
		return slices.Contains(tensor.Of[complex128](v), 0)
	default: // integers
		size := dt.Size()
		for b := tensor.Bytes(v); len(b) >= size; b = b[size:] {
			if !slices.ContainsFunc(b[:size], func(x byte) bool { return x != 0 }) {
				return true
			}
		}
		return false
	}
}

// start makes next's elements those of now.
func start(next, now *tensor.Value) {
	if *next != *now {
		strided.Move(next, 0, now, 0, now.NumElements())
	}
}

// checkScatter checks the shapes. Of a handle's variable, an update may be a
// row in another shape.
func checkScatter(params, indices, updates tensor.Value, byRef bool) error {
	if byRef && params.Rank() < 1 { // a handle's may be a scalar: one row
		return status.Invalid("params must be at least 1-D, got shape %s", tensor.FormatDims(params.Dims()))
	}
	if updates.IsScalar() {
		return nil
	}
	row, got := params.Dims()[min(1, params.Rank()):], updates.Dims()
	n := indices.Rank()
	if len(got) >= n && slices.Equal(got[:n], indices.Dims()) {
		if got = got[n:]; slices.Equal(got, row) || !byRef && product(got) == product(row) {
			return nil
		}
	} else if !byRef {
		return status.Invalid("The shape of indices (%s) must be a prefix of the shape of updates (%s)",
			tensor.FormatDims(indices.Dims()), tensor.FormatDims(updates.Dims()))
	}
	return status.Invalid("Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got updates.shape %s, indices.shape %s, params.shape %s",
		tensor.FormatDims(updates.Dims()), tensor.FormatDims(indices.Dims()), tensor.FormatDims(params.Dims()))
}

// product returns the number of elements of a shape that exists.
func product(dims []int64) int64 {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	return n
}

// rows changes the rows of params that indices name.
func (k *scatter) rows(ctx *kernel.Context, params, indices *tensor.Value, updates tensor.Value) error {
	limit, size := 1, params.NumElements()
	if params.Rank() > 0 {
		limit, size = params.Dim(0), int(product(params.Dims()[1:]))
	}
	step := size
	if updates.IsScalar() && indices.NumElements() > 0 && params.NumElements() > 0 {
		row, err := repeat(&updates, size)
		if err != nil {
			return err
		}
		updates, step = row, 0
	}
	return eachIndex(ctx, indices, func(i int, index int64) error {
		if index < 0 || index >= int64(limit) {
			return status.Invalid("indices%s = %d is not in [0, %d)", position(i, indices.Dims()), index, limit)
		}
		at := int(index) * size
		if k.combine == nil {
			strided.Move(params, at, &updates, i*step, size)
			return nil
		}
		return k.combine.Range(params, params, at, &updates, i*step, size)
	})
}

// repeat returns a row of n elements that all are the scalar x.
func repeat(x *tensor.Value, n int) (tensor.Value, error) {
	t, err := tensor.New(x.DType(), int64(n))
	if err != nil {
		return tensor.Value{}, err
	}
	row := tensor.ValueOf(t)
	for done := 0; done < n; done = min(2*done, n) {
		if done == 0 {
			strided.Move(&row, 0, x, 0, 1)
			done = 1
		}
		strided.Move(&row, done, &row, 0, min(done, n-done))
	}
	return row, nil
}

// eachIndex calls f for the elements of an int32 or int64 tensor until it fails, or the
// step has ended.
func eachIndex(ctx *kernel.Context, indices *tensor.Value, f func(i int, index int64) error) error {
	if indices.DType() == tensor.Int32 {
		return eachOf(ctx, tensor.Of[int32](indices), f)
	}
	return eachOf(ctx, tensor.Of[int64](indices), f)
}

func eachOf[T int32 | int64](ctx *kernel.Context, indices []T, f func(i int, index int64) error) error {
	for i, x := range indices {
		if i%(1<<13) == 1<<13-1 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if err := f(i, int64(x)); err != nil {
			return err
		}
	}
	return nil
}

// position returns where element i of a tensor of that shape stands: "[1,0]".
func position(i int, dims []int64) string {
	at := make([]int64, len(dims))
	for d := len(dims) - 1; d >= 0; d-- {
		at[d] = int64(i) % dims[d]
		i /= int(dims[d])
	}
	if len(at) == 0 {
		return ""
	}
	return tensor.FormatDims(at)
}
