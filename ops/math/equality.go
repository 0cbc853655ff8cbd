package math

import (
	"slices"

	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("Equal").
		Input("x: T").Input("y: T").Output("z: bool").
		Traits(registry.Elementwise | registry.Total | registry.Cheap).
		Attr("T: type").
		Attr("incompatible_shape_error: bool = true").
		Commutative().
		Doc("Says where x and y are equal, with broadcasting.")
	registry.Define("NotEqual").
		Input("x: T").Input("y: T").Output("z: bool").
		Traits(registry.Elementwise | registry.Total | registry.Cheap).
		Attr("T: type").
		Attr("incompatible_shape_error: bool = true").
		Commutative().
		Doc("Says where x and y differ, with broadcasting.")
	registry.Define("ApproximateEqual").
		Input("x: T").Input("y: T").Output("z: bool").
		Traits(registry.Elementwise).
		Attr("T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}").
		Attr("tolerance: float = 1e-05").
		Commutative().
		Doc(`Says where x and y, of one shape, are close to each other.

tolerance: How far apart they may be.`)

	registerEquality("Equal", newEqual, func(x, y bool) bool { return x == y }, func(x, y string) bool { return x == y }, false)
	registerEquality("NotEqual", newNotEqual, func(x, y bool) bool { return x != y }, func(x, y string) bool { return x != y }, true)
	kernel.ForType("ApproximateEqual", "T", tensor.Float, newApproximateEqual[float32])
	kernel.ForType("ApproximateEqual", "T", tensor.Double, newApproximateEqual[float64])

	gradient.None("Equal", "NotEqual", "ApproximateEqual")
}

func equal[T elementwise.Number](x, y T) bool   { return x == y }
func unequal[T elementwise.Number](x, y T) bool { return x != y }

// An equality answers apart with a scalar where the operands' shapes do not
// broadcast and the node says that this is no error.
type equality struct {
	kernel.Kernel
	apart bool
}

func (e equality) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	if _, err := elementwise.BroadcastDims(in[0].Dims(), in[1].Dims()); err != nil {
		out[0] = tensor.Scalar(e.apart)
		return nil
	}
	return e.Kernel.Run(ctx, in, out)
}

func registerEquality(op string, numbers func(tensor.DType) kernel.Kernel, bools func(x, y bool) bool, strings func(x, y string) bool, apart bool) {
	create := func(dt tensor.DType) kernel.Kernel {
		switch dt {
		case tensor.Bool:
			return &elementwise.Zip[bool, bool]{In: dt, Out: tensor.Bool, F: bools}
		case tensor.String:
			return &elementwise.Zip[string, bool]{In: dt, Out: tensor.Bool, F: strings}
		}
		return numbers(unquantized(dt))
	}
	types := slices.Concat(elementwise.Numbers, []tensor.DType{
		tensor.Bool, tensor.String, tensor.Qint8, tensor.Quint8, tensor.Qint16, tensor.Quint16, tensor.Qint32})
	kernel.Register(kernel.Registration{Op: op, Types: map[string][]tensor.DType{"T": types}, New: func(c *kernel.Construction) (kernel.Kernel, error) {
		k := create(c.Type("T"))
		if !c.Bool("incompatible_shape_error") {
			k = equality{k, apart}
		}
		return k, nil
	}})
}

// unquantized returns the integer type that holds the elements of a quantized one;
// other types are themselves.
func unquantized(dt tensor.DType) tensor.DType {
	switch dt {
	case tensor.Qint8:
		return tensor.Int8
	case tensor.Quint8:
		return tensor.Uint8
	case tensor.Qint16:
		return tensor.Int16
	case tensor.Quint16:
		return tensor.Uint16
	case tensor.Qint32:
		return tensor.Int32
	}
	return dt
}

func newApproximateEqual[T elementwise.Float](c *kernel.Construction) (kernel.Kernel, error) {
	tolerance := T(c.Float("tolerance"))
	zip := &elementwise.Zip[T, bool]{In: c.Type("T"), Out: tensor.Bool, F: func(x, y T) bool { return max(x-y, y-x) <= tolerance }}
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		if !tensor.SameShape(in[0], in[1]) {
			return c.Errorf("x and y must be of the same shape. x shape: %s. y shape: %s", tensor.FormatDims(in[0].Dims()), tensor.FormatDims(in[1].Dims()))
		}
		return zip.Run(ctx, in, out)
	}), nil
}
