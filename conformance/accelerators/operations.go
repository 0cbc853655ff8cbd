package accelerators

import (
	"fmt"
	"math/rand/v2"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/code"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/kernel/resident"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// An operation is one with inputs, that a kernel of a device is to compute as the CPU's does.
type operation struct {
	op        string
	attrs     registry.Attrs
	in        []*tensor.Tensor
	variables int              // so many of the first inputs are variables' values
	tol       tensor.Tolerance // zero: rough
	again     bool             // the second of two runs counts
}

func (o *operation) String() string {
	s := o.op
	for _, in := range o.in {
		s += fmt.Sprintf(" %v%v", in.DType(), in.Dims())
	}
	return s
}

func (o *operation) tolerance() tensor.Tolerance {
	if o.tol == (tensor.Tolerance{}) {
		return rough
	}
	return o.tol
}

// construction returns what a node of the operation is made of, and which inputs a device of a
// type has in the host's memory.
func (o *operation) construction(kind, device string) (*kernel.Construction, []devices.Memory, error) {
	def, err := registry.Global.Lookup(o.op)
	if err != nil {
		return nil, nil, err
	}
	types := make([]tensor.DType, len(o.in))
	for i, x := range o.in {
		if types[i] = x.DType(); i < o.variables {
			types[i] = tensor.Resource
		}
	}
	r, err := registry.InferFlat(def, o.attrs, types)
	if err != nil {
		return nil, nil, fmt.Errorf("%v: %w", o, err)
	}
	c := &kernel.Construction{Node: o.op, Op: def, Attrs: r.Attrs, Inputs: r.Inputs, Outputs: r.Outputs, Device: device}
	memory, _ := kernel.Memory(kind, c)
	return c, memory, nil
}

// launches returns the code that a kernel of a device of a type hands over.
func (o *operation) launches(kind string) ([]devices.Launch, error) {
	c, memory, err := o.construction(kind, "")
	if err != nil {
		return nil, err
	}
	k, err := kernel.Make(kind, c)
	if err != nil {
		return nil, fmt.Errorf("%v: %w", o, err)
	}
	l, ok := k.(interface {
		Launches(*kernel.Context, []resident.Input) ([]devices.Launch, error)
	})
	if !ok {
		return nil, nil // the host's
	}
	in := make([]resident.Input, len(o.in))
	for i, x := range o.in {
		in[i].Array = code.Array{Type: x.DType(), Dims: x.Dims()}
		if memory[i] == devices.HostMemory && i >= o.variables {
			v := tensor.ValueOf(x)
			in[i].Host = &v
		}
	}
	return l.Launches(new(kerneltest.Runner).Context(), in)
}

// handle are the attributes of a variable's handle.
func handle(name string, dt tensor.DType) registry.Attrs {
	return registry.Attrs{typed("dtype", dt), str("shared_name", name), {Name: "shape", Value: registry.AttrValue{Kind: registry.KindShape}}}
}

// onCPU returns what the CPU's kernel computes: its outputs, or the variables afterwards.
func (o *operation) onCPU() ([]*tensor.Tensor, error) {
	r := kerneltest.Runner{Limit: 1 << 26}
	in := append([]*tensor.Tensor(nil), o.in...)
	for i := range o.variables {
		name, dt := fmt.Sprint("v", i), in[i].DType()
		h, err := r.Run(name, "VarHandleOp", handle(name, dt))
		if err != nil {
			return nil, err
		}
		if _, err := r.Run(name, "AssignVariableOp", nil, h[0], in[i]); err != nil {
			return nil, err
		}
		in[i] = h[0]
	}
	if o.again {
		if _, err := r.Run(o.op, o.op, o.attrs, in...); err != nil {
			return nil, err
		}
	}
	out, err := r.Run(o.op, o.op, o.attrs, in...)
	if err != nil || len(out) > 0 {
		return out, err
	}
	for i := range o.variables {
		v, err := r.Run("read", "ReadVariableOp", registry.Attrs{typed("dtype", o.in[i].DType())}, in[i])
		if err != nil {
			return nil, err
		}
		out = append(out, v...)
	}
	return out, nil
}

// operations are tried on all devices.
func operations() (all []operation) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, f := range []func(*rand.Rand) []operation{convolutionOperations, poolOperations, arrayOperations, lineOperations, variableOperations, randomOperations, recurrentOperations, normalizeOperations, mathOperations, imageOperations} {
		all = append(all, f(rng)...)
	}
	return all
}

func floatsOf(rng *rand.Rand) func(dims ...int64) *tensor.Tensor {
	return func(dims ...int64) *tensor.Tensor { return random(rng, tensor.Float, dims...) }
}

func matrix32(columns int64, x ...int32) *tensor.Tensor {
	return must1(tensor.FromSlice(x, int64(len(x))/columns, columns))
}

func boolean(name string, b bool) registry.NamedAttr {
	return registry.NamedAttr{Name: name, Value: registry.AttrValue{Kind: registry.KindBool, B: b}}
}

func integer(name string, n int64) registry.NamedAttr {
	return registry.NamedAttr{Name: name, Value: registry.AttrValue{Kind: registry.KindInt, I: n}}
}
