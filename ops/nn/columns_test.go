package nn_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
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
		{17, 20, 96, 3, 610, `strides=[1, 2, 2, 1], padding="SAME"`}, // padded lines of more than is borrowed
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

// crowd is a pool that says it has so many workers.
type crowd struct {
	kerneltest.Threads
	workers int
}

func (c crowd) Workers() int { return c.workers }

// TestFewLinesManyWorkers: a result does not depend, to the bit, on how many workers share it out:
// by lines, or by columns in groups of lines where these are few.
func TestFewLinesManyWorkers(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	for i, c := range []struct {
		batch, height, width, channels, size, n int
		attrs                                   string
	}{
		{1, 2, 20, 64, 3, 70, `strides=[1, 1, 1, 1], padding="SAME"`},
		{1, 7, 7, 96, 3, 129, `strides=[1, 1, 1, 1], padding="SAME"`},
		{1, 14, 14, 64, 3, 64, `strides=[1, 1, 1, 1], padding="SAME"`},
		{2, 9, 11, 64, 3, 96, `strides=[1, 2, 2, 1], padding="SAME"`},
		{1, 12, 17, 64, 5, 33, `strides=[1, 1, 1, 1], padding="VALID"`},
		{3, 5, 8, 64, 3, 100, `strides=[1, 1, 1, 1], padding="SAME", dilations=[1, 2, 1, 1]`},
		{2, 6, 16, 64, 3, 80, `strides=[1, 1, 1, 1], padding="EXPLICIT", explicit_paddings=[0, 0, 5, 4, 2, 1, 0, 0]`}, // lines of nothing but zeros
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
		x := values(int64(c.batch), int64(c.height), int64(c.width), int64(c.channels))
		f := values(int64(c.size), int64(c.size), int64(c.channels), int64(c.n))
		bias := values(int64(c.n))
		for _, op := range []struct {
			name, more string
			in         []*tensor.Tensor
		}{
			{"Conv2D", "", []*tensor.Tensor{x, f}},
			{"_FusedConv2D", `, fused_ops=["BiasAdd", "Relu"], num_args=1, TArgs=[DT_FLOAT], num_host_args=0`, []*tensor.Tensor{x, f, bias}},
			{"_FusedConv2D", `, fused_ops=["BiasAdd", "Elu"], num_args=1, TArgs=[DT_FLOAT], num_host_args=0`, []*tensor.Tensor{x, f, bias}},
		} {
			attrs, err := registry.ParseAttrs(c.attrs + op.more)
			if err != nil {
				t.Fatal(err)
			}
			var want *tensor.Tensor
			for _, workers := range []int{1, 2, 4, 8, 16, 64} {
				r := kerneltest.Runner{Pool: crowd{workers: workers}}
				out, err := r.Run("n", op.name, attrs, op.in...)
				if err != nil {
					t.Fatalf("%d: %s: %v", i, op.name, err)
				}
				if want == nil {
					want = out[0]
				} else if !sameBits(out[0], want) {
					t.Errorf("%d: %s%s by %d workers differs from that by one", i, op.name, op.more, workers)
				}
			}
		}
	}
}
