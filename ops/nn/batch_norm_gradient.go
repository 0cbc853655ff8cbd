package nn

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/tensor"
)

// globalNormGradient: y = (t-m)·r·gamma + beta with r = 1/√(v+ε), where gamma is
// there only if the node scales.
func globalNormGradient(c *gradient.Context) {
	if !c.Has(0) {
		return
	}
	t, m, v, gamma, dy := c.Input(0), c.Input(1), c.Input(2), c.Input(4), c.Dy(0)
	sum := func(x graph.Output) graph.Output { return c.Apply("Sum", x, c.Int32s(0, 1, 2)) }
	r := c.Apply("Rsqrt", c.Add(v, c.Scalar(v, float64(c.Float("variance_epsilon")))))
	centered := c.Sub(t, m)
	c.Set(3, sum(dy))
	scaled := r
	if c.Bool("scale_after_normalization") {
		c.Set(4, c.Mul(sum(c.Mul(dy, centered)), r))
		scaled = c.Mul(r, gamma)
	}
	dt := c.Mul(dy, scaled)
	c.Set(0, dt)
	c.Set(1, c.Neg(sum(dt)))
	c.Set(2, c.Mul(c.Mul(sum(c.Mul(dt, centered)), c.Scalar(v, -0.5)), c.Square(r)))
}

// batchNormGradient leaves the work to a kernel. Outputs 3 and beyond are what that
// needs in training; at inference it needs the mean and variance that are given.
func batchNormGradient(c *gradient.Context) {
	if !c.Has(0) {
		return
	}
	grad, inputs := "FusedBatchNormGrad", []graph.Input{c.Dy(0), c.Input(0), c.Input(1)}
	if c.Bool("is_training") {
		inputs = append(inputs, c.Output(3), c.Output(4))
	} else {
		inputs = append(inputs, c.Input(3), c.Input(4))
	}
	switch c.Node().Type() {
	case "FusedBatchNormV2":
		grad += "V2"
	case "FusedBatchNormV3":
		grad, inputs = grad+"V3", append(inputs, c.Output(5))
	}
	out := c.Outputs(grad, c.Attrs("epsilon", "data_format", "is_training"), inputs...)
	if out != nil {
		c.SetList(0, out[:3])
	}
}

// batchNormGradGradient differentiates the gradient of a batch normalization, whose
// inputs are g, the gradient of the result, x and γ. With c = x - mean(x),
// r = 1/√(var(x)+ε), h = c·r, means being of each channel's N elements, its outputs are
//
//	dx = γ·r·P(g), P(v) = v - mean(v) - h·mean(v·h)
//	dγ = Σg·h
//	dβ = Σg
//
// For gradients u, a and b of these, the scalar γ·r·Σu·P(g) + a·Σg·h + b·Σg is
// differentiated. P is symmetric, so by g that is γ·r·P(u) + a·h + b; by γ r·S with
// S = Σu·P(g); by h H = a·g - γ·r·(u·mean(g·h) + g·mean(u·h)), and by r in all
// R = γ·S + ΣH·c, of which var(x), the mean of c², gets -R·r³/2. At inference mean
// and variance are constants, and P the identity.
func batchNormGradGradient(c *gradient.Context) {
	format, dt := c.Str("data_format"), c.Input(2).DataType()
	rank := len(format)
	axes, perChannel := []int32{}, make([]int32, rank)
	for i, name := range format {
		if perChannel[i] = -1; name != 'C' {
			axes, perChannel[i] = append(axes, int32(i)), 1
		}
	}
	along, shape := c.Int32s(axes...), c.Int32s(perChannel...)
	keep := graph.Attrs{"keep_dims": true}
	mean := func(v graph.Output) graph.Output { return c.Op("Mean", keep, v, along) }
	sum := func(v graph.Output) graph.Output { return c.Op("Sum", keep, v, along) }
	spread := func(v graph.Output) graph.Output { return c.Reshape(v, shape) }
	wide := func(v graph.Output) graph.Output { return c.Cast(v, dt) }

	g, x, gamma := wide(c.Input(0)), wide(c.Input(1)), spread(c.Input(2))
	u, a, b := wide(c.Dy(0)), spread(c.Dy(1)), spread(c.Dy(2))
	epsilon := c.Scalar(gamma, float64(c.Float("epsilon")))
	training := c.Bool("is_training")

	var centered, variance graph.Output
	if training {
		centered = c.Sub(x, mean(x))
		variance = mean(c.Square(centered))
	} else {
		centered, variance = c.Sub(x, spread(c.Input(3))), spread(c.Input(4))
	}
	r := c.Apply("Rsqrt", c.Add(variance, epsilon))
	h := c.Mul(centered, r)
	scale := c.Mul(gamma, r)
	project := func(v, vh graph.Output) graph.Output {
		if !training {
			return v
		}
		return c.Sub(c.Sub(v, mean(v)), c.Mul(h, vh))
	}
	var uh, gh graph.Output
	if training {
		uh, gh = mean(c.Mul(u, h)), mean(c.Mul(g, h))
	}
	s := sum(c.Mul(u, project(g, gh)))

	narrow := c.Input(0).DataType()
	c.Set(0, c.Cast(c.Add(c.Add(c.Mul(scale, project(u, uh)), c.Mul(a, h)), b), narrow))
	if c.Wants(1) {
		dh := c.Mul(a, g)
		if training {
			dh = c.Sub(dh, c.Mul(scale, c.Add(c.Mul(u, gh), c.Mul(g, uh))))
		}
		dc := c.Mul(dh, r)
		if training {
			dr := c.Add(c.Mul(gamma, s), sum(c.Mul(dh, centered)))
			count := c.Cast(c.Div(c.Size(x), c.Size(c.Input(2))), tensor.Float)
			dc = c.Sub(dc, c.Mul(h, c.Div(c.Mul(dr, c.Square(r)), count)))
			dc = c.Sub(dc, mean(dc))
		}
		c.Set(1, c.Cast(dc, narrow))
	}
	c.Set(2, c.ReshapeLike(c.Mul(r, s), c.Input(2)))
}
