package data

import (
	"fmt"

	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("GetSessionHandle").
		Input("value: T").Output("handle: string").
		Attr("T: type").
		Stateful().
		Doc("Keeps a tensor in the session, and names it by a string.")
	registry.Define("GetSessionHandleV2").
		Input("value: T").Output("handle: resource").
		Attr("T: type").
		Stateful().
		Doc("Keeps a tensor in the session, and names it by a handle.")
	registry.Define("GetSessionTensor").
		Input("handle: string").Output("value: dtype").
		Attr("dtype: type").
		Stateful().
		Doc("Gives a tensor that the session keeps.")
	registry.Define("DeleteSessionTensor").
		Input("handle: string").
		Stateful().
		Doc("Deletes a tensor that the session keeps.")

	kernel.ForAll(newKeep, "GetSessionHandle", "GetSessionHandleV2")
	kernel.ForAll(newKept, "GetSessionTensor")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(forget), nil }, "DeleteSessionTensor")

	gradient.None("GetSessionHandle", "GetSessionHandleV2", "GetSessionTensor", "DeleteSessionTensor")
}

// kept is the container of the tensors that the session keeps, each as a
// variable that is assigned once.
const kept = "_session_tensors"

func newKeep(c *kernel.Construction) (kernel.Kernel, error) {
	byHandle := c.Outputs[0] == tensor.Resource
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		m := ctx.Step.States()
		name := fmt.Sprintf("%s;%d;%s", c.Node, m.NextID(), c.Device)
		v, err := resource.LookupOrCreate(m, kept, name, func() (*resource.Variable, error) {
			return resource.NewVariable(m, name, in[0].DType()), nil
		})
		if err == nil {
			err = v.Assign(ctx.UnchargeValue(in[0]))
		}
		if err != nil {
			return err
		}
		if byHandle {
			out[0] = newHandle(c.Device, kept, name, "Tensor", v)
		} else {
			return ctx.PutText(&out[0], name)
		}
		return nil
	}), nil
}

// keptName returns the name of a tensor that the session keeps.
func keptName(v *tensor.Value) (string, error) {
	if !v.IsScalar() {
		return "", status.Invalid("the handle of a tensor must be a scalar, got shape %s", tensor.FormatDims(v.Dims()))
	}
	return tensor.At0[string](v), nil
}

func notKept(name string) error {
	return status.Invalid("The tensor with handle '%s' is not in the session store.", name)
}

func newKept(c *kernel.Construction) (kernel.Kernel, error) {
	dt := c.Type("dtype")
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		name, err := keptName(&in[0])
		if err != nil {
			return err
		}
		v, err := resource.Lookup[*resource.Variable](ctx.Step.States(), kept, name)
		if err != nil {
			return notKept(name)
		}
		val, ok := v.Read()
		if !ok || val.DType() != dt {
			return status.Invalid("the tensor with handle '%s' is of type %v, not %v", name, v.Type, dt)
		}
		out[0] = val
		return nil
	}), nil
}

func forget(ctx *kernel.Context, in, _ []tensor.Value) error {
	name, err := keptName(&in[0])
	if err != nil {
		return err
	}
	if resource.Delete[*resource.Variable](ctx.Step.States(), kept, name) != nil {
		return notKept(name)
	}
	return nil
}
