package nn_test

import (
	"math/rand/v2"
	"testing"

	"github.com/troupe-go/troupe/tensor"
)

// TestFewFilters: each channel of a result depends on its own filter alone, to the bit, so
// a few filters give what they give among many, which are multiplied in another way.
func TestFewFilters(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	numbers := func(n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = rng.Float32() - 0.5
		}
		return x
	}
	tensorOf := func(x []float32, dims ...int) *tensor.Tensor {
		long := make([]int64, len(dims))
		for i, d := range dims {
			long[i] = int64(d)
		}
		v, err := tensor.FromSlice(x, long...)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, c := range []struct {
		height, width, channels, tall, wide int // image and window
		attrs                               string
	}{
		{20, 33, 8, 3, 39, `strides=[1, 1, 1, 1], padding="SAME"`}, // lines of a window longer than a block
		{20, 33, 32, 7, 3, `strides=[1, 1, 1, 1], padding="SAME"`},
		{9, 40, 33, 3, 3, `strides=[1, 1, 1, 1], padding="VALID"`},
		{1, 900, 1, 1, 256, `strides=[1, 1, 2, 1], padding="VALID"`},
		{1, 900, 2, 1, 300, `strides=[1, 1, 3, 1], padding="SAME"`},
		{30, 50, 3, 5, 5, `strides=[1, 2, 2, 1], padding="SAME"`},
		{30, 51, 4, 5, 4, `strides=[1, 1, 3, 1], padding="SAME", dilations=[1, 3, 1, 1]`},
		{30, 50, 3, 5, 5, `strides=[1, 3, 2, 1], padding="EXPLICIT", explicit_paddings=[0, 0, 7, 9, 11, 2, 0, 0]`}, // windows of nothing but zeros
		{6, 17, 300, 2, 2, `strides=[1, 1, 1, 1], padding="SAME"`},
		{2, 8, 3, 3, 3, `strides=[1, 1, 1, 1], padding="SAME"`},
	} {
		x := tensorOf(numbers(2*c.height*c.width*c.channels), 2, c.height, c.width, c.channels)
		for _, n := range []int{1, 2, 3, 5, 8} {
			const more = 33
			taps := c.tall * c.wide * c.channels
			f := numbers(taps * n)
			many := numbers(taps * (n + more))
			for i := range taps {
				copy(many[i*(n+more):], f[i*n:][:n])
			}
			got, err := alone(t, "Conv2D", c.attrs, x, tensorOf(f, c.tall, c.wide, c.channels, n))
			if err != nil {
				t.Fatal(err)
			}
			all, err := alone(t, "Conv2D", c.attrs, x, tensorOf(many, c.tall, c.wide, c.channels, n+more))
			if err != nil {
				t.Fatal(err)
			}
			v := tensor.ValueOf(all)
			dims := all.Shape()
			kept := make([]float32, 0, v.NumElements()/(n+more)*n)
			for row := tensor.Of[float32](&v); len(row) > 0; row = row[n+more:] {
				kept = append(kept, row[:n]...)
			}
			want := tensorOf(kept, int(dims[0]), int(dims[1]), int(dims[2]), n)
			if !sameBits(got, want) {
				t.Errorf("%+v, %d filters: other bits", c, n)
			}
		}
	}
}
