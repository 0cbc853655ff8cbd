package session_test

import (
	"math"
	"slices"
	"testing"

	"github.com/troupe-go/troupe/op"
	"github.com/troupe-go/troupe/session"
)

// Weights that are constants are kept in an order of the kernel's own. What a program
// computes, and what it may be asked, is the same: with rows alone and batches in turn,
// with something else fed in their place, in a loop, and without room to keep them.
func TestConstantWeights(t *testing.T) {
	const n, most = 512, 64
	weights := make([]float32, n*n)
	for i := range weights {
		weights[i] = float32(i*7919%1009-504) / 512
	}
	for _, transposed := range []bool{false, true} {
		s := op.NewScope()
		x := op.Placeholder(s, session.Float, op.PlaceholderShape(session.MakeShape(-1, n)))
		w, err := session.FromSlice(weights, n, n)
		if err != nil {
			t.Fatal(err)
		}
		constant := op.Const(s, w)
		fed := op.Placeholder(s.SubScope("fed"), session.Float)
		product := func(s *op.Scope, x session.Output) session.Output { // which keeps nothing
			return op.BatchMatMulV2(s, x, fed, op.BatchMatMulV2AdjY(transposed))
		}
		want, got := product(s.SubScope("want"), x), op.MatMul(s.SubScope("got"), x, constant, op.MatMulTransposeB(transposed))
		fused := op.Relu(s, op.MatMul(s.SubScope("fused"), x, op.Identity(s, constant), op.MatMulTransposeB(transposed)))
		loop := op.While(s, []session.Output{op.Const(s.SubScope("zero"), int32(0)), x},
			func(s *op.Scope, v []session.Output) session.Output { return op.Less(s, v[0], op.Const(s, int32(2))) },
			func(s *op.Scope, v []session.Output) []session.Output {
				y := op.MatMul(s, v[1], constant, op.MatMulTransposeB(transposed))
				return []session.Output{op.AddV2(s, v[0], op.Const(s, int32(1))), op.Tanh(s, y)}
			})
		again := op.Tanh(s.SubScope("first"), product(s.SubScope("first"), x))
		again = op.Tanh(s.SubScope("second"), product(s.SubScope("second"), again))
		g, err := s.Finalize()
		if err != nil {
			t.Fatal(err)
		}
		turned := func(rows int) *session.Tensor {
			w, err := session.FromSlice(slices.Concat(weights[rows*n:], weights[:rows*n]), n, n)
			if err != nil {
				t.Fatal(err)
			}
			return w
		}
		one, two := turned(1), turned(2)
		for _, limit := range []int64{0, 4 << 20} {
			sess, err := session.NewSession(g, &session.SessionOptions{MemoryLimit: limit, Threads: 2})
			if err != nil {
				t.Fatal(err)
			}
			for _, rows := range []int{1, most, 3, most, 1, 20} {
				in, err := session.FromSlice(weights[rows*5:rows*5+rows*n], int64(rows), n)
				if err != nil {
					t.Fatal(err)
				}
				run := func(w *session.Tensor, f ...session.Output) [][]float32 {
					feeds := map[session.Output]*session.Tensor{x: in, fed: w}
					if w == one || w == two {
						feeds[constant] = w
					}
					out, err := sess.Run(feeds, f, nil)
					if err != nil {
						t.Fatalf("%d rows, limit %d: %v", rows, limit, err)
					}
					all := make([][]float32, len(out))
					for i, o := range out {
						all[i], _ = session.Data[float32](o)
					}
					return all
				}
				for _, w := range []*session.Tensor{w, one, two, w} {
					out := run(w, want, got, fused, again, loop[1])
					for i := range out[0] {
						if out[0][i] != out[1][i] || float32(math.Max(float64(out[0][i]), 0)) != out[2][i] || out[3][i] != out[4][i] {
							t.Fatalf("%d rows, transposed %v, limit %d: element %d: %v, %v, %v; %v, %v", rows, transposed, limit, i,
								out[0][i], out[1][i], out[2][i], out[3][i], out[4][i])
						}
					}
				}
			}
			if err := sess.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestSessionsShareConstantWeights: of a constant that products put in order the sessions and
// programs of a graph have one such copy.
func TestSessionsShareConstantWeights(t *testing.T) {
	const n = 1024
	weights := make([]float32, n*n)
	for i := range weights {
		weights[i] = float32(i%7) - 3
	}
	w, err := session.FromSlice(weights, n, n)
	if err != nil {
		t.Fatal(err)
	}
	s := op.NewScope()
	x := op.Placeholder(s, session.Float, op.PlaceholderShape(session.MakeShape(-1, n)))
	y := op.MatMul(s, x, op.Const(s, w), op.MatMulTransposeB(true))
	z := op.Neg(s, y)
	g, err := s.Finalize()
	if err != nil {
		t.Fatal(err)
	}
	in, err := session.FromSlice(make([]float32, 64*n), 64, n)
	if err != nil {
		t.Fatal(err)
	}
	run := func(fetch session.Output) int64 {
		t.Helper()
		before := heapInUse()
		s, err := session.NewSession(g, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		if _, err := s.Run(map[session.Output]*session.Tensor{x: in}, []session.Output{fetch}, nil); err != nil {
			t.Fatal(err)
		}
		return heapInUse() - before
	}
	const copied = 4 * n * n
	first := run(y)
	if first < copied {
		t.Skip("products read constants where they are")
	}
	if second, third := run(y), run(z); second > copied/2 || third > copied/2 {
		t.Errorf("the second session takes %d bytes, another program %d", second, third)
	}
}
