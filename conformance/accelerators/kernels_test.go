package accelerators

import (
	"testing"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/code"
	"github.com/troupe-go/troupe/devices/opencl"
	"github.com/troupe-go/troupe/tensor"
)

// A measured is one operation of a size that models have. work is what one run does: floating
// point operations, or bytes that are read and written.
type measured struct {
	name  string
	work  float64
	unit  string // of a thousand million a second
	in    [][]int64
	out   [][]int64
	need  need
	write writing
}

func product(name string, x, y, z []int64, tx, ty bool) measured {
	k := x[len(x)-1]
	if tx {
		k = x[len(x)-2]
	}
	n := float64(2 * k)
	for _, d := range z {
		n *= float64(d)
	}
	return measured{name, n, "GFLOP/s", [][]int64{x, y}, [][]int64{z}, func(out, in []code.Array) code.Array {
		return code.MatMulScratch(out[0], in[0], in[1], tx, ty)
	}, func(out, in []code.Array) ([]devices.Launch, error) {
		return code.MatMul(out[0], in[0], in[1], tx, ty, lent(out, 1))
	}}
}

// convolution returns a convolution of square images with padding SAME, and its gradients.
func convolution(name string, batch, size, channels, features, kernel, stride int64) []measured {
	made := (size + stride - 1) / stride
	before := max((made-1)*stride+kernel-size, 0) / 2
	w := code.Window{Size: [2]int64{kernel, kernel}, Strides: [2]int64{stride, stride}, Dilation: [2]int64{1, 1}, Before: [2]int64{before, before}}
	x, f, z := []int64{batch, size, size, channels}, []int64{kernel, kernel, channels, features}, []int64{batch, made, made, features}
	work := float64(2 * batch * made * made * features * kernel * kernel * channels)
	return []measured{
		{"conv " + name, work, "GFLOP/s", [][]int64{x, f}, [][]int64{z}, func(out, in []code.Array) code.Array { return code.Conv2DScratch(out[0], in[0], in[1], w) }, func(out, in []code.Array) ([]devices.Launch, error) {
			return code.Conv2D(out[0], in[0], in[1], w, lent(out, 1))
		}},
		{"conv input " + name, work, "GFLOP/s", [][]int64{f, z}, [][]int64{x}, func(out, in []code.Array) code.Array { return code.Conv2DBackpropInputScratch(out[0], in[0], in[1], w) }, func(out, in []code.Array) ([]devices.Launch, error) {
			return code.Conv2DBackpropInput(out[0], in[0], in[1], w, lent(out, 1))
		}},
		{"conv filter " + name, work, "GFLOP/s", [][]int64{x, z}, [][]int64{f}, func(out, in []code.Array) code.Array {
			return code.Conv2DBackpropFilterScratch(out[0], in[0], in[1], w)
		}, func(out, in []code.Array) ([]devices.Launch, error) {
			return code.Conv2DBackpropFilter(out[0], in[0], in[1], w, lent(out, 1))
		}},
	}
}

// moving returns an operation whose time is that of memory.
func moving(name string, in, out [][]int64, write writing) measured {
	bytes := int64(0)
	for _, dims := range append(append([][]int64(nil), in...), out...) {
		bytes += 4 * (code.Array{Dims: dims}).Elements()
	}
	return measured{name, float64(bytes), "GB/s", in, out, nil, write}
}

