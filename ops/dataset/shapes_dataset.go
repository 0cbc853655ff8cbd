package dataset

import "github.com/troupe-go/troupe/shape"

func init() {
	shape.Register(shape.Scalars,
		"TensorDataset", "MapDataset", "SparseTensorSliceDataset", "Iterator", "IteratorV2", "OneShotIterator",
		"OptionalNone", "OptionalHasValue", "CompressElement", "IteratorToStringHandle")
	shape.Register(shape.Rule("start: [], stop: [], step: [] -> handle: []"), "RangeDataset")
	shape.Register(fromValueShape, "OptionalFromValue")
	shape.Register(shape.NoOutputs, "MakeIterator")
	shape.Register(componentsShape, "IteratorGetNext", "OptionalGetValue", "UncompressElement")
	shape.Register(shape.UnknownOutputs, "CompositeTensorVariantToComponents")
	shape.Register(unbatchShape, "Unbatch")
	shape.Register(sameRank(2), "UnbatchGrad")
}

// sameRank knows no more of the output than the rank, which is that of input i.
func sameRank(i int) shape.Func {
	return func(c *shape.Context) error {
		if in := c.Input(i); in.Known() {
			c.SetOutput(0, shape.OfRank(in.Rank()))
		}
		return nil
	}
}

var components = shape.ByAttrs("output_shapes")

// componentsShape is for what a scalar handle leads to.
func componentsShape(c *shape.Context) error {
	c.Try(c.Input(0).WithRank(0))
	c.Fail(components(c))
	return c.Err()
}

// unbatchShape has rows of the input, nobody knows how many.
func unbatchShape(c *shape.Context) error {
	c.SetOutput(0, c.Try(c.Input(0).WithRankAtLeast(1)).ReplaceDim(0, shape.Unknown))
	return c.Err()
}

// fromValueShape makes an optional that knows its components.
func fromValueShape(c *shape.Context) error {
	held := make([]shape.HandleData, c.NumInputs())
	for i := range held {
		held[i] = shape.HandleData{Type: c.InputType(i), Shape: c.Input(i)}
	}
	c.SetOutput(0, shape.Scalar)
	c.SetHandle(0, held...)
	return nil
}
