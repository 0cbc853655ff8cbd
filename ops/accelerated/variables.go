package accelerated

import (
	"slices"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/code"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/resident"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Variables, whose values stay in the device's memory from step to step. Handles are the
// host's, and so are variables of int32, as its elements are.

// held are the types of variables on accelerators.
var held = slices.DeleteFunc(slices.Clone(numbers), func(t tensor.DType) bool { return t == tensor.Int32 })

func init() {
	handles := []tensor.DType{tensor.Resource}
	resident.RegisterHost("VarHandleOp", map[string][]tensor.DType{"dtype": held})
	resident.RegisterHost("Identity", map[string][]tensor.DType{"T": handles})
	for _, op := range []string{"VarIsInitializedOp", "DestroyResourceOp", "DisableCopyOnRead"} {
		resident.RegisterHost(op, nil)
	}
	register := func(op string, attr string, host []string, f kernel.Factory) {
		for _, kind := range resident.Types {
			r := kernel.Registration{Op: op, Device: kind, HostMemory: host, New: f}
			if attr != "" {
				r.Types = map[string][]tensor.DType{attr: held}
			}
			kernel.Register(r)
		}
	}
	register("AssignVariableOp", "dtype", nil, func(c *kernel.Construction) (kernel.Kernel, error) {
		return &assign{dt: c.Type("dtype"), validate: c.Bool("validate_shape")}, nil
	})
	register("ReadVariableOp", "dtype", nil, func(c *kernel.Construction) (kernel.Kernel, error) {
		return &read{device: c.Device, dt: c.Type("dtype")}, nil
	})
	register("VariableShape", "", []string{"output"}, func(c *kernel.Construction) (kernel.Kernel, error) {
		target := new(resource.Target)
		return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
			v, err := target.Find(ctx.Step.Resources, &in[0])
			if err != nil {
				return err
			}
			dims, err := resident.Dims(v)
			if err == nil {
				out[0], err = told(ctx, c.Outputs[0], func(dims []int64) ([]int64, bool) { return dims, false }, dims)
			}
			return err
		}), nil
	})
	for op, by := range map[string]string{"AssignAddVariableOp": "AddV2", "AssignSubVariableOp": "Sub"} {
		types := slices.DeleteFunc(slices.Clone(held), func(t tensor.DType) bool { takes, _ := code.Takes(by, t); return !takes })
		resident.RegisterChange(op, map[string][]tensor.DType{"dtype": types}, nil, func(c *kernel.Construction) (resident.Change, error) {
			dt := c.Type("dtype")
			return resident.Change{
				Variables: 1,
				Check: func(now, in []resident.Input) error {
					if err := sameType(now[0].Type, dt, "assign"); err != nil {
						return err
					}
					if x, dx := now[0].Dims, in[0].Dims; !slices.Equal(x, dx) {
						return status.Invalid("Cannot update variable with shape %s using a Tensor with shape %s, shapes must be equal.", tensor.FormatDims(x), tensor.FormatDims(dx))
					}
					return nil
				},
				Write: func(next, now []code.Array, in []resident.Input) ([]devices.Launch, error) {
					return code.Map(by, 0, next[0], now[0], in[0].Array)
				},
			}, nil
		})
	}
}

// sameType says that a variable of type have is used as one of type want.
func sameType(have, want tensor.DType, what string) error {
	if have == want {
		return nil
	}
	if what == "read" {
		have, want = want, have // the words speak of what the node expects
	}
	return status.Invalid("Trying to %s variable with wrong dtype. Expected %v got %v", what, have, want)
}

// assign makes a tensor of the device's the value of a variable.
type assign struct {
	target   resource.Target
	dt       tensor.DType
	validate bool
}

func (k *assign) Run(ctx *kernel.Context, in, _ []tensor.Value) error {
	v, err := k.target.Create(ctx.Step.Resources, &in[0], k.dt)
	if err != nil {
		return err
	}
	if err := sameType(v.Type, k.dt, "assign"); err != nil {
		return err
	}
	return resident.Assign(v, &in[1], func(before bool, dims, next []int64) error {
		if k.validate && before && !slices.Equal(dims, next) {
			return status.Invalid("Trying to assign to variable with tensor with wrong shape. Expected %s got %s", tensor.FormatDims(dims), tensor.FormatDims(next))
		}
		return nil
	})
}

// read hands out a token for the value of a variable.
type read struct {
	target resource.Target
	device string
	dt     tensor.DType
}

func (k *read) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	v, err := k.target.Find(ctx.Step.Resources, &in[0])
	if status.CodeOf(err) == status.NotFound {
		return noVariable(&in[0], err)
	}
	if err != nil {
		return err
	}
	if err := sameType(v.Type, k.dt, "read"); err != nil {
		return err
	}
	out[0], err = resident.Read(ctx, k.device, v)
	return err
}

// noVariable returns the error of reading a variable that its handle does not find.
func noVariable(v *tensor.Value, err error) error {
	h := tensor.At0[*tensor.Handle](v)
	return status.Errorf(status.FailedPrecondition, "Could not find variable %s. This could mean that the variable has been deleted. "+
		"In TF1, it can also mean the variable is uninitialized. Debug info: container=%s, status error message=%s",
		h.Name, h.Container, status.From(err).Message)
}
