package nn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/devices/cpu"
	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A winogradCase is a convolution by 3×3 filters.
type winogradCase struct {
	batch, lines, columns, in, out int
	before, after                  int // padding of lines; that of columns is turned
}

func (c winogradCase) String() string {
	return fmt.Sprintf("%dx%dx%dx%d-%d", c.batch, c.lines, c.columns, c.in, c.out)
}

// kernel makes the kernel of a case.
func (c winogradCase) kernel(t testing.TB) *forwardConv[float32] {
	t.Helper()
	attrs, err := registry.ParseAttrs(fmt.Sprintf(`strides=[1, 1, 1, 1], padding="EXPLICIT", explicit_paddings=[0, 0, %[1]d, %[2]d, %[2]d, %[1]d, 0, 0], _winograd=true`, c.before, c.after))
	if err != nil {
		t.Fatal(err)
	}
	k, _, err := kerneltest.New("conv", "Conv2D", attrs, tensor.Float, tensor.Float)
	if err != nil {
		t.Fatal(err)
	}
	return k.(*forwardConv[float32])
}

// values returns the image and the filter, and their sizes.
func (c winogradCase) values(t testing.TB, k *forwardConv[float32], rng *rand.Rand) (x, w tensor.Value, s convSizes) {
	t.Helper()
	normal := func(dims ...int64) tensor.Value {
		n := int64(1)
		for _, d := range dims {
			n *= d
		}
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(rng.NormFloat64())
		}
		y, err := tensor.FromSlice(v, dims...)
		if err != nil {
			t.Fatal(err)
		}
		return tensor.ValueOf(y)
	}
	x, w = normal(int64(c.batch), int64(c.lines), int64(c.columns), int64(c.in)), normal(3, 3, int64(c.in), int64(c.out))
	s, err := k.sizes(x.Dims(), w.Dims())
	if err != nil {
		t.Fatal(err)
	}
	return x, w, s
}

// compute computes a case by w, as it is where w is nil.
func (c winogradCase) compute(t testing.TB, ctx *kernel.Context, k *forwardConv[float32], w *vec.Winograd, in []tensor.Value, s *convSizes) []float32 {
	t.Helper()
	if w == nil {
		out := make([]tensor.Value, 1)
		plain := forwardConv[float32]{m: k.m, dt: k.dt, last: new(atomic.Pointer[prepared[float32]])}
		if err := plain.Run(ctx, in, out); err != nil {
			t.Fatal(err)
		}
		return tensor.Of[float32](&out[0])
	}
	dst := make([]float32, s.pixels()*s.out)
	f := new(winogradConv)
	if err := f.run(ctx, w, s, &in[1], tensor.Of[float32](&in[0]), dst, nil); err != nil {
		t.Fatal(err)
	}
	return dst
}

// exact computes a case in double.
func (c winogradCase) exact(in []tensor.Value, s *convSizes) []float64 {
	x, w := tensor.Of[float32](&in[0]), tensor.Of[float32](&in[1])
	y := make([]float64, s.pixels()*s.out)
	lines, columns := s.axes[1].out, s.axes[2].out
	for p := range s.pixels() {
		b, r, q := p/(lines*columns), p/columns%lines, p%columns
		to := y[p*s.out:][:s.out]
		for i := range 9 {
			line, column := r+i/3-c.before, q+i%3-c.after
			if line < 0 || line >= c.lines || column < 0 || column >= c.columns {
				continue
			}
			from := x[((b*c.lines+line)*c.columns+column)*c.in:][:c.in]
			for k, v := range from {
				for j, f := range w[(i*c.in+k)*c.out:][:c.out] {
					to[j] += float64(v) * float64(f)
				}
			}
		}
	}
	return y
}

