package random

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/kernel/philox"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	types := append(elementwise.Numbers[:len(elementwise.Numbers):len(elementwise.Numbers)], tensor.Bool, tensor.String, tensor.Resource, tensor.Variant)
	kernel.Register(kernel.Registration{Op: "RandomShuffle", Types: map[string][]tensor.DType{"T": types}, New: newShuffle})
	kernel.Register(kernel.Registration{Op: "StatelessShuffle", Types: map[string][]tensor.DType{"T": types}, New: func(*kernel.Construction) (kernel.Kernel, error) {
		return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
			g, err := philox.FromKey(in[1:4], true)
			if err != nil {
				return err
			}
			return shuffle(ctx, in, out, func(int) (philox.Generator, error) { return g, nil })
		}), nil
	}})
}

func newShuffle(c *kernel.Construction) (kernel.Kernel, error) {
	node, seed, seed2 := c.Node, c.Int("seed"), c.Int("seed2")
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		return shuffle(ctx, in, out, func(rows int) (philox.Generator, error) {
			return philox.Reserve(ctx, node, seed, seed2, uint64(rows-1+3)/4)
		})
	}), nil
}

// shuffle returns the kernel of both operations.
func shuffle(ctx *kernel.Context, in, out []tensor.Value, generator func(rows int) (philox.Generator, error)) error {
	if in[0].NumElements() <= 1 || in[0].Dim(0) <= 1 {
		out[0] = in[0]
		return nil
	}
	rows := in[0].Dim(0)
	g, err := generator(rows)
	if err != nil {
		return err
	}
	order, err := ctx.Alloc(tensor.Int64, []int64{int64(rows)})
	if err != nil {
		return err
	}
	defer ctx.Free(order)
	permute(ctx, tensor.Of[int64](&order), philox.NewSingle(g))
	v, err := ctx.Alloc(in[0].DType(), in[0].Dims())
	if err != nil {
		return err
	}
	out[0] = v
	n := in[0].NumElements() / rows
	for lo, hi := range ctx.Ranges(rows, max(1, 1<<16/n)) {
		strided.Gather(&out[0], lo*n, &in[0], 0, tensor.Of[int64](&order)[lo:hi], n)
	}
	return ctx.Err()
}

// permute sets o to a permutation of 0, 1 and so on (R. Fisher and F. Yates,
// 1938).
func permute(ctx *kernel.Context, o []int64, g *philox.Single) {
	for i := range o {
		o[i] = int64(i)
	}
	for lo, hi := range ctx.Ranges(len(o)-1, 1<<14) {
		for i := lo; i < hi; i++ {
			j := i + int(g.One()%uint32(len(o)-i))
			o[i], o[j] = o[j], o[i]
		}
	}
}
