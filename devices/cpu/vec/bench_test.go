package vec

import (
	"fmt"
	"testing"
)

func BenchmarkGemm(b *testing.B) {
	for _, size := range [][3]int{{1, 32, 32}, {1, 256, 64}, {1, 1024, 1024}, {16, 256, 256}, {16, 512, 128}, {128, 128, 128}, {256, 256, 256}, {512, 512, 512}, {1024, 1024, 1024}} {
		m, n, k := size[0], size[1], size[2]
		for _, trans := range []string{"NN", "NT", "TN"} {
			transA, transB := trans[0] == 'T', trans[1] == 'T'
			lda, ldb := k, n
			if transA {
				lda = m
			}
			if transB {
				ldb = k
			}
			b.Run(fmt.Sprintf("%dx%dx%d/%s", m, n, k, trans), func(b *testing.B) {
				x, y, z := make([]float32, m*k), make([]float32, k*n), make([]float32, m*n)
				for b.Loop() {
					Gemm(nil, transA, transB, m, n, k, x, lda, y, ldb, z, n)
				}
				b.ReportMetric(2*float64(m)*float64(n)*float64(k)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
			})
		}
	}
}

func BenchmarkElementwise(b *testing.B) {
	for _, n := range []int{32, 1000, 100_000} {
		x, y, z := make([]float32, n), make([]float32, n), make([]float32, n)
		for i := range x {
			x[i], y[i] = float32(i%17)-8, 3
		}
		for _, c := range []struct {
			name string
			f    func()
		}{
			{"Add", func() { Add(z, x, y) }},
			{"Max", func() { Max(z, x, y) }},
			{"MulScalar", func() { MulScalar(z, x, 3) }},
			{"Div", func() { Div(z, x, y) }},
			{"Relu", func() { Relu(z, x) }},
			{"Exp", func() { Exp(z, x) }},
			{"Tanh", func() { Tanh(z, x) }},
			{"Sigmoid", func() { Sigmoid(z, x) }},
		} {
			b.Run(fmt.Sprintf("%s/n=%d", c.name, n), func(b *testing.B) {
				for b.Loop() {
					c.f()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/element")
			})
		}
	}
}

// Lines of depthwise convolutions of an image, on one thread.
func BenchmarkTapLine(b *testing.B) {
	for _, c := range []struct{ high, size, channels, window, stride int }{
		{8, 46, 336, 5, 1}, {8, 46, 96, 3, 1}, {8, 112, 32, 3, 1}, {8, 112, 96, 3, 2}, {56, 56, 24, 3, 1}, {28, 28, 192, 3, 1}, {14, 14, 384, 3, 1},
		{28, 28, 336, 5, 1}, {28, 28, 336, 5, 2}, {14, 14, 672, 5, 1}, {7, 7, 1152, 5, 1}, {32, 32, 24, 5, 1},
	} {
		b.Run(fmt.Sprintf("%dx%dx%d/%dx%d/stride=%d", c.high, c.size, c.channels, c.window, c.window, c.stride), func(b *testing.B) {
			high, out := (c.high-1)/c.stride+1, (c.size-1)/c.stride+1
			line := TapLine{Channels: c.channels, Columns: c.window, Next: c.size * c.channels, Column: c.channels, WeightLine: c.window * c.channels,
				Width: c.size, Before: max(0, (out-1)*c.stride+c.window-c.size) / 2, Stride: c.stride, Pixels: out}
			x, w, y := make([]float32, c.high*c.size*c.channels), make([]float32, c.window*c.window*c.channels), make([]float32, high*out*c.channels)
			for i := range x {
				x[i] = float32(i%17) - 8
			}
			for b.Loop() {
				for r := range high {
					first := r*c.stride - line.Before
					top, bottom := max(0, -first), min(c.window, c.high-first)
					line.Lines = bottom - top
					line.Multiply(y[r*out*c.channels:], x[(first+top)*c.size*c.channels:], w[top*line.WeightLine:], &Finish{Limit: Relu6Limit})
				}
			}
			b.ReportMetric(2*float64(high*out*c.channels*c.window*c.window)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
		})
	}
}
