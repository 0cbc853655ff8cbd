package nn_test

import (
	"testing"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/kernel/kerneltest"
	_ "github.com/troupe-go/troupe/ops/array"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Answers that testdata/edges.py recorded.
func TestEdgesAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/edges.jsonl.gz", tensor.Tolerance{RTol: 1e-6})
}

// Windows far larger than the image, whose elements nobody can count, cover all
// of it.
func TestVastWindows(t *testing.T) {
	const side = 1 << 30
	x, err := tensor.FromSlice([]float32{1, 2, 3, 4, 5, 6, 7, 9, 8}, 1, 1, 3, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	list := registry.ListAttr(registry.KindInt, registry.IntAttr(1), registry.IntAttr(side), registry.IntAttr(side), registry.IntAttr(side), registry.IntAttr(1))
	one := registry.ListAttr(registry.KindInt, registry.IntAttr(1), registry.IntAttr(1), registry.IntAttr(1), registry.IntAttr(1), registry.IntAttr(1))
	attrs := registry.Attrs{{Name: "ksize", Value: list}, {Name: "strides", Value: one}, {Name: "padding", Value: registry.StringAttr("SAME")}}
	for op, want := range map[string]float32{"MaxPool3D": 9, "AvgPool3D": 5} {
		out, err := kerneltest.Run(op, attrs, x)
		if err != nil {
			t.Fatal(op, err)
		}
		got, err := tensor.Data[float32](out[0])
		if err != nil {
			t.Fatal(err)
		}
		for _, y := range got {
			if y != want {
				t.Errorf("%s: %v, want %v everywhere", op, got, want)
				break
			}
		}
	}
}

// Conv leaves dilations out by default; Conv2D must have them.
func TestConvWithoutDilations(t *testing.T) {
	b := graph.NewBuilder(graph.New())
	x := b.Op("Placeholder", graph.Attrs{"dtype": tensor.Float, "shape": graph.MakeShape(1, 5, 5, 2)})
	w := b.Op("Placeholder", graph.Attrs{"dtype": tensor.Float, "shape": graph.MakeShape(3, 3, 2, 4)})
	y := b.Op("Conv", graph.Attrs{"strides": []int64{1, 1, 1, 1}, "padding": "VALID"}, x, w)
	if err := b.Err(); err != nil {
		t.Fatal(err)
	}
	if got := y.Shape().String(); got != "[1, 3, 3, 4]" {
		t.Errorf("shape %s", got)
	}
	b.Op("Conv2D", graph.Attrs{"strides": []int64{1, 1, 1, 1}, "padding": "VALID", "dilations": []int64{}}, x, w)
	if b.Err() == nil {
		t.Error("Conv2D without dilations")
	}
}

// A window and its strides that are inputs have a number for each dimension.
func TestWindowsFromInputs(t *testing.T) {
	x, err := tensor.FromSlice([]float32{1, 2, 3, 4}, 1, 2, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	numbers := func(n int64) *tensor.Tensor {
		ones := make([]int32, n)
		for i := range ones {
			ones[i] = 1
		}
		v, err := tensor.FromSlice(ones, n)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, format := range []string{"NHWC", "NCHW"} {
		attrs := registry.Attrs{{Name: "data_format", Value: registry.StringAttr(format)}, {Name: "padding", Value: registry.StringAttr("SAME")}}
		for _, n := range []int64{0, 1, 3, 4, 5, 1 << 16} {
			for _, m := range []int64{0, 1, 3, 4, 5, 1 << 16} {
				for op, in := range map[string][]*tensor.Tensor{"MaxPoolV2": {x}, "MaxPoolGradV2": {x, x, x}, "MaxPoolGradGradV2": {x, x, x}} {
					_, err := kerneltest.Run(op, attrs, append(in, numbers(n), numbers(m))...)
					switch {
					case n == 4 && m == 4:
						if err != nil {
							t.Errorf("%s %s: %v", op, format, err)
						}
					case status.CodeOf(err) != status.InvalidArgument:
						t.Errorf("%s %s with windows and strides of %d and %d numbers: %v", op, format, n, m, err)
					}
				}
			}
		}
	}
}
