package state

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("Assign").
		Input("ref: Ref(T)").Input("value: T").
		Output("output_ref: Ref(T)").
		Attr("T: type").
		Attr("validate_shape: bool = true").
		Attr("use_locking: bool = true").
		AllowsUninitializedInput().
		Doc(`Gives a variable a value, and puts its reference out again.

validate_shape: whether the value must have the variable's shape.`)
	for _, op := range []struct{ name, what string }{
		{"AssignAdd", "Adds a value to a variable, and puts its reference out again."},
		{"AssignSub", "Subtracts a value from a variable, and puts its reference out again."},
	} {
		registry.Define(op.name).
			Input("ref: Ref(T)").Input("value: T").
			Output("output_ref: Ref(T)").
			Attr("T: numbertype").
			Attr("use_locking: bool = false").
			Doc(op.what)
	}
	shape.Register(assignShape, "Assign")
	shape.Register(shape.Merged, "AssignAdd", "AssignSub")

	kernel.ForAll(newAssign, "Assign")
	kernel.ForTypes("AssignAdd", "T", func(dt tensor.DType) kernel.Kernel { return assignFold{newFold(add, dt)} }, elementwise.Numbers...)
	kernel.ForTypes("AssignSub", "T", func(dt tensor.DType) kernel.Kernel { return assignFold{newFold(sub, dt)} }, elementwise.Numbers...)
}

func assignShape(c *shape.Context) error {
	if c.Bool("validate_shape") {
		return shape.Merged(c)
	}
	c.SetOutput(0, c.Input(1))
	return nil
}

type assign struct{ validate bool }

func newAssign(c *kernel.Construction) (kernel.Kernel, error) {
	return assign{c.Bool("validate_shape")}, nil
}

func (k assign) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	v, err := pointee(&in[0])
	if err != nil {
		return err
	}
	val := ctx.Disown(in[1])
	err = v.Update(func(old tensor.Value) (tensor.Value, error) {
		if val.DType() != v.Type {
			return old, status.Invalid("Assign to variable %s of type %v got a value of type %v", v.Name, v.Type, val.DType())
		}
		lhs := v.Shape
		if !old.IsZero() {
			lhs = old.Dims()
		}
		if k.validate && lhs != nil && !fits(val.Dims(), lhs) {
			return old, status.Invalid("Assign requires shapes of both tensors to match. lhs shape= %s rhs shape= %s",
				tensor.FormatDims(lhs), tensor.FormatDims(val.Dims()))
		}
		return val, nil
	})
	if err != nil {
		return err
	}
	out[0] = in[0]
	return nil
}

// fits says whether dims are of a shape some dimensions of which may be
// unknown.
func fits(dims, of []int64) bool {
	if len(dims) != len(of) {
		return false
	}
	for i, d := range of {
		if d >= 0 && d != dims[i] {
			return false
		}
	}
	return true
}

type assignFold struct{ fold }

func (k assignFold) Run(_ *kernel.Context, in, out []tensor.Value) error {
	v, err := pointee(&in[0])
	if err != nil {
		return err
	}
	if err := foldInto(v, k.fold, &in[1], func(lhs, rhs tensor.Value) error {
		return status.Invalid("Parameters and update must be the same size: %s vs. %s", tensor.FormatDims(lhs.Dims()), tensor.FormatDims(rhs.Dims()))
	}); err != nil {
		return err
	}
	out[0] = in[0]
	return nil
}

// foldInto replaces what v holds by what f makes of it and y, which has its
// shape; mismatch is the error if it has not.
func foldInto(v *resource.Variable, f fold, y *tensor.Value, mismatch func(now, y tensor.Value) error) error {
	if y.DType() != v.Type {
		return status.Invalid("variable %s of type %v got an update of type %v", v.Name, v.Type, y.DType())
	}
	return v.Rewrite(func(now, next tensor.Value) (tensor.Value, error) {
		if !tensor.SameShape(now, *y) {
			return tensor.Value{}, mismatch(now, *y)
		}
		if err := f.check(y); err != nil {
			return tensor.Value{}, err
		}
		if now.Plain() {
			return f.scalar(now, *y), nil
		}
		o, x := next, now
		f.apply(&o, &x, y)
		return next, nil
	})
}