// TestWinograd: sums are those of a convolution, but for rounding, whatever the sizes and paddings.
func TestWinograd(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 200 {
		c := winogradCase{1 + rng.IntN(3), 1 + rng.IntN(12), 1 + rng.IntN(12), 1 + rng.IntN(70), 1 + rng.IntN(70), rng.IntN(4), rng.IntN(4)}
		if c.lines+c.before+c.after < 3 || c.columns+c.before+c.after < 3 {
			continue
		}
		k := c.kernel(t)
		x, w, s := c.values(t, k, rng)
		in := []tensor.Value{x, w}
		want := c.exact(in, &s)
		for _, tr := range []*vec.Winograd{vec.Winograd2, vec.Winograd4} {
			got := c.compute(t, new(kerneltest.Runner).Context(), k, tr, in, &s)
			bound := 1e-5 * math.Sqrt(float64(9*c.in))
			for j := range got {
				if math.Abs(float64(got[j])-want[j]) > bound {
					t.Fatalf("%d: %+v by %d: element %d is %v, want %v", i, c, tr.Size, j, got[j], want[j])
				}
			}
		}
	}
}

// TestWinogradDigits prints how far sums are from exact ones, in units of the root of the mean
// square of these: by 2×2 as far as plain ones or little more, by 4×4 about half a digit
// more.
func TestWinogradDigits(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, channels := range []int{16, 32, 64, 128, 256, 512} {
		c := winogradCase{1, 24, 24, channels, 16, 1, 1}
		k := c.kernel(t)
		x, w, s := c.values(t, k, rng)
		in := []tensor.Value{x, w}
		want := c.exact(in, &s)
		square := 0.0
		for _, v := range want {
			square += v * v
		}
		unit := math.Sqrt(square / float64(len(want)))
		for _, tr := range []*vec.Winograd{nil, vec.Winograd2, vec.Winograd4} {
			got := c.compute(t, new(kerneltest.Runner).Context(), k, tr, in, &s)
			most, sum := 0.0, 0.0
			for i, v := range got {
				d := math.Abs(float64(v)-want[i]) / unit
				most, sum = max(most, d), sum+d
			}
			size := 1
			if tr != nil {
				size = tr.Size
			}
			mean := sum / float64(len(got))
			t.Logf("%d channels, %d×%d: largest %.2g, mean %.2g", channels, size, size, most, mean)
			if bound := map[int]float64{1: 4e-7, 2: 8e-7, 4: 2e-6}[size]; mean > bound || most > 20*bound {
				t.Errorf("%d channels, %d×%d: beyond the documented error", channels, size, size)
			}
		}
	}
}

// TestWinogradWays: no bit depends on how work is divided, or on the images next to one.
func TestWinogradWays(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	for i := range 30 {
		c := winogradCase{1 + rng.IntN(3), 4 + rng.IntN(16), 4 + rng.IntN(16), 1 + rng.IntN(80), 1 + rng.IntN(160), rng.IntN(3), rng.IntN(3)}
		k := c.kernel(t)
		x, w, s := c.values(t, k, rng)
		f := new(winogradConv)
		var want [2][]float32
		for again := range 8 {
			for j, tr := range []*vec.Winograd{vec.Winograd2, vec.Winograd4} {
				pool := cpu.NewPool(cpu.Options{Threads: 1 + rng.IntN(5)})
				ctx := (&kerneltest.Runner{Pool: pool}).Context()
				if again > 2 {
					r := newWinogradRun(tr, &s, pool.Workers())
					r.byColumns, r.together, r.group = rng.IntN(2) == 0, 1+rng.IntN(min(20, r.squares)), 1+rng.IntN(r.panels)
					r.layOut()
					f.last.Store(r)
				}
				got := make([]float32, s.pixels()*s.out)
				if err := f.run(ctx, tr, &s, &w, tensor.Of[float32](&x), got, nil); err != nil {
					t.Fatal(err)
				}
				pool.Close()
				if again == 0 {
					want[j] = got
				} else if !slices.Equal(got, want[j]) {
					t.Fatalf("%d, %d: %+v by %d has other bits", i, again, c, tr.Size)
				}
			}
		}
	}
}

