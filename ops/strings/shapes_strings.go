package strings

import (
	"strings"

	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
)

func init() {
	shape.Register(shape.Unchanged,
		"AsString", "DecodeBase64", "EncodeBase64", "StringLength", "StringLower", "StringUpper", "StringStrip",
		"StringToHashBucket", "StringToHashBucketFast", "StringToHashBucketStrong",
		"StaticRegexFullMatch", "StaticRegexReplace", "UnicodeScript", "UnicodeTranscode")
	shape.Register(shape.Rule("input: S, pattern: [] -> output: S"), "RegexFullMatch")
	shape.Register(shape.Rule("input: S, pattern: [], rewrite: [] -> output: S"), "RegexReplace")
	shape.Register(formatShape, "StringFormat")
	shape.Register(joinShape, "StringJoin")
	shape.Register(shape.Reduce, "ReduceJoin")
	shape.Register(segmentJoinShape, "UnsortedSegmentJoin")
	shape.Register(substrShape, "Substr")
	shape.Register(shape.Rule("input: [?], delimiter: [] -> indices: [n,2], values: [n], shape: [2]"), "StringSplit")
	shape.Register(shape.Rule("input: [?], sep: [] -> indices: [n,2], values: [n], shape: [2]"), "StringSplitV2")
	shape.Register(shape.Rule("data: [?], data_splits: [n] -> ngrams: [?], ngrams_splits: [n]"), "StringNGrams")
	shape.Register(unicodeDecodeShape, "UnicodeDecode", "UnicodeDecodeWithOffsets")
	shape.Register(unicodeEncodeShape, "UnicodeEncode")
}

// formatShape is for a template with a place for each input.
func formatShape(c *shape.Context) error {
	template, placeholder := c.Str("template"), c.Str("placeholder")
	places := strings.Count(template, placeholder)
	if placeholder == "" { // between any two characters
		places = max(len(template)-1, 0)
	}
	if n := c.NumInputs(); n != places {
		return status.Invalid("num placeholders in template and num inputs must match: %d vs. %d", places, n)
	}
	c.SetOutput(0, shape.Scalar)
	return nil
}

// joinShape is for inputs of one shape, any of which may be scalars.
func joinShape(c *shape.Context) error {
	out, scalars := shape.Shape{}, true
	for i := range c.NumInputs() {
		in := c.Input(i)
		scalars = scalars && in.Rank() == 0
		if in.Rank() > 0 {
			out = c.Try(shape.Merge(out, in))
		}
	}
	if scalars {
		out = shape.Scalar
	}
	c.SetOutput(0, out)
	return c.Err()
}

// segmentJoinShape has a slice of strings for each segment, of which input 2
// gives the number.
func segmentJoinShape(c *shape.Context) error {
	in, ids := c.Input(0), c.Input(1)
	c.Try(c.Input(2).WithRank(0))
	if c.Err() != nil || !ids.Known() {
		return c.Err()
	}
	if _, _, err := shape.MergePrefix(in, ids); err != nil {
		return err
	}
	n := c.TryDim(c.DimFrom(2))
	c.SetOutput(0, c.Try(shape.Concat(shape.Of(n), in.From(ids.Rank()))))
	return c.Err()
}

// substrShape broadcasts the strings with the positions. What is known of those
// must be known of the lengths, as in TensorFlow.
func substrShape(c *shape.Context) error {
	pos, size := c.Input(1), c.Input(2)
	if pos.Known() && size.Known() && pos.Rank() != size.Rank() {
		return status.Invalid("pos and len rank must match: %d vs. %d", pos.Rank(), size.Rank())
	}
	for i, d := range pos.Dims() {
		if d != size.Dim(i) {
			return status.Invalid("pos and len shapes must match: %v vs. %v", pos, size)
		}
	}
	return shape.Broadcast2(c)
}

// unicodeDecodeShape has a row of characters for each string.
func unicodeDecodeShape(c *shape.Context) error {
	n := c.TryDim(c.Input(0).NumElements())
	for i := range c.NumOutputs() {
		c.SetOutput(i, shape.Of(shape.Unknown))
	}
	c.SetOutput(0, shape.Of(c.TryDim(shape.AddDims(n, 1))))
	return c.Err()
}

// unicodeEncodeShape has a string for each row of characters.
func unicodeEncodeShape(c *shape.Context) error {
	c.Try(c.Input(0).WithRank(1))
	splits := c.Try(c.Input(1).WithRank(1))
	c.SetOutput(0, shape.Of(c.TryDim(shape.SubDims(splits.Dim(0), 1))))
	return c.Err()
}
