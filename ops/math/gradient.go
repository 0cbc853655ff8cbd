package math

import (
	"math/cmplx"

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
		Attr("T: {bfloat16, half, float, double, complex64, complex128}").
		Doc(`Computes the gradient of Tanh: dy·(1-y²).

y: What the function gave.
dy: The gradient of that.`)
	registry.Define("SigmoidGrad").
		Input("y: T").Input("dy: T").Output("z: T").
		Attr("T: {bfloat16, half, float, double, complex64, complex128}").
		Doc(`Computes the gradient of Sigmoid: dy·y·(1-y).

y: What the function gave.
dy: The gradient of that.`)
	registry.Define("SqrtGrad").
		Input("y: T").Input("dy: T").Output("z: T").
		Attr("T: {bfloat16, half, float, double, complex64, complex128}").
		Doc(`Computes the gradient of Sqrt: dy/2/y, and 0 where dy is.

y: What the function gave.
dy: The gradient of that.`)
	registry.Define("RsqrtGrad").
		Input("y: T").Input("dy: T").Output("z: T").
		Attr("T: {bfloat16, half, float, double, complex64, complex128}").
		Doc(`Computes the gradient of Rsqrt: -dy/2·y³, and 0 where dy is.

y: What the function gave.
dy: The gradient of that.`)
	registry.Define("ReciprocalGrad").
		Input("y: T").Input("dy: T").Output("z: T").
		Attr("T: {bfloat16, half, float, double, complex64, complex128}").
		Doc(`Computes the gradient of the reciprocal: -dy·y², and 0 where dy is.

y: What the function gave.
dy: The gradient of that.`)
	registry.Define("InvGrad").
		Input("y: T").Input("dy: T").Output("z: T").
		Attr("T: {bfloat16, half, float, double, complex64, complex128}").
		Doc(`Computes the gradient of the reciprocal: -dy·y², and 0 where dy is.

y: What the function gave.
dy: The gradient of that.`)

	derivative("TanhGrad", newTanhGrad, func(y, dy complex128) complex128 { return dy * (1 - y*y) })
	derivative("SigmoidGrad", newSigmoidGrad, func(y, dy complex128) complex128 { return dy * y * (1 - y) })
	derivative("SqrtGrad", newSqrtGrad, masked(func(y, dy complex128) complex128 { return dy * 0.5 / y }))
	derivative("RsqrtGrad", newRsqrtGrad, masked(func(y, dy complex128) complex128 { return -0.5 * dy * y * y * y }))
	derivative("ReciprocalGrad", newReciprocalGrad, masked(func(y, dy complex128) complex128 { return -dy * (y * y) }))
	derivative("InvGrad", newReciprocalGrad, masked(func(y, dy complex128) complex128 { return -dy * (y * y) }))
}

// derivative registers op; f is for complex numbers.
func derivative(op string, reals func(tensor.DType) kernel.Kernel, f func(y, dy complex128) complex128) {
	kernel.ForTypes(op, "T", func(dt tensor.DType) kernel.Kernel {
		k := reals(dt)
		if k == nil {
			k = newZip(dt, nil, nil, narrowComplex2(f), f)
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
