package data

import (
	"math"

	"github.com/troupe-go/troupe/shape"
)

func init() {
	shape.Register(tensorArrayShape, "TensorArray", "TensorArrayV2", "TensorArrayV3")
	shape.Register(tensorArrayGradShape, "TensorArrayGradV3", "TensorArrayGradWithShape")
	shape.Register(tensorArrayWriteShape, "TensorArrayWriteV3")
	shape.Register(tensorArrayScatterShape, "TensorArrayScatterV3")
	shape.Register(shape.Rule("handle: [2], value: ?, lengths: [?], flow_in: [] -> flow_out: []"), "TensorArraySplitV3")
	shape.Register(tensorArrayReadShape, "TensorArrayReadV3")
	shape.Register(tensorArrayGatherShape, "TensorArrayGatherV3")
	shape.Register(tensorArrayConcatShape, "TensorArrayConcatV2", "TensorArrayConcatV3")
	shape.Register(shape.Rule("handle: [2] -> size: []"), "TensorArraySizeV3")
	shape.Register(shape.Rule("handle: [2] ->"), "TensorArrayCloseV3")
}

// tensorArrayShape makes a handle, which is a vector of two, that knows the
// shape of the elements if that is known in full or is that of all.
func tensorArrayShape(c *shape.Context) error {
	c.Try(c.Input(0).WithRank(0))
	c.SetOutput(0, shape.Of(2))
	c.SetOutput(1, shape.Scalar)
	if element := c.Shape("element_shape"); element.Full() || c.Bool("identical_element_shapes") {
		c.SetHandle(0, shape.HandleData{Type: c.Type("dtype"), Shape: element})
	}
	return c.Err()
}

func tensorArrayGradShape(c *shape.Context) error {
	handle(c)
	c.SetOutput(0, shape.Of(2))
	c.SetOutput(1, shape.Scalar)
	if c.NumInputs() < 3 {
		c.PassHandle(0, 0)
		return c.Err()
	}
	if h, ok := c.Handle(0); ok {
		var more shape.Shape // as many dimensions as input 2 has elements
		if n := c.Input(2).Dim(0); n != shape.Unknown {
			more = c.Try(shape.Shape{}.WithRank(int(min(n, math.MaxInt32))))
		}
		h.Shape = c.Try(shape.Concat(more, h.Shape))
		c.SetHandle(0, h)
	}
	return c.Err()
}

// handle checks the handle that is input 0.
func handle(c *shape.Context) {
	s := c.Try(c.Input(0).WithRank(1))
	c.TryDim(shape.WithValue(s.Dim(0), 2))
}

func tensorArrayWriteShape(c *shape.Context) error {
	handle(c)
	c.Try(c.Input(1).WithRank(0))
	c.Try(c.Input(3).WithRank(0))
	h, _ := c.Handle(0)
	c.Try(shape.Merge(h.Shape, c.Input(2)))
	c.SetOutput(0, shape.Scalar)
	return c.Err()
}

// tensorArrayScatterShape takes an element for each index.
func tensorArrayScatterShape(c *shape.Context) error {
	handle(c)
	indices, values := c.Try(c.Input(1).WithRank(1)), c.Try(c.Input(2).WithRankAtLeast(1))
	c.Try(c.Input(3).WithRank(0))
	c.TryDim(shape.MergeDims(indices.Dim(0), values.Dim(0)))
	h, _ := c.Handle(0)
	c.Try(shape.Merge(h.Shape, values.From(1)))
	c.SetOutput(0, shape.Scalar)
	return c.Err()
}

func tensorArrayReadShape(c *shape.Context) error {
	handle(c)
	c.Try(c.Input(1).WithRank(0))
	c.Try(c.Input(2).WithRank(0))
	if h, ok := c.Handle(0); ok {
		c.SetOutput(0, h.Shape)
	}
	return c.Err()
}

// tensorArrayGatherShape puts the elements one upon the other.
func tensorArrayGatherShape(c *shape.Context) error {
	handle(c)
	indices := c.Try(c.Input(1).WithRank(1))
	c.Try(c.Input(2).WithRank(0))
	element := c.Shape("element_shape")
	if h, ok := c.Handle(0); ok {
		element = h.Shape
	}
	c.SetOutput(0, c.Try(shape.Concat(shape.Of(indices.Dim(0)), element)))
	return c.Err()
}

// tensorArrayConcatShape says nothing of the elements, one behind the other.
func tensorArrayConcatShape(c *shape.Context) error {
	handle(c)
	c.Try(c.Input(1).WithRank(0))
	c.SetOutput(1, shape.Of(shape.Unknown))
	return c.Err()
}
