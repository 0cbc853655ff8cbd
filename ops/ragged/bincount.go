package ragged

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	binsFor(tensor.Int32, countRow[int32])
	binsFor(tensor.Int64, countRow[int64])
	binsFor(tensor.Float, countRow[float32])
	binsFor(tensor.Double, countRow[float64])
}

func binsFor(dt tensor.DType, count counting) {
	kernel.ForType("RaggedBincount", "T", dt, func(c *kernel.Construction) (kernel.Kernel, error) {
		return &bins{dt, c.Bool("binary_output"), count}, nil
	})
}

// A counting counts elements from lo to hi in o from at on, where there is room for size
// bins. weights may be empty.
type counting func(o tensor.Memory, at int, size int64, index func(i int64) int64, lo, hi int64, weights tensor.Memory, binary bool)

// A bins is the kernel of RaggedBincount.
type bins struct {
	dt     tensor.DType
	binary bool
	count  counting
}

// indexOf returns what reads an element of int32 or int64.
func indexOf(v *tensor.Value) func(i int64) int64 {
	if v.DType() == tensor.Int32 {
		x := tensor.Of[int32](v)
		return func(i int64) int64 { return int64(x[i]) }
	}
	x := tensor.Of[int64](v)
	return func(i int64) int64 { return x[i] }
}

func (k *bins) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	if in[2].Rank() != 0 {
		return status.Invalid("Shape must be rank 0 but is rank %d", in[2].Rank())
	}
	splits, size, n, weights := tensor.Of[int64](&in[0]), indexOf(&in[2])(0), in[1].NumElements(), in[3].NumElements()
	index := indexOf(&in[1])
	switch {
	case size < 0:
		return status.Invalid("size (%d) must be non-negative", size)
	case len(splits) == 0:
		return status.Invalid("Splits must be non-empty")
	case splits[0] != 0:
		return status.Invalid("Splits must start with 0, not with %d", splits[0])
	case splits[len(splits)-1] != int64(n):
		return status.Invalid("Splits must end with the number of values, got %d instead of %d", splits[len(splits)-1], n)
	case weights > 0 && weights != n:
		return status.Invalid("Input indices and weights must have the same size.")
	}
	for i, s := range splits[1:] {
		if s < splits[i] {
			return status.Invalid("Splits must not fall, got %d after %d", s, splits[i])
		}
	}
	for i := range int64(n) {
		if index(i) < 0 {
			return status.Invalid("Input must be non-negative")
		}
	}
	var err error
	if out[0], err = ctx.AllocZeroed(k.dt, []int64{int64(len(splits)) - 1, size}); err != nil {
		return err
	}
	o, w := out[0].Memory(), in[3].Memory()
	for row := range len(splits) - 1 {
		if err := ctx.Err(); err != nil {
			return err
		}
		k.count(o, row*int(size), size, index, splits[row], splits[row+1], w, k.binary)
	}
	return nil
}

func countRow[T int32 | int64 | float32 | float64](o tensor.Memory, at int, size int64, index func(i int64) int64, lo, hi int64, weights tensor.Memory, binary bool) {
	counts, w := tensor.Elements[T](o)[at:][:size], tensor.Elements[T](weights)
	for i := lo; i < hi; i++ {
		switch bin := index(i); {
		case bin >= size:
		case binary:
			counts[bin] = 1
		case len(w) > 0:
			counts[bin] += w[i]
		default:
			counts[bin]++
		}
	}
}