// TestWinogradFused: what follows a convolution has the bits that it has apart.
func TestWinogradFused(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	for _, c := range []winogradCase{{2, 28, 28, 32, 40, 1, 1}, {1, 16, 18, 160, 200, 1, 1}, {1, 30, 20, 48, 300, 1, 1}} {
		k := c.kernel(t)
		x, w, s := c.values(t, k, rng)
		if k.fast.suits(&s) == nil {
			t.Fatalf("%v does not pay", c)
		}
		other := winogradCase{c.batch, s.axes[1].out, s.axes[2].out, c.out, 1, 1, 1}
		side, _, _ := other.values(t, other.kernel(t), rng)
		row := side.Borrow(5, c.out, []int64{int64(c.out)})
		run := func(op, attrs string, in ...tensor.Value) tensor.Value {
			t.Helper()
			parsed, err := registry.ParseAttrs(attrs)
			if err != nil {
				t.Fatal(err)
			}
			tensors := make([]*tensor.Tensor, len(in))
			for i, v := range in {
				tensors[i] = v.Compact().Tensor()
			}
			out, err := kerneltest.Run(op, parsed, tensors...)
			if err != nil {
				t.Fatal(err)
			}
			return tensor.ValueOf(out[0])
		}
		const how = `strides=[1, 1, 1, 1], padding="EXPLICIT", explicit_paddings=[0, 0, 1, 1, 1, 1, 0, 0], _winograd=true`
		for _, last := range []string{"Relu", "Tanh"} {
			want := run(last, "", run("AddV2", "", run("BiasAdd", "", run("Conv2D", how, x, w), row), side))
			got := run("_FusedConv2D", how+`, num_args=2, num_host_args=0, TArgs=[DT_FLOAT, DT_FLOAT], fused_ops=["BiasAdd", "Add", "`+last+`"]`, x, w, row, side)
			if !slices.Equal(tensor.Of[float32](&got), tensor.Of[float32](&want)) {
				t.Errorf("%v with %s: other bits than apart", c, last)
			}
		}
	}
}

