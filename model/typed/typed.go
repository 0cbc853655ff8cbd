package typed

import (
	"context"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A Runner runs signatures of a model: a *model.SavedModel in this process, or a *client.Model
// of package serve/client that a server has.
type Runner interface {
	Run(ctx context.Context, signature string, inputs map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error)
}

// An Element is the Go type of an element of a tensor.
type Element interface {
	bool | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 |
		float32 | float64 | complex64 | complex128 | string | tensor.Float16 | tensor.BFloat16
}

// An Array is a tensor of which more dimensions than one are open: elements in row-major order,
// and all dimensions.
type Array[T Element] struct {
	Data  []T
	Shape []int64
}

// A Call is a run of a signature. The zero Call is ready for inputs.
type Call struct {
	inputs, outputs map[string]*tensor.Tensor
	err             error
}

// Err returns the first error.
func (c *Call) Err() error { return c.err }

func (c *Call) fail(format string, args ...any) {
	if c.err == nil {
		c.err = status.Invalid(format, args...)
	}
}

// Run runs a signature with the inputs put so far.
func (c *Call) Run(ctx context.Context, r Runner, signature string) {
	if c.err != nil {
		return
	}
	if r == nil {
		c.fail("signature %q runs on a nil model; give New one from troupe.LoadSavedModel, serve.Manager.Runner or serve/client", signature)
		return
	}
	c.outputs, c.err = r.Run(ctx, signature, c.inputs)
}

// PutTensor puts an input of any type.
func PutTensor(c *Call, name string, t *tensor.Tensor) {
	if t == nil {
		c.fail("input %q is nil", name)
	}
	if c.inputs == nil {
		c.inputs = map[string]*tensor.Tensor{}
	}
	c.inputs[name] = t
}

// PutScalar puts an input without dimensions.
func PutScalar[T Element](c *Call, name string, x T) { PutTensor(c, name, tensor.FromScalar(x)) }

// PutSlice puts an input of these dimensions. One of them may be -1: it follows from the number
// of elements.
func PutSlice[T Element](c *Call, name string, data []T, dims ...int64) {
	shape := append([]int64(nil), dims...)
	open, n := -1, int64(1)
	for i, d := range dims {
		if d < 0 {
			open = i
		} else {
			n *= d
		}
	}
	if open >= 0 {
		if n == 0 || int64(len(data))%n != 0 {
			c.fail("input %q: %s, no multiple of %d, for shape %s", name, status.Count(len(data), "element"), n, tensor.FormatDims(dims))
			return
		}
		shape[open] = int64(len(data)) / n
	}
	PutArray(c, name, Array[T]{data, shape})
}

// PutArray puts an input with all its dimensions.
func PutArray[T Element](c *Call, name string, a Array[T]) {
	t, err := tensor.FromSlice(a.Data, a.Shape...)
	if err != nil {
		c.fail("input %q: %w", name, err)
		return
	}
	PutTensor(c, name, t)
}

// TakeTensor returns an output of any type; nil after an error.
func TakeTensor(c *Call, name string) *tensor.Tensor {
	t := c.outputs[name]
	if t == nil && c.err == nil {
		c.fail("the model has no output %q", name)
	}
	if c.err != nil {
		return nil
	}
	return t
}

// TakeArray returns an output with its dimensions.
func TakeArray[T Element](c *Call, name string) Array[T] {
	t := TakeTensor(c, name)
	if t == nil {
		return Array[T]{}
	}
	data, err := tensor.Data[T](t)
	if err != nil {
		c.fail("output %q: %w", name, err)
		return Array[T]{}
	}
	return Array[T]{data, t.Shape()}
}

// TakeSlice returns an output of these dimensions, of which those that are -1 are open.
func TakeSlice[T Element](c *Call, name string, dims ...int64) []T {
	a := TakeArray[T](c, name)
	if c.err != nil {
		return nil
	}
	same := len(a.Shape) == len(dims)
	for i := 0; same && i < len(dims); i++ {
		same = dims[i] < 0 || dims[i] == a.Shape[i]
	}
	if !same {
		c.fail("output %q has shape %s, not %s: the model has changed since the code was generated", name, tensor.FormatDims(a.Shape), tensor.FormatDims(dims))
		return nil
	}
	return a.Data
}

// TakeScalar returns an output without dimensions.
func TakeScalar[T Element](c *Call, name string) (x T) {
	if data := TakeSlice[T](c, name); len(data) == 1 {
		x = data[0]
	}
	return x
}
