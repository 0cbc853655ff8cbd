package train

import (
	"strings"

	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	shape.Register(applyShape,
		"ApplyAdaMax", "ResourceApplyAdaMax",
		"ApplyAdadelta", "ResourceApplyAdadelta",
		"ApplyAdagrad", "ResourceApplyAdagrad",
		"ApplyAdagradV2", "ResourceApplyAdagradV2",
		"ApplyAdam", "ResourceApplyAdam",
		"ApplyAddSign", "ResourceApplyAddSign",
		"ApplyCenteredRMSProp", "ResourceApplyCenteredRMSProp",
		"ApplyFtrl", "ResourceApplyFtrl",
		"ApplyFtrlV2", "ResourceApplyFtrlV2",
		"ApplyGradientDescent", "ResourceApplyGradientDescent",
		"ApplyMomentum", "ResourceApplyMomentum",
		"ApplyPowerSign", "ResourceApplyPowerSign",
		"ApplyProximalAdagrad", "ResourceApplyProximalAdagrad",
		"ApplyProximalGradientDescent", "ResourceApplyProximalGradientDescent",
		"ApplyRMSProp", "ResourceApplyRMSProp",
		"ResourceApplyAdamWithAmsgrad",
		"ResourceApplyKerasMomentum")
	shape.Register(sparseApplyShape,
		"ResourceSparseApplyAdadelta", "SparseApplyAdadelta",
		"ResourceSparseApplyAdagrad", "SparseApplyAdagrad",
		"ResourceSparseApplyAdagradV2", "SparseApplyAdagradV2",
		"ResourceSparseApplyFtrl", "SparseApplyFtrl",
		"ResourceSparseApplyFtrlV2", "SparseApplyFtrlV2",
		"ResourceSparseApplyKerasMomentum",
		"ResourceSparseApplyMomentum", "SparseApplyMomentum",
		"ResourceSparseApplyRMSProp", "SparseApplyRMSProp")
}

// slots are the arguments that have an element for each of the variable's; an
// argument that is none of them, nor the gradient or its indices, is a number.
var slots = map[string]bool{
	"var": true, "accum": true, "accum_update": true, "linear": true, "m": true, "v": true, "vhat": true,
	"mg": true, "ms": true, "mom": true,
}

// merged merges the variable and its slots and checks that numbers are scalars.
// It also says where the gradient and the indices are.
func merged(c *shape.Context) (variable shape.Shape, grad, indices int) {
	if c.Op == nil {
		return shape.Shape{}, -1, -1
	}
	for i := range c.Op.Inputs {
		switch name := c.Op.Inputs[i].Name; {
		case slots[name]:
			s := c.HandleShape(i)
			if _, ok := c.Handle(i); !ok && c.Op.Name == "ResourceApplyProximalAdagrad" {
				s = c.Input(i) // TensorFlow takes the handle for the variable
			}
			variable = c.Try(shape.Merge(variable, s))
		case name == "grad" || name == "delta":
			grad = i
		case name == "indices":
			indices = i
		case name == "lr_power" && strings.HasSuffix(c.Op.Name, "ApplyFtrlV2"): // TensorFlow forgets it
		default:
			c.Try(c.Input(i).WithRank(0))
		}
	}
	return variable, grad, indices
}

// applyShape is for gradients of the variable's shape. Where the variable is a
// resource, TensorFlow looks for the gradient's shape behind a handle too, with
// two exceptions, and finds none.
func applyShape(c *shape.Context) error {
	variable, grad, _ := merged(c)
	name := ""
	if c.Op != nil {
		name = c.Op.Name
	}
	if c.InputType(0) != tensor.Resource || name == "ResourceApplyGradientDescent" || name == "ResourceApplyProximalAdagrad" {
		variable = c.Try(shape.Merge(variable, c.Input(grad)))
	}
	c.SetOutput(0, variable)
	return c.Err()
}

// sparseApplyShape is for gradients with a row for each index.
func sparseApplyShape(c *shape.Context) error {
	variable, g, at := merged(c)
	grad, indices := c.Input(g), c.Try(c.Input(at).WithRank(1))
	if grad.Known() && c.InputType(0) != tensor.Resource { // TensorFlow asks for the shape behind the gradient
		grad = c.Try(grad.WithRankAtLeast(1))
		c.TryDim(shape.MergeDims(indices.Dim(0), grad.Dim(0)))
		rows := c.Try(shape.Concat(shape.Of(shape.Unknown), grad.From(1)))
		variable = c.Try(shape.Merge(variable, rows))
	}
	c.SetOutput(0, variable)
	return c.Err()
}
