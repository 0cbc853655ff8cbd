package linalg_test

import (
	"math"
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/tensor"
)

// many are four workers.
type many struct{ kerneltest.Threads }

func (many) Workers() int { return 4 }

// Many small matrices are shared out, and the ranges do not take from the step's memory;
// with invariants checked that would be told.
func TestManyMatrices(t *testing.T) {
	const count, n = 4000, 3
	x, err := tensor.New(tensor.Float, count, n, n)
	if err != nil {
		t.Fatal(err)
	}
	at := func(i int) float64 { return float64(float32(math.Sin(float64(i * i % 1013)))) }
	fill(t, x, func(i int) float32 { return float32(at(i)) })
	r := &kerneltest.Runner{Pool: many{}}
	for range 3 {
		out, err := r.Run("node", "MatrixDeterminant", nil, x)
		if err != nil {
			t.Fatal(err)
		}
		got, err := tensor.Data[float32](out[0])
		if err != nil {
			t.Fatal(err)
		}
		for b, d := range got {
			m := func(row, col int) float64 { return at(b*n*n + row*n + col) }
			want := m(0, 0)*(m(1, 1)*m(2, 2)-m(1, 2)*m(2, 1)) - m(0, 1)*(m(1, 0)*m(2, 2)-m(1, 2)*m(2, 0)) + m(0, 2)*(m(1, 0)*m(2, 1)-m(1, 1)*m(2, 0))
			if math.Abs(float64(d)-want) > 1e-5 {
				t.Fatalf("determinant %d is %v, want %v", b, d, want)
			}
		}
	}
}
