package state

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("TemporaryVariable").
		Output("ref: Ref(dtype)").
		Attr("shape: shape").
		Attr("dtype: type").
		Attr("var_name: string = ''").
		Stateful().
		Doc(`Makes a variable without a value for one step and refers to it, until DestroyTemporaryVariable takes its value.

shape: The shape of its values.
var_name: Its name within the step; empty for the node's.`)
	registry.Define("DestroyTemporaryVariable").
		Input("ref: Ref(T)").Output("value: T").
		Writes("ref").
		Attr("T: type").
		Attr("var_name: string").
		Doc(`Gives the last value of a temporary variable, which is gone then.

ref: The reference, after all other users are done with it.
var_name: Its name, as the variable's node has it.`)

	shape.Register(shape.ByAttr("shape"), "TemporaryVariable")
	shape.Register(shape.Unchanged, "DestroyTemporaryVariable")

	kernel.ForAll(newTemporary, "TemporaryVariable")
	kernel.ForAll(newDestroyTemporary, "DestroyTemporaryVariable")
}

// newTemporary makes a kernel that makes a variable each time it runs: what
// runs in different iterations of a loop has nothing to do with each other.
func newTemporary(c *kernel.Construction) (kernel.Kernel, error) {
	dt, s, name := c.Type("dtype"), c.Shape("shape"), c.Str("var_name")
	if name == "" {
		name = c.Node
	}
	if s.Unknown || !shape.FromAttr(s).Full() {
		return nil, status.Invalid("Shape %v is not fully defined", shape.FromAttr(s))
	}
	return kernel.Func(func(_ *kernel.Context, _, out []tensor.Value) error {
		out[0] = tensor.RefTo(dt, &resource.Variable{Name: name, Type: dt, Shape: s.Dims, Temporary: true})
		return nil
	}), nil
}

func newDestroyTemporary(c *kernel.Construction) (kernel.Kernel, error) {
	name := c.Str("var_name")
	return kernel.Func(func(_ *kernel.Context, in, out []tensor.Value) error {
		v, ok := in[0].Cell().(*resource.Variable)
		if !ok || !v.Temporary || v.Name != name {
			return status.Errorf(status.NotFound, "Resource %s does not exist: the reference is not to a temporary variable of that name", name)
		}
		val, ok := v.Read()
		if !ok {
			return v.Uninitialized()
		}
		out[0] = val
		return v.Assign(tensor.Value{})
	}), nil
}
