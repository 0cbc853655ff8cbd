package accelerated

import (
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/resident"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// inferred returns the shapes of an operation's outputs by its shape function, which knows all
// shapes of inputs and the values of those in host memory; check, if there is one, says what
// else may be wrong with the inputs.
func inferred(c *kernel.Construction, check func(in []resident.Input) error) func(in []resident.Input) ([]resident.Shape, error) {
	infer := shape.Lookup(c.Op.Name)
	return func(in []resident.Input) ([]resident.Shape, error) {
		if check != nil {
			if err := check(in); err != nil {
				return nil, err
			}
		}
		ctx := shape.Context{Node: c.Node, Op: c.Op, Attrs: c.Attrs, InputTypes: c.Inputs, OutputTypes: c.Outputs,
			Inputs: make([]shape.Shape, len(in)), Outputs: make([]shape.Shape, len(c.Outputs))}
		for i, x := range in {
			ctx.Inputs[i] = shape.Of(x.Dims...)
		}
		ctx.Constant = func(i int) *tensor.Tensor {
			if i < 0 || i >= len(in) || in[i].Host == nil {
				return nil
			}
			t, err := tensor.New(in[i].Host.DType(), in[i].Host.Dims()...)
			if err != nil {
				return nil
			}
			v := tensor.ValueOf(t)
			copy(tensor.Bytes(&v), tensor.Bytes(in[i].Host))
			return v.Tensor()
		}
		err := infer(&ctx)
		if e := ctx.Err(); e != nil {
			err = e
		}
		if err != nil {
			return nil, err
		}
		all := make([]resident.Shape, len(c.Outputs))
		for i, s := range ctx.Outputs {
			if !s.Full() {
				return nil, status.Errorf(status.Internal, "the shape of output %d of %s is not known: %v", i, c.Op.Name, s)
			}
			all[i] = resident.Shape{Type: c.Outputs[i].Base(), Dims: slices.Clone(s.Dims())}
		}
		return all, nil
	}
}

// ranked returns a check that there are that many dimensions of some inputs.
func ranked(what string, rank int, inputs ...int) func(in []resident.Input) error {
	return func(in []resident.Input) error {
		for _, i := range inputs {
			if len(in[i].Dims) != rank {
				return status.Invalid("%s must be of rank %d, not %s", what, rank, tensor.FormatDims(in[i].Dims))
			}
		}
		return nil
	}
}

// moving registers what only moves elements. That of int32 is the CPU's: it takes shapes
// apart.
func moving(op, attr string, host []string, plan func(*kernel.Construction) (resident.Plan, error)) {
	resident.RegisterHost(op, map[string][]tensor.DType{attr: {tensor.Int32}})
	resident.Register(op, map[string][]tensor.DType{attr: held}, host, plan)
}
