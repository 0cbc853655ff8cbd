package state

import (
	"slices"

	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("VariableV2").
		Output("ref: Ref(dtype)").
		Attr("shape: shape").
		Attr("dtype: type").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc(`Refers to a variable, which lives as long as the session.

Nodes with the same container and shared_name share the variable.

shape: The shape of its values.`)
	registry.Define("Variable").
		Output("ref: Ref(dtype)").
		Attr("shape: shape").
		Attr("dtype: type").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc(`Refers to a variable, which lives as long as the session, as VariableV2 does.

shape: The shape of its values; that of a scalar means that it is not known.`)
	registry.Define("IsVariableInitialized").
		Input("ref: Ref(dtype)").Output("is_initialized: bool").
		Reads("ref").
		Attr("dtype: type").
		AllowsUninitializedInput().
		Doc("Says whether a variable has a value.")
	registry.Define("RefIdentity").
		Input("input: Ref(T)").Output("output: Ref(T)").
		Leaves("input").
		Attr("T: type").
		AllowsUninitializedInput().
		Doc("Passes a reference on.")

	shape.Register(shape.ByAttr("shape"), "VariableV2")
	shape.Register(oldVariableShape, "Variable")
	shape.Register(shape.Scalars, "IsVariableInitialized")

	kernel.ForAll(newVariable, "VariableV2", "Variable")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return new(isInitialized), nil }, "IsVariableInitialized", "VarIsInitializedOp")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(passReference), nil }, "RefIdentity")

	gradient.Register(func(c *gradient.Context) { c.Pass(0, 0) }, "RefIdentity")
}

func oldVariableShape(c *shape.Context) error {
	if s := c.Shape("shape"); s.Rank() > 0 {
		c.SetOutput(0, s)
	}
	return c.Err()
}

// A variable puts out the reference to its variable.
type variable struct {
	container, name string
	dt              tensor.DType
	shape           []int64
	found           resource.Cache[reference]
}

// A reference is a variable that nodes refer to by reference, and the token
// that does. As a type of its own it has names apart from the variables that
// nodes refer to by handle.
type reference struct {
	*resource.Variable
	token tensor.Value
}

func newVariable(c *kernel.Construction) (kernel.Kernel, error) {
	s := c.Shape("shape")
	for _, d := range s.Dims {
		if d < 0 {
			return nil, status.Invalid("Shape %v is not fully defined", shape.FromAttr(s))
		}
	}
	name := c.Str("shared_name")
	if name == "" {
		name = c.Node
	}
	return &variable{container: c.Container(), name: name, dt: c.Type("dtype"), shape: s.Dims}, nil
}

func (k *variable) Run(ctx *kernel.Context, _, out []tensor.Value) error {
	m := ctx.Step.Resources
	r, err := k.found.Named(m, k.container, k.name, func() (reference, error) {
		v := resource.NewVariable(m, k.name, k.dt)
		v.Shape = k.shape
		if slices.Contains(k.shape, 0) && !slices.ContainsFunc(k.shape, func(d int64) bool { return d < 0 }) {
			none, err := tensor.New(k.dt, k.shape...) // there is nothing to initialize
			if err != nil {
				return reference{}, err
			}
			if err := v.Assign(tensor.ValueOf(none)); err != nil {
				return reference{}, err
			}
		}
		return reference{v, tensor.RefTo(k.dt, v)}, nil
	})
	if err != nil {
		return err
	}
	if r.Type != k.dt {
		return status.Invalid("variable '%s' holds %v and is declared as %v", k.name, r.Type, k.dt)
	}
	out[0] = r.token
	return nil
}

// isInitialized serves both kinds of variable.
type isInitialized struct{ target resource.Target }

func (k *isInitialized) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	v, err := k.target.Find(ctx.Step.Resources, &in[0])
	switch status.CodeOf(err) {
	case status.OK:
		out[0] = tensor.Scalar(v.Initialized())
	case status.NotFound:
		out[0] = tensor.Scalar(false)
	default:
		return err
	}
	return nil
}

func passReference(_ *kernel.Context, in, out []tensor.Value) error {
	out[0] = in[0]
	return nil
}
