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
	shape.Register(newListShape, "TensorListScatter", "TensorListScatterV2")
	shape.Register(fromTensorShape, "TensorListFromTensor")
	shape.Register(splitShape, "TensorListSplit")
	shape.Register(getItemShape, "TensorListGetItem")
	shape.Register(popBackShape, "TensorListPopBack")
	shape.Register(setItemShape, "TensorListSetItem")
	shape.Register(pushBackShape, "TensorListPushBack")
	shape.Register(pushBackBatchShape, "TensorListPushBackBatch")
	shape.Register(resizeShape, "TensorListResize")
	shape.Register(scatterIntoShape, "TensorListScatterIntoExistingList")
	shape.Register(concatListsShape, "TensorListConcatLists")
	shape.Register(shape.Scalars, "TensorListLength")
	shape.Register(elementShapeShape, "TensorListElementShape")
	shape.Register(stackShape, "TensorListStack")
	shape.Register(gatherShape, "TensorListGather")
	shape.Register(concatShape, "TensorListConcat", "TensorListConcatV2")
}

// element returns what is known of the elements' shape: by the list that is input 0
// and by input i, which gives a shape; -1 for none.
func element(c *shape.Context, i int) shape.Shape {
	var s shape.Shape
	if i >= 0 {
		s = c.Try(c.ShapeOrUnknownFrom(i))
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
	return made(c, c.Try(c.ShapeOrUnknownFrom(at)))
}

func fromTensorShape(c *shape.Context) error {
	at, _ := c.Arg("element_shape")
	return asked(c, at, c.Input(0).From(1))
}

// asked makes output 0 a list of elements of the shape that input i asks for,
// which those of the tensor must fit but do not add to.
func asked(c *shape.Context, i int, have shape.Shape) error {
	s := c.Try(c.ShapeOrUnknownFrom(i))
	c.Try(shape.Merge(have, s))
	return made(c, s)
}

// splitShape makes a list of parts that may differ in their first dimension.
func splitShape(c *shape.Context) error {
	in := c.Try(c.Input(0).WithRankAtLeast(1))
	c.Try(c.Input(2).WithRank(1))
	return asked(c, 1, c.Try(shape.Concat(shape.Of(shape.Unknown), in.From(1))))
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
	h, ok := c.Handle(0)
	if !ok {
		return made(c, shape.Shape{})
	}
	c.Try(shape.Merge(c.Input(2), h.Shape))
	c.SetOutput(0, shape.Scalar)
	c.PassHandle(0, 0)
	return c.Err()
}

// pushBackShape takes an item, whose shape it does not look at.
func pushBackShape(c *shape.Context) error { return made(c, element(c, -1)) }

// pushBackBatchShape takes an item for each of a vector of lists.
func pushBackBatchShape(c *shape.Context) error {
	lists, items := c.Try(c.Input(0).WithRank(1)), c.Try(c.Input(1).WithRankAtLeast(1))
	n := c.TryDim(shape.MergeDims(lists.Dim(0), items.Dim(0)))
	s := element(c, -1)
	c.Try(shape.Merge(s, items.From(1)))
	c.Fail(made(c, s))
	c.SetOutput(0, shape.Of(n))
	return c.Err()
}

func resizeShape(c *shape.Context) error {
	c.Try(c.Input(1).WithRank(0))
	c.SetOutput(0, shape.Scalar)
	c.PassHandle(0, 0)
	return c.Err()
}

// scatterIntoShape takes items, whose shapes it does not look at.
func scatterIntoShape(c *shape.Context) error {
	c.Try(c.Input(1).WithRankAtLeast(1))
	c.Try(c.Input(2).WithRank(1))
	return made(c, element(c, -1))
}

// concatListsShape joins lists of one type, pair by pair.
func concatListsShape(c *shape.Context) error {
	dt := c.Type("element_dtype")
	s := shape.Shape{}
	for i, name := range []string{"input_a", "input_b"} {
		h, ok := c.Handle(i)
		if ok && h.Type != dt {
			return status.Invalid("%s.type != element_dtype: %v vs. %v", name, h.Type, dt)
		}
		s = c.Try(shape.Merge(s, h.Shape))
	}
	c.SetOutput(0, c.Try(shape.Merge(c.Input(0), c.Input(1))))
	c.SetHandle(0, shape.HandleData{Type: dt, Shape: s})
	return c.Err()
}

// elementShapeShape returns a vector, or a scalar if the elements' rank is unknown.
func elementShapeShape(c *shape.Context) error {
	if h, ok := c.Handle(0); ok && h.Shape.Known() {
		c.SetOutput(0, shape.Of(int64(h.Shape.Rank())))
	}
	return nil
}

func stackShape(c *shape.Context) error {
	n, s := c.Int32("num_elements"), element(c, 1)
	if n < -1 && s.Known() {
		return status.Invalid("num_elements should be >= -1, got %d", n)
	}
	c.SetOutput(0, c.Try(shape.Concat(shape.Of(n), s)))
	return c.Err()
}

func gatherShape(c *shape.Context) error {
	c.SetOutput(0, c.Try(shape.Concat(c.Input(1), element(c, 2))))
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
	c.SetOutput(0, c.Try(shape.Concat(shape.Of(shape.Unknown), s.From(1))))
	c.SetOutput(1, shape.Of(shape.Unknown))
	return c.Err()
}
