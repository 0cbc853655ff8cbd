package main

import (
	"fmt"
	"testing"

	tf "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/op"
)

// TestMultiplications counts those of small graphs, rewritten as they are for a run.
func TestMultiplications(t *testing.T) {
	numbers := func(dims ...int64) *tf.Tensor {
		n := int64(1)
		for _, d := range dims {
			n *= d
		}
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(i + 1)
		}
		v, err := tf.FromSlice(x, dims...)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	strides := []int64{1, 2, 2, 1}
	for _, c := range []struct {
		name                 string
		in                   []*tf.Tensor
		build                func(s *op.Scope, x []tf.Output) tf.Output
		products, depthwises float64
	}{
		{"convolution", []*tf.Tensor{numbers(2, 9, 9, 3)}, func(s *op.Scope, x []tf.Output) tf.Output {
			return op.Relu(s, op.BiasAdd(s, op.Conv2D(s, x[0], op.Const(s, numbers(3, 3, 3, 7)), strides, "SAME"), op.Const(s.SubScope("bias"), numbers(7))))
		}, 2 * 5 * 5 * 3 * 3 * 3 * 7, 0},
		{"depthwise", []*tf.Tensor{numbers(1, 8, 8, 5)}, func(s *op.Scope, x []tf.Output) tf.Output {
			return op.Relu6(s, op.DepthwiseConv2dNative(s, x[0], op.Const(s, numbers(3, 3, 5, 1)), strides, "SAME"))
		}, 0, 4 * 4 * 9 * 5},
		{"transposed convolution", []*tf.Tensor{numbers(1, 4, 4, 6)}, func(s *op.Scope, x []tf.Output) tf.Output {
			return op.Conv2DBackpropInput(s, op.Const(s.SubScope("sizes"), []int32{1, 8, 8, 2}), op.Const(s, numbers(2, 2, 2, 6)), x[0], strides, "SAME")
		}, 16 * 6 * 2 * 2 * 2, 0},
		{"product", []*tf.Tensor{numbers(6, 4), numbers(5, 6)}, func(s *op.Scope, x []tf.Output) tf.Output {
			return op.MatMul(s, x[0], x[1], op.MatMulTransposeA(true), op.MatMulTransposeB(true))
		}, 4 * 5 * 6, 0},
		{"products", []*tf.Tensor{numbers(3, 4, 6), numbers(3, 6, 5)}, func(s *op.Scope, x []tf.Output) tf.Output {
			return op.BatchMatMulV2(s, x[0], x[1])
		}, 3 * 4 * 5 * 6, 0},
		{"Einsum", []*tf.Tensor{numbers(1, 7, 2, 5), numbers(1, 8, 2, 5)}, func(s *op.Scope, x []tf.Output) tf.Output {
			return op.Einsum(s, x, "bqhd,bkhd->bhqk")
		}, 2 * 7 * 8 * 5, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := op.NewScope()
			var feeds []tf.Output
			for i := range c.in {
				feeds = append(feeds, op.Placeholder(s.SubScope(fmt.Sprint("x", i)), tf.Float))
			}
			out := c.build(s, feeds)
			g, err := s.Finalize()
			if err != nil {
				t.Fatal(err)
			}
			session, err := tf.NewSession(g, &tf.SessionOptions{Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			call, err := session.MakeCallable(feeds, []tf.Output{out}, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := workOf(t.Context(), call, feeds, c.in)
			if err != nil {
				t.Fatal(err)
			}
			if want := [classes]float64{products: c.products, depthwise: c.depthwises}; got != want {
				t.Errorf("multiplications %v, want %v", got, want)
			}
		})
	}
}

// TestRate: a machine that multiplies at all has a rate.
func TestRate(t *testing.T) {
	if multiplyAdd(1) == 0 {
		t.Skip("no instructions that multiply and add")
	}
	if n := multiplyAdd(1000); n < 1000 || n > 1300 {
		t.Errorf("%d multiplications where 1000 were asked for", n)
	}
}
