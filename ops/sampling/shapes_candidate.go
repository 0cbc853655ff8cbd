package sampling

import (
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
)

func init() {
	shape.Register(candidateSamplerShape, "LogUniformCandidateSampler", "UniformCandidateSampler", "ThreadUnsafeUnigramCandidateSampler",
		"LearnedUnigramCandidateSampler", "FixedUnigramCandidateSampler", "AllCandidateSampler")
	shape.Register(accidentalHitsShape, "ComputeAccidentalHits")
}

func candidateSamplerShape(c *shape.Context) error {
	sampled, labels := c.Int("num_sampled"), c.Int("num_true")
	if sampled < 1 || labels < 1 {
		return status.Invalid("num_sampled and num_true must be >= 1, but are %d and %d", sampled, labels)
	}
	classes := c.Try(c.Input(0).WithRank(2))
	c.SetOutput(0, shape.Of(sampled))
	c.SetOutput(1, shape.Of(classes.Dim(0), labels))
	c.SetOutput(2, shape.Of(sampled))
	return c.Err()
}

// accidentalHitsShape has as many hits as there happen to be.
func accidentalHitsShape(c *shape.Context) error {
	c.TryDim(shape.WithValue(c.Try(c.Input(0).WithRank(2)).Dim(1), c.Int("num_true")))
	c.Try(c.Input(1).WithRank(1))
	c.SetOutputs(shape.Of(shape.Unknown))
	return c.Err()
}
