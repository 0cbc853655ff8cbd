package kernel_test

import (
	"testing"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/tensor"
)

// The candidates of docs/design/2026-11-21-kernel-interface.md, each with the
// same three operations: Add (float32, scalars and equal shapes), Shape, and
// Split in two along the first dimension. Candidate A is the one in use.

// Candidate A: Run(ctx, in, out) over the engine's own slices.

type addA struct{}

func (addA) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	if in[0].Inside(tensor.Float) && in[1].Inside(tensor.Float) {
		tensor.SetScalar(&out[0], tensor.Float, tensor.At0[float32](&in[0])+tensor.At0[float32](&in[1]))
		return nil
	}
	a, b := tensor.Of[float32](&in[0]), tensor.Of[float32](&in[1])
	var err error
	if out[0], err = ctx.ReuseOrAlloc(in, 0, tensor.Float, in[0].Dims()); err != nil {
		return err
	}
	addLoop(tensor.Of[float32](&out[0]), a, b)
	return nil
}

type shapeA struct{}

func (shapeA) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	var err error
	if out[0], err = ctx.Alloc(tensor.Int64, []int64{int64(in[0].Rank())}); err != nil {
		return err
	}
	copy(tensor.Of[int64](&out[0]), in[0].Dims())
	return nil
}

type splitA struct{}

func (splitA) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	x := tensor.Of[float32](&in[0])
	half := [1]int64{int64(len(x) / 2)}
	for i := range out {
		var err error
		if out[i], err = ctx.Alloc(tensor.Float, half[:]); err != nil {
			return err
		}
		copy(tensor.Of[float32](&out[i]), x[i*len(x)/2:])
	}
	return nil
}

// Candidate B: Compute(ctx), with inputs and outputs behind the context's
// methods, as in TensorFlow.

type opContext struct {
	*kernel.Context
	in, out []tensor.Value
}

func (c *opContext) Input(i int) *tensor.Value       { return &c.in[i] }
func (c *opContext) SetOutput(i int, v tensor.Value) { c.out[i] = v }
func (c *opContext) Output(i int) *tensor.Value      { return &c.out[i] }
func (c *opContext) NumOutputs() int                 { return len(c.out) }
func (c *opContext) Forward(i int, dims []int64) error {
	var err error
	c.out[0], err = c.ReuseOrAlloc(c.in, i, c.in[i].DType(), dims)
	return err
}
func (c *opContext) Allocate(i int, dt tensor.DType, dims ...int64) error {
	var err error
	c.out[i], err = c.Alloc(dt, dims)
	return err
}

type computer interface{ Compute(c *opContext) error }

type addB struct{}

func (addB) Compute(c *opContext) error {
	x, y := c.Input(0), c.Input(1)
	if x.Inside(tensor.Float) && y.Inside(tensor.Float) {
		c.SetOutput(0, tensor.Scalar(tensor.At0[float32](x)+tensor.At0[float32](y)))
		return nil
	}
	a, b := tensor.Of[float32](x), tensor.Of[float32](y)
	if err := c.Forward(0, x.Dims()); err != nil {
		return err
	}
	addLoop(tensor.Of[float32](c.Output(0)), a, b)
	return nil
}

type shapeB struct{}

func (shapeB) Compute(c *opContext) error {
	if err := c.Allocate(0, tensor.Int64, int64(c.Input(0).Rank())); err != nil {
		return err
	}
	copy(tensor.Of[int64](c.Output(0)), c.Input(0).Dims())
	return nil
}

type splitB struct{}

func (splitB) Compute(c *opContext) error {
	x := tensor.Of[float32](c.Input(0))
	for i := range c.NumOutputs() {
		if err := c.Allocate(i, tensor.Float, int64(len(x)/2)); err != nil {
			return err
		}
		copy(tensor.Of[float32](c.Output(i)), x[i*len(x)/2:])
	}
	return nil
}

// Candidate C: plain functions from tensors to tensors.

type function func(ctx *kernel.Context, in []*tensor.Tensor) ([]*tensor.Tensor, error)

func addC(_ *kernel.Context, in []*tensor.Tensor) ([]*tensor.Tensor, error) {
	a, _ := tensor.Data[float32](in[0])
	b, _ := tensor.Data[float32](in[1])
	out := make([]float32, len(a))
	addLoop(out, a, b)
	t, err := tensor.FromSlice(out, in[0].Dims()...)
	return []*tensor.Tensor{t}, err
}

func shapeC(_ *kernel.Context, in []*tensor.Tensor) ([]*tensor.Tensor, error) {
	dims := append([]int64(nil), in[0].Dims()...)
	t, err := tensor.FromSlice(dims, int64(len(dims)))
	return []*tensor.Tensor{t}, err
}

func splitC(_ *kernel.Context, in []*tensor.Tensor) ([]*tensor.Tensor, error) {
	x, _ := tensor.Data[float32](in[0])
	var out []*tensor.Tensor
	for i := range 2 {
		part := append([]float32(nil), x[i*len(x)/2:(i+1)*len(x)/2]...)
		t, err := tensor.FromSlice(part, int64(len(part)))
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

func addLoop(dst, a, b []float32) {
	b, dst = b[:len(a)], dst[:len(a)]
	for i, x := range a {
		dst[i] = x + b[i]
	}
}

// BenchmarkCandidates runs each operation of each candidate on scalars and on
// 64 elements, giving outputs back to the arena as a step does.
func BenchmarkCandidates(b *testing.B) {
	vector, _ := tensor.FromSlice(make([]float32, 64), 64)
	scalar := tensor.Scalar(float32(1))
	for _, in := range []struct {
		name string
		x    tensor.Value
	}{{"scalar", scalar}, {"vector", tensor.ValueOf(vector)}} {
		for _, op := range []struct {
			name string
			a    kernel.Kernel
			b    computer
			c    function
			outs int
		}{{"Add", addA{}, addB{}, addC, 1}, {"Shape", shapeA{}, shapeB{}, shapeC, 1}, {"Split", splitA{}, splitB{}, splitC, 2}} {
			if op.name == "Split" && in.name == "scalar" {
				continue
			}
			arena := &tensor.Arena{}
			ctx := &kernel.Context{Step: &kernel.Step{}, Arena: arena}
			ins, outs := []tensor.Value{in.x, in.x}, make([]tensor.Value, op.outs)
			sweep := func() {
				for i, v := range outs {
					arena.Reclaim(v)
					outs[i] = tensor.Value{}
				}
			}
			b.Run("A/"+op.name+"/"+in.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := op.a.Run(ctx, ins, outs); err != nil {
						b.Fatal(err)
					}
					sweep()
				}
			})
			b.Run("B/"+op.name+"/"+in.name, func(b *testing.B) {
				b.ReportAllocs()
				c := &opContext{Context: ctx}
				for b.Loop() {
					c.in, c.out = ins, outs
					if err := op.b.Compute(c); err != nil {
						b.Fatal(err)
					}
					sweep()
				}
			})
			b.Run("C/"+op.name+"/"+in.name, func(b *testing.B) {
				b.ReportAllocs()
				tensors := []*tensor.Tensor{in.x.Tensor(), in.x.Tensor()}
				for b.Loop() {
					if _, err := op.c(ctx, tensors); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
