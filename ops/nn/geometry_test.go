package nn_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

var (
	windows     = flag.Int("windows", 1200, "how many random geometries of windows TestWindows draws")
	firstWindow = flag.Uint64("firstwindow", 0, "the `SEED` of the first of them")
)

// A motion is how a window moves along a dimension.
type motion struct{ in, size, stride, dilation, before, after, out int }

// at returns where tap k of window o lies, perhaps outside.
func (m motion) at(o, k int) (int, bool) {
	i := o*m.stride + k*m.dilation - m.before
	return i, i >= 0 && i < m.in
}

// A geometry is that of windows that move over images: by the definitions of convolutions and
// pooling, with paddings, strides and dilations of all sizes.
type geometry struct {
	images, in, out, groups int
	y, x                    motion
	padding                 string
	second                  bool // channels are the second dimension
}

func drawGeometry(r *rand.Rand) geometry {
	g := geometry{images: 1 + r.IntN(3), groups: 1, in: 1 + r.IntN(9), padding: []string{"SAME", "VALID", "EXPLICIT"}[r.IntN(3)], second: r.IntN(3) == 0}
	if r.IntN(3) == 0 {
		g.groups = 1 + r.IntN(4)
		g.in = g.groups * (1 + r.IntN(4))
	}
	g.out = g.groups * (1 + r.IntN(9))
	for _, m := range []*motion{&g.y, &g.x} {
		*m = motion{in: 1 + r.IntN(12), size: 1 + r.IntN(5), stride: 1 + r.IntN(8)/5, dilation: 1 + r.IntN(8)/6}
		if r.IntN(8) == 0 {
			m.stride = 1 + r.IntN(5)
		}
		span := (m.size-1)*m.dilation + 1
		switch g.padding {
		case "EXPLICIT":
			m.before, m.after = r.IntN(7), r.IntN(7)
			fallthrough
		case "VALID":
			m.in = max(m.in, span-m.before-m.after)
			m.out = (m.in+m.before+m.after-span)/m.stride + 1
		default:
			m.out = (m.in-1)/m.stride + 1
			all := max(0, (m.out-1)*m.stride+span-m.in)
			m.before, m.after = all/2, all-all/2
		}
	}
	return g
}

// place returns the index of an element of an image of so many lines, columns and channels.
func (g geometry) place(n, y, x, c, lines, columns, channels int) int {
	if g.second {
		return ((n*channels+c)*lines+y)*columns + x
	}
	return ((n*lines+y)*columns+x)*channels + c
}

func (g geometry) dims(lines, columns, channels int) []int64 {
	if g.second {
		return []int64{int64(g.images), int64(channels), int64(lines), int64(columns)}
	}
	return []int64{int64(g.images), int64(lines), int64(columns), int64(channels)}
}

// each calls f for each tap of each window that is inside: with its images, lines and columns.
func (g geometry) each(f func(n, oy, ox, ky, kx, iy, ix int)) {
	for n := range g.images {
		for oy := range g.y.out {
			for ox := range g.x.out {
				for ky := range g.y.size {
					for kx := range g.x.size {
						iy, inside := g.y.at(oy, ky)
						if ix, also := g.x.at(ox, kx); inside && also {
							f(n, oy, ox, ky, kx, iy, ix)
						}
					}
				}
			}
		}
	}
}

// attrs returns the attributes of the windows; sized says that they have the sizes, too.
func (g geometry) attrs(sized bool) string {
	list := func(y, x int) string {
		if g.second {
			return fmt.Sprintf("[1, 1, %d, %d]", y, x)
		}
		return fmt.Sprintf("[1, %d, %d, 1]", y, x)
	}
	s := fmt.Sprintf("strides=%s, padding=%q", list(g.y.stride, g.x.stride), g.padding)
	if sized {
		s += ", ksize=" + list(g.y.size, g.x.size)
	} else {
		s += ", dilations=" + list(g.y.dilation, g.x.dilation)
	}
	if g.second {
		s += `, data_format="NCHW"`
	}
	if g.padding == "EXPLICIT" {
		around := fmt.Sprintf("%d, %d, %d, %d", g.y.before, g.y.after, g.x.before, g.x.after)
		if g.second {
			s += ", explicit_paddings=[0, 0, 0, 0, " + around + "]"
		} else {
			s += ", explicit_paddings=[0, 0, " + around + ", 0, 0]"
		}
	}
	return s
}

// TestWindows compares convolutions, depthwise ones, their gradients and pooling with their
// definitions, on windows of all kinds.
func TestWindows(t *testing.T) {
	n := *windows
	if testing.Short() {
		n /= 4
	}
	for seed := *firstWindow; seed < *firstWindow+uint64(n); seed++ {
		r := rand.New(rand.NewPCG(seed, 31))
		if g := drawGeometry(r); r.IntN(4) == 0 {
			checkWindows[float64](t, seed, g, r)
		} else {
			checkWindows[float32](t, seed, g, r)
		}
	}
}

