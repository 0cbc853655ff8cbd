package nn

import (
	"math"

	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

//go:generate go run ../../kernel/elementwise/loopgen

func init() {
	registry.Define("Relu").
		Input("features: T").Output("activations: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible | registry.Activation).
		Attr("T: {realnumbertype, qint8}").
		Doc("Replaces negative elements by 0; NaN stays NaN.")
	registry.Define("ReluGrad").
		Input("gradients: T").Input("features: T").Output("backprops: T").
		Traits(registry.Elementwise | registry.Fusible).
		Attr("T: realnumbertype").
		Doc(`Computes the gradient of Relu.

gradients: The gradient of its output.
features: Its input, or its output.`)
	registry.Define("Relu6").
		Input("features: T").Output("activations: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible | registry.Activation).
		Attr("T: realnumbertype").
		Doc("Limits elements to the range from 0 to 6.")
	registry.Define("Relu6Grad").
		Input("gradients: T").Input("features: T").Output("backprops: T").
		Traits(registry.Elementwise | registry.Fusible).
		Attr("T: realnumbertype").
		Doc(`Computes the gradient of Relu6.

gradients: The gradient of its output.
features: Its input, or its output.`)
	registry.Define("LeakyRelu").
		Input("features: T").Output("activations: T").
		Traits(registry.Elementwise | registry.Total).
		Attr("alpha: float = 0.2").
		Attr("T: {half, bfloat16, float, double} = DT_FLOAT").
		Doc(`Multiplies negative elements by alpha, a small number.

alpha: The slope below 0.`)
	registry.Define("LeakyReluGrad").
		Input("gradients: T").Input("features: T").Output("backprops: T").
		Traits(registry.Elementwise).
		Attr("alpha: float = 0.2").
		Attr("T: {half, bfloat16, float, double} = DT_FLOAT").
		Doc(`Computes the gradient of LeakyRelu.

gradients: The gradient of its output.
features: Its input.
alpha: The slope below 0.`)
	registry.Define("Elu").
		Input("features: T").Output("activations: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible | registry.Activation).
		Attr("T: {half, bfloat16, float, double}").
		Doc("Replaces negative elements x by exp(x) - 1, which goes to -1.")
	registry.Define("EluGrad").
		Input("gradients: T").Input("outputs: T").Output("backprops: T").
		Traits(registry.Elementwise | registry.Fusible).
		Attr("T: {half, bfloat16, float, double}").
		Doc(`Computes the gradient of Elu.

gradients: The gradient of its output.
outputs: Its output.`)
	registry.Define("Selu").
		Input("features: T").Output("activations: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {half, bfloat16, float, double}").
		Doc("Computes scaled exponential linear units: scale·x, and for negative x scale·alpha·(exp(x) - 1), with the constants that keep mean and variance.")
	registry.Define("SeluGrad").
		Input("gradients: T").Input("outputs: T").Output("backprops: T").
		Traits(registry.Elementwise | registry.Fusible).
		Attr("T: {half, bfloat16, float, double}").
		Doc(`Computes the gradient of Selu.

gradients: The gradient of its output.
outputs: Its output.`)
	registry.Define("Softplus").
		Input("features: T").Output("activations: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {half, bfloat16, float, double}").
		Doc("Computes log(1 + exp(x)) for every element.")
	registry.Define("SoftplusGrad").
		Input("gradients: T").Input("features: T").Output("backprops: T").
		Traits(registry.Elementwise | registry.Fusible).
		Attr("T: {half, bfloat16, float, double}").
		Doc(`Computes the gradient of Softplus.

gradients: The gradient of its output.
features: Its input.`)
	registry.Define("Softsign").
		Input("features: T").Output("activations: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {half, bfloat16, float, double}").
		Doc("Computes x/(1 + |x|) for every element.")
	registry.Define("SoftsignGrad").
		Input("gradients: T").Input("features: T").Output("backprops: T").
		Traits(registry.Elementwise | registry.Fusible).
		Attr("T: {half, bfloat16, float, double}").
		Doc(`Computes the gradient of Softsign.

gradients: The gradient of its output.
features: Its input.`)

	kernel.ForTypes("Relu", "T", newRelu, elementwise.Reals...)
	kernel.ForTypes("ReluGrad", "T", func(dt tensor.DType) kernel.Kernel {
		return elementwise.OfOneShape("ReluGrad", newReluGrad(dt))
	}, elementwise.Reals...)
	kernel.ForTypes("Relu6", "T", newRelu6, elementwise.Reals...)
	kernel.ForTypes("Relu6Grad", "T", func(dt tensor.DType) kernel.Kernel {
		return elementwise.OfOneShape("Relu6Grad", newRelu6Grad(dt))
	}, elementwise.Reals...)
	activation("Elu", func(x float64) float64 {
		if x < 0 {
			return math.Expm1(x)
		}
		return x
	})
	activation("Selu", func(x float64) float64 {
		if x < 0 {
			return vec.SeluScale * vec.SeluAlpha * math.Expm1(x)
		}
		return vec.SeluScale * x
	})
	activation("Softplus", softplus)
	activation("Softsign", func(x float64) float64 { return x / (math.Abs(x) + 1) })
	activationGrad("EluGrad", func(dy, y float64) float64 {
		if y < 0 {
			return dy * (y + 1)
		}
		return dy
	}, vec.EluGrad)
	activationGrad("SeluGrad", func(dy, y float64) float64 {
		if y < 0 {
			return dy * (y + vec.SeluScale*vec.SeluAlpha)
		}
		return dy * vec.SeluScale
	}, vec.SeluGrad)
	activationGrad("SoftplusGrad", func(dy, x float64) float64 { return dy / (math.Exp(-x) + 1) }, vec.SoftplusGrad)
	activationGrad("SoftsignGrad", func(dy, x float64) float64 {
		d := 1 + math.Abs(x)
		return dy / (d * d)
	}, vec.SoftsignGrad)
	kernel.ForAll(newLeakyRelu, "LeakyRelu")
	kernel.ForAll(newLeakyReluGrad, "LeakyReluGrad")

	for _, op := range []string{"Relu", "Relu6", "Elu", "Selu"} {
		gradient.Unary(func(c *gradient.Context, _, y, dy graph.Output) graph.Output { return c.Apply(op+"Grad", dy, y) }, op)
	}
	for _, op := range []string{"LeakyRelu", "Softplus", "Softsign"} {
		gradient.Unary(func(c *gradient.Context, x, _, dy graph.Output) graph.Output {
			return c.Op(op+"Grad", c.Attrs("alpha"), dy, x)
		}, op)
	}
	// The first input of a gradient is itself a gradient, and passes as that did.
	again := func(c *gradient.Context, _, x, _, dz graph.Output) graph.Output {
		return c.Op(c.Node().Type(), c.Attrs("alpha"), dz, x)
	}
	gradient.Binary(again, nil, "ReluGrad", "Relu6Grad", "LeakyReluGrad")
	gradient.Binary(again, func(c *gradient.Context, dy, y, _, dz graph.Output) graph.Output {
		return c.Select(c.Apply("Less", y, c.Scalar(y, 0)), c.Mul(dz, dy), c.Scalar(dz, 0))
	}, "EluGrad", "SeluGrad")
	gradient.Binary(again, func(c *gradient.Context, dy, x, _, dz graph.Output) graph.Output {
		return c.Div(c.Mul(dz, dy), c.Add(c.Add(c.Exp(c.Neg(x)), c.Scalar(x, 2)), c.Exp(x)))
	}, "SoftplusGrad")
}

func rectified[T elementwise.Real](x T) T {
	if x < 0 {
		return 0
	}
	return x // NaN and -0 too
}

func rectified6[T elementwise.Real](x T) T {
	switch {
	case x < 0:
		return 0
	case x > 6:
		return 6
	}
	return x
}

// rectify32 leaves the last few elements to rectified. As in TensorFlow, -0
// stays there, and becomes 0 in front.
func rectify32(o, x []float32) { rectifyAt(o, x, 0, len(o)) }

// rectifyAt is rectify32 for the elements from element at on, of so many in all.
func rectifyAt(o, x []float32, at, whole int) {
	n := min(max(whole&^7-at, 0), len(o))
	vec.Relu(o[:n], x)
	reluV(o[n:], x[n:])
}

// At tells a chain that it matters where elements are.
func (*reluFloat32) At(o, x []float32, at, whole int) { rectifyAt(o, x, at, whole) }

func rectify6(o, x []float32) { vec.Relu6(o, x) }

// The gradients are multiplied by 0 or 1, so that NaN and infinities show.

func rectifiedGrad[T elementwise.Real](dy, x T) T  { return dy * indicator[T](x > 0) }
func rectified6Grad[T elementwise.Real](dy, x T) T { return dy * indicator[T](x > 0 && x < 6) }

func (*reluGradFloat32) VV(o, dy, x []float32)  { vec.ReluGrad(o, dy, x) }
func (*relu6GradFloat32) VV(o, dy, x []float32) { vec.Relu6Grad(o, dy, x) }

// Pairs of these kernels are computed by the loops above, not by those that they embed.

func (k *reluGradFloat32) Pairs(o, dy, x tensor.Memory, s elementwise.Stretch) {
	elementwise.Pairs[float32, float32](k, o, dy, x, s)
}

func (k *relu6GradFloat32) Pairs(o, dy, x tensor.Memory, s elementwise.Stretch) {
	elementwise.Pairs[float32, float32](k, o, dy, x, s)
}

func indicator[T elementwise.Real](holds bool) T {
	if holds {
		return 1
	}
	return 0
}

// softplus is log(1+exp(x)); beyond 34 the 1 is less than half an ulp.
func softplus(x float64) float64 {
	if x > 34 {
		return x
	}
	return math.Log1p(math.Exp(x))
}

// activation registers op by its function on float64.
func activation(op string, f func(float64) float64) {
	loop := vectors[op]
	kernel.ForTypes(op, "T", func(dt tensor.DType) kernel.Kernel { return newFunction(dt, f, loop) }, elementwise.Floats...)
}

// vectors are activations that have vector kernels for float32.
var vectors = map[string]func(o, x []float32){"Elu": vec.Elu, "Selu": vec.Selu, "Softplus": vec.Softplus, "Softsign": vec.Softsign}

// newFunction returns the kernel of f; loop, if it is not nil, does its work on float32.
func newFunction(dt tensor.DType, f func(float64) float64, loop func(o, x []float32)) kernel.Kernel {
	f32 := func(x float32) float32 { return float32(f(float64(x))) }
	switch dt {
	case tensor.Float:
		return &elementwise.Map[float32, float32]{In: dt, Out: dt, F: f32, Vector: loop}
	case tensor.Double:
		return &elementwise.Map[float64, float64]{In: dt, Out: dt, F: f}
	case tensor.Half, tensor.Bfloat16:
		return elementwise.NarrowMap(dt, f32, loop)
	}
	return nil
}

// activationGrad registers op by its function on float64, of the gradient and
// what the operation took or gave.
func activationGrad(op string, f func(dy, x float64) float64, loop elementwise.Vectors) {
	kernel.ForTypes(op, "T", func(dt tensor.DType) kernel.Kernel {
		return elementwise.OfOneShape(op, newFunction2(dt, f, loop))
	}, elementwise.Floats...)
}

// newFunction2 is newFunction of two operands.
func newFunction2(dt tensor.DType, f func(x, y float64) float64, loop elementwise.Vectors) kernel.Kernel {
	f32 := func(x, y float32) float32 { return float32(f(float64(x), float64(y))) }
	switch dt {
	case tensor.Float:
		return &elementwise.Zip[float32, float32]{In: dt, Out: dt, F: f32, Loops: loop}
	case tensor.Double:
		return &elementwise.Zip[float64, float64]{In: dt, Out: dt, F: f}
	case tensor.Half, tensor.Bfloat16:
		return elementwise.NarrowZip(dt, f32, loop)
	}
	return nil
}

func newLeakyRelu(c *kernel.Construction) (kernel.Kernel, error) {
	alpha := float64(c.Float("alpha"))
	return available(c, newFunction(c.Type("T"), func(x float64) float64 {
		if x > 0 {
			return x
		}
		return x * alpha
	}, func(o, x []float32) { vec.LeakyRelu(o, x, float32(alpha)) }))
}

func newLeakyReluGrad(c *kernel.Construction) (kernel.Kernel, error) {
	alpha := float64(c.Float("alpha"))
	k, err := available(c, newFunction2(c.Type("T"), func(dy, x float64) float64 {
		if x > 0 {
			return dy
		}
		return dy * alpha
	}, func(o, dy, x []float32) { vec.LeakyReluGrad(o, dy, x, float32(alpha)) }))
	return elementwise.OfOneShape("LeakyReluGrad", k), err
}

// available is k, or the error that there is no kernel.
func available(c *kernel.Construction, k kernel.Kernel) (kernel.Kernel, error) {
	if k == nil {
		return nil, status.Errorf(status.Unimplemented, "operation %s has no kernel for %v yet", c.Op.Name, c.Type("T"))
	}
	return k, nil
}
