package functional

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("ToBool").
		Input("input: T").Output("output: bool").
		Attr("T: type").
		Doc(`Tells whether a tensor holds as a condition.

A scalar number holds if it is not zero, a scalar string if it is not empty, any other tensor if it has elements.`)
	shape.Register(shape.Scalars, "ToBool")

	holds[bool](tensor.Bool)
	holds[float32](tensor.Float)
	holds[float64](tensor.Double)
	holds[int8](tensor.Int8)
	holds[int16](tensor.Int16)
	holds[int32](tensor.Int32)
	holds[int64](tensor.Int64)
	holds[uint8](tensor.Uint8)
	holds[uint16](tensor.Uint16)
	holds[string](tensor.String)
}

// holds registers the kernel for a type.
func holds[T interface {
	tensor.Element
	comparable
}](dt tensor.DType) {
	k := kernel.Func(func(_ *kernel.Context, in, out []tensor.Value) error {
		v := in[0].NumElements() > 0
		if in[0].IsScalar() {
			var zero T
			v = tensor.At0[T](&in[0]) != zero
		}
		tensor.SetScalar(&out[0], tensor.Bool, v)
		return nil
	})
	kernel.ForType("ToBool", "T", dt, func(*kernel.Construction) (kernel.Kernel, error) { return k, nil })
}