func checkWindows[T float32 | float64](t *testing.T, seed uint64, g geometry, r *rand.Rand) {
	draw := func(dims ...int64) (*tensor.Tensor, []T) {
		n := int64(1)
		for _, d := range dims {
			n *= d
		}
		x := make([]T, n)
		for i := range x { // sums of products of these are exact
			x[i] = T(r.IntN(17)-8) / 8
		}
		v, err := tensor.FromSlice(x, dims...)
		if err != nil {
			t.Fatal(err)
		}
		return v, x
	}
	runner := &kerneltest.Runner{Pool: []kernel.Pool{kerneltest.Serial{}, four{}}[r.IntN(2)]}
	check := func(op, attrs string, dims []int64, want []T, in ...*tensor.Tensor) {
		t.Helper()
		parsed, err := registry.ParseAttrs(attrs)
		if err != nil {
			t.Fatal(err)
		}
		out, err := runner.Run("node", op, parsed, in...)
		if err != nil {
			t.Fatalf("seed %d: %s %s: %v", seed, op, attrs, err)
		}
		if got := out[0].Dims(); fmt.Sprint(got) != fmt.Sprint(dims) {
			t.Fatalf("seed %d: %s %s of %v is %v, want %v", seed, op, attrs, in[0].Dims(), got, dims)
		}
		got, err := tensor.Data[T](out[0])
		if err != nil {
			t.Fatal(err)
		}
		for i := range got {
			if !(math.Abs(float64(got[i]-want[i])) <= 1e-5) {
				t.Fatalf("seed %d: %s %s of %v: element %d of %v is %v, want %v", seed, op, attrs, in[0].Dims(), i, dims, got[i], want[i])
			}
		}
	}
	large, dims := func(n, y, x, c int) int { return g.place(n, y, x, c, g.y.in, g.x.in, g.in) }, g.dims(g.y.in, g.x.in, g.in)
	image, x := draw(dims...)
	sizes := func(dims []int64) *tensor.Tensor {
		list := make([]int32, len(dims))
		for i, d := range dims {
			list[i] = int32(d)
		}
		v, err := tensor.FromSlice(list, int64(len(list)))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}

	// Convolutions, of which depthwise ones have a filter for each channel.
	convolve := func(op string, perIn, out int, filter []int64, channel func(i, o int) (c int), tap func(ky, kx, i, o int) int) {
		w, ws := draw(filter...)
		result := g.dims(g.y.out, g.x.out, out)
		dy, ds := draw(result...)
		y, dx, dw := make([]T, len(ds)), make([]T, len(x)), make([]T, len(ws))
		g.each(func(n, oy, ox, ky, kx, iy, ix int) {
			for o := range out {
				for i := range perIn {
					a, b, c := large(n, iy, ix, channel(i, o)), tap(ky, kx, i, o), g.place(n, oy, ox, o, g.y.out, g.x.out, out)
					y[c] += x[a] * ws[b]
					dx[a] += ds[c] * ws[b]
					dw[b] += ds[c] * x[a]
				}
			}
		})
		check(op, g.attrs(false), result, y, image, w)
		check(op+"BackpropInput", g.attrs(false), dims, dx, sizes(dims), w, dy)
		check(op+"BackpropFilter", g.attrs(false), filter, dw, image, sizes(filter), dy)
	}
	perIn, perOut := g.in/g.groups, g.out/g.groups
	convolve("Conv2D", perIn, g.out, []int64{int64(g.y.size), int64(g.x.size), int64(perIn), int64(g.out)},
		func(i, o int) int { return o/perOut*perIn + i },
		func(ky, kx, i, o int) int { return ((ky*g.x.size+kx)*perIn+i)*g.out + o })
	each := 1 + r.IntN(3)
	if g.y.stride == g.x.stride {
		convolve("DepthwiseConv2dNative", 1, g.in*each, []int64{int64(g.y.size), int64(g.x.size), int64(g.in), int64(each)},
			func(_, o int) int { return o / each },
			func(ky, kx, _, o int) int { return (ky*g.x.size+kx)*g.in*each + o })
	}

	// Pooling has no dilations.
	if g.y.dilation > 1 || g.x.dilation > 1 || g.padding == "EXPLICIT" {
		return
	}
	result := g.dims(g.y.out, g.x.out, g.in)
	dy, ds := draw(result...)
	most, sum, dx, dmost := make([]T, len(ds)), make([]T, len(ds)), make([]T, len(x)), make([]T, len(x))
	first := make([]int, len(ds)) // of the greatest elements of a window
	count := make([]T, len(ds))
	for i := range most {
		most[i] = T(math.Inf(-1))
	}
	small := func(n, oy, ox, c int) int { return g.place(n, oy, ox, c, g.y.out, g.x.out, g.in) }
	g.each(func(n, oy, ox, _, _, iy, ix int) {
		for c := range g.in {
			to, v := small(n, oy, ox, c), x[large(n, iy, ix, c)]
			if v > most[to] {
				most[to], first[to] = v, large(n, iy, ix, c)
			}
			sum[to] += v
			count[to]++
		}
	})
	g.each(func(n, oy, ox, _, _, iy, ix int) {
		for c := range g.in {
			to := small(n, oy, ox, c)
			dx[large(n, iy, ix, c)] += ds[to] / count[to]
		}
	})
	for i := range sum {
		sum[i] /= count[i]
		dmost[first[i]] += ds[i]
	}
	pooled, err := tensor.FromSlice(most, result...)
	if err != nil {
		t.Fatal(err)
	}
	check("MaxPool", g.attrs(true), result, most, image)
	check("MaxPoolGrad", g.attrs(true), dims, dmost, image, pooled, dy)
	check("AvgPool", g.attrs(true), result, sum, image)
	check("AvgPoolGrad", g.attrs(true), dims, dx, sizes(dims), dy)
}
