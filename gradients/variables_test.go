package gradients_test

import (
	"context"
	"math"
	"testing"

	"github.com/troupe-go/troupe/gradients"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
)

// A loop that reads variables by their handles, whether it has the handles from
// outside or carries them, forwards to the handles what flows to what was read.
func TestVariablesInLoops(t *testing.T) {
	read := func(s *op.Scope, h tf.Output) tf.Output { return op.ReadVariableOp(s.SubScope("read"), h, tf.Double) }
	for _, c := range []struct {
		name  string
		build func(s *op.Scope, h []tf.Output) tf.Output
		plain func(x []float64) float64
	}{
		{"from outside", func(s *op.Scope, h []tf.Output) tf.Output {
			return count(s, 4, []tf.Output{scalar(s, 1.5)}, func(s *op.Scope, _ tf.Output, v []tf.Output) []tf.Output {
				return []tf.Output{op.Mul(s, op.Sin(s, v[0]), op.Add(s, read(s, h[0]), read(s.SubScope("b"), h[1])))}
			})[0]
		}, func(x []float64) float64 {
			v := 1.5
			for range 4 {
				v = math.Sin(v) * (x[0] + x[1])
			}
			return v
		}},
		{"carried", func(s *op.Scope, h []tf.Output) tf.Output {
			return count(s, 4, []tf.Output{scalar(s, 1.5), h[0]}, func(s *op.Scope, _ tf.Output, v []tf.Output) []tf.Output {
				return []tf.Output{op.Mul(s, op.Sin(s, v[0]), op.Add(s, read(s, v[1]), read(s.SubScope("b"), h[1]))), v[1]}
			})[0]
		}, func(x []float64) float64 {
			v := 1.5
			for range 4 {
				v = math.Sin(v) * (x[0] + x[1])
			}
			return v
		}},
		{"in a loop within, carried and read outside", func(s *op.Scope, h []tf.Output) tf.Output {
			out := count(s, 3, []tf.Output{read(s, h[0]), h[0]}, func(s *op.Scope, _ tf.Output, v []tf.Output) []tf.Output {
				in := count(s, 2, []tf.Output{v[0], v[1]}, func(s *op.Scope, _ tf.Output, u []tf.Output) []tf.Output {
					return []tf.Output{op.Mul(s, op.Sin(s, u[0]), op.Mul(s, read(s, u[1]), read(s.SubScope("b"), h[1]))), u[1]}
				})
				return []tf.Output{op.Add(s, in[0], read(s.SubScope("c"), h[1])), in[1]}
			})
			return op.Mul(s, out[0], read(s.SubScope("d"), h[1]))
		}, func(x []float64) float64 {
			v := x[0]
			for range 3 {
				for range 2 {
					v = math.Sin(v) * x[0] * x[1]
				}
				v += x[1]
			}
			return v * x[1]
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := op.NewScope()
			at := []float64{0.7, -0.4}
			var handles []tf.Output
			var init []*tf.Operation
			for i, name := range []string{"v", "w"} {
				h := op.VarHandleOp(s.SubScope(name), tf.Double, tf.ScalarShape(), op.VarHandleOpSharedName(name))
				handles = append(handles, h)
				init = append(init, op.AssignVariableOp(s.SubScope("init"+name), h, scalar(s, at[i])))
			}
			y := c.build(s, handles)
			g, err := s.Finalize()
			if err != nil {
				t.Fatal(err)
			}
			dx, err := gradients.Dense(g, []graph.Output{y}, handles, gradients.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, engine := range engines {
				sess, err := tf.NewSession(g, &tf.SessionOptions{Engine: engine})
				if err != nil {
					t.Fatal(err)
				}
				defer sess.Close()
				if _, err := sess.RunContext(context.Background(), nil, nil, init); err != nil {
					t.Fatal(err)
				}
				out, err := sess.RunContext(context.Background(), nil, append([]tf.Output{y}, dx...), nil)
				if err != nil {
					t.Fatalf("%s: %v", engine, err)
				}
				if got, want := out[0].Value().(float64), c.plain(at); math.Abs(got-want) > 1e-12 {
					t.Fatalf("%s: the value is %v, want %v", engine, got, want)
				}
				for i := range handles {
					if got, want := out[1+i].Value().(float64), difference(c.plain, at, i); math.Abs(got-want) > 1e-7 {
						t.Errorf("%s: the derivative for variable %d is %v, want %v", engine, i, got, want)
					}
				}
			}
		})
	}
}
