package state

import (
	"slices"

	"github.com/troupe-go/troupe/graph/gradient"
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
		Input("ref: Ref(T)").Input("value: T").Output("output_ref: Ref(T)").
		Writes("ref").
		Attr("T: type").
		Attr("validate_shape: bool = true").
		Attr("use_locking: bool = true").
		AllowsUninitializedInput().
		Doc(`Gives a variable a value, and passes on the reference.

validate_shape: Whether the value must have the variable's shape; else the variable takes the value's.`)
	registry.Define("AssignAdd").
		Input("ref: Ref(T)").Input("value: T").Output("output_ref: Ref(T)").
		AddsTo("ref").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Doc(`Adds a value to a variable's, and passes on the reference.

value: Of the variable's shape.`)
	registry.Define("AssignSub").
		Input("ref: Ref(T)").Input("value: T").Output("output_ref: Ref(T)").
		AddsTo("ref").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Doc(`Subtracts a value from a variable's, and passes on the reference.

value: Of the variable's shape.`)
	registry.Define("AssignVariableOp").
		Input("resource: resource").Input("value: dtype").
		Writes("resource").
		Attr("dtype: type").
		Attr("validate_shape: bool = false").
		Stateful().
		Doc(`Gives a variable a value; its first one makes the variable.

validate_shape: Whether the value must have the shape of the variable's last one; any does if there is none yet.`)
	registry.Define("AssignAddVariableOp").
		Input("resource: resource").Input("value: dtype").
		AddsTo("resource").
		Attr("dtype: type").
		Stateful().
		Doc(`Adds a value to a variable's.

value: Of the variable's shape.`)
	registry.Define("AssignSubVariableOp").
		Input("resource: resource").Input("value: dtype").
		AddsTo("resource").
		Attr("dtype: type").
		Stateful().
		Doc(`Subtracts a value from a variable's.

value: Of the variable's shape.`)

	shape.Register(assignShape, "Assign")
	shape.Register(shape.Merged, "AssignAdd", "AssignSub")
	shape.Register(assignResourceShape, "AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp")

	kernel.ForAll(newAssign, "Assign", "AssignVariableOp")
	for _, op := range []struct {
		name, attr string
		update     elementwise.Update
	}{
		{"AssignAdd", "T", elementwise.UpdateAdd},
		{"AssignSub", "T", elementwise.UpdateSub},
		{"AssignAddVariableOp", "dtype", elementwise.UpdateAdd},
		{"AssignSubVariableOp", "dtype", elementwise.UpdateSub},
	} {
		kernel.ForTypes(op.name, op.attr, func(dt tensor.DType) kernel.Kernel {
			return &assignUpdate{dt: dt, combine: elementwise.Combine(op.update, dt)}
		}, elementwise.Numbers...)
	}

	gradient.None("Assign", "AssignAdd", "AssignSub")
}

func assignShape(c *shape.Context) error {
	if c.Bool("validate_shape") {
		return shape.Merged(c)
	}
	c.SetOutput(0, c.Input(1))
	return nil
}

// assignResourceShape checks the value against what the handle says of the
// variable.
func assignResourceShape(c *shape.Context) error {
	if h, ok := c.Handle(0); ok {
		if err := sameType(h.Type, c.InputType(1), "assign"); err != nil {
			return err
		}
		c.Try(shape.Merge(h.Shape, c.Input(1)))
	}
	return c.Err()
}

// sameType says that a variable of type have is used as one of type want.
func sameType(have, want tensor.DType, what string) error {
	if have == want || have == tensor.Invalid || want == tensor.Invalid {
		return nil
	}
	if what == "read" {
		have, want = want, have // the words speak of what the node expects
	}
	return status.Invalid("Trying to %s variable with wrong dtype. Expected %v got %v", what, have, want)
}

// assign serves both kinds of variable.
type assign struct {
	target   resource.Target
	validate bool
}

func newAssign(c *kernel.Construction) (kernel.Kernel, error) {
	return &assign{validate: c.Bool("validate_shape")}, nil
}

func (k *assign) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	val := in[1]
	v, err := k.target.Create(ctx.Step.Resources, &in[0], val.DType())
	if err != nil {
		return err
	}
	if err := sameType(v.Type, val.DType(), "assign"); err != nil {
		return err
	}
	byRef := in[0].IsRef()
	err = v.Update(ctx.Step.Context, func(old tensor.Value) (tensor.Value, error) {
		if k.validate {
			if err := sameShape(v, old, val, byRef); err != nil {
				return old, err
			}
		}
		return ctx.UnchargeValue(val), nil
	})
	if err == nil && len(out) > 0 {
		out[0] = in[0]
	}
	return err
}

// sameShape reports whether val has the shape of v, whose value is old.
func sameShape(v *resource.Variable, old, val tensor.Value, byRef bool) error {
	dims := v.Shape
	if !old.IsZero() {
		dims = old.Dims()
	} else if !byRef {
		return nil // it may have any shape at first
	}
	switch {
	case slices.Equal(dims, val.Dims()):
		return nil
	case byRef:
		return status.Invalid("Assign requires shapes of both tensors to match. lhs shape= %s rhs shape= %s",
			tensor.FormatDims(dims), tensor.FormatDims(val.Dims()))
	default:
		return status.Invalid("Trying to assign to variable with tensor with wrong shape. Expected %s got %s",
			tensor.FormatDims(dims), tensor.FormatDims(val.Dims()))
	}
}

// assignUpdate serves both kinds of variable.
type assignUpdate struct {
	target  resource.Target
	dt      tensor.DType
	combine *elementwise.Combination
}

func (k *assignUpdate) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	v, err := k.target.Find(ctx.Step.Resources, &in[0])
	if err != nil {
		return err
	}
	if err := sameType(v.Type, k.dt, "assign"); err != nil {
		return err
	}
	byRef := in[0].IsRef()
	delta := in[1]
	err = v.Rewrite(ctx.Step.Context, func(now, next tensor.Value) (tensor.Value, error) {
		switch {
		case now.Plain() && delta.Plain():
			return k.combine.Scalar(now, delta)
		case tensor.SameShape(now, delta):
			o, x, y := next, now, delta // what is passed by pointer goes to the heap
			return next, k.combine.Range(&o, &x, 0, &y, 0, now.NumElements())
		case byRef:
			return tensor.Value{}, status.Invalid("Parameters and update must be the same size")
		default:
			return tensor.Value{}, status.Invalid("Cannot update variable with shape %s using a Tensor with shape %s, shapes must be equal.",
				tensor.FormatDims(now.Dims()), tensor.FormatDims(delta.Dims()))
		}
	})
	if err == nil && len(out) > 0 {
		out[0] = in[0]
	}
	return err
}
