package nn_test

import (
	"fmt"
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// Convolutions of common sizes, on one thread.
func BenchmarkConv2D(b *testing.B) {
	for _, c := range []struct{ n, size, in, out, window, stride int64 }{
		{16, 32, 16, 16, 3, 1}, {16, 16, 32, 32, 3, 1}, {16, 8, 64, 64, 3, 1},
		{1, 56, 64, 64, 3, 1}, {1, 28, 256, 256, 1, 1}, {1, 224, 3, 64, 7, 2},
	} {
		name := fmt.Sprintf("%dx%d/%dx%dx%dx%d/stride=%d", c.n, c.size, c.window, c.window, c.in, c.out, c.stride)
		b.Run(name, func(b *testing.B) {
			x := of(b, make([]float32, c.n*c.size*c.size*c.in), c.n, c.size, c.size, c.in)
			w := of(b, make([]float32, c.window*c.window*c.in*c.out), c.window, c.window, c.in, c.out)
			attrs, err := registry.ParseAttrs(fmt.Sprintf(`strides=[1,%d,%d,1], padding="SAME"`, c.stride, c.stride))
			if err != nil {
				b.Fatal(err)
			}
			k, _, err := kerneltest.New("conv", "Conv2D", attrs, tensor.Float, tensor.Float)
			if err != nil {
				b.Fatal(err)
			}
			ctx := new(kerneltest.Runner).Context()
			b.ReportAllocs()
			for b.Loop() {
				in, out := []tensor.Value{tensor.ValueOf(x), tensor.ValueOf(w)}, make([]tensor.Value, 1)
				if err := k.Run(ctx, in, out); err != nil {
					b.Fatal(err)
				}
				ctx.Free(out[0])
			}
			side := float64((c.size-1)/c.stride + 1)
			flops := 2 * float64(c.n) * side * side * float64(c.window*c.window*c.in*c.out)
			b.ReportMetric(flops*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
		})
	}
}
