package array

import (
	"math"
	"strings"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("CheckNumerics").
		Input("tensor: T").Output("output: T").
		Traits(registry.Elementwise).
		Attr("T: {bfloat16, half, float, double}").
		Attr("message: string").
		Stateful().
		Doc(`Passes a tensor on, and fails if it has infinities or NaNs.

message: What the error begins with.`)
	registry.Define("CheckNumericsV2").
		Input("tensor: T").Output("output: T").
		Attr("T: {bfloat16, half, float, double}").
		Attr("message: string").
		Stateful().
		Doc(`Passes a tensor on, and fails if it has infinities or NaNs, telling negative infinities from positive ones.

message: What the error begins with.`)

	kernel.ForAll(newCheckNumerics, "CheckNumerics", "CheckNumericsV2")

	gradient.Unary(func(c *gradient.Context, _, _, dy graph.Output) graph.Output {
		return c.Op(c.Node().Type(), graph.Attrs{"message": "in the gradient: " + c.Str("message")}, dy)
	}, "CheckNumerics", "CheckNumericsV2")
}

// found says what there was among some elements.
type found struct{ nan, inf, negativeInf bool }

func newCheckNumerics(c *kernel.Construction) (kernel.Kernel, error) {
	message, apart := c.Str("message"), c.Op.Name == "CheckNumericsV2"
	var look func(ctx *kernel.Context, v *tensor.Value) found
	switch dt := c.Type("T"); dt {
	case tensor.Float:
		look = lookAt(func(x float32) float64 { return float64(x) })
	case tensor.Double:
		look = lookAt(func(x float64) float64 { return x })
	case tensor.Half:
		look = lookAt(func(x tensor.Float16) float64 { return float64(x.Float32()) })
	case tensor.Bfloat16:
		look = lookAt(func(x tensor.BFloat16) float64 { return float64(x.Float32()) })
	default:
		return nil, c.Errorf("%v has no infinities", dt)
	}
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		if f := look(ctx, &in[0]); f != (found{}) {
			return status.Invalid("%s : Tensor had %s values", message, f.describe(apart))
		}
		out[0] = in[0]
		return nil
	}), nil
}

//go:noinline
func lookAt[T tensor.Element](wide func(T) float64) func(ctx *kernel.Context, v *tensor.Value) found {
	return func(ctx *kernel.Context, v *tensor.Value) (f found) {
		x := tensor.Of[T](v)
		for lo, hi := range ctx.Ranges(len(x), 1<<16) {
			for _, x := range x[lo:hi] {
				switch x := wide(x); {
				case x-x == 0:
				case math.IsNaN(x):
					f.nan = true
				case x > 0:
					f.inf = true
				default:
					f.negativeInf = true
				}
			}
		}
		return f
	}
}

// describe lists what was found; apart tells the infinities from each other.
func (f found) describe(apart bool) string {
	var words []string
	if apart {
		if f.negativeInf {
			words = append(words, "-Inf")
		}
		if f.inf {
			words = append(words, "+Inf")
		}
	} else if f.inf || f.negativeInf {
		words = append(words, "Inf")
	}
	if f.nan {
		words = append(words, "NaN")
	}
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}
