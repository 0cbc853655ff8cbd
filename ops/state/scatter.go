package state

import (
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// scatters lists the operations that change rows of a variable, but for the
// prefix that names the kind of variable.
var scatters = []struct {
	name  string
	how   arithmetic
	types []tensor.DType
	what  string
}{
	{"Add", add, elementwise.Numbers, "Adds to"},
	{"Sub", sub, elementwise.Numbers, "Subtracts from"},
	{"Mul", mul, elementwise.Numbers, "Multiplies"},
	{"Div", div, elementwise.Numbers, "Divides"},
	{"Min", least, extrema, "Takes the minimum with"},
	{"Max", greatest, extrema, "Takes the maximum with"},
}

var extrema = slices.Concat(elementwise.Floats, []tensor.DType{tensor.Int32, tensor.Int64})

func init() {
	define := func(op, types, locking, what string) {
		registry.Define(op).
			Input("ref: Ref(T)").Input("indices: Tindices").Input("updates: T").
			Output("output_ref: Ref(T)").
			Attr("T: " + types).
			Attr("Tindices: {int32, int64}").
			Attr("use_locking: bool = " + locking).
			Doc(what + ` the rows of a variable that indices name.

updates: a row for each of the indices, or a scalar for all.`)
		shape.Register(scatterShape, op)
	}
	define("ScatterUpdate", "type", "true", "Replaces")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return scatter{}, nil }, "ScatterUpdate")
	for _, s := range scatters {
		types := "numbertype"
		if s.how == least || s.how == greatest {
			types = "{half, bfloat16, float, double, int32, int64}"
		}
		define("Scatter"+s.name, types, "false", s.what)
		kernel.ForTypes("Scatter"+s.name, "T", func(dt tensor.DType) kernel.Kernel { return scatter{newFold(s.how, dt)} }, s.types...)
	}
}

func scatterShape(c *shape.Context) error {
	into, indices, updates := c.Try(c.Input(0).WithRankAtLeast(1)), c.Input(1), c.Input(2)
	if updates.Rank() != 0 {
		c.Try(shape.Merge(updates, c.Try(shape.Concat(indices, into.From(1)))))
	}
	c.SetOutput(0, into)
	return c.Err()
}

// scatter changes rows of a reference variable; without a fold it replaces
// them.
type scatter struct{ fold }

func (k scatter) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	v, err := pointee(&in[0])
	if err != nil {
		return err
	}
	if err := scatterInto(v, k.fold, &in[1], &in[2]); err != nil {
		return err
	}
	out[0] = in[0]
	return nil
}

// scatterInto joins the rows of y, or y if it is a scalar, into those rows of
// what v holds that indices name, one after the other; without a fold it
// replaces them.
func scatterInto(v *resource.Variable, f fold, indices, y *tensor.Value) error {
	if y.DType() != v.Type {
		return status.Invalid("variable %s of type %v got updates of type %v", v.Name, v.Type, y.DType())
	}
	return v.Rewrite(func(now, next tensor.Value) (tensor.Value, error) {
		at, width, err := targets(&now, indices, y)
		if err != nil {
			return tensor.Value{}, err
		}
		if f != nil {
			if err := f.check(y); err != nil {
				return tensor.Value{}, err
			}
		}
		into := next
		if next != now {
			strided.Move(&into, 0, &now, 0, now.NumElements())
		}
		if f != nil {
			f.scatter(&into, at, y, width)
			return next, nil
		}
		for i, k := range at {
			if !y.IsScalar() {
				strided.Move(&into, int(k)*width, y, i*width, width)
				continue
			}
			for j := range width {
				strided.Move(&into, int(k)*width+j, y, 0, 1)
			}
		}
		return next, nil
	})
}

// targets is the rows that indices name, and how many elements a row has, after
// everything has been checked.
func targets(params, indices, updates *tensor.Value) (at []int64, width int, err error) {
	dims := params.Dims()
	if len(dims) == 0 {
		return nil, 0, status.Invalid("params must be at least 1-D, got shape %s", tensor.FormatDims(dims))
	}
	width = 1
	for _, d := range dims[1:] {
		width *= int(d)
	}
	if n := indices.Rank(); !updates.IsScalar() &&
		(updates.Rank() < n || !slices.Equal(updates.Dims()[:n], indices.Dims()) || !slices.Equal(updates.Dims()[n:], dims[1:])) {
		return nil, 0, status.Invalid("Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got updates.shape %s, indices.shape %s, params.shape %s",
			tensor.FormatDims(updates.Dims()), tensor.FormatDims(indices.Dims()), tensor.FormatDims(dims))
	}
	at = kernel.AppendInts(make([]int64, 0, indices.NumElements()), indices)
	for i, k := range at {
		if k < 0 || k >= dims[0] {
			return nil, 0, status.Invalid("indices%s = %d is not in [0, %d)", place(indices.Dims(), i), k, dims[0])
		}
	}
	return at, width, nil
}

// place is where element i of a tensor stands: "[1,2]", and "" in a scalar.
func place(dims []int64, i int) string {
	if len(dims) == 0 {
		return ""
	}
	at := make([]int64, len(dims))
	for d := len(dims) - 1; d >= 0; d-- {
		at[d] = int64(i) % dims[d]
		i /= int(dims[d])
	}
	return tensor.FormatDims(at)
}
