package parsing

import (
	"math"
	"strings"

	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
)

func init() {
	shape.Register(shape.UnknownOutputs, "ParseTensor")
	shape.Register(shape.Scalars, "SerializeTensor")
	shape.Register(shape.Unchanged, "DecodeJSONExample", "StringToNumber")
	shape.Register(decodeCSVShape, "DecodeCSV")
	shape.Register(shape.Rule("bytes: S -> output: [S...,?]"), "DecodeRaw")
	shape.Register(decodePaddedShape, "DecodePaddedRaw")
	shape.Register(decodeProtoShape, "DecodeProtoV2")
	shape.Register(encodeProtoShape, "EncodeProto")

	shape.Register(exampleShape, "ParseExample", "ParseExampleV2")
	shape.Register(singleExampleShape, "ParseSingleExample")
	shape.Register(sequenceExampleShape, "ParseSequenceExample")
	shape.Register(singleSequenceExampleShape, "ParseSingleSequenceExample")
}

// decodeCSVShape has a field of each record for each default, which is a scalar
// or a vector of at most one.
func decodeCSVShape(c *shape.Context) error {
	for i := 1; i < c.NumInputs(); i++ {
		d := c.Try(c.Input(i).WithRankAtMost(1))
		if d.Rank() == 1 && d.Dim(0) > 1 {
			c.Fail(status.Invalid("Shape of a default must be a length-0 or length-1 vector, or a scalar."))
		}
	}
	c.SetOutputs(c.Input(0))
	return c.Err()
}

// decodePaddedShape has as many numbers as fit into the length in bytes that
// input 1 gives.
func decodePaddedShape(c *shape.Context) error {
	n := c.TryDim(c.DimFrom(1))
	n = c.TryDim(shape.DivDimsEvenly(n, int64(c.Type("out_type").Size())))
	c.SetOutput(0, c.Try(shape.Concat(c.Input(0), shape.Of(n))))
	return c.Err()
}

// decodeProtoShape has a size for each field of each message.
func decodeProtoShape(c *shape.Context) error {
	in := c.Input(0)
	c.SetOutputs(c.Try(shape.Concat(in, shape.Of(shape.Unknown))))
	c.SetOutput(0, c.Try(shape.Concat(in, shape.Of(int64(c.NumOutputs()-1)))))
	return c.Err()
}

