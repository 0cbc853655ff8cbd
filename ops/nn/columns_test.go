package nn_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/troupe-go/troupe/tensor"
)

// TestFewLinesLargeFilter: an image's result does not depend, to the bit, on the images beside it:
// few small images are computed together, panel of a large filter by panel, and many one
// after another.
func TestFewLinesLargeFilter(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for i, c := range []struct {
		height, width, channels, size, n int
		attrs                            string
	}{
		{2, 2, 96, 3, 330, `strides=[1, 1, 1, 1], padding="SAME"`},
		{3, 4, 96, 3, 330, `strides=[1, 2, 2, 1], padding="SAME"`},
		{5, 5, 96, 3, 330, `strides=[1, 1, 1, 1], padding="VALID"`},
		{4, 3, 256, 2, 290, `strides=[1, 1, 1, 1], padding="SAME", dilations=[1, 2, 1, 1]`},
		{3, 3, 96, 3, 330, `strides=[1, 1, 1, 1], padding="EXPLICIT", explicit_paddings=[0, 0, 4, 3, 0, 2, 0, 0]`}, // lines of nothing but zeros
		{4, 4, 256, 3, 130, `strides=[1, 1, 1, 1], padding="SAME"`},
	} {
		values := func(dims ...int64) *tensor.Tensor {
			n := 1
			for _, d := range dims {
				n *= int(d)
			}
			x := make([]float32, n)
			for i := range x {
				x[i] = rng.Float32() - 0.5
			}
			v, err := tensor.FromSlice(x, dims...)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		// first is the first n examples.
		first := func(v *tensor.Tensor, n int) *tensor.Tensor {
			dims := slices.Clone(v.Dims())
			each := v.NumElements() / int(dims[0])
			dims[0] = int64(n)
			all := tensor.ValueOf(v)
			w, err := tensor.FromSlice(slices.Clone(tensor.Of[float32](&all)[:n*each]), dims...)
			if err != nil {
				t.Fatal(err)
			}
			return w
		}
		const few, many = 3, 40
		x := values(many, int64(c.height), int64(c.width), int64(c.channels))
		f := values(int64(c.size), int64(c.size), int64(c.channels), int64(c.n))
		bias := values(int64(c.n))
		run := func(op, attrs string, in ...*tensor.Tensor) *tensor.Tensor {
			out, err := alone(t, op, attrs, in...)
			if err != nil {
				t.Fatalf("%d: %s: %v", i, op, err)
			}
			return out
		}
		same := func(what string, got, all *tensor.Tensor) {
			t.Helper()
			if !sameBits(got, first(all, few)) {
				t.Errorf("%d: %s of few images differs from that of many", i, what)
			}
		}
		y := run("Conv2D", c.attrs, x, f)
		same("Conv2D", run("Conv2D", c.attrs, first(x, few), f), y)
		fused := c.attrs + `, fused_ops=["BiasAdd", "Elu"], num_args=1, TArgs=[DT_FLOAT], num_host_args=0`
		same("_FusedConv2D", run("_FusedConv2D", fused, first(x, few), f, bias), run("_FusedConv2D", fused, x, f, bias))
		grad := values(y.Dims()...)
		back := func(n int) *tensor.Tensor {
			sizes, err := tensor.FromSlice([]int32{int32(n), int32(c.height), int32(c.width), int32(c.channels)}, 4)
			if err != nil {
				t.Fatal(err)
			}
			return run("Conv2DBackpropInput", c.attrs, sizes, f, first(grad, n))
		}
		same("Conv2DBackpropInput", back(few), back(many))
	}
}
