package functional

import (
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
)

func init() {
	// What a function makes of its arguments is known where the graph knows the
	// function; here only what attributes say is.
	shape.Register(shape.UnknownOutputs, "PartitionedCall", "StatefulPartitionedCall", "RemoteCall", "For", "BatchFunction", "_ArrayToList", "_ListToArray")
	shape.Register(batchShape, "Batch")
	shape.Register(declaredShape, "If", "StatelessIf", "Case", "StatelessCase")
	shape.Register(whileShape, "While", "StatelessWhile")
	shape.Register(mapDefunShape, "MapDefun")
	shape.Register(symbolicGradientShape, "SymbolicGradient")
	shape.Register(shape.Scalars, "DeviceIndex")
	shape.Register(shape.ByAttr("shape"), "FakeParam")
	shape.Register(argShape, "_Arg", "_DeviceArg")
	shape.Register(shape.NoOutputs, "_Retval", "_DeviceRetval")
}

// declaredShape returns what the attribute says, which may be nothing.
func declaredShape(c *shape.Context) error {
	shapes := c.Shapes("output_shapes")
	if len(shapes) == 0 {
		return c.Err()
	}
	if n := c.NumOutputs(); len(shapes) != n {
		return status.Invalid("`output_shapes` must be the same length as num outputs (%d vs. %d", len(shapes), n)
	}
	for i, s := range shapes {
		c.SetOutput(i, s)
	}
	return c.Err()
}

// whileShape takes the loop's variables to keep their shapes where the
// attribute says nothing, as TensorFlow does, but not what handles hold.
func whileShape(c *shape.Context) error {
	shapes := c.Shapes("output_shapes")
	if n := c.NumOutputs(); len(shapes) > 0 && len(shapes) != n {
		return status.Invalid("`output_shapes` must be the same length as num outputs (%d vs. %d", len(shapes), n)
	}
	for i := range c.NumOutputs() {
		if len(shapes) == 0 {
			c.SetOutput(i, c.Input(i))
		} else if i < len(shapes) {
			c.SetOutput(i, shapes[i])
		}
	}
	return c.Err()
}

// batchShape has rows of each input, nobody knows how many.
func batchShape(c *shape.Context) error {
	n := c.NumInputs()
	for i := range n {
		c.SetOutput(i, c.Try(c.Input(i).WithRankAtLeast(1)).ReplaceDim(0, shape.Unknown))
	}
	c.SetOutput(n, shape.Of(shape.Unknown, 3))
	c.SetOutput(n+1, shape.Scalar)
	return c.Err()
}

// mapDefunShape puts the results upon each other, one for each row of the
// arguments.
func mapDefunShape(c *shape.Context) error {
	lo, hi := c.Arg("arguments")
	n := shape.Unknown
	for i := lo; i < hi; i++ {
		n = c.TryDim(shape.MergeDims(n, c.Try(c.Input(i).WithRankAtLeast(1)).Dim(0)))
	}
	shapes := c.Shapes("output_shapes")
	if types := c.NumOutputs(); len(shapes) != types {
		return status.Invalid("`output_shapes` must be the same length as `output_types` (%d vs. %d)", len(shapes), types)
	}
	for i, s := range shapes {
		c.SetOutput(i, c.Try(shape.Concat(shape.Of(n), s)))
	}
	return c.Err()
}

// symbolicGradientShape has a gradient of the shape of each argument.
func symbolicGradientShape(c *shape.Context) error {
	if c.NumInputs() < c.NumOutputs() {
		return status.Invalid("len(inputs) < len(outputs)")
	}
	for i := range c.NumOutputs() {
		c.SetOutput(i, c.Input(i))
	}
	return nil
}

// argShape returns what the function's definition says of the argument. A call says
// more; package graph knows it.
func argShape(c *shape.Context) error {
	if shapes := c.Shapes("_output_shapes"); len(shapes) > 0 {
		c.SetOutput(0, shapes[0])
	}
	types, shapes := c.Types("_handle_dtypes"), c.Shapes("_handle_shapes")
	if len(types) == 0 || len(types) != len(shapes) {
		return c.Err()
	}
	var data []shape.HandleData
	for i, t := range types {
		data = append(data, shape.HandleData{Type: t, Shape: shapes[i]})
	}
	c.SetHandle(0, data...)
	return c.Err()
}
