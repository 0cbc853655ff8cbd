package nn

import (
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
)

func init() {
	shape.Register(softmaxCrossEntropyShape, "SoftmaxCrossEntropyWithLogits")
	shape.Register(shape.Rule("features: [n,k], labels: [n] -> loss: [n], backprop: [n,k]"), "SparseSoftmaxCrossEntropyWithLogits")
	shape.Register(shape.Rule("predictions: [n,?], targets: [n] -> precision: [n]"), "InTopK")
	shape.Register(shape.Rule("predictions: [n,?], targets: [n] -> precision: [n]"), "InTopKV2")
	shape.Register(topKShape, "TopK", "TopKV2")
	shape.Register(shape.Rule("inputs: [?,b,?], sequence_length: [b] -> decoded_indices: [?,2], decoded_values: [?], decoded_shape: [2], log_probability: [b,1]"), "CTCGreedyDecoder")
	shape.Register(ctcBeamSearchShape, "CTCBeamSearchDecoder")
	shape.Register(shape.Rule("inputs: [t,b,k], labels_indices: [n,?], labels_values: [n], sequence_length: [b] -> loss: [b], gradient: [t,b,k]"), "CTCLoss")
}

// softmaxCrossEntropyShape is for matrices that broadcast.
func softmaxCrossEntropyShape(c *shape.Context) error {
	both, err := c.Input(0).WithRank(2)
	if err == nil {
		both, err = shape.Merge(both, c.Input(1))
	}
	if err != nil {
		if both, err = shape.Broadcast(c.Input(0), c.Input(1)); err != nil {
			return err
		}
		if !both.Known() {
			return status.Invalid("Shape must be broadcasted with rank 2, but is rank is unknown.")
		}
		if both.Rank() != 2 {
			return status.Invalid("Shape must be broadcasted with rank 2, but is rank %d", both.Rank())
		}
	}
	c.SetOutput(0, shape.Of(both.Dim(0)))
	c.SetOutput(1, both)
	return nil
}

func topKShape(c *shape.Context) error {
	in := c.Try(c.Input(0).WithRankAtLeast(1))
	k := c.Int("k")
	if c.NumInputs() > 1 {
		k = c.TryDim(c.DimFrom(1))
	} else if k < 0 {
		return status.Invalid("Need k >= 0, got %d", k)
	}
	if d := in.Dim(-1); c.Err() == nil && d != shape.Unknown && k != shape.Unknown && d < k {
		return status.Invalid("input must have last dimension >= k = %d but is %d", k, d)
	}
	c.SetOutputs(c.Try(shape.Concat(in.To(-1), shape.Of(k))))
	return c.Err()
}

func ctcBeamSearchShape(c *shape.Context) error {
	in, lengths := c.Try(c.Input(0).WithRank(3)), c.Try(c.Input(1).WithRank(1))
	batch := c.TryDim(shape.MergeDims(in.Dim(1), lengths.Dim(0)))
	for name, s := range map[string]shape.Shape{
		"decoded_indices": shape.Of(shape.Unknown, 2),
		"decoded_values":  shape.Of(shape.Unknown),
		"decoded_shape":   shape.Of(2),
		"log_probability": shape.Of(batch, c.TryDim(c.DimAttr("top_paths"))),
	} {
		lo, hi := c.Result(name)
		for i := lo; i < hi; i++ {
			c.SetOutput(i, s)
		}
	}
	return c.Err()
}
