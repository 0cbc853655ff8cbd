package vec

import (
	"fmt"
	"testing"

	"github.com/troupe-go/troupe/kernel"
)

// A guarding is numbers of which any last ones end where memory does, for several
// operands.
type guarding [6][]float32

func newGuarding(t *testing.T, n int) (g guarding) {
	for i := range g {
		g[i] = mixed(t, n)
	}
	return g
}

func (g *guarding) last(operand, n int) []float32 { return g[operand][len(g[operand])-n:] }

// finishKinds is how many kinds of Finish there are.
const finishKinds = 32

// finish returns a kind of Finish for a result of so many columns and elements.
func (g *guarding) finish(kind, columns, elements int) Finish {
	f := Finish{Limit: Limit(kind % 4), Slope: 0.3}
	if kind/4&1 != 0 {
		f.Bias = g.last(0, columns)
	}
	if kind/8&1 != 0 {
		f.Scale = g.last(1, columns)
	}
	if kind/16&1 != 0 {
		f.Add = g.last(2, elements)
	}
	return f
}

// finished returns what f makes of a sum, the element at of the result.
func (f *Finish) finished(sum float32, column, at int) float32 {
	if f.Scale != nil {
		sum = float32(sum * f.Scale[column])
	}
	if f.Bias != nil {
		sum += f.Bias[column]
	}
	if f.Add != nil {
		sum += f.Add[at]
	}
	switch {
	case f.Limit == ReluLimit && sum <= 0, f.Limit == Relu6Limit && sum < 0:
		return 0
	case f.Limit == Relu6Limit && sum > 6:
		return 6
	case f.Limit == LeakyReluLimit && !(sum > 0):
		return sum * f.Slope
	}
	return sum
}

func mustPanic(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Error(what)
		}
	}()
	f()
}

// TestGemmFinish compares products that are finished with Gemm's, finished one by one.
func TestGemmFinish(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		g, kind := newGuarding(t, 1<<18), 0
		check := func(p kernel.Pool, m, n, k int) {
			kind++
			lda, ldb, ldc := k+kind%3, n+kind%2, n+kind%4
			a, b, out := g.last(3, (m-1)*lda+k), g.last(4, max(0, (k-1)*ldb+n)), g.last(5, (m-1)*ldc+n)
			if k == 0 {
				b = nil
			}
			f := g.finish(kind%finishKinds, n, len(out))
			Gemm(p, false, false, m, n, k, a, lda, b, ldb, out, ldc)
			want := append([]float32(nil), out...)
			for i := range m {
				for j := range n {
					want[i*ldc+j] = f.finished(want[i*ldc+j], j, i*ldc+j)
				}
			}
			GemmFinish(p, m, n, k, a, lda, b, ldb, out, ldc, &f)
			if !same(out, want) {
				t.Fatalf("%d×%d×%d, %+v: %v, want %v", m, n, k, f, out, want)
			}
			if kind%10 == 0 && f.Bias != nil {
				f.Bias = f.Bias[1:]
				mustPanic(t, fmt.Sprintf("%d×%d×%d: too short a bias", m, n, k), func() { GemmFinish(p, m, n, k, a, lda, b, ldb, out, ldc, &f) })
			}
		}
		for m := 1; m < 32; m++ {
			for n := 1; n < 70; n += 1 + n/9 {
				for _, k := range []int{0, 1, 5, 256, 257} {
					check(nil, m, n, k)
				}
			}
		}
		for _, size := range sizes {
			if size[0]*size[2] < 1<<17 && size[1]*size[2] < 1<<17 {
				check(goroutines{}, size[0], size[1], size[2])
			}
		}
		check(goroutines{}, 120, 512, 100)
		check(goroutines{}, 300, 200, 600)
	})
}
