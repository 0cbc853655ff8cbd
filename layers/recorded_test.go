package layers

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/npy"
)

// recorded is what testdata/record.py had Keras compute.
type recorded map[string][]byte

func readRecorded(t *testing.T) recorded {
	t.Helper()
	z, err := zip.OpenReader("testdata/layers.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	r := recorded{}
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if r[f.Name], err = io.ReadAll(in); err != nil {
			t.Fatal(err)
		}
		in.Close()
	}
	return r
}

func (r recorded) has(name string) bool { return r[name+".npy"] != nil }

func (r recorded) tensor(t *testing.T, name string) *tf.Tensor {
	t.Helper()
	if !r.has(name) {
		t.Fatalf("%s is not recorded", name)
	}
	x, err := npy.Read(bytes.NewReader(r[name+".npy"]), 1<<20)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return x
}

func (r recorded) scalar(t *testing.T, name string) float64 {
	t.Helper()
	return numbers(r.tensor(t, name))[0]
}

// list is name0, name1 and so on.
func (r recorded) list(t *testing.T, name string) []*tf.Tensor {
	t.Helper()
	var list []*tf.Tensor
	for r.has(fmt.Sprint(name, len(list))) {
		list = append(list, r.tensor(t, fmt.Sprint(name, len(list))))
	}
	return list
}

// weights are the tensors below a folder, by their names without the layer's.
func (r recorded) weights(t *testing.T, folder string) map[string]*tf.Tensor {
	t.Helper()
	w := map[string]*tf.Tensor{}
	for name := range r {
		if rest, ok := strings.CutPrefix(name, folder+"/"); ok {
			_, rest, _ = strings.Cut(strings.TrimSuffix(rest, ".npy"), "/")
			w["tested/"+rest] = r.tensor(t, strings.TrimSuffix(name, ".npy"))
		}
	}
	return w
}

func numbers(x *tf.Tensor) []float64 {
	v := tensor.ValueOf(x)
	list, err := floats(&v)
	if err != nil {
		panic(err)
	}
	return list
}

// compare fails unless the greatest difference is within the limit, relative for numbers
// above 1.
func compare(t *testing.T, what string, got, want *tf.Tensor, limit float64) {
	t.Helper()
	if !slices.Equal(got.Dims(), want.Dims()) {
		t.Errorf("%s has shape %v, Keras's %v", what, got.Dims(), want.Dims())
		return
	}
	a, b := numbers(got), numbers(want)
	worst := 0.0
	for i := range a {
		d := math.Abs(a[i]-b[i]) / max(1, math.Abs(b[i]))
		if math.IsNaN(d) {
			d = math.Inf(1)
		}
		worst = max(worst, d)
	}
	if worst > limit {
		t.Errorf("%s is off by %.2g:\n%v, Keras's\n%v", what, worst, a[:min(len(a), 8)], b[:min(len(b), 8)])
	}
}

// dims are the dimensions of a shape; -1 are unknown.
func dims(s tf.Shape) []int64 {
	list := make([]int64, s.NumDimensions())
	for i := range list {
		list[i] = s.Size(i)
	}
	return list
}
