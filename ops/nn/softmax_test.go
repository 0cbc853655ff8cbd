package nn_test

import (
	"math"
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	_ "github.com/troupe-go/troupe/ops/nn"
	"github.com/troupe-go/troupe/tensor"
)

func of[T tensor.Element](tb testing.TB, data []T, dims ...int64) *tensor.Tensor {
	t, err := tensor.FromSlice(data, dims...)
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

func floats(tb testing.TB, t *tensor.Tensor) []float32 {
	x, err := tensor.Data[float32](t)
	if err != nil {
		tb.Fatal(err)
	}
	return x
}

func close(got float32, want float64) bool {
	return math.Abs(float64(got)-want) <= 2e-6*math.Abs(want)+1e-7
}

// Softmax, its logarithm and both cross entropies against float64.
func TestSoftmax(t *testing.T) {
	for _, n := range []int{2, 33, 64, 65, 257, 1001} {
		testSoftmax(t, 7, n)
	}
}

func testSoftmax(t *testing.T, rows, n int) {
	x, labels := make([]float32, rows*n), make([]float32, rows*n)
	classes := make([]int32, rows)
	for i := range x {
		x[i] = 20 * float32(math.Sin(float64(i)))
		labels[i] = float32(i%n) / float32(n*(n-1)/2)
	}
	for i := range classes {
		classes[i] = int32(i * 5 % n)
	}
	run := func(op string, in ...*tensor.Tensor) [][]float32 {
		out, err := kerneltest.Run(op, nil, in...)
		if err != nil {
			t.Fatal(op, err)
		}
		var all [][]float32
		for _, o := range out {
			all = append(all, floats(t, o))
		}
		return all
	}
	logits := of(t, x, int64(rows), int64(n))
	soft, logSoft := run("Softmax", logits)[0], run("LogSoftmax", logits)[0]
	dense := run("SoftmaxCrossEntropyWithLogits", logits, of(t, labels, int64(rows), int64(n)))
	sparse := run("SparseSoftmaxCrossEntropyWithLogits", logits, of(t, classes, int64(rows)))
	for i := range rows {
		row := x[i*n : (i+1)*n]
		total := 0.0
		for _, x := range row {
			total += math.Exp(float64(x))
		}
		denseLoss := 0.0
		for j, x := range row {
			p, log := math.Exp(float64(x))/total, float64(x)-math.Log(total)
			at := i*n + j
			if !close(soft[at], p) || math.Abs(float64(logSoft[at])-log) > 1e-5 {
				t.Fatalf("softmax %v, log %v, want %v, %v", soft[at], logSoft[at], p, log)
			}
			denseLoss -= float64(labels[at]) * log
			if want := p - float64(labels[at]); math.Abs(float64(dense[1][at])-want) > 1e-6 {
				t.Fatalf("gradient %v, want %v", dense[1][at], want)
			}
			want := p
			if j == int(classes[i]) {
				want--
				if math.Abs(float64(sparse[0][i])+log) > 1e-5 {
					t.Fatalf("loss of class %d is %v, want %v", j, sparse[0][i], -log)
				}
			}
			if math.Abs(float64(sparse[1][at])-want) > 1e-6 {
				t.Fatalf("gradient %v, want %v", sparse[1][at], want)
			}
		}
		if math.Abs(float64(dense[0][i])-denseLoss) > 1e-4 {
			t.Fatalf("loss %v, want %v", dense[0][i], denseLoss)
		}
	}
}

// A NaN or an infinity makes all of its row NaN, wherever it is, and -Inf is a
// probability of 0; a row of equal large numbers is uniform.
func TestSoftmaxOfSpecialNumbers(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, n := range []int{3, 63, 64, 100, 1000} {
		for _, at := range []int{0, n / 2, n - 1} {
			for _, special := range []float32{float32(math.NaN()), inf, -inf, 1e38} {
				x := make([]float32, 2*n)
				for i := range n {
					x[i], x[n+i] = 1e38, 1e38
				}
				x[at] = special
				out, err := kerneltest.Run("Softmax", nil, of(t, x, 2, int64(n)))
				if err != nil {
					t.Fatal(err)
				}
				for i, got := range floats(t, out[0]) {
					want := 1 / float64(n)
					switch {
					case i >= n || special == 1e38:
					case special != -inf:
						want = math.NaN()
					case i == at:
						want = 0
					default:
						want = 1 / float64(n-1)
					}
					if math.IsNaN(want) != (got != got) || got == got && !close(got, want) {
						t.Fatalf("%d numbers, of which %d is %v: softmax %d is %v, want %v", n, at, special, i, got, want)
					}
				}
			}
		}
	}
}

func TestBias(t *testing.T) {
	x := of(t, []float32{1, 2, 3, 4, 5, 6}, 2, 3)
	out, err := kerneltest.Run("BiasAdd", nil, x, of(t, []float32{10, 20, 30}, 3))
	if err != nil {
		t.Fatal(err)
	}
	grad, err := kerneltest.Run("BiasAddGrad", nil, x)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float32{11, 22, 33, 14, 25, 36} {
		if got := floats(t, out[0])[i]; got != want {
			t.Errorf("element %d is %v, want %v", i, got, want)
		}
	}
	for i, want := range []float32{5, 7, 9} {
		if got := floats(t, grad[0])[i]; got != want {
			t.Errorf("gradient %d is %v, want %v", i, got, want)
		}
	}
}

// Rows are added up in blocks, and blocks in order, whatever their length and for all
// types: sums of small integers are exact.
func TestBiasGradSizes(t *testing.T) {
	for _, dims := range [][2]int{{1, 1}, {3, 7}, {40, 17}, {100, 64}, {17, 300}, {5000, 33}} {
		x, wide := make([]float32, dims[0]*dims[1]), make([]float64, dims[0]*dims[1])
		want := make([]float32, dims[1])
		for i := range x {
			x[i] = float32(i*i%11) - 5
			wide[i] = float64(x[i])
			want[i%dims[1]] += x[i]
		}
		shape := []int64{int64(dims[0]), int64(dims[1])}
		got, err := kerneltest.Run("BiasAddGrad", nil, of(t, x, shape...))
		if err != nil {
			t.Fatal(err)
		}
		double, err := kerneltest.Run("BiasAddGrad", nil, of(t, wide, shape...))
		if err != nil {
			t.Fatal(err)
		}
		for j, want := range want {
			if floats(t, got[0])[j] != want || double[0].Value().([]float64)[j] != float64(want) {
				t.Errorf("%v: sum %d is %v and %v, want %v", dims, j, floats(t, got[0])[j], double[0].Value().([]float64)[j], want)
			}
		}
	}
}
