package serve

import (
	"strings"
	"testing"

	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/tensor"
)

// TestDefaults: an input with a default may be missing, but not in some of the instances.
func TestDefaults(t *testing.T) {
	x, err := tensor.FromSlice([]float32{1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	sig := model.Signature{
		Inputs:   map[string]model.TensorInfo{"a": {DType: tensor.Float}, "b": {DType: tensor.Float}},
		Defaults: map[string]*tensor.Tensor{"b": x},
	}
	for _, c := range []struct {
		read  func(model.Signature, []byte) (map[string]*tensor.Tensor, error)
		text  string
		names string // of the inputs that are read
		err   string
	}{
		{columns, `{"a": [1, 2]}`, "a", ""},
		{columns, `{"a": [1, 2], "b": 3}`, "a,b", ""},
		{columns, `{"b": 3}`, "", "Missing named input: a"},
		{rows, `[{"a": 1}, {"a": 2}]`, "a", ""},
		{rows, `[{"a": 1, "b": 1}, {"a": 2, "b": 1}]`, "a,b", ""},
		{rows, `[{"a": 1, "b": 1}, {"a": 2}]`, "", "Missing named input: b"},
		{rows, `[{"a": 1}, {"a": 2, "b": 1}]`, "", "instance 1 has the input b"},
		{rows, `[{"a": 1, "a": 1}]`, "", "twice"},
		{rows, `[{"b": 1}]`, "", "Missing named input: a"},
	} {
		in, err := c.read(sig, []byte(c.text))
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v", c.text, err)
			}
		} else if got := strings.Join(sorted.Keys(in), ","); err != nil || got != c.names {
			t.Errorf("%s: %s, %v", c.text, got, err)
		}
	}
}