// encodeProtoShape has a message for each row of sizes.
func encodeProtoShape(c *shape.Context) error {
	sizes := c.Try(c.Input(0).WithRankAtLeast(1))
	out := sizes.To(-1)
	for i := 1; i < c.NumInputs(); i++ {
		out = c.Try(shape.Merge(out, c.Try(c.Input(i).WithRankAtLeast(1)).To(-1)))
	}
	c.SetOutput(0, out)
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
		if !s.Known() {
			s = shape.Scalar // as TensorFlow takes it
		}
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

// A length is the number of keys, types or shapes that an attribute gives.
type length struct {
	of string
	n  int
}

func intLength(c *shape.Context, name, of string) length {
	return length{of, int(min(max(c.Int(name), math.MinInt32), math.MaxInt32))}
}

func listLength(c *shape.Context, name, of string) length {
	n := 0
	if v := c.Attrs.Find(name); v != nil {
		n = len(v.List)
	}
	return length{of, n}
}

// same reports whether all lengths are the first.
func same(c *shape.Context, lengths ...length) {
	for _, l := range lengths[1:] {
		if l.n != lengths[0].n {
			c.Fail(status.Invalid("len(%s) != len(%s)", lengths[0].of, l.of))
		}
	}
}

// checkDense reports whether dense features may have the shapes that an attribute
// gives: the first dimension alone may be unknown, where any may be.
func checkDense(c *shape.Context, name string, variable bool) {
	for i, s := range c.Shapes(name) {
		switch {
		case !variable && s.Known() && !s.Full():
			c.Fail(status.Invalid("Shape %v is not fully defined", s))
		case variable && (!s.Known() || !s.From(1).Full()):
			c.Fail(status.Invalid("dense_shapes[%d] has unknown rank or unknown inner dimensions: %v", i, s))
		}
	}
}

// exampleShape is for a vector of examples or, in the second version, one.
func exampleShape(c *shape.Context) error {
	batch := c.Input(0)
	if c.Op != nil && c.Op.Name == "ParseExample" {
		batch = c.Try(batch.WithRank(1))
		c.Try(c.Input(1).WithRank(1))
		same(c, intLength(c, "Nsparse", "sparse_keys"), listLength(c, "sparse_types", "sparse_types"))
		same(c, intLength(c, "Ndense", "dense_keys"), listLength(c, "Tdense", "dense_types"), listLength(c, "dense_shapes", "dense_shapes"))
	} else {
		batch = c.Try(batch.WithRankAtMost(1))
		c.Try(c.Input(1).WithRankAtMost(1))
		same(c, intLength(c, "num_sparse", "sparse_keys"), listLength(c, "sparse_types", "sparse_types"))
		same(c, listLength(c, "Tdense", "dense_keys"), listLength(c, "dense_shapes", "dense_shapes"))
		same(c, listLength(c, "ragged_value_types", "ragged_keys"), listLength(c, "ragged_split_types", "ragged_split_types"))
	}
	checkDense(c, "dense_shapes", true)
	vectors(c, "ragged_values", shape.Unknown)
	splits := shape.Unknown
	if batch.Rank() == 1 {
		splits = c.TryDim(shape.AddDims(batch.Dim(0), 1))
	}
	vectors(c, "ragged_row_splits", splits)
	f := features{lead: batch, dense: "dense_shapes", rank: shape.Unknown}
	if batch.Known() {
		f.rank = int64(batch.Rank()) + 1
	}
	f.set(c)
	return c.Err()
}

func singleExampleShape(c *shape.Context) error {
	c.Try(c.Input(0).WithRank(0))
	keys, types := listLength(c, "sparse_keys", "sparse_keys"), listLength(c, "sparse_types", "sparse_types")
	if n := c.Int("num_sparse"); n != int64(keys.n) || n != int64(types.n) {
		c.Fail(status.Invalid("num_sparse (%d) must match the size of sparse_keys (%d) and sparse_types (%d)", n, keys.n, types.n))
	}
	same(c, listLength(c, "dense_keys", "dense_keys"), listLength(c, "Tdense", "dense_types"), listLength(c, "dense_shapes", "dense_shapes"))
	checkDense(c, "dense_shapes", true)
	features{lead: shape.Scalar, dense: "dense_shapes", rank: 1}.set(c)
	return c.Err()
}

func sequenceExampleShape(c *shape.Context) error {
	batch := c.Try(c.Input(0).WithRank(1))
	c.Try(c.Input(1).WithRank(1))
	checkSequence(c, true)
	features{prefix: "context_", lead: batch, dense: "context_dense_shapes", rank: 2}.set(c)
	features{prefix: "feature_list_", lead: shape.Of(batch.Dim(0), shape.Unknown), dense: "feature_list_dense_shapes", rank: 3}.set(c)
	vectors(c, "feature_list_dense_lengths", batch.Dim(0))
	return c.Err()
}

func singleSequenceExampleShape(c *shape.Context) error {
	c.Try(c.Input(0).WithRank(0))
	c.Try(c.Input(1).WithRank(1))
	checkSequence(c, false)
	features{prefix: "context_", lead: shape.Scalar, dense: "context_dense_shapes", rank: 1}.set(c)
	features{prefix: "feature_list_", lead: shape.Of(shape.Unknown), dense: "feature_list_dense_shapes", rank: 2}.set(c)
	return c.Err()
}

// checkSequence checks the attributes of a sequence's context and of its lists
// of features. The keys are attributes too, or inputs.
func checkSequence(c *shape.Context, keys bool) {
	for _, part := range []struct{ prefix, denseTypes string }{
		{"context_", "Tcontext_dense"}, {"feature_list_", "feature_list_dense_types"},
	} {
		for _, kind := range []string{"sparse", "dense"} {
			name := part.prefix + kind
			lengths := []length{intLength(c, "N"+name, name+"_keys")}
			if keys {
				lengths = append(lengths, listLength(c, name+"_keys", name+"_keys"))
			}
			if kind == "sparse" {
				lengths = append(lengths, listLength(c, name+"_types", name+"_types"))
			} else {
				lengths = append(lengths, listLength(c, part.denseTypes, name+"_types"), listLength(c, name+"_shapes", name+"_shapes"))
				checkDense(c, name+"_shapes", false)
			}
			same(c, lengths...)
		}
	}
}
