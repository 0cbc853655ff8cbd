package layers

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"os"
	"strconv"
	"testing"

	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/train"
)

func digits(t *testing.T) Batch {
	t.Helper()
	f, err := os.ReadFile("../examples/handwritten/testdata/digits.csv.gz")
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(f))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(z).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var x []float32
	var y []int64
	for _, row := range rows {
		for i, field := range row {
			n, err := strconv.Atoi(field)
			if err != nil {
				t.Fatal(err)
			}
			if i < 64 {
				x = append(x, float32(n)/16)
			} else {
				y = append(y, int64(n))
			}
		}
	}
	b, err := Examples(tensorOf(t, y, int64(len(y))), tensorOf(t, x, int64(len(y)), 8, 8, 1))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func tensorOf[T tf.Element](t *testing.T, data []T, shape ...int64) *tf.Tensor {
	t.Helper()
	x, err := tf.FromSlice(data, shape...)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// A small convolutional network reads 97% of digits that it has not seen.
func TestDigits(t *testing.T) {
	test, rest, err := digits(t).Split(360, 20)
	if err != nil {
		t.Fatal(err)
	}
	n := New(1)
	logits := n.Input("image", tf.Float, 8, 8, 1).Then(
		&Conv2D{Filters: 16, Kernel: Square(3), Activation: ReLU},
		&MaxPooling2D{},
		&BatchNormalization{},
		&Flatten{},
		&Dropout{Rate: 0.2},
		&Dense{Units: 64, Activation: ReLU},
		&Dense{Units: 10})
	m, err := n.Compile(t.Context(), logits, Config{
		Loss:      SparseCategoricalCrossentropy{FromLogits: true},
		Optimizer: train.Adam{Rate: train.Fixed(0.003)},
		Metrics:   []Metric{Accuracy{}, TopK{K: 2}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	history, err := m.Fit(t.Context(), Prefetch(rest.Shuffled(32, 1), 2), FitOptions{Epochs: 8, Validation: test.Batches(360), Progress: t.Output()})
	if err != nil {
		t.Fatal(err)
	}
	last := history[len(history)-1]
	if a := last.Values["val_accuracy"]; a < 0.97 {
		t.Errorf("%v of the digits are read right: %v", a, last)
	}
}
