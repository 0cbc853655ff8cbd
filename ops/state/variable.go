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
	for _, op := range []string{"Variable", "VariableV2"} {
		registry.Define(op).
			Output("ref: Ref(dtype)").
			Attr("shape: shape").
			Attr("dtype: type").
			Attr("container: string = ''").
			Attr("shared_name: string = ''").
			Stateful().
			Doc(`Puts out a reference to a variable of the session.

shared_name: the variable's name; without one the node's.`)
	}
	registry.Define("IsVariableInitialized").
		Input("ref: Ref(dtype)").
		Output("is_initialized: bool").
		Attr("dtype: type").
		AllowsUninitializedInput().
		Doc("Says whether a variable has a value.")
	registry.Define("RefIdentity").
		Input("input: Ref(T)").
		Output("output: Ref(T)").
		Attr("T: type").
		AllowsUninitializedInput().
		Doc("Passes a reference on.")

	shape.Register(variableShape, "Variable")
	shape.Register(shape.ByAttr("shape"), "VariableV2")
	shape.Register(shape.Scalars, "IsVariableInitialized")

	kernel.ForAll(newVariable, "Variable", "VariableV2")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(isInitialized), nil }, "IsVariableInitialized")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(refIdentity), nil }, "RefIdentity")
}

// variableShape: a scalar is how old graphs spell an unknown shape.
func variableShape(c *shape.Context) error {
	if s := c.Shape("shape"); s.Rank() > 0 {
		c.SetOutput(0, s)
	}
	return c.Err()
}

// A reference is a variable with the token that points to it. Reference
// variables have names apart from those of resource variables, as they are
// registered under this type.
type reference struct {
	*resource.Variable
	token tensor.Value
}

type variable struct {
	dt              tensor.DType
	dims            []int64 // nil: any
	container, name string
	found           resource.Cache[*reference]
}

func newVariable(c *kernel.Construction) (kernel.Kernel, error) {
	k := &variable{dt: c.Type("dtype"), container: c.Str("container"), name: c.Str("shared_name")}
	if k.name == "" {
		k.name = c.Node
	}
	if s := c.Shape("shape"); !s.Unknown {
		k.dims = append([]int64{}, s.Dims...)
	}
	return k, nil
}

func (k *variable) Run(ctx *kernel.Context, _, out []tensor.Value) error {
	m := ctx.Step.Resources
	r, err := k.found.Named(m, k.container, k.name, func() (*reference, error) {
		v := resource.NewVariable(m, k.name, k.dt)
		v.Shape = k.dims
		return &reference{v, tensor.RefTo(k.dt, v)}, nil
	})
	if err != nil {
		return err
	}
	if r.Type != k.dt {
		return status.Invalid("Trying to access variable %s with wrong dtype. Expected %v got %v", k.name, k.dt, r.Type)
	}
	out[0] = r.token
	return nil
}

// pointee is the variable that v, a node's reference input, points to. A step
// may have fed a value in its place.
func pointee(v *tensor.Value) (*resource.Variable, error) {
	if v.IsRef() {
		if p, ok := v.Cell().(*resource.Variable); ok {
			return p, nil
		}
	}
	return nil, status.Invalid("a reference to a variable is wanted, got a tensor of type %v", v.DType())
}

func isInitialized(_ *kernel.Context, in, out []tensor.Value) error {
	if !in[0].IsRef() { // a fed value
		tensor.SetScalar(&out[0], tensor.Bool, true)
		return nil
	}
	v, err := pointee(&in[0])
	if err != nil {
		return err
	}
	tensor.SetScalar(&out[0], tensor.Bool, initialized(v))
	return nil
}

func initialized(v *resource.Variable) (yes bool) {
	_ = v.View(func(val tensor.Value) error {
		yes = !val.IsZero()
		return nil
	})
	return yes
}

func refIdentity(_ *kernel.Context, in, out []tensor.Value) error {
	out[0] = in[0]
	return nil
}
