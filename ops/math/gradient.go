package math

import (
	"math/cmplx"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// The operations here are the derivatives of elementary functions, written in
// terms of the function's result y and the gradient dy that came back for it.

func init() {
	registry.Define("TanhGrad").
		Input("y: T").Input("dy: T").Output("z: T").
		Traits(registry.Elementwise | registry.Fusible).
		Attr("T: {bfloat16, half, float, double, complex64, complex128}").
		Doc(`Computes the gradient of Tanh: dy·(1-y²).

y: The result of the function.
dy: The gradient of that.`)
	registry.Define("SigmoidGrad").
		Input("y: T").Input("dy: T").Output("z: T").
		Traits(registry.Elementwise | registry.Fusible).
		Attr("T: {bfloat16, half, float, double, complex64, complex128}").
		Doc(`Computes the gradient of Sigmoid: dy·y·(1-y).

y: The result of the function.
dy: The gradient of that.`)
	registry.Define("SqrtGrad").
		Input("y: T").Input("dy: T").Output("z: T").
		Traits(registry.Elementwise | registry.Fusible).
		Attr("T: {bfloat16, half, float, double, complex64, complex128}").
		Doc(`Computes the gradient of Sqrt: dy/2/y, and 0 where dy is.

y: The result of the function.
dy: The gradient of that.`)
	registry.Define("RsqrtGrad").
		Input("y: T").Input("dy: T").Output("z: T").
		Traits(registry.Elementwise | registry.Fusible).
		Attr("T: {bfloat16, half, float, double, complex64, complex128}").
		Doc(`Computes the gradient of Rsqrt: -dy/2·y³, and 0 where dy is.

y: The result of the function.
dy: The gradient of that.`)
	registry.Define("ReciprocalGrad").
		Input("y: T").Input("dy: T").Output("z: T").
		Traits(registry.Elementwise | registry.Fusible).
		Attr("T: {bfloat16, half, float, double, complex64, complex128}").
		Doc(`Computes the gradient of the reciprocal: -dy·y², and 0 where dy is.

y: The result of the function.
dy: The gradient of that.`)
	registry.Define("InvGrad").
		Input("y: T").Input("dy: T").Output("z: T").
		Traits(registry.Elementwise | registry.Fusible).
		Attr("T: {bfloat16, half, float, double, complex64, complex128}").
		Doc(`Computes the gradient of the reciprocal: -dy·y², and 0 where dy is.

y: The result of the function.
dy: The gradient of that.`)

	derivative("TanhGrad", newTanhGrad, func(y, dy complex128) complex128 { return dy * (1 - y*y) })
	derivative("SigmoidGrad", newSigmoidGrad, func(y, dy complex128) complex128 { return dy * y * (1 - y) })
	derivative("SqrtGrad", newSqrtGrad, masked(func(y, dy complex128) complex128 { return dy * 0.5 / y }))
	derivative("RsqrtGrad", newRsqrtGrad, masked(func(y, dy complex128) complex128 { return -0.5 * dy * y * y * y }))
	derivative("ReciprocalGrad", newReciprocalGrad, masked(func(y, dy complex128) complex128 { return -dy * (y * y) }))
	derivative("InvGrad", newReciprocalGrad, masked(func(y, dy complex128) complex128 { return -dy * (y * y) }))

	gradient.Binary(
		func(c *gradient.Context, y, dy, _, dz graph.Output) graph.Output {
			return c.Mul(c.Mul(c.Scalar(dz, -2), c.Mul(dz, c.Conj(dy))), c.Conj(y))
		},
		func(c *gradient.Context, y, _, _, dz graph.Output) graph.Output {
			return c.Apply("TanhGrad", c.Conj(y), dz)
		}, "TanhGrad")
	gradient.Binary(
		func(c *gradient.Context, y, dy, _, dz graph.Output) graph.Output {
			d := c.Mul(dz, c.Conj(dy))
			return c.Sub(d, c.Mul(c.Mul(c.Scalar(d, 2), d), c.Conj(y)))
		},
		func(c *gradient.Context, y, _, _, dz graph.Output) graph.Output {
			return c.Apply("SigmoidGrad", c.Conj(y), dz)
		}, "SigmoidGrad")
	gradient.Binary(
		func(c *gradient.Context, y, _, z, dz graph.Output) graph.Output {
			return c.Mul(c.Neg(c.Conj(c.Div(dz, y))), z)
		},
		func(c *gradient.Context, y, _, _, dz graph.Output) graph.Output {
			return c.Mul(c.Scalar(y, 0.5), c.Div(dz, y))
		}, "SqrtGrad")
	gradient.Binary(
		func(c *gradient.Context, y, dy, _, dz graph.Output) graph.Output {
			return c.Mul(c.Mul(c.Scalar(y, -1.5), c.Mul(c.Conj(dz), dy)), c.Square(c.Conj(y)))
		},
		func(c *gradient.Context, y, _, _, dz graph.Output) graph.Output {
			return c.Apply("RsqrtGrad", c.Conj(y), dz)
		}, "RsqrtGrad")
	gradient.Binary(
		func(c *gradient.Context, y, dy, _, dz graph.Output) graph.Output {
			return c.Mul(c.Mul(c.Scalar(y, -2), c.Mul(c.Conj(dz), dy)), c.Conj(y))
		},
		func(c *gradient.Context, y, _, _, dz graph.Output) graph.Output {
			return c.Apply("ReciprocalGrad", c.Conj(y), dz)
		}, "ReciprocalGrad", "InvGrad")
}

// derivative registers op; f is for complex numbers.
func derivative(op string, reals func(tensor.DType) kernel.Kernel, f func(y, dy complex128) complex128) {
	kernel.ForTypes(op, "T", func(dt tensor.DType) kernel.Kernel {
		k := reals(dt)
		if k == nil {
			k = newZip(dt, nil, nil, nil, narrowComplex2(f), f)
		}
		return elementwise.OfOneSize(k)
	}, elementwise.Fields...)
}

// masked is f at the conjugate of y, which the gradients of Tanh and Sigmoid expect to be conjugated before,
// and 0 where dy is, whatever y is: what a mask has taken out of a sum stays
// out, though the derivative is infinite there.
func masked(f func(y, dy complex128) complex128) func(y, dy complex128) complex128 {
	return func(y, dy complex128) complex128 {
		if dy == 0 {
			return 0
		}
		return f(cmplx.Conj(y), dy)
	}
}

func tanhGrad[T elementwise.Float](y, dy T) T    { return dy * (1 - y*y) }
func sigmoidGrad[T elementwise.Float](y, dy T) T { return dy * y * (1 - y) }

func sqrtGrad[T elementwise.Float](y, dy T) T {
	if dy == 0 {
		return 0
	}
	return dy * 0.5 / y
}

func rsqrtGrad[T elementwise.Float](y, dy T) T {
	if dy == 0 {
		return 0
	}
	return -0.5 * dy * y * y * y
}

func reciprocalGrad[T elementwise.Float](y, dy T) T {
	if dy == 0 {
		return 0
	}
	return -dy * (y * y)
}
