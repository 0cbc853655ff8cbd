package math

import (
	"slices"

	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("Add").
		Input("x: T").Input("y: T").Output("z: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible | registry.Addition).
		Attr("T: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, complex128, string}").
		Doc("Adds two tensors, or joins the strings of two, with broadcasting; integers wrap around.")
	registry.Define("AddV2").
		Input("x: T").Input("y: T").Output("z: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible | registry.Addition).
		Attr("T: {bfloat16, half, float, double, uint8, uint16, uint32, uint64, int8, int16, int32, int64, complex64, complex128}").
		Commutative().
		Aggregate().
		Doc("Adds two tensors with broadcasting; integers wrap around.")
	registry.Define("Sub").
		Input("x: T").Input("y: T").Output("z: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, int64, complex64, complex128, uint32, uint64}").
		Doc("Subtracts y from x with broadcasting; integers wrap around.")
	registry.Define("Mul").
		Input("x: T").Input("y: T").Output("z: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complex64, complex128}").
		Commutative().
		Doc("Multiplies two tensors with broadcasting; integers wrap around.")
	registry.Define("MulNoNan").
		Input("x: T").Input("y: T").Output("z: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double, complex64, complex128}").
		Doc("Multiplies x by y with broadcasting; where y is 0 the result is 0, even if x is NaN or infinite.")
	registry.Define("SquaredDifference").
		Input("x: T").Input("y: T").Output("z: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double, int32, int64, complex64, complex128}").
		Commutative().
		Doc("Computes the square of x-y with broadcasting; conj(x-y)·(x-y) for complex numbers.")
	registry.Define("Neg").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}").
		Doc("Negates every element; the lowest integer stays what it is.")
	registry.Define("Square").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double, int8, int16, int32, int64, uint8, uint16, uint32, uint64, complex64, complex128}").
		Doc("Multiplies every element by itself.")
	registry.Define("Abs").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double, int8, int16, int32, int64}").
		Doc("Takes the absolute value of every element; the lowest integer stays what it is.")

	kernel.ForTypes("Add", "T", newAdd, elementwise.Numbers...)
	kernel.ForType("Add", "T", tensor.String, func(*kernel.Construction) (kernel.Kernel, error) {
		return kernel.Func(join), nil
	})
	kernel.ForTypes("AddV2", "T", newAdd, elementwise.Numbers...)
	kernel.ForTypes("Sub", "T", newSub, elementwise.Numbers...)
	kernel.ForTypes("Mul", "T", newMul, elementwise.Reals...)
	kernel.ForTypes("Mul", "T", func(dt tensor.DType) kernel.Kernel {
		return newZip(dt, nil, nil, nil, times64, times[complex128])
	}, tensor.Complex64, tensor.Complex128)
	kernel.ForTypes("MulNoNan", "T", func(dt tensor.DType) kernel.Kernel {
		return newZip(dt, loops["MulNoNan"], unlessZero(times[float32]), unlessZero(times[float64]), unlessZero(times64), unlessZero(times[complex128]))
	}, elementwise.Fields...)
	kernel.ForTypes("SquaredDifference", "T", newSquaredDifference, slices.Concat(elementwise.Fields, []tensor.DType{tensor.Int32, tensor.Int64})...)
	kernel.ForTypes("Neg", "T", byVector(vec.Neg, negate[float32], newNeg), slices.Concat(elementwise.Signed, []tensor.DType{tensor.Complex64, tensor.Complex128})...)
	kernel.ForTypes("Square", "T", byVector(func(o, x []float32) { vec.Mul(o, x, x) }, square[float32], newSquare), elementwise.Numbers...)
	kernel.ForTypes("Abs", "T", byVector(vec.Abs, absolute[float32], newAbs), elementwise.Signed...)

	gradient.Binary(partialOfSum, partialOfSum, "Add", "AddV2")
	gradient.Binary(partialOfSum, func(c *gradient.Context, _, _, _, dz graph.Output) graph.Output { return c.Neg(dz) }, "Sub")
	gradient.Binary(
		func(c *gradient.Context, _, y, _, dz graph.Output) graph.Output { return c.Mul(dz, c.Conj(y)) },
		func(c *gradient.Context, x, _, _, dz graph.Output) graph.Output { return c.Mul(c.Conj(x), dz) }, "Mul")
	gradient.Unary(func(c *gradient.Context, _, _, dy graph.Output) graph.Output { return c.Neg(dy) }, "Neg")
	gradient.Unary(func(c *gradient.Context, x, _, dy graph.Output) graph.Output {
		return c.Mul(dy, c.Mul(c.Scalar(x, 2), c.Conj(x)))
	}, "Square")
	gradient.Binary(
		func(c *gradient.Context, _, y, _, dz graph.Output) graph.Output {
			return c.Apply("MulNoNan", dz, y)
		},
		func(c *gradient.Context, x, _, _, dz graph.Output) graph.Output {
			return c.Apply("MulNoNan", x, dz)
		}, "MulNoNan")
	twice := func(c *gradient.Context, x, y, _, dz graph.Output) graph.Output {
		return c.Mul(c.Mul(c.Scalar(dz, 2), dz), c.Sub(x, y))
	}
	gradient.Binary(twice, func(c *gradient.Context, x, y, z, dz graph.Output) graph.Output { return twice(c, y, x, z, dz) }, "SquaredDifference")
	gradient.Unary(func(c *gradient.Context, x, _, dy graph.Output) graph.Output {
		return c.Mul(dy, c.Apply("Sign", x))
	}, "Abs")
}