// TestWinogradOthers: convolutions that transforms are not for are computed as they are.
func TestWinogradOthers(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 20))
	numbers := func(dims ...int64) *tensor.Tensor {
		n := int64(1)
		for _, d := range dims {
			n *= d
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
	for _, c := range []struct {
		size, channels int64 // of the filter, those of a group
		attrs          string
	}{
		{3, 32, `strides=[1, 2, 2, 1], padding="SAME"`},
		{3, 32, `strides=[1, 1, 2, 1], padding="SAME"`},
		{3, 32, `strides=[1, 1, 1, 1], dilations=[1, 2, 1, 1], padding="SAME"`},
		{5, 32, `strides=[1, 1, 1, 1], padding="SAME"`},
		{3, 16, `strides=[1, 1, 1, 1], padding="SAME"`},
	} {
		x, w := numbers(2, 40, 40, 32), numbers(c.size, c.size, c.channels, 32)
		var got [2][]float32
		for i, attrs := range []string{c.attrs, c.attrs + ", _winograd=true"} {
			parsed, err := registry.ParseAttrs(attrs)
			if err != nil {
				t.Fatal(err)
			}
			out, err := kerneltest.Run("Conv2D", parsed, x, w)
			if err != nil {
				t.Fatal(err)
			}
			v := tensor.ValueOf(out[0])
			got[i] = tensor.Of[float32](&v)
		}
		if !slices.Equal(got[0], got[1]) {
			t.Errorf("%d×%d with %s: other bits than without transforms", c.size, c.size, c.attrs)
		}
	}
}

// TestWinogradEach: what is computed depends on one image.
func TestWinogradEach(t *testing.T) {
	for side := 1; side < 60; side++ {
		c := winogradCase{1, side, side, 64, 96, 1, 1}
		k := c.kernel(t)
		var one *vec.Winograd
		for batch := int64(1); batch < 20; batch++ {
			s, err := k.sizes([]int64{batch, int64(side), int64(side), 64}, []int64{3, 3, 64, 96})
			if err != nil {
				t.Fatal(err)
			}
			if w := k.fast.suits(&s); batch == 1 {
				one = w
			} else if w != one {
				t.Errorf("%d images of %d×%d pixels are computed otherwise than one", batch, side, side)
			}
		}
	}
}

// TestWinogradFilters: what is kept of filters is theirs, whether constants, variables or what
// changes with each run.
func TestWinogradFilters(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	c := winogradCase{1, 28, 28, 24, 40, 1, 1}
	k := c.kernel(t)
	x, first, s := c.values(t, k, rng)
	if k.fast.suits(&s) == nil {
		t.Fatal("it does not pay")
	}
	runner := new(kerneltest.Runner)
	run := func(w tensor.Value) *winogradFilter {
		t.Helper()
		out := make([]tensor.Value, 1)
		if err := k.Run(runner.Context(), []tensor.Value{x, w}, out); err != nil {
			t.Fatal(err)
		}
		want := c.compute(t, runner.Context(), k, k.fast.suits(&s), []tensor.Value{x, w}, &s)
		if got := tensor.Of[float32](&out[0]); !slices.Equal(got, want) {
			t.Fatal("a filter's result is another's")
		}
		return k.fast.filters.known[k.fast.suits(&s).Size/4].Load()
	}
	kept := run(first)
	if again := run(first); again != kept || kept == nil {
		t.Error("the same filter was transformed again")
	}
	for range 8 {
		_, w, _ := c.values(t, k, rng)
		if run(w) != kept {
			t.Error("what changes with each run is kept")
		}
	}
	_, second, _ := c.values(t, k, rng)
	run(second)
	if other := run(second); other == kept || other != run(second) {
		t.Error("a value that took another's place is not kept")
	}
	k.fast = &winogradConv{filters: winogradFilters{constant: true}}
	c.in, c.out = 64, 64
	_, constant, _ := c.values(t, k, rng)
	var transforms [2]*winogradFilter
	for _, size := range []int{20, 20, 28, 20, 28} { // by 2×2 and 4×4
		c.lines, c.columns = size, size
		x, _, s = c.values(t, k, rng)
		if w := k.fast.suits(&s); w == nil || w.Size != map[int]int{20: 2, 28: 4}[size] {
			t.Fatalf("%d pixels are computed by %v", size, w)
		}
		got, which := run(constant), k.fast.suits(&s).Size/4
		if transforms[which] != nil && transforms[which] != got {
			t.Error("a constant was transformed again for images of another size")
		}
		transforms[which] = got
	}
}

// TestWinogradLimit: where a session has no room for it a transform is not kept.
func TestWinogradLimit(t *testing.T) {
	c := winogradCase{1, 28, 28, 24, 40, 1, 1}
	k := c.kernel(t)
	x, w, s := c.values(t, k, rand.New(rand.NewPCG(9, 10)))
	want := c.compute(t, new(kerneltest.Runner).Context(), k, k.fast.suits(&s), []tensor.Value{x, w}, &s)
	for _, limit := range []int64{1 << 10, 1 << 18, 1 << 20, 3 << 20, 1 << 24} {
		ctx := new(kerneltest.Runner).Context()
		ctx.Arena.Budget = tensor.NewBudget(limit)
		out := make([]tensor.Value, 1)
		k.fast = &winogradConv{}
		err := k.Run(ctx, []tensor.Value{x, w}, out)
		switch {
		case err != nil && status.CodeOf(err) != status.ResourceExhausted, err != nil && limit == 1<<24:
			t.Errorf("%d bytes: %v", limit, err)
		case err == nil && !slices.Equal(tensor.Of[float32](&out[0]), want):
			t.Errorf("%d bytes: another result", limit)
		}
	}
}

// TestWinogradNotNumbers: an infinity of the image makes pixels of its squares NaN, and no
// others; zeros give zeros.
func TestWinogradNotNumbers(t *testing.T) {
	c := winogradCase{1, 16, 16, 32, 32, 1, 1}
	k := c.kernel(t)
	x, w, s := c.values(t, k, rand.New(rand.NewPCG(11, 12)))
	image := tensor.Of[float32](&x)
	clear(image)
	image[(6*16+5)*32+3] = float32(math.Inf(1))
	got := c.compute(t, new(kerneltest.Runner).Context(), k, vec.Winograd4, []tensor.Value{x, w}, &s)
	for i, v := range got {
		line, column := i/32/16, i/32%16
		if near := line/4 == 1 && column/4 == 1; !near && v != 0 && v == v && !(line >= 5 && line <= 7 && column >= 4 && column <= 6) {
			t.Fatalf("pixel %d, %d is %v", line, column, v)
		} else if (line < 3 || line > 8 || column < 3 || column > 7) && v != 0 {
			t.Fatalf("pixel %d, %d is %v, far from the infinity", line, column, v)
		}
	}
}

// TestWinogradAllocatesNothing: a run whose filter is known takes no memory but the step's.
func TestWinogradAllocatesNothing(t *testing.T) {
	for _, c := range []winogradCase{{1, 8, 28, 32, 32, 1, 1}, {1, 8, 8, 256, 256, 1, 1}} {
		k := c.kernel(t)
		x, w, s := c.values(t, k, rand.New(rand.NewPCG(13, 14)))
		ctx := new(kerneltest.Runner).Context()
		dst := make([]float32, s.pixels()*s.out)
		f := new(winogradConv)
		if n := testing.AllocsPerRun(20, func() {
			if err := f.run(ctx, vec.Winograd4, &s, &w, tensor.Of[float32](&x), dst, nil); err != nil {
				t.Fatal(err)
			}
		}); n > 0 {
			t.Errorf("%v: %v allocations in a run", c, n)
		}
	}
}

// Layers of networks as they are and by transforms, on one and two threads.
func BenchmarkWinograd(b *testing.B) {
	for _, c := range []winogradCase{
		{1, 224, 224, 64, 64, 1, 1}, {1, 112, 112, 128, 128, 1, 1}, {1, 56, 56, 64, 64, 1, 1}, {1, 56, 56, 256, 256, 1, 1}, {1, 28, 28, 128, 128, 1, 1}, {1, 14, 14, 256, 256, 1, 1}, {1, 7, 7, 512, 512, 1, 1},
	} {
		k := c.kernel(b)
		x, w, s := c.values(b, k, rand.New(rand.NewPCG(5, 6)))
		for _, threads := range []int{1, 2} {
			for i, tr := range []*vec.Winograd{nil, vec.Winograd2, vec.Winograd4} {
				b.Run(fmt.Sprintf("%v/threads=%d/by=%d", c, threads, []int{1, 2, 4}[i]), func(b *testing.B) {
					pool := cpu.NewPool(cpu.Options{Threads: threads})
					defer pool.Close()
					ctx := (&kerneltest.Runner{Pool: pool}).Context()
					dst := make([]float32, s.pixels()*s.out)
					f := &winogradConv{filters: winogradFilters{constant: true}}
					plain := forwardConv[float32]{m: k.m, dt: k.dt, last: new(atomic.Pointer[prepared[float32]])}
					out, in := make([]tensor.Value, 1), make([]tensor.Value, 2)
					b.ReportAllocs()
					for b.Loop() {
						if tr != nil {
							if err := f.run(ctx, tr, &s, &w, tensor.Of[float32](&x), dst, nil); err != nil {
								b.Fatal(err)
							}
							continue
						}
						in[0], in[1] = x, w
						if err := plain.Run(ctx, in, out); err != nil {
							b.Fatal(err)
						}
						ctx.Free(out[0])
					}
				})
			}
		}
	}
}
