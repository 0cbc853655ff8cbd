package xla

import (
	"slices"

	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// The kernels of XlaDot and XlaConv, and of their second versions, whose operands
// may be of other types than the result.
func init() {
	productsFor[float32](tensor.Float)
	productsFor[float64](tensor.Double)
	productsFor[complex64](tensor.Complex64)
	productsFor[complex128](tensor.Complex128)
	productsFor[int8](tensor.Int8)
	productsFor[uint8](tensor.Uint8)
	productsFor[int16](tensor.Int16)
	productsFor[uint16](tensor.Uint16)
	productsFor[int32](tensor.Int32)
	productsFor[uint32](tensor.Uint32)
	productsFor[int64](tensor.Int64)
	productsFor[uint64](tensor.Uint64)
	for op, create := range map[string]newKernel{"XlaDot": newProduct[float32], "XlaConv": newConvolution[float32]} {
		for _, dt := range []tensor.DType{tensor.Half, tensor.Bfloat16} {
			narrow := func(c *kernel.Construction) (kernel.Kernel, error) {
				if c.Op.Name == op+"V2" && (c.Type("LhsT") != dt || c.Type("RhsT") != dt) {
					return nil, noProduct(c)
				}
				k, err := create(c, tensor.Float)
				if err != nil {
					return nil, err
				}
				return elementwise.Widen(dt, k), nil
			}
			kernel.ForType(op, "T", dt, narrow)
			kernel.ForType(op+"V2", "preferred_element_type", dt, narrow)
		}
	}
}

// A newKernel makes a kernel whose operands and result are of type dt.
type newKernel = func(c *kernel.Construction, dt tensor.DType) (kernel.Func, error)

func productsFor[T vec.Number](dt tensor.DType) {
	for op, create := range map[string]newKernel{"XlaDot": newProduct[T], "XlaConv": newConvolution[T]} {
		kernel.ForType(op, "T", dt, func(c *kernel.Construction) (kernel.Kernel, error) { return create(c, dt) })
		kernel.ForType(op+"V2", "preferred_element_type", dt, func(c *kernel.Construction) (kernel.Kernel, error) {
			k, err := create(c, dt)
			if err != nil {
				return nil, err
			}
			var convert [2]func(ctx *kernel.Context, v tensor.Value) (tensor.Value, error)
			for i, in := range []tensor.DType{c.Type("LhsT"), c.Type("RhsT")} {
				if in == dt {
					continue
				}
				if convert[i] = converter[T](in, dt); convert[i] == nil {
					return nil, noProduct(c)
				}
			}
			return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
				operands := slices.Clone(in)
				for i, f := range convert {
					if f == nil {
						continue
					}
					v, err := f(ctx, in[i])
					if err != nil {
						return err
					}
					defer ctx.Free(v)
					operands[i] = v
				}
				return k(ctx, operands, out)
			}), nil
		})
	}
}

func noProduct(c *kernel.Construction) error {
	return status.Errorf(status.Unimplemented, "%s of %v and %v in %v is not implemented", c.Op.Name, c.Type("LhsT"), c.Type("RhsT"), c.Type("preferred_element_type"))
}

// converter makes a function that copies a tensor of type from into one of a wider
// real type; nil where that is not wider.
func converter[T vec.Number](from, to tensor.DType) func(ctx *kernel.Context, v tensor.Value) (tensor.Value, error) {
	var set func(o []T, v *tensor.Value)
	switch o := any([]T(nil)).(type) {
	case []float64:
		set = any(setterOf(from, o)).(func([]T, *tensor.Value))
	case []float32:
		set = any(setterOf(from, o)).(func([]T, *tensor.Value))
	case []int32:
		set = any(setterOf(from, o)).(func([]T, *tensor.Value))
	case []int64:
		set = any(setterOf(from, o)).(func([]T, *tensor.Value))
	}
	if set == nil || from.Size() >= to.Size() {
		return nil
	}
	return func(ctx *kernel.Context, v tensor.Value) (tensor.Value, error) {
		o, err := ctx.Alloc(to, v.Dims())
		if err == nil {
			set(tensor.Of[T](&o), &v)
		}
		return o, err
	}
}

func setterOf[T int32 | int64 | float32 | float64](from tensor.DType, _ []T) func(o []T, v *tensor.Value) {
	integer := T(1)/2 == 0
	switch from {
	case tensor.Int8:
		return widen[T, int8]
	case tensor.Uint8:
		return widen[T, uint8]
	case tensor.Int16:
		return widen[T, int16]
	case tensor.Uint16:
		return widen[T, uint16]
	case tensor.Int32:
		return widen[T, int32]
	case tensor.Half:
		if !integer {
			return func(o []T, v *tensor.Value) {
				for i, x := range tensor.Of[tensor.Float16](v) {
					o[i] = T(x.Float32())
				}
			}
		}
	case tensor.Bfloat16:
		if !integer {
			return func(o []T, v *tensor.Value) {
				for i, x := range tensor.Of[tensor.BFloat16](v) {
					o[i] = T(x.Float32())
				}
			}
		}
	case tensor.Float:
		if !integer {
			return widen[T, float32]
		}
	}
	return nil
}

func widen[T, F int8 | uint8 | int16 | uint16 | int32 | int64 | float32 | float64](o []T, v *tensor.Value) {
	for i, x := range tensor.Of[F](v) {
		o[i] = T(x)
	}
}

// ordered is v with its dimensions in another order; free gives back what it takes.
func ordered(ctx *kernel.Context, v *tensor.Value, order []int) (o tensor.Value, free func(), err error) {
	view := strided.Whole(*v).Permute(order)
	if view.Contiguous() {
		return *v, func() {}, nil
	}
	dims := make([]int64, len(order))
	for i, d := range order {
		dims[i] = v.Dims()[d]
	}
	if o, err = ctx.Alloc(v.DType(), dims); err != nil {
		return o, nil, err
	}
	return o, func() { ctx.Free(o) }, strided.Copy(ctx, &o, strided.Whole(o), v, view)
}
