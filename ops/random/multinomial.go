package random

import (
	"math"
	"sort"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/kernel/philox"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	kernel.Register(kernel.Registration{Op: "Multinomial", Types: map[string][]tensor.DType{"T": elementwise.Floats}, New: newMultinomial})
	kernel.Register(kernel.Registration{Op: "StatelessMultinomial", Types: map[string][]tensor.DType{"T": elementwise.Floats}, New: newStatelessMultinomial})
}

// newMultinomial makes the kernel whose generator goes on from step to step.
func newMultinomial(c *kernel.Construction) (kernel.Kernel, error) {
	node, seed, seed2, dt := c.Node, c.Int("seed"), c.Int("seed2"), c.Type("output_dtype")
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		return classes(ctx, in, out, dt, func(rows, samples int) (philox.Generator, error) {
			// Two numbers for each draw, of which TensorFlow rounds up how many.
			return philox.Reserve(ctx, node, seed, seed2, uint64(rows)*uint64((samples+3)/4*4*2)*reserved)
		})
	}), nil
}

func newStatelessMultinomial(c *kernel.Construction) (kernel.Kernel, error) {
	dt := c.Type("output_dtype")
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		return classes(ctx, in, out, dt, func(int, int) (philox.Generator, error) { return philox.FromSeed(&in[2]) })
	}), nil
}

// classes draws from each row of in[0] as many classes as in[1] says.
func classes(ctx *kernel.Context, in, out []tensor.Value, dt tensor.DType, generator func(rows, samples int) (philox.Generator, error)) error {
	if in[0].Rank() != 2 {
		return status.Invalid("logits should be a matrix, got shape %s", tensor.FormatDims(in[0].Dims()))
	}
	if in[1].Rank() != 0 {
		return status.Invalid("num_samples should be a scalar, got shape %s", tensor.FormatDims(in[1].Dims()))
	}
	samples := int(tensor.At0[int32](&in[1]))
	if samples < 0 {
		return status.Invalid("num_samples should be non-negative, got %d", samples)
	}
	rows, n := in[0].Dim(0), in[0].Dim(1)
	if n < 1 {
		return status.Invalid("num_classes should be positive, got %d", n)
	}
	v, err := ctx.Alloc(dt, []int64{int64(rows), int64(samples)})
	if err != nil {
		return err
	}
	out[0] = v
	g, err := generator(rows, samples)
	if err != nil || v.NumElements() == 0 {
		return err
	}
	sums, err := ctx.Alloc(tensor.Double, []int64{int64(n)})
	if err != nil {
		return err
	}
	defer ctx.Free(sums)
	below, at, numbers := tensor.Of[float64](&sums), logits(&in[0]), philox.NewSingle(g)
	for r := range rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		total := accumulate(ctx, below, func(i int) float64 { return at(r*n + i) })
		for lo, hi := range ctx.Ranges(samples, drawnAtOnce) {
			for k := r*samples + lo; k < r*samples+hi; k++ {
				x0, x1 := numbers.One(), numbers.One()
				x := unit64(x0, x1) * total
				class := sort.Search(n, func(i int) bool { return x < below[i] })
				if dt == tensor.Int32 {
					tensor.Of[int32](&out[0])[k] = int32(class)
				} else {
					tensor.Of[int64](&out[0])[k] = int64(class)
				}
			}
		}
	}
	return nil
}

// drawnAtOnce is how many classes are drawn without asking.
const drawnAtOnce = 1 << 12

// accumulate sets below to running sums of what is proportional to the classes'
// probabilities. Classes whose logit is not finite have none.
func accumulate(ctx *kernel.Context, below []float64, at func(i int) float64) (total float64) {
	largest := math.Inf(-1)
	for lo, hi := range ctx.Ranges(len(below), 1<<14) {
		for i := lo; i < hi; i++ {
			if x := at(i); finite(x) {
				largest = max(largest, x)
			}
		}
	}
	for lo, hi := range ctx.Ranges(len(below), 1<<13) {
		for i := lo; i < hi; i++ {
			if x := at(i); finite(x) {
				total += math.Exp(x - largest)
			}
			below[i] = total
		}
	}
	return total
}

func finite(x float64) bool { return x-x == 0 }

// logits reads the elements of a tensor of floats.
func logits(v *tensor.Value) func(i int) float64 {
	switch v.DType() {
	case tensor.Half:
		x := tensor.Of[tensor.Float16](v)
		return func(i int) float64 { return float64(x[i].Float32()) }
	case tensor.Bfloat16:
		x := tensor.Of[tensor.BFloat16](v)
		return func(i int) float64 { return float64(x[i].Float32()) }
	case tensor.Float:
		x := tensor.Of[float32](v)
		return func(i int) float64 { return float64(x[i]) }
	default:
		x := tensor.Of[float64](v)
		return func(i int) float64 { return x[i] }
	}
}
