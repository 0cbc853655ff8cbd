package functional

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("ToBool").
		Input("input: T").Output("output: bool").
		Attr("T: type").
		Doc(`Converts a tensor to the truth value that it has as a condition.

A scalar number holds if it is not zero, a scalar string if it is not empty, any other tensor if it has elements.`)
	shape.Register(shape.Scalars, "ToBool")

	kernel.ForAll(newToBool, "ToBool")
}

// newToBool is as TensorFlow has it: a tensor that is no scalar may be of any
// type, a scalar of those that its front ends make conditions of.
func newToBool(c *kernel.Construction) (kernel.Kernel, error) {
	holds := scalarHolds[c.Type("T")]
	return kernel.Func(func(_ *kernel.Context, in, out []tensor.Value) error {
		v := in[0].NumElements() > 0
		if in[0].IsScalar() {
			if holds == nil {
				return status.Invalid("%v cannot be converted to a boolean", in[0].DType())
			}
			v = holds(&in[0])
		}
		tensor.SetScalar(&out[0], tensor.Bool, v)
		return nil
	}), nil
}

var scalarHolds = map[tensor.DType]func(v *tensor.Value) bool{
	tensor.Bool:   tensor.At0[bool],
	tensor.String: func(v *tensor.Value) bool { return tensor.At0[string](v) != "" },
	tensor.Float:  notZero[float32],
	tensor.Double: notZero[float64],
	tensor.Int8:   notZero[int8],
	tensor.Int16:  notZero[int16],
	tensor.Int32:  notZero[int32],
	tensor.Int64:  notZero[int64],
	tensor.Uint8:  notZero[uint8],
}

func notZero[T float32 | float64 | int8 | int16 | int32 | int64 | uint8](v *tensor.Value) bool {
	return tensor.At0[T](v) != 0
}
