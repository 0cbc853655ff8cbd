package linalg_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"strconv"
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// An answer is a line of testdata/answers.jsonl.gz: testdata/record.py.
type answer struct {
	Op      string
	Attrs   map[string]any
	Inputs  []*recorded
	Outputs []*recorded
	Error   string
}

type recorded struct {
	Type  string
	Shape []int64
	Data  []string // complex numbers are two
}

func (r *recorded) tensor(t *testing.T) *tensor.Tensor {
	t.Helper()
	x := make([]float64, len(r.Data))
	for i, s := range r.Data {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		x[i] = v
	}
	dt, _ := tensor.ParseDType(r.Type)
	v, err := tensor.New(dt, r.Shape...)
	if err != nil {
		t.Fatal(err)
	}
	switch dt {
	case tensor.Float:
		fill(t, v, func(i int) float32 { return float32(x[i]) })
	case tensor.Double:
		fill(t, v, func(i int) float64 { return x[i] })
	case tensor.Int32:
		fill(t, v, func(i int) int32 { return int32(x[i]) })
	case tensor.Int64:
		fill(t, v, func(i int) int64 { return int64(x[i]) })
	case tensor.Complex64:
		fill(t, v, func(i int) complex64 { return complex(float32(x[2*i]), float32(x[2*i+1])) })
	case tensor.Complex128:
		fill(t, v, func(i int) complex128 { return complex(x[2*i], x[2*i+1]) })
	default:
		t.Fatalf("type %s", r.Type)
	}
	return v
}

func fill[T tensor.Element](t *testing.T, v *tensor.Tensor, f func(i int) T) {
	t.Helper()
	data, err := tensor.Data[T](v)
	if err != nil {
		t.Fatal(err)
	}
	for i := range data {
		data[i] = f(i)
	}
}

func TestAnswersEqualTensorFlow(t *testing.T) {
	f, err := os.Open("testdata/answers.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for dec := json.NewDecoder(bufio.NewReader(text)); dec.More(); n++ {
		var a answer
		if err := dec.Decode(&a); err != nil {
			t.Fatal(err)
		}
		var attrs registry.Attrs
		for name, v := range a.Attrs {
			attr := registry.AttrValue{}
			switch v := v.(type) {
			case bool:
				attr = registry.BoolAttr(v)
			case string:
				dt, _ := tensor.ParseDType(v)
				attr = registry.TypeAttr(dt)
			}
			attrs = append(attrs, registry.NamedAttr{Name: name, Value: attr})
		}
		var in []*tensor.Tensor
		for _, r := range a.Inputs {
			in = append(in, r.tensor(t))
		}
		got, err := kerneltest.Run(a.Op, attrs, in...)
		if a.Error != "" {
			if err == nil || status.CodeOf(err) != status.InvalidArgument || status.From(err).Message != a.Error {
				t.Errorf("line %d, %s%v: %v, want %s", n+1, a.Op, a.Attrs, err, a.Error)
			}
			continue
		}
		if err != nil {
			t.Errorf("line %d, %s%v: %v", n+1, a.Op, a.Attrs, err)
			continue
		}
		for i, want := range a.Outputs {
			if want == nil {
				continue
			}
			tol := tensor.Tolerance{RTol: 1e-9, ATol: 1e-10}
			if want.Type == "float32" || want.Type == "complex64" {
				tol = tensor.Tolerance{RTol: 2e-3, ATol: 1e-3}
			}
			if err := tensor.Compare(got[i], want.tensor(t), tol); err != nil {
				t.Errorf("line %d, %s%v, output %d: %v", n+1, a.Op, a.Attrs, i, err)
			}
		}
	}
	if n < 200 {
		t.Errorf("only %d answers", n)
	}
}
