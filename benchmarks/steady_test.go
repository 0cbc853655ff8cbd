//go:build !race

// The race detector makes pools forget, so that nothing can be counted.

package benchmarks_test

import (
	"runtime"
	"testing"

	tf "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/op"
)

// fresh returns a scope for one more node of any name.
func fresh(s *op.Scope) *op.Scope { return s.SubScope("node") }

// weights returns a constant of that shape, small numbers of both signs.
func weights(s *op.Scope, dims ...int64) tf.Output {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	data := make([]float32, n)
	for i := range data {
		data[i] = float32(i%17-8) / 64
	}
	t, err := tf.FromSlice(data, dims...)
	if err != nil {
		s.UpdateErr("weights", err)
		return tf.Output{}
	}
	return op.Const(fresh(s), t)
}

// networks are a perceptron, a residual stage and a recurrent layer, each a
// function of a batch of that shape.
var networks = map[string]struct {
	shape []int64
	build func(s *op.Scope, x tf.Output) tf.Output
}{
	"perceptron": {[]int64{64, 256}, func(s *op.Scope, x tf.Output) tf.Output {
		for range 3 {
			x = op.Relu(fresh(s), op.BiasAdd(fresh(s), op.MatMul(fresh(s), x, weights(s, 256, 256)), weights(s, 256)))
		}
		return op.Softmax(fresh(s), x)
	}},
	"residual": {[]int64{2, 32, 32, 16}, func(s *op.Scope, x tf.Output) tf.Output {
		for range 3 {
			y := x
			for range 2 {
				y = op.Conv2D(fresh(s), y, weights(s, 3, 3, 16, 16), []int64{1, 1, 1, 1}, "SAME")
				one := op.Exp(fresh(s), op.Mul(fresh(s), weights(s, 16), op.Const(fresh(s), float32(0))))
				y, _, _, _, _, _ = op.FusedBatchNormV3(fresh(s), y, one, weights(s, 16), weights(s, 16), one, op.FusedBatchNormV3IsTraining(false))
				y = op.Relu(fresh(s), y)
			}
			x = op.AddV2(fresh(s), x, y)
		}
		return op.MaxPool(fresh(s), x, []int64{1, 2, 2, 1}, []int64{1, 2, 2, 1}, "SAME")
	}},
	"recurrent": {[]int64{16, 128}, func(s *op.Scope, x tf.Output) tf.Output {
		h, c := x, op.Tanh(fresh(s), x)
		w, bias := weights(s, 256, 512), weights(s, 512)
		for range 8 {
			gates := op.BiasAdd(fresh(s), op.MatMul(fresh(s), op.ConcatV2(fresh(s), []tf.Output{x, h}, op.Const(fresh(s), int32(1))), w), bias)
			part := op.Split(fresh(s), op.Const(fresh(s), int32(1)), gates, 4)
			c = op.AddV2(fresh(s), op.Mul(fresh(s), op.Sigmoid(fresh(s), part[0]), c), op.Mul(fresh(s), op.Sigmoid(fresh(s), part[1]), op.Tanh(fresh(s), part[2])))
			h = op.Mul(fresh(s), op.Sigmoid(fresh(s), part[3]), op.Tanh(fresh(s), c))
		}
		return h
	}},
}

// A run of a prepared callable whose results are given back allocates small
// headers, whatever its tensors take, and memory does not grow.
func TestSteadyState(t *testing.T) {
	for name, n := range networks {
		t.Run(name, func(t *testing.T) {
			s := op.NewScope()
			x := op.Placeholder(s, tf.Float, op.PlaceholderShape(tf.MakeShape(n.shape...)))
			y := n.build(s, x)
			g, err := s.Finalize()
			if err != nil {
				t.Fatal(err)
			}
			session, err := tf.NewSession(g, &tf.SessionOptions{Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			call, err := session.MakeCallable([]tf.Output{x}, []tf.Output{y}, nil)
			if err != nil {
				t.Fatal(err)
			}
			size := int64(1)
			for _, d := range n.shape {
				size *= d
			}
			in, err := tf.FromSlice(make([]float32, size), n.shape...)
			if err != nil {
				t.Fatal(err)
			}
			out := make([]*tf.Tensor, 1)
			run := func(times int) {
				for range times {
					if err := call.RunInto(t.Context(), out, in); err != nil {
						t.Fatal(err)
					}
				}
			}
			run(50)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			const runs = 400
			run(runs)
			runtime.ReadMemStats(&after)
			nodes := float64(len(g.Operations()))
			bytes, count := float64(after.TotalAlloc-before.TotalAlloc)/runs, float64(after.Mallocs-before.Mallocs)/runs
			t.Logf("%.0f nodes, %.0f bytes and %.1f allocations a run", nodes, bytes, count)
			if bytes > 256*nodes || count > 4*nodes {
				t.Errorf("a run of %.0f nodes takes %.0f bytes in %.1f allocations", nodes, bytes, count)
			}
			if grown := int64(after.Sys) - int64(before.Sys); grown > 4<<20 {
				t.Errorf("%d runs made the process %d bytes larger", runs, grown)
			}
		})
	}
}