func measuredKernels() []measured {
	type dims = []int64
	plane, row, column, million := dims{1000, 1000}, dims{1000}, dims{1000, 1}, dims{1000000}
	images, each := dims{32, 32, 32, 16}, dims{16}
	all := []measured{
		product("matmul 256", dims{256, 256}, dims{256, 256}, dims{256, 256}, false, false),
		product("matmul 512", dims{512, 512}, dims{512, 512}, dims{512, 512}, false, false),
		product("matmul 512 transposed", dims{512, 512}, dims{512, 512}, dims{512, 512}, false, true),
		product("matmul 1024", dims{1024, 1024}, dims{1024, 1024}, dims{1024, 1024}, false, false),
		product("matmul batch 96 of 64", dims{96, 64, 64}, dims{96, 64, 64}, dims{96, 64, 64}, false, false),
		product("matmul 1x1024x1024", dims{1, 1024}, dims{1024, 1024}, dims{1, 1024}, false, false),
		product("matmul 16x256x512", dims{16, 256}, dims{256, 512}, dims{16, 512}, false, false),
		product("matmul gradient 784x64x128", dims{64, 784}, dims{64, 128}, dims{784, 128}, true, false),
	}
	all = append(all, convolution("16 of 32x32x16, 3x3", 16, 32, 16, 16, 3, 1)...)
	all = append(all, convolution("16 of 32x32x16, 3x3/2 to 32", 16, 32, 16, 32, 3, 2)...)
	all = append(all, convolution("16 of 8x8x64, 3x3", 16, 8, 64, 64, 3, 1)...)
	all = append(all, convolution("56x56x64, 3x3", 1, 56, 64, 64, 3, 1)...)
	all = append(all, convolution("28x28x256, 1x1", 1, 28, 256, 256, 1, 1)...)
	all = append(all, convolution("224x224x3, 7x7/2 to 64", 1, 224, 3, 64, 7, 2)[0])
	with := func(m measured, beside need) measured {
		m.need = beside
		return m
	}
	reduce := func(name string, x dims, z dims, axes ...int) measured {
		return with(moving(name, []dims{x}, []dims{z}, func(out, in []code.Array) ([]devices.Launch, error) {
			return code.Reduce("Sum", out[0], in[0], axes, lent(out, 1))
		}), func(out, in []code.Array) code.Array { return code.ReduceScratch("Sum", out[0], in[0], axes) })
	}
	mapping := func(name, op string, z dims, in ...dims) measured {
		return moving(name, in, []dims{z}, func(out, in []code.Array) ([]devices.Launch, error) {
			return code.Map(op, 0, out[0], in...)
		})
	}
	w := code.Window{Size: [2]int64{3, 3}, Strides: [2]int64{2, 2}, Dilation: [2]int64{1, 1}}
	big, pooled := dims{1, 112, 112, 64}, dims{1, 56, 56, 64}
	return append(all,
		reduce("sum of rows", plane, row, 1),
		reduce("sum of columns", plane, row, 0),
		reduce("sum of all", million, nil, 0),
		reduce("sum of columns, bias", dims{16384, 16}, each, 0),
		moving("softmax", []dims{plane}, []dims{plane}, func(out, in []code.Array) ([]devices.Launch, error) { return code.Softmax(out[0], in[0], false) }),
		moving("softmax of short rows", []dims{{100000, 10}}, []dims{{100000, 10}}, func(out, in []code.Array) ([]devices.Launch, error) { return code.Softmax(out[0], in[0], false) }),
		with(moving("moments", []dims{images}, []dims{each, each}, func(out, in []code.Array) ([]devices.Launch, error) {
			return code.Moments(out[0], out[1], in[0], lent(out, 2))
		}), func(_, in []code.Array) code.Array { return code.MomentsScratch(in[0]) }),
		moving("normalize", []dims{images, each, each, each, each}, []dims{images}, func(out, in []code.Array) ([]devices.Launch, error) {
			return code.Normalize(out[0], in[0], in[1], in[2], in[3], in[4], 1e-3)
		}),
		with(moving("normalize gradient", []dims{images, images, each, each, each}, []dims{images, each, each}, func(out, in []code.Array) ([]devices.Launch, error) {
			return code.NormalizeGrad(out[0], out[1], out[2], in[0], in[1], in[2], in[3], in[4], lent(out, 3), 1e-3, false)
		}), func(_, in []code.Array) code.Array { return code.MomentsScratch(in[1]) }),
		moving("max pool 3x3/2", []dims{big}, []dims{pooled}, func(out, in []code.Array) ([]devices.Launch, error) { return code.Pool(out[0], in[0], w, false) }),
		with(moving("max pool gradient", []dims{big, pooled}, []dims{big}, func(out, in []code.Array) ([]devices.Launch, error) {
			return code.MaxPoolGrad(out[0], in[0], in[1], w, lent(out, 1))
		}), func(_, in []code.Array) code.Array { return code.MaxPoolGradScratch(in[1]) }),
		moving("transpose", []dims{plane}, []dims{plane}, func(out, in []code.Array) ([]devices.Launch, error) {
			return code.Transpose(out[0], in[0], []int{1, 0})
		}),
		moving("transpose 0213", []dims{{8, 128, 16, 64}}, []dims{{8, 16, 128, 64}}, func(out, in []code.Array) ([]devices.Launch, error) {
			return code.Transpose(out[0], in[0], []int{0, 2, 1, 3})
		}),
		moving("concat of columns", []dims{plane, plane}, []dims{{1000, 2000}}, func(out, in []code.Array) ([]devices.Launch, error) {
			return code.Concat(out[0], 1, in[0], in[1])
		}),
		moving("pad", []dims{images}, []dims{{32, 36, 36, 16}}, func(out, in []code.Array) ([]devices.Launch, error) {
			return code.Pad(out[0], in[0], []int64{0, 2, 2, 0}, 0)
		}),
		mapping("add", "AddV2", million, million, million),
		mapping("add a scalar", "AddV2", million, million, nil),
		mapping("add a row", "AddV2", plane, plane, row),
		mapping("add a column", "AddV2", plane, plane, column),
		mapping("add a plane and a middle", "AddV2", dims{100, 100, 100}, dims{100, 100, 100}, dims{100, 1, 100}),
		mapping("relu", "Relu", million, million),
		mapping("tanh", "Tanh", million, million),
	)
}

// BenchmarkKernels is the time of operations on an OpenCL device, till they are done.
func BenchmarkKernels(b *testing.B) {
	bench := opened(b, opencl.Open)
	for _, m := range measuredKernels() {
		b.Run(m.name, func(b *testing.B) {
			arrays := func(shapes [][]int64) (all []code.Array) {
				for _, dims := range shapes {
					a, err := bench.Place(b.Context(), must1(tensor.New(tensor.Float, dims...)))
					if err != nil {
						b.Fatal(err)
					}
					b.Cleanup(a.Buffer.Release)
					all = append(all, a)
				}
				return all
			}
			out, in := arrays(m.out), arrays(m.in)
			if m.need != nil {
				if s := m.need(out, in); s.Elements() > 0 {
					out = append(out, arrays([][]int64{s.Dims})...)
				}
			}
			launches, err := m.write(out, in)
			if err != nil {
				b.Fatal(err)
			}
			run := func() {
				for i := range launches {
					l := launches[i]
					if err := bench.Device.Launch(&l); err != nil {
						b.Fatal(err)
					}
				}
			}
			run()
			if err := bench.Device.Wait(b.Context()); err != nil {
				b.Fatal(err)
			}
			b.ResetTimer()
			for i := range b.N {
				run()
				if i%64 == 63 {
					bench.Device.Wait(b.Context())
				}
			}
			if err := bench.Device.Wait(b.Context()); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(m.work*float64(b.N)/float64(b.Elapsed()), m.unit)
		})
	}
}
