package list

import (
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// What is known of the elements of a list is its handle's data: their type, and
// a shape that all of them have.

func init() {
	shape.Register(newListShape, "EmptyTensorList", "TensorListReserve")
	shape.Register(fromTensorShape, "TensorListFromTensor", "TensorListScatter", "TensorListScatterV2")
	shape.Register(splitShape, "TensorListSplit")
	shape.Register(getItemShape, "TensorListGetItem")
	shape.Register(popBackShape, "TensorListPopBack")
	shape.Register(setItemShape, "TensorListSetItem")
	shape.Register(passShape, "TensorListPushBack", "TensorListResize", "TensorListScatterIntoExistingList", "TensorListConcatLists")
	shape.Register(shape.Unchanged, "TensorListPushBackBatch")
	shape.Register(shape.Scalars, "TensorListLength")
	shape.Register(elementShapeShape, "TensorListElementShape")
	shape.Register(stackShape, "TensorListStack")
	shape.Register(gatherShape, "TensorListGather")
	shape.Register(concatShape, "TensorListConcat", "TensorListConcatV2")
}

// element is what is known of the elements' shape: by the list that is input 0
// and by input i, which gives a shape; -1 for none.
func element(c *shape.Context, i int) shape.Shape {
	var s shape.Shape
	if i >= 0 {
		s = c.Try(c.ShapeFrom(i))
	}
	h, ok := c.Handle(0)
	if !ok {
		return s
	}
	if want := c.Type("element_dtype"); want != h.Type && want != tensor.Invalid && h.Type != tensor.Invalid {
		c.Fail(status.Invalid("Trying to read from list with wrong element dtype. List has type %v but expected type %v", h.Type, want))
	}
	return c.Try(shape.Merge(s, h.Shape))
}

// made makes output 0 a list of elements of that shape.
func made(c *shape.Context, s shape.Shape) error {
	c.SetOutput(0, shape.Scalar)
	c.SetHandle(0, shape.HandleData{Type: c.Type("element_dtype"), Shape: s})
	return c.Err()
}

func newListShape(c *shape.Context) error {
	at, _ := c.Arg("element_shape")
	return made(c, c.Try(c.ShapeFrom(at)))
}

func fromTensorShape(c *shape.Context) error {
	at, _ := c.Arg("element_shape")
	in := c.Try(c.Input(0).WithRankAtLeast(1))
	return made(c, c.Try(shape.Merge(c.Try(c.ShapeFrom(at)), in.From(1))))
}

// splitShape makes a list of parts that may differ in their first dimension.
func splitShape(c *shape.Context) error {
	c.Try(c.Input(0).WithRankAtLeast(1))
	c.Try(c.Input(2).WithRank(1))
	return made(c, c.Try(c.ShapeFrom(1)))
}

func getItemShape(c *shape.Context) error {
	c.SetOutput(0, element(c, 2))
	return c.Err()
}

func popBackShape(c *shape.Context) error {
	c.SetOutput(0, shape.Scalar)
	c.PassHandle(0, 0)
	c.SetOutput(1, element(c, -1))
	return c.Err()
}

// setItemShape takes an item of the elements' shape.
func setItemShape(c *shape.Context) error {
	c.Try(shape.Merge(element(c, -1), c.Input(2)))
	return passed(c)
}

func passShape(c *shape.Context) error { return passed(c) }

func passed(c *shape.Context) error {
	c.SetOutput(0, shape.Scalar)
	c.PassHandle(0, 0)
	return c.Err()
}

// elementShapeShape is a vector, or a scalar if the elements' rank is unknown.
func elementShapeShape(c *shape.Context) error {
	if h, ok := c.Handle(0); ok && h.Shape.Known() {
		c.SetOutput(0, shape.Of(int64(h.Shape.Rank())))
	}
	return nil
}

func stackShape(c *shape.Context) error {
	n := c.Int("num_elements")
	if n < -1 {
		return status.Invalid("num_elements should be >= -1, got %d", n)
	}
	c.SetOutput(0, c.Try(shape.Concat(shape.Of(n), element(c, 1))))
	return c.Err()
}

func gatherShape(c *shape.Context) error {
	indices := c.Try(c.Input(1).WithRank(1))
	c.SetOutput(0, c.Try(shape.Concat(shape.Of(indices.Dim(0)), element(c, 2))))
	return c.Err()
}

// concatShape puts elements one behind the other along their first dimension.
func concatShape(c *shape.Context) error {
	var s shape.Shape
	if c.NumInputs() > 1 {
		s = element(c, 1)
	} else {
		s = c.Try(shape.Merge(c.Shape("element_shape"), element(c, -1)))
	}
	s = c.Try(s.WithRankAtLeast(1))
	c.SetOutput(0, c.Try(shape.Concat(shape.Of(shape.Unknown), s.From(1))))
	c.SetOutput(1, shape.Of(shape.Unknown))
	return c.Err()
}
