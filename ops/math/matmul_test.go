package math_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// Products, plain, transposed and in batches, against three loops in float64.
func TestProductsEqualLoops(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, n, k := rapid.Int64Range(0, 9).Draw(t, "m"), rapid.Int64Range(0, 9).Draw(t, "n"), rapid.Int64Range(0, 9).Draw(t, "k")
		ta, tb := rapid.Bool().Draw(t, "transpose a"), rapid.Bool().Draw(t, "transpose b")
		batch := rapid.Int64Range(1, 3).Draw(t, "batch")
		repeatA := rapid.Bool().Draw(t, "repeat a")
		fill := func(n int64) []float64 {
			x := make([]float64, n)
			for i := range x {
				x[i] = math.Sin(float64(i) * 1.7)
			}
			return x
		}
		dims := func(rows, columns int64, turned bool) (int64, int64) {
			if turned {
				return columns, rows
			}
			return rows, columns
		}
		ba := batch
		if repeatA {
			ba = 1
		}
		a, b := fill(ba*m*k), fill(batch*k*n)
		ar, ac := dims(m, k, ta)
		br, bc := dims(k, n, tb)
		attrs := registry.Attrs{
			{Name: "adj_x", Value: registry.BoolAttr(ta)},
			{Name: "adj_y", Value: registry.BoolAttr(tb)},
		}
		got := data[float64](t, run(t, "BatchMatMulV2", attrs, of(t, a, ba, ar, ac), of(t, b, batch, br, bc)))
		at := func(x []float64, rows, columns, i, j int64, turned bool) float64 {
			if turned {
				i, j = j, i
			}
			return x[i*columns+j]
		}
		check := func(got, a, b []float64) {
			for i := range m {
				for j := range n {
					want := 0.0
					for l := range k {
						want += at(a, ar, ac, i, l, ta) * at(b, br, bc, l, j, tb)
					}
					if math.Abs(got[i*n+j]-want) > 1e-12 {
						t.Fatalf("element %d,%d is %v, want %v", i, j, got[i*n+j], want)
					}
				}
			}
		}
		for p := range batch {
			pa := p
			if repeatA {
				pa = 0
			}
			check(got[p*m*n:(p+1)*m*n], a[pa*m*k:(pa+1)*m*k], b[p*k*n:(p+1)*k*n])
		}
		if batch == 1 {
			attrs := registry.Attrs{
				{Name: "transpose_a", Value: registry.BoolAttr(ta)},
				{Name: "transpose_b", Value: registry.BoolAttr(tb)},
			}
			check(data[float64](t, run(t, "MatMul", attrs, of(t, a, ar, ac), of(t, b, br, bc))), a, b)
		}
	})
}

// A product that is computed some rows at a time is that of all rows.
func TestPanels(t *testing.T) {
	const m, n, k = 350, 330, 340 // more than one panel of integers
	x, y := make([]int32, m*k), make([]int32, k*n)
	for i := range x {
		x[i] = int32(i*7919%1013) - 500
	}
	for i := range y {
		y[i] = int32(i*104729%997) - 498
	}
	for _, transA := range []bool{false, true} {
		dims := []int64{m, k}
		if transA {
			dims = []int64{k, m}
		}
		out, err := kerneltest.Run("MatMul", registry.Attrs{
			{Name: "transpose_a", Value: registry.BoolAttr(transA)}, {Name: "transpose_b", Value: registry.BoolAttr(false)},
			{Name: "T", Value: registry.TypeAttr(tensor.Int32)},
		}, of(t, x, dims...), of(t, y, k, n))
		if err != nil {
			t.Fatal(err)
		}
		got, err := tensor.Data[int32](out[0])
		if err != nil {
			t.Fatal(err)
		}
		for i := range m {
			for j := 0; j < n; j += 17 {
				want := int32(0)
				for p := range k {
					a := x[i*k+p]
					if transA {
						a = x[p*m+i]
					}
					want += a * y[p*n+j]
				}
				if got[i*n+j] != want {
					t.Fatalf("transposed %v: element %d, %d is %d, want %d", transA, i, j, got[i*n+j], want)
				}
			}
		}
	}
}
