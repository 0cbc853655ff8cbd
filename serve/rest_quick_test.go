package serve

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/serve/internal/mutate"
	"github.com/troupe-go/troupe/tensor"
)

// TestQuick: what is read in one pass is what parseCall, rows and columns read.
func TestQuick(t *testing.T) {
	one := func(dt tensor.DType) model.Signature {
		return model.Signature{Inputs: map[string]model.TensorInfo{"x": {DType: dt}}}
	}
	m := &model.SavedModel{Signatures: map[string]model.Signature{
		"serving_default": one(tensor.Float), "d": one(tensor.Double), "i": one(tensor.Int64), "s": one(tensor.String),
		"two": {Inputs: map[string]model.TensorInfo{"x": {DType: tensor.Float}, "y": {DType: tensor.Float}}},
	}}
	compare := func(t *testing.T, text string) bool {
		got, ok := quick(m, []byte(text))
		if !ok {
			return false
		}
		request, err := parseCall([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if s := (Spec{Signature: request.signature}); s.signature() != got.signature {
			t.Fatalf("%s: signature %s", text, got.signature)
		}
		sig := m.Signatures[got.signature]
		var want map[string]*tensor.Tensor
		if request.instances != nil && request.inputs != nil {
			t.Fatalf("%s has both forms", text)
		} else if request.instances != nil {
			want, err = rows(sig, request.instances)
		} else {
			want, err = columns(sig, request.inputs)
		}
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if a, b := got.inputs["x"].String(), want["x"].String(); a != b || len(got.inputs) != 1 || len(want) != 1 {
			t.Fatalf("%s: %s, want %s", text, a, b)
		}
		y, err := tensor.FromSlice([]float32{1, 2}, 2)
		if err != nil {
			t.Fatal(err)
		}
		reply, _ := got.reply(nil, map[string]*tensor.Tensor{"y": y})
		if strings.Contains(string(reply), "predictions") != (request.instances != nil) {
			t.Fatalf("%s: %s", text, reply)
		}
		return true
	}
	good := []string{
		`{"instances": [1, 2.5, -3e4]}`, `{"instances": [[1,2], [3,4]]}`, `{"inputs": [[1, NaN], [-Infinity, 1e-20]]}`, `{"inputs": 7}`,
		`{"signature_name": "d", "instances": [0.1, 123456789.123456789]}`, `{"signature_name": "i", "inputs": [9007199254740993]}`,
		`{"signature_name": "s", "instances": ["a\u00e4", "b"]}`, `{"signature_name": "", "more": {"a": [null]}, "instances": [1]} and more`,
		`{"instances": [0.73105857, 33554433.5,16777217 , 1]}`,
	}
	for _, text := range good {
		if !compare(t, text) {
			t.Errorf("%s is not read in one pass", text)
		}
	}
	other := []string{
		`{"instances": [1], "signature_name": "d"}`, `{"instances": [1], "inputs": [1]}`, `{"instances": [1], "instances": [2]}`, `{"instances": []}`, `{"instances": 1}`,
		`{"instances": [{"x": 1}]}`, `{"inputs": {"x": 1}}`, `{"signature_name": "two", "instances": [1]}`, `{"signature_name": "no", "instances": [1]}`,
		`{"signature_name": "s", "instances": [{"b64": "YQ=="}]}`, `{}`, ``, `{"instances": [1,]}`, `{"instances": [1 2]}`, `{"instances": [[1],[2,3]]}`, `{"instances": [1,[2]]}`, `{"instances": [1`,
		`{"signature_name": "d", "signature_name": "i", "inputs": [1]}`,
	}
	for _, text := range other {
		if compare(t, text) {
			t.Errorf("%s is read in one pass", text)
		}
	}
	var examples [][]byte
	for _, text := range append(good, other...) {
		examples = append(examples, []byte(text))
	}
	source := mutate.New(1, examples...)
	n := 0
	for range 50_000 {
		if compare(t, string(source.Next())) {
			n++
		}
	}
	if n < 1000 {
		t.Errorf("only %d changed requests were read in one pass", n)
	}
}

// TestDoubles compares appendFloat with strconv.
func TestDoubles(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	check := func(x float64, size int) {
		want := strconv.FormatFloat(x, 'g', 6, size)
		if y, err := strconv.ParseFloat(want, size); err != nil || y != x {
			digits := 17
			if size == 32 {
				digits = 9
			}
			want = strconv.FormatFloat(x, 'g', digits, size)
		}
		if !strings.ContainsAny(want, ".e") {
			want += ".0"
		}
		if got := string(appendFloat(nil, x, size)); got != want {
			t.Fatalf("%v of %d bits: %s, want %s", x, size, got, want)
		}
	}
	for range 100_000 {
		x := math.Float64frombits(rng.Uint64())
		f := math.Float32frombits(rng.Uint32())
		few, err := strconv.ParseFloat(strconv.FormatFloat(float64(f), 'g', 1+rng.IntN(7), 64), 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) || f != f || math.IsInf(float64(f), 0) {
			continue
		}
		check(x, 64)
		check(few, 64)
		check(float64(f), 32)
		check(float64(float32(few)), 32)
		check(float64(rng.IntN(1e9)), 64)
	}
}
