package xla

import (
	"slices"
	"strings"

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
	single := &arithmetic{tensor.Float, multiply[float32], patches[float32], setterOf[float32]}
	short := &arithmetic{tensor.Int32, multiply[int32], patches[int32], setterOf[int32]}
	long := &arithmetic{tensor.Int64, multiply[int64], patches[int64], setterOf[int64]}
	for _, a := range []*arithmetic{
		single, short, long,
		{tensor.Double, multiply[float64], patches[float64], setterOf[float64]},
		{tensor.Complex64, multiply[complex64], patches[complex64], nil},
		{tensor.Complex128, multiply[complex128], patches[complex128], nil},
		{tensor.Uint64, multiply[uint64], patches[uint64], nil},
	} {
		register(a.dt, a.products)
	}
	widened := func(dt tensor.DType, a *arithmetic, widen func(kernel.Kernel) kernel.Kernel) {
		register(dt, func(c *kernel.Construction) (kernel.Kernel, error) {
			if strings.HasSuffix(c.Op.Name, "V2") && (c.Type("LhsT") != dt || c.Type("RhsT") != dt) {
				return nil, noProduct(c)
			}
			k, err := a.kernel(c)
			if err != nil {
				return nil, err
			}
			return widen(k), nil
		})
	}
	for _, dt := range []tensor.DType{tensor.Half, tensor.Bfloat16} {
		widened(dt, single, func(k kernel.Kernel) kernel.Kernel { return elementwise.Widen(dt, k) })
	}
	for _, dt := range []tensor.DType{tensor.Int8, tensor.Uint8, tensor.Int16, tensor.Uint16, tensor.Uint32} {
		a := short
		if elementwise.Wider(dt) == tensor.Int64 {
			a = long
		}
		widened(dt, a, func(k kernel.Kernel) kernel.Kernel { return elementwise.WidenIntegers(dt, k, 0) })
	}
}

func register(dt tensor.DType, create kernel.Factory) {
	for _, op := range []string{"XlaDot", "XlaConv"} {
		kernel.ForType(op, "T", dt, create)
		kernel.ForType(op+"V2", "preferred_element_type", dt, create)
	}
}

// An arithmetic is what products do with elements of one type; all else they do is
// the same for all types.
type arithmetic struct {
	dt tensor.DType
	// multiply computes the product of an m×k matrix in a and the transpose of an n×k
	// matrix in b. Each matrix begins at some element.
	multiply func(p kernel.Pool, m, n, k int, a part, b part, o part)
	patches  func(ctx *kernel.Context, space []extent, features, pixels int, x part, rows *tensor.Value, width int)
	// setterOf returns a function that copies elements of another type, nil where they
	// are not converted. It may be nil.
	setterOf func(from tensor.DType) func(o, v *tensor.Value)
}

// A part is the elements of a tensor from one on.
type part struct {
	of *tensor.Value
	at int
}

func multiply[T vec.Number](p kernel.Pool, m, n, k int, a, b, o part) {
	vec.Gemm(p, false, true, m, n, k, tensor.Of[T](a.of)[a.at:], k, tensor.Of[T](b.of)[b.at:], k, tensor.Of[T](o.of)[o.at:], n)
}

// kernel makes the kernel whose operands and result are of type a.dt.
func (a *arithmetic) kernel(c *kernel.Construction) (kernel.Func, error) {
	if strings.HasPrefix(c.Op.Name, "XlaDot") {
		return newProduct(c, a)
	}
	return newConvolution(c, a)
}

// products makes the kernel whose result is of type a.dt, to which operands are converted.
func (a *arithmetic) products(c *kernel.Construction) (kernel.Kernel, error) {
	k, err := a.kernel(c)
	if err != nil || !strings.HasSuffix(c.Op.Name, "V2") {
		return k, err
	}
	var convert [2]func(o, v *tensor.Value)
	for i, in := range []tensor.DType{c.Type("LhsT"), c.Type("RhsT")} {
		if in == a.dt {
			continue
		}
		if a.setterOf != nil && in.Size() < a.dt.Size() {
			convert[i] = a.setterOf(in)
		}
		if convert[i] == nil {
			return nil, noProduct(c)
		}
	}
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		operands := slices.Clone(in)
		for i, set := range convert {
			if set == nil {
				continue
			}
			v, err := ctx.Alloc(a.dt, in[i].Dims())
			if err != nil {
				return err
			}
			set(&v, &in[i])
			defer ctx.Free(v)
			operands[i] = v
		}
		return k(ctx, operands, out)
	}), nil
}

func noProduct(c *kernel.Construction) error {
	return status.Errorf(status.Unimplemented, "%s of %v and %v in %v is not implemented", c.Op.Name, c.Type("LhsT"), c.Type("RhsT"), c.Type("preferred_element_type"))
}

// setterOf returns a function that copies a tensor of type from into one of a wider real
// type; nil where that is not wider.
func setterOf[T int32 | int64 | float32 | float64](from tensor.DType) func(o, v *tensor.Value) {
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
			return func(o, v *tensor.Value) {
				to := tensor.Of[T](o)
				for i, x := range tensor.Of[tensor.Float16](v) {
					to[i] = T(x.Float32())
				}
			}
		}
	case tensor.Bfloat16:
		if !integer {
			return func(o, v *tensor.Value) {
				to := tensor.Of[T](o)
				for i, x := range tensor.Of[tensor.BFloat16](v) {
					to[i] = T(x.Float32())
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

func widen[T, F int8 | uint8 | int16 | uint16 | int32 | int64 | float32 | float64](o, v *tensor.Value) {
	to := tensor.Of[T](o)
	for i, x := range tensor.Of[F](v) {
		to[i] = T(x)
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