// byVector makes the kernels of a function of one operand: of floats by vectors.
func byVector(vector func(o, x []float32), f func(float32) float32, others func(tensor.DType) kernel.Kernel) func(tensor.DType) kernel.Kernel {
	return func(dt tensor.DType) kernel.Kernel {
		if dt == tensor.Float {
			return &elementwise.Map[float32, float32]{In: dt, Out: dt, F: f, Vector: vector}
		}
		return others(dt)
	}
}

// partialOfSum returns the gradient of what is added.
func partialOfSum(_ *gradient.Context, _, _, _, dz graph.Output) graph.Output { return dz }

func plus[T elementwise.Number](x, y T) T  { return x + y }
func minus[T elementwise.Number](x, y T) T { return x - y }
func times[T elementwise.Number](x, y T) T { return x * y }
func negate[T elementwise.Number](x T) T   { return -x }
func square[T elementwise.Number](x T) T   { return x * x }

// times64 rounds every step to float32, where Go's product of complex64 is
// worked out in float64.
func times64(x, y complex64) complex64 {
	a, b, c, d := real(x), imag(x), real(y), imag(y)
	return complex(float32(a*c)-float32(b*d), float32(a*d)+float32(b*c))
}

// unlessZero is f(x, y), and 0 where y is.
func unlessZero[T elementwise.Field](f func(x, y T) T) func(x, y T) T {
	return func(x, y T) T {
		if y == 0 {
			return 0
		}
		return f(x, y)
	}
}

func squaredDifference[T elementwise.Number](x, y T) T { d := x - y; return d * d }

// newSquaredDifference takes complex numbers apart from the others: the
// difference is multiplied by its conjugate.
func newSquaredDifference(dt tensor.DType) kernel.Kernel {
	switch dt {
	case tensor.Complex64:
		return &elementwise.Zip[complex64, complex64]{In: dt, Out: dt, F: func(x, y complex64) complex64 {
			d := x - y
			return complex(real(d)*real(d)+imag(d)*imag(d), 0)
		}}
	case tensor.Complex128:
		return &elementwise.Zip[complex128, complex128]{In: dt, Out: dt, F: func(x, y complex128) complex128 {
			d := x - y
			return complex(real(d)*real(d)+imag(d)*imag(d), 0)
		}}
	}
	return newSquaredDiff(dt)
}

// absolute keeps the least integer, whose negative it has no room for.
func absolute[T elementwise.Real](x T) T { return max(x, -x) }

// join returns the kernel of Add for strings.
func join(ctx *kernel.Context, in, out []tensor.Value) error {
	dims, err := elementwise.BroadcastDims(in[0].Dims(), in[1].Dims())
	if err != nil {
		return err
	}
	n, err := tensor.NumElements(tensor.String, dims)
	if err != nil {
		return err
	}
	size := 0.0
	for _, v := range in {
		size += float64(v.TotalBytes()) * float64(n) / float64(max(v.NumElements(), 1))
	}
	if err := ctx.Reserve(int(min(size, 1<<60))); err != nil {
		return err
	}
	return joining.Run(ctx, in, out)
}

var joining = &elementwise.Zip[string, string]{
	In: tensor.String, Out: tensor.String, F: func(x, y string) string { return x + y },
}
