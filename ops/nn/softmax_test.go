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
	const rows, n = 7, 33
	x, labels := make([]float32, rows*n), make([]float32, rows*n)
	classes := make([]int32, rows)
	for i := range x {
		x[i] = 20 * float32(math.Sin(float64(i)))
		labels[i] = float32(i%n) / (n * (n - 1) / 2)
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
	logits := of(t, x, rows, n)
	soft, logSoft := run("Softmax", logits)[0], run("LogSoftmax", logits)[0]
	dense := run("SoftmaxCrossEntropyWithLogits", logits, of(t, labels, rows, n))
	sparse := run("SparseSoftmaxCrossEntropyWithLogits", logits, of(t, classes, rows))
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
