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
