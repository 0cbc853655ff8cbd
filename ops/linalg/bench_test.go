package linalg_test

import (
	"fmt"
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

func BenchmarkDecompositions(b *testing.B) {
	for _, op := range []string{"Cholesky", "MatrixInverse", "Qr", "SelfAdjointEigV2", "Svd", "Eig"} {
		for _, n := range []int64{4, 64, 256} {
			b.Run(fmt.Sprintf("%s/n=%d", op, n), func(b *testing.B) {
				x := make([]float64, n*n)
				for i := range x {
					x[i] = float64(i*i%101) / 101
				}
				for i := range n {
					x[i*n+i] += float64(n)
				}
				in, err := tensor.FromSlice(x, n, n)
				if err != nil {
					b.Fatal(err)
				}
				var attrs registry.Attrs
				if op == "Eig" {
					attrs = registry.Attrs{{Name: "Tout", Value: registry.TypeAttr(tensor.Complex128)}}
				}
				b.ReportAllocs()
				for b.Loop() {
					if _, err := kerneltest.Run(op, attrs, in); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
