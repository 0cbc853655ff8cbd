package shape

import (
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// GatherNd is for slices of input 0, a tensor or what is behind a resource,
// that the coordinates in the last dimension of input 1 choose. Where nothing
// is known of what is behind a resource, its own shape counts, as in TensorFlow.
func GatherNd(c *Context) error {
	params, indices := c.Input(0), c.Try(c.Input(1).WithRankAtLeast(1))
	if h, ok := c.Handle(0); ok {
		c.Fail(c.checkVariable(h))
		params = h.Shape
	}
	n := indices.Dim(-1)
	switch {
	case c.Err() != nil || !params.Known() || n == Unknown:
		return c.Err()
	case n > int64(params.Rank()):
		return status.Invalid("indices.shape[-1] must be <= params.rank, but saw indices shape: %v and params shape: %v", indices, params)
	}
	c.SetOutput(0, c.Try(Concat(indices.To(-1), params.From(int(n)))))
	return c.Err()
}

// GatherRows is for rows of input 0, a tensor or what is behind a resource,
// that input 1 chooses; the attribute batch_dims says how many dimensions of
// both are a batch.
func GatherRows(c *Context) error {
	if h, ok := c.Handle(0); ok {
		if err := c.checkVariable(h); err != nil {
			return err
		}
	}
	params, indices := c.Try(c.HandleShape(0).WithRankAtLeast(1)), c.Input(1)
	if n := c.Int("batch_dims"); n < 0 {
		return status.Invalid("batch_dims is negative (%d)", n)
	}
	if n := c.Int("batch_dims"); params.Known() && n >= int64(params.Rank()) {
		return status.Invalid("Shape must be at least rank %d but is rank %d", n+1, params.Rank())
	}
	batch := BatchDims(c, indices)
	if c.Err() != nil || !params.Known() || !indices.Known() {
		return c.Err()
	}
	c.SetOutput(0, c.Try(Concat(params.To(batch), indices.From(batch), params.From(batch+1))))
	return c.Err()
}

// BatchDims returns the attribute batch_dims: how many dimensions of indices are a
// batch, counted from the end if it is negative. An impossible one is an error
// that sticks.
func BatchDims(c *Context, indices Shape) int {
	batch := c.Int("batch_dims")
	if !indices.Known() {
		return 0
	}
	rank := int64(indices.Rank())
	if batch < -rank || batch > rank {
		c.Fail(status.Invalid("batch_dims (%d) must be in the range [%d, %d]", batch, -rank, rank))
		return 0
	}
	if batch < 0 {
		batch += rank
	}
	return int(batch)
}

// checkVariable reports whether a variable has the type that the attribute dtype
// says.
func (c *Context) checkVariable(h HandleData) error {
	if want := c.Type("dtype"); h.Type != want && h.Type != tensor.Invalid && want != tensor.Invalid {
		return status.Invalid("Trying to read variable with wrong dtype. Expected %v got %v", h.Type, want)
	}
	return nil
}
