package typed

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A runner returns its inputs, and what else it is told.
type runner struct {
	outputs map[string]*tensor.Tensor
	err     error
}

func (r runner) Run(_ context.Context, _ string, inputs map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	out := map[string]*tensor.Tensor{}
	for name, t := range inputs {
		out[name] = t
	}
	for name, t := range r.outputs {
		out[name] = t
	}
	return out, r.err
}

// TestCall: values pass through tensors unchanged.
func TestCall(t *testing.T) {
	var c Call
	PutScalar(&c, "scalar", int64(7))
	PutSlice(&c, "slice", []float32{1, 2, 3, 4, 5, 6}, -1, 3)
	PutSlice(&c, "fixed", []string{"a", "b"}, 2)
	PutSlice(&c, "none", []bool(nil), -1, 4)
	PutArray(&c, "array", Array[tensor.Float16]{[]tensor.Float16{1, 2}, []int64{2, 1}})
	PutTensor(&c, "tensor", tensor.FromScalar(int8(3)))
	c.Run(t.Context(), runner{}, "s")
	if x := TakeScalar[int64](&c, "scalar"); x != 7 {
		t.Error(x)
	}
	if x := TakeSlice[float32](&c, "slice", 2, -1); !reflect.DeepEqual(x, []float32{1, 2, 3, 4, 5, 6}) {
		t.Error(x)
	}
	if x := TakeSlice[string](&c, "fixed", 2); !reflect.DeepEqual(x, []string{"a", "b"}) {
		t.Error(x)
	}
	if x := TakeArray[bool](&c, "none"); len(x.Data) != 0 || !reflect.DeepEqual(x.Shape, []int64{0, 4}) {
		t.Error(x)
	}
	if x := TakeArray[tensor.Float16](&c, "array"); !reflect.DeepEqual(x, Array[tensor.Float16]{[]tensor.Float16{1, 2}, []int64{2, 1}}) {
		t.Error(x)
	}
	if x := TakeTensor(&c, "tensor"); x == nil || x.DType() != tensor.Int8 {
		t.Error(x)
	}
	if err := c.Err(); err != nil {
		t.Error(err)
	}
}

// TestErrors: the first error wins, and later steps return zero values.
func TestErrors(t *testing.T) {
	refused := errors.New("refused")
	for want, call := range map[string]func(c *Call){
		"input \"x\": 5 elements, no multiple of 2, for shape [-1,2]": func(c *Call) { PutSlice(c, "x", make([]float32, 5), -1, 2) },
		"input \"x\"": func(c *Call) { PutSlice(c, "x", make([]float32, 5), 4) },
		"is nil":      func(c *Call) { PutTensor(c, "x", nil) },
		"no output":   func(c *Call) { c.Run(context.Background(), runner{}, "s"); TakeSlice[float32](c, "y", 1) },
		"refused":     func(c *Call) { c.Run(context.Background(), runner{err: refused}, "s") },
		"a nil model": func(c *Call) { c.Run(context.Background(), nil, "s") },
		"output \"y\" has shape [2], not [3]": func(c *Call) {
			c.Run(context.Background(), runner{outputs: map[string]*tensor.Tensor{"y": must(tensor.FromSlice([]float32{1, 2}, 2))}}, "s")
			TakeSlice[float32](c, "y", 3)
		},
		"output \"y\":": func(c *Call) {
			c.Run(context.Background(), runner{outputs: map[string]*tensor.Tensor{"y": tensor.FromScalar(int32(1))}}, "s")
			TakeScalar[float32](c, "y")
		},
	} {
		var c Call
		call(&c)
		first := c.Err()
		if first == nil || !strings.Contains(first.Error(), want) || status.CodeOf(first) == status.OK {
			t.Errorf("%v, want %s", first, want)
		}
		PutSlice(&c, "z", make([]float32, 5), 4)
		c.Run(context.Background(), runner{}, "s")
		if x, y, z := TakeScalar[int32](&c, "z"), TakeSlice[bool](&c, "z"), TakeTensor(&c, "z"); x != 0 || y != nil || z != nil {
			t.Errorf("%s: %v %v %v", want, x, y, z)
		}
		if c.Err() != first {
			t.Errorf("%v after %v", c.Err(), first)
		}
	}
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}
