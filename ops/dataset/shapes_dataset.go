package dataset

import "github.com/troupe-go/troupe/shape"

func init() {
	shape.Register(shape.Scalars,
		"TensorDataset", "MapDataset", "SparseTensorSliceDataset", "Iterator", "IteratorV2", "OneShotIterator",
		"OptionalFromValue", "OptionalNone", "OptionalHasValue", "CompressElement")
	shape.Register(shape.Rule("start: [], stop: [], step: [] -> handle: []"), "RangeDataset")
	shape.Register(shape.NoOutputs, "MakeIterator")
	shape.Register(shape.Rule("resource_handle: [] -> string_handle: []"), "IteratorToStringHandle")
	shape.Register(shape.ByAttrs("output_shapes"), "IteratorGetNext", "OptionalGetValue", "UncompressElement")
	shape.Register(shape.UnknownOutputs, "CompositeTensorVariantToComponents")
	shape.Register(sameRank(0), "Unbatch")
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
