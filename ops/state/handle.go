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
	registry.Define("VarHandleOp").
		Output("resource: resource").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Attr("debug_name: string = ''").
		Attr("dtype: type").
		Attr("shape: shape").
		Attr("allowed_devices: list(string) = []").
		Stateful().
		Doc(`Gives the handle of a variable, which its first assignment makes and which lives as long as the session.

Nodes with the same container and shared_name share the variable.

debug_name: Ignored.
shape: The shape of its values, in which dimensions may be unknown.`)
	registry.Define("_VarHandlesOp").
		Output("resources: N * resource").
		Attr("containers: list(string)").
		Attr("shared_names: list(string)").
		Attr("N: int >= 0").
		Attr("dtypes: list(type)").
		Attr("shapes: list(shape)").
		Stateful().
		Doc(`Gives the handles of several variables.

containers: The container of each variable.
shared_names: The name of each variable.
N: How many variables.
dtypes: The type of each variable.
shapes: The shape of each variable.`)
	registry.Define("DestroyResourceOp").
		Input("resource: resource").
		Writes("resource").
		Attr("ignore_lookup_error: bool = true").
		Stateful().
		Doc(`Forgets a resource, such as a variable; handles of it are of no use afterwards.

ignore_lookup_error: Whether a resource that does not exist is passed over, rather than an error.`)
	registry.Define("DisableCopyOnRead").
		Input("resource: resource").
		Leaves("resource").
		Stateful().
		Doc("Does nothing: reading a variable never copies it.")

	shape.Register(varHandleShape, "VarHandleOp")
	shape.Register(varHandlesShape, "_VarHandlesOp")
	shape.Register(shape.NoOutputs, "DestroyResourceOp", "DisableCopyOnRead")

	kernel.ForAll(newVarHandle, "VarHandleOp")
	kernel.ForAll(newVarHandles, "_VarHandlesOp")
	kernel.ForAll(newDestroy, "DestroyResourceOp")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) {
		return kernel.Func(func(_ *kernel.Context, in, _ []tensor.Value) error {
			_, err := resource.HandleOf(&in[0])
			return err
		}), nil
	}, "DisableCopyOnRead")
}

// anonymous is the shared name that asks for a variable of its own each time
// the node runs.
const anonymous = "cd2c89b7-88b7-44c8-ad83-06c2a9158347"

func varHandleShape(c *shape.Context) error {
	c.SetOutput(0, shape.Scalar)
	c.SetHandle(0, shape.HandleData{Type: c.Type("dtype"), Shape: c.Shape("shape")})
	return c.Err()
}

func varHandlesShape(c *shape.Context) error {
	c.SetOutputs(shape.Scalar)
	types, shapes := c.Types("dtypes"), c.Shapes("shapes")
	for _, list := range []struct {
		what string
		have int
	}{
		{"dtypes", len(types)}, {"shapes", len(shapes)},
	} {
		if n := c.NumOutputs(); list.have != n {
			return status.Invalid("Mismatched number of %s (n=%d, num %[1]s=%[3]d)", list.what, n, list.have)
		}
	}
	for i := range types {
		c.SetHandle(i, shape.HandleData{Type: types[i], Shape: shapes[i]})
	}
	return c.Err()
}

func newVarHandle(c *kernel.Construction) (kernel.Kernel, error) {
	name, dt := c.Str("shared_name"), c.Type("dtype")
	if name == anonymous {
		return kernel.Func(func(ctx *kernel.Context, _, out []tensor.Value) error {
			h := handle(c.Device, "", name)
			h.Value = resource.NewVariable(ctx.Step.Resources, c.Node, dt)
			out[0] = tensor.Scalar(h)
			return nil
		}), nil
	}
	token := tensor.Scalar(handle(c.Device, c.Container(), name))
	return kernel.Func(func(_ *kernel.Context, _, out []tensor.Value) error {
		out[0] = token
		return nil
	}), nil
}

func newVarHandles(c *kernel.Construction) (kernel.Kernel, error) {
	containers, names := c.Strs("containers"), c.Strs("shared_names")
	if len(containers) != len(c.Outputs) || len(names) != len(c.Outputs) {
		return nil, c.Errorf("containers and shared_names must have %d elements, got %d and %d", len(c.Outputs), len(containers), len(names))
	}
	tokens := make([]tensor.Value, len(names))
	for i := range tokens {
		tokens[i] = tensor.Scalar(handle(c.Device, c.Within(containers[i]), names[i]))
	}
	return kernel.Func(func(_ *kernel.Context, _, out []tensor.Value) error {
		copy(out, tokens)
		return nil
	}), nil
}

func handle(device, container, name string) *tensor.Handle {
	if container == "" {
		container = resource.DefaultContainer
	}
	return &tensor.Handle{Device: device, Container: container, Name: name, Type: "Variable"}
}

func newDestroy(c *kernel.Construction) (kernel.Kernel, error) {
	ignore := c.Bool("ignore_lookup_error")
	return kernel.Func(func(ctx *kernel.Context, in, _ []tensor.Value) error {
		h, err := resource.HandleOf(&in[0])
		if err != nil {
			return err
		}
		if r, ok := h.Value.(interface{ Close() }); ok {
			r.Close()
		}
		if !ctx.Step.Resources.DeleteAll(h.Container, h.Name) && h.Value == nil && !ignore {
			return status.Errorf(status.NotFound, "Resource %s/%s does not exist.", h.Container, h.Name)
		}
		return nil
	}), nil
}
