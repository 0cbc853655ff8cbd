package serve

import (
	"bytes"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/serve/batch"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/tensor"
)

// TestBatched: requests of many clients share steps, and each has the answer to its own.
func TestBatched(t *testing.T) {
	for name, p := range map[string]*batch.Parameters{"adaptive": nil, "parameters": {MaxBatchSize: 8, BatchTimeout: time.Millisecond}} {
		dir := filepath.Join(t.TempDir(), "half")
		half(t, dir, "0")
		m := manager(t, Options{Batching: Batching{Parameters: p}})
		if err := m.Add(t.Context(), Config{Name: "half", Path: dir}); err != nil {
			t.Fatal(err)
		}
		var clients sync.WaitGroup
		for i := range 16 {
			clients.Go(func() {
				for k := range 50 {
					x := float32(100*i + k)
					out, _, err := m.Predict(t.Context(), Spec{Model: "half"}, floats(t, x, x+1))
					if err != nil || out["y"].Value().([]float32)[0] != x/2 || out["y"].Value().([]float32)[1] != (x+1)/2 {
						t.Errorf("%s: half of %v is %v, %v", name, x, out, err)
						return
					}
				}
			})
		}
		clients.Wait()
	}
}

// TestNotBatched: signatures without rows, with effects, or of a model that is not to be
// batched run alone.
func TestNotBatched(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "m"), `
x = Placeholder() {dtype=DT_FLOAT, shape=shape [?,2]}
f = Placeholder() {dtype=DT_FLOAT, shape=shape [3,2]}
s = Shape(x)
rows = Neg(x)
fixed = Neg(f)
r = RandomUniform(s) {dtype=DT_FLOAT}
random = AddV2(x, r)
axes = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [2] values: 0 1>}
sum = Sum(x, axes)
`, "rows: x -> rows", "fixed: f -> fixed", "random: x -> random", "sum: x -> sum")
	for off, want := range map[bool][]string{false: {"rows"}, true: nil} {
		m := manager(t, Options{})
		if err := m.Add(t.Context(), Config{Name: "m", Path: filepath.Join(dir, "m"), Batching: &Batching{Off: off}}); err != nil {
			t.Fatal(err)
		}
		u, err := m.Use(Spec{Model: "m"})
		if err != nil {
			t.Fatal(err)
		}
		if got := sorted.Keys(u.v.batches.signatures); len(got) != len(want) || len(got) > 0 && got[0] != want[0] {
			t.Errorf("batched: %v", got)
		}
		u.Close()
	}
}

// TestBits: a row of a batch has the bits that it has alone, for batches of every size.
// The kernels of this model (convolutions, pooling, products, softmax) compute a row in an
// order that does not depend on how many there are.
func TestBits(t *testing.T) {
	m, err := model.Load("../examples/serve/digits", []string{"serve"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Session.Close()
	call, err := m.Prepare(t.Context(), "serving_default")
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	const most, size = 40, 64
	data := make([]float32, most*size)
	for i := range data {
		data[i] = rng.Float32()
	}
	run := func(from, n int) []byte {
		x, _ := tensor.FromSlice(data[from*size:(from+n)*size], int64(n), 8, 8, 1)
		out, err := call.Run(t.Context(), map[string]*tensor.Tensor{"image": x})
		if err != nil {
			t.Fatal(err)
		}
		v := tensor.ValueOf(out["output_0"])
		return bytes.Clone(tensor.Bytes(&v))
	}
	var alone []byte
	for i := range most {
		alone = append(alone, run(i, 1)...)
	}
	row := len(alone) / most
	differ := ""
	for n := 2; n <= most; n++ {
		if got := run(0, n); !bytes.Equal(got, alone[:n*row]) {
			differ += " " + strconv.Itoa(n)
		}
	}
	if differ != "" {
		t.Errorf("batches of%s rows differ in bits from single rows", differ)
	}
}
