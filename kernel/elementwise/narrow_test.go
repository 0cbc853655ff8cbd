package elementwise_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/tensor"
)

// product is x·y by loops of float32.
type product struct{}

func (product) VV(o, x, y []float32) {
	for i := range o {
		o[i] = x[i] * y[i]
	}
}

func (product) VS(o, x []float32, y float32) {
	for i := range o {
		o[i] = x[i] * y
	}
}

func (product) SV(o []float32, x float32, y []float32) { product{}.VS(o, y, x) }

// TestNarrow compares kernels on half and bfloat16 that have loops, of operands of one
// shape and of scalars, with elements that are widened and rounded one by one.
func TestNarrow(t *testing.T) {
	times := func(x, y float32) float32 { return x * y }
	square := func(o, x []float32) { product{}.VV(o, x, x) }
	check := func(t *rapid.T, dt tensor.DType) {
		wide := func(n int) (*tensor.Tensor, []float32) {
			v, err := tensor.New(dt, int64(n))
			if err != nil {
				t.Fatal(err)
			}
			w, seed := tensor.ValueOf(v), rapid.Uint32().Draw(t, "seed")
			x := make([]float32, n)
			for i := range x {
				seed = seed*1664525 + 1013904223
				x[i] = float32(int32(seed)) / (1 << 24)
			}
			elementwise.ToNarrow(&w, 0, x)
			elementwise.FromNarrow(x, &w, 0)
			return v, x
		}
		rounded := func(x float32) float32 {
			if dt == tensor.Half {
				return tensor.ToFloat16(x).Float32()
			}
			return tensor.ToBFloat16(x).Float32()
		}
		n := rapid.IntRange(0, 1500).Draw(t, "elements")
		sizes := rapid.SampledFrom([][2]int{{n, n}, {n, 1}, {1, n}}).Draw(t, "operands")
		a, x := wide(sizes[0])
		b, y := wide(sizes[1])
		run := func(k kernel.Kernel, want func(i int) float32, in ...*tensor.Tensor) {
			values, out := make([]tensor.Value, len(in)), make([]tensor.Value, 1)
			for i := range in {
				values[i] = tensor.ValueOf(in[i])
			}
			if err := k.Run(new(kerneltest.Runner).Context(), values, out); err != nil {
				t.Fatal(err)
			}
			got := make([]float32, out[0].NumElements())
			elementwise.FromNarrow(got, &out[0], 0)
			for i := range got {
				if got[i] != rounded(want(i)) {
					t.Fatalf("element %d of %d is %v, not %v", i, len(got), got[i], rounded(want(i)))
				}
			}
		}
		run(elementwise.NarrowZip(dt, times, product{}), func(i int) float32 { return x[i%len(x)] * y[i%len(y)] }, a, b)
		run(elementwise.NarrowMap(dt, func(x float32) float32 { return x * x }, square), func(i int) float32 { return x[i] * x[i] }, a)
	}
	for _, dt := range []tensor.DType{tensor.Half, tensor.Bfloat16} {
		rapid.Check(t, func(t *rapid.T) { check(t, dt) })
	}
}
