package nn

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/tensor"
)

// poolRows returns how lines of a pooling over two dimensions are computed: line computes one
// of a plan, and begin makes what it needs on one goroutine.
func poolRows(p *pooling, dt tensor.DType, in []kernel.TileInput, inner int, begin func(all *plan) func(ctx *kernel.Context, some *plan, dst, src []float32, oy int)) (t kernel.Tiling) {
	if dt != tensor.Float || p.m.format.Dims != 2 || !p.flat() {
		return t
	}
	all, err := p.plan(in[0].Dims)
	if err != nil {
		return t
	}
	t.Dims = all.out
	if inner != 2 || all.empty() || !all.axes[1].sees() {
		return t
	}
	y, size := all.axes[1], all.axes[2].out*all.depth
	t.Streams, t.Work = 1, size*all.taps()
	t.Rows = func(_, lo, hi int) (int, int) { return y.lines(lo, hi) }
	t.New = func() kernel.Tile {
		some, line := all, begin(&all)
		some.batch = 1
		return func(ctx *kernel.Context, _, lo, hi int, in [][]float32, out []float32) error {
			some.axes[1] = y.cut(lo, hi)
			for r := range hi - lo {
				line(ctx, &some, out[r*size:][:size], in[0], r)
			}
			return ctx.Err()
		}
	}
	return t
}

// A maxPoolForward is the kernel of max pooling.
type maxPoolForward[T elementwise.Real] struct{ *maxPool[T] }

// Run computes the greatest numbers of all windows.
func (k maxPoolForward[T]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	return k.forward(ctx, in, out)
}

// Tile computes lines of images.
func (k maxPoolForward[T]) Tile(in []kernel.TileInput, inner int) kernel.Tiling {
	return poolRows(k.pooling, k.dt, in, inner, func(*plan) func(*kernel.Context, *plan, []float32, []float32, int) { return maxLine })
}

// Tile computes lines of images.
func (k *averagePool[T]) Tile(in []kernel.TileInput, inner int) kernel.Tiling {
	return poolRows(k.pooling, k.dt, in, inner, func(all *plan) func(*kernel.Context, *plan, []float32, []float32, int) {
		ones := make([]float32, all.ones())
		for i := range ones {
			ones[i] = 1
		}
		return func(ctx *kernel.Context, some *plan, dst, src []float32, oy int) {
			averageLine(ctx, some, dst, src, ones, oy)
		}
	})
}
