package state

import (
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("ReadVariableOp").
		Input("resource: resource").Output("value: dtype").
		Reads("resource").
		Attr("dtype: type").
		Stateful().
		Doc("Gives the value of a variable; it fails with FAILED_PRECONDITION if there is none yet.")
	registry.Define("_ReadVariablesOp").
		Input("resources: N * resource").Output("values: dtypes").
		Reads("resources").
		Attr("N: int >= 0").
		Attr("dtypes: list(type) >= 1").
		Stateful().
		Doc(`Gives the values of several variables.

dtypes: Their types.`)
	registry.Define("VarIsInitializedOp").
		Input("resource: resource").Output("is_initialized: bool").
		Reads("resource").
		Stateful().
		Doc("Says whether a variable exists and has a value.")
	registry.Define("VariableShape").
		Input("input: resource").Output("output: out_type").
		Leaves("input").
		Attr("out_type: {int32, int64} = DT_INT32").
		Stateful().
		Doc(`Gives the shape of a variable.

out_type: The type of its numbers.`)

	shape.Register(readShape, "ReadVariableOp", "_ReadVariablesOp")
	shape.Register(shape.Scalars, "VarIsInitializedOp")
	shape.Register(variableShapeShape, "VariableShape")

	kernel.ForAll(newRead, "ReadVariableOp", "_ReadVariablesOp")
	kernel.ForType("VariableShape", "out_type", tensor.Int32, newVariableShape[int32])
	kernel.ForType("VariableShape", "out_type", tensor.Int64, newVariableShape[int64])

	gradient.Register(func(c *gradient.Context) { c.Pass(0, 0) }, "ReadVariableOp")
	gradient.None("VarIsInitializedOp", "VariableShape")
}

func readShape(c *shape.Context) error {
	if c.NumInputs() != c.NumOutputs() {
		return status.Invalid("Mismatched number of arguments to ReadVariablesOp")
	}
	for i := range c.NumOutputs() {
		h, ok := c.Handle(i)
		if !ok {
			continue
		}
		if err := sameType(h.Type, c.OutputType(i), "read"); err != nil {
			return err
		}
		c.SetOutput(i, h.Shape)
	}
	return nil
}

func variableShapeShape(c *shape.Context) error {
	c.SetOutput(0, shape.OfRank(1))
	if h, ok := c.Handle(0); ok && h.Shape.Known() {
		c.SetOutput(0, shape.Of(int64(h.Shape.Rank())))
	}
	return nil
}

// read puts out the value of each input's variable.
type read struct {
	types   []tensor.DType
	targets []resource.Target
}

func newRead(c *kernel.Construction) (kernel.Kernel, error) {
	if len(c.Inputs) != len(c.Outputs) {
		return nil, c.Errorf("%d variables are read into %d outputs", len(c.Inputs), len(c.Outputs))
	}
	return &read{c.Outputs, make([]resource.Target, len(c.Outputs))}, nil
}

func (k *read) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	for i, want := range k.types {
		v, err := k.targets[i].Find(ctx.Step.Resources, &in[i])
		if err != nil {
			return unreadable(&in[i], err)
		}
		if v.Type != want && v.Initialized() {
			return sameType(v.Type, want, "read")
		}
		val, lease, err := v.Acquire(ctx.Step.Context)
		if err != nil {
			return err
		}
		if lease != nil {
			if val, err = ctx.Borrow(val, lease); err != nil {
				return err
			}
		}
		out[i] = val
	}
	return nil
}

// unreadable returns the error of reading a variable that the handle in v does not
// find.
func unreadable(v *tensor.Value, err error) error {
	if status.CodeOf(err) != status.NotFound {
		return err
	}
	h := tensor.At0[*tensor.Handle](v)
	return status.Errorf(status.FailedPrecondition, "Could not find variable %s. This could mean that the variable has been deleted. "+
		"In TF1, it can also mean the variable is uninitialized. Debug info: container=%s, status error message=%s",
		h.Name, h.Container, status.From(err).Message)
}

type variableShape[T int32 | int64] struct{ target resource.Target }

func newVariableShape[T int32 | int64](*kernel.Construction) (kernel.Kernel, error) {
	return new(variableShape[T]), nil
}

func (k *variableShape[T]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	v, err := k.target.Find(ctx.Step.Resources, &in[0])
	if err != nil {
		return err
	}
	return v.View(ctx.Step.Context, func(val tensor.Value) error {
		if val.IsZero() {
			return v.Uninitialized()
		}
		o, err := ctx.Alloc(tensor.DTypeOf[T](), []int64{int64(val.Rank())})
		if err != nil {
			return err
		}
		dims := tensor.Of[T](&o)
		for i, d := range val.Dims() {
			dims[i] = T(d)
		}
		out[0] = o
		return nil
	})
}
