package parsing

import (
	"strings"

	"github.com/troupe-go/troupe/shape"
)

func init() {
	shape.Register(shape.Rule("serialized: [] ->"), "ParseTensor")
	shape.Register(shape.Scalars, "SerializeTensor")
	shape.Register(shape.Unchanged, "DecodeCSV", "DecodeJSONExample", "StringToNumber")
	shape.Register(shape.Rule("bytes: S -> output: [S...,?]"), "DecodeRaw")
	shape.Register(shape.Rule("input_bytes: S, fixed_length: [] -> output: [S...,?]"), "DecodePaddedRaw")
	shape.Register(decodeProtoShape, "DecodeProtoV2")

	shape.Register(exampleShape, "ParseExample", "ParseExampleV2")
	shape.Register(singleExampleShape, "ParseSingleExample")
	shape.Register(sequenceExampleShape, "ParseSequenceExample")
	shape.Register(singleSequenceExampleShape, "ParseSingleSequenceExample")
}

// decodeProtoShape has a size for each field of each message.
func decodeProtoShape(c *shape.Context) error {
	in := c.Input(0)
	c.SetOutputs(c.Try(shape.Concat(in, shape.Of(shape.Unknown))))
	c.SetOutput(0, c.Try(shape.Concat(in, shape.Of(int64(c.NumOutputs()-1)))))
	return c.Err()
}

// features is the outputs of one part of an example, told by the beginning of
// their names.
type features struct {
	prefix string
	lead   shape.Shape // what comes before the shape of a dense feature: batch, steps
	dense  string      // attribute with the shapes of dense features
	rank   int64       // of sparse features
}

// set sets the shapes of a part's outputs.
func (f features) set(c *shape.Context) {
	sparse := map[string]shape.Shape{
		"sparse_indices": shape.Of(shape.Unknown, f.rank),
		"sparse_values":  shape.Of(shape.Unknown),
		"sparse_shapes":  shape.Of(f.rank),
	}
	for name, s := range sparse {
		lo, hi := c.Result(f.prefix + name)
		for i := lo; i < hi; i++ {
			c.SetOutput(i, s)
		}
	}
	lo, hi := c.Result(f.prefix + "dense_values")
	for k, s := range c.Shapes(f.dense) {
		if lo+k < hi {
			c.SetOutput(lo+k, c.Try(shape.Concat(f.lead, s)))
		}
	}
}

// vectors makes all outputs whose names begin so vectors of that length.
func vectors(c *shape.Context, prefix string, n int64) {
	if c.Op == nil {
		return
	}
	for i := range c.Op.Outputs {
		if name := c.Op.Outputs[i].Name; strings.HasPrefix(name, prefix) {
			lo, hi := c.Result(name)
			for k := lo; k < hi; k++ {
				c.SetOutput(k, shape.Of(n))
			}
		}
	}
}

// exampleShape is for a vector of examples or, in the second version, one.
func exampleShape(c *shape.Context) error {
	batch := c.Input(0)
	if c.Op != nil && c.Op.Name == "ParseExample" {
		batch = c.Try(batch.WithRank(1))
	} else {
		batch = c.Try(batch.WithRankAtMost(1))
	}
	vectors(c, "ragged_", shape.Unknown)
	f := features{lead: batch, dense: "dense_shapes", rank: shape.Unknown}
	if batch.Known() {
		f.rank = int64(batch.Rank()) + 1
	}
	f.set(c)
	return c.Err()
}

func singleExampleShape(c *shape.Context) error {
	c.Try(c.Input(0).WithRank(0))
	features{lead: shape.Scalar, dense: "dense_shapes", rank: 1}.set(c)
	return c.Err()
}

func sequenceExampleShape(c *shape.Context) error {
	batch := c.Try(c.Input(0).WithRank(1))
	features{prefix: "context_", lead: batch, dense: "context_dense_shapes", rank: 2}.set(c)
	features{prefix: "feature_list_", lead: shape.Of(batch.Dim(0), shape.Unknown), dense: "feature_list_dense_shapes", rank: 3}.set(c)
	vectors(c, "feature_list_dense_lengths", batch.Dim(0))
	return c.Err()
}

func singleSequenceExampleShape(c *shape.Context) error {
	c.Try(c.Input(0).WithRank(0))
	features{prefix: "context_", lead: shape.Scalar, dense: "context_dense_shapes", rank: 1}.set(c)
	features{prefix: "feature_list_", lead: shape.Of(shape.Unknown), dense: "feature_list_dense_shapes", rank: 2}.set(c)
	return c.Err()
}
