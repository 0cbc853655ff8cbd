package hostile

import (
	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

// Arithmetic that takes far longer than its inputs are large.
func products() []Attack {
	var all []Attack
	for name, dt := range map[string]tf.DataType{"int32": tf.Int32, "int64": tf.Int64, "float": tf.Float, "double": tf.Double, "half": tf.Half, "bfloat16": tensor.Bfloat16, "complex64": tf.Complex64, "complex128": tf.Complex128} {
		all = append(all, Attack{"product_" + name, func(b *builder) {
			x := op.Cast(b.Scope, b.zeros(4000, 3000), dt)
			b.fetch(op.MatMul(b.Scope, x, x, op.MatMulTransposeB(true)))
		}})
	}
	square := func(f func(s *op.Scope, x tf.Output) tf.Output) func(b *builder) {
		return func(b *builder) {
			n := int32(2200)
			eye := op.MatrixDiag(b.Scope, op.Fill(b.Scope, b.konst([]int32{n}), b.konst(float64(3))))
			b.fetch(f(b.Scope, op.Add(b.Scope, eye, b.konst(float64(0.0001)))))
		}
	}
	for name, f := range map[string]func(s *op.Scope, x tf.Output) tf.Output{
		"cholesky":    func(s *op.Scope, x tf.Output) tf.Output { return op.Cholesky(s, x) },
		"inverse":     func(s *op.Scope, x tf.Output) tf.Output { return op.MatrixInverse(s, x) },
		"determinant": func(s *op.Scope, x tf.Output) tf.Output { return op.MatrixDeterminant(s, x) },
		"solve":       func(s *op.Scope, x tf.Output) tf.Output { return op.MatrixSolve(s, x, x) },
		"triangular":  func(s *op.Scope, x tf.Output) tf.Output { return op.MatrixTriangularSolve(s, x, x) },
		"lu":          func(s *op.Scope, x tf.Output) tf.Output { lu, _ := op.Lu(s, x); return lu },
		"qr":          func(s *op.Scope, x tf.Output) tf.Output { q, _ := op.Qr(s, x); return q },
		"svd":         func(s *op.Scope, x tf.Output) tf.Output { v, _, _ := op.Svd(s, x); return v },
		"eigh":        func(s *op.Scope, x tf.Output) tf.Output { e, _ := op.SelfAdjointEigV2(s, x); return e },
		"eig":         func(s *op.Scope, x tf.Output) tf.Output { e, _ := op.Eig(s, x, tf.Complex128); return e },
		"sqrt":        func(s *op.Scope, x tf.Output) tf.Output { return op.MatrixSquareRoot(s, op.Cast(s, x, tf.Complex128)) },
		"logarithm":   func(s *op.Scope, x tf.Output) tf.Output { return op.MatrixLogarithm(s, op.Cast(s, x, tf.Complex128)) },
	} {
		all = append(all, Attack{"matrix_" + name, square(f)})
	}
	all = append(all,
		Attack{"product_einsum", func(b *builder) {
			x := b.zeros(4000, 3000)
			b.fetch(op.Einsum(b.Scope, []tf.Output{x, x}, "ij,kj->ik"))
		}},
		Attack{"product_batch", func(b *builder) {
			x := b.zeros(64, 700, 700)
			b.fetch(op.BatchMatMulV2(b.Scope, x, x))
		}},
		Attack{"product_pointwise", func(b *builder) {
			b.fetch(op.Conv2D(b.Scope, b.zeros(1, 60, 60, 4000), b.zeros(1, 1, 4000, 4000), []int64{1, 1, 1, 1}, "SAME"))
		}},
		Attack{"product_pointwise_input", func(b *builder) {
			b.fetch(op.Conv2DBackpropInput(b.Scope, b.konst([]int32{1, 60, 60, 4000}), b.zeros(1, 1, 4000, 4000), b.zeros(1, 60, 60, 4000), []int64{1, 1, 1, 1}, "SAME"))
		}},
		Attack{"product_pointwise_filter", func(b *builder) {
			x := b.zeros(1, 60, 60, 4000)
			b.fetch(op.Conv2DBackpropFilter(b.Scope, x, b.konst([]int32{1, 1, 4000, 4000}), x, []int64{1, 1, 1, 1}, "SAME"))
		}},
		Attack{"product_gru", func(b *builder) {
			x := b.zeros(2900, 1400)
			_, _, _, h := op.GRUBlockCell(b.Scope, x, x, b.zeros(2800, 2800), b.zeros(2800, 1400), b.zeros(2800), b.zeros(1400))
			b.fetch(h)
		}},
		Attack{"fft_2d", func(b *builder) {
			b.fetch(op.FFT2D(b.Scope, op.Cast(b.Scope, b.zeros(3001, 3001), tf.Complex64)))
		}},
		Attack{"fft_prime", func(b *builder) {
			b.fetch(op.FFT(b.Scope, op.Cast(b.Scope, b.zeros(10_000_019), tf.Complex64)))
		}},
		Attack{"sort_top_k", func(b *builder) {
			x := op.RandomUniform(b.Scope, b.konst([]int32{20_000_000}), tf.Float)
			v, _ := op.TopKV2(b.Scope, x, b.konst(int32(10_000_000)))
			b.fetch(v)
		}},
		Attack{"unique", func(b *builder) {
			y, _ := op.Unique(b.Scope, op.Range(b.Scope, b.konst(int32(0)), b.konst(int32(20_000_000)), b.konst(int32(1))))
			b.fetch(y)
		}},
		Attack{"where", func(b *builder) {
			b.fetch(op.Where(b.Scope, op.Fill(b.Scope, b.konst([]int32{1 << 12, 1 << 13}), b.konst(true))))
		}},
		Attack{"range", func(b *builder) {
			b.fetch(op.Range(b.Scope, b.konst(int64(0)), b.konst(int64(1)<<60), b.konst(int64(1))))
		}},
		Attack{"edit_distance", func(b *builder) {
			n := int32(50_000)
			index := op.Reshape(b.Scope, op.Range(b.Scope, b.konst(int64(0)), b.konst(int64(n)), b.konst(int64(1))), b.konst([]int32{-1, 1}))
			zeros := op.Cast(b.Scope, b.zeros(n), tf.Int64)
			ones := op.Add(b.Scope, zeros, b.konst(int64(1)))
			pad := op.ConcatV2(b.Scope, []tf.Output{op.ZerosLike(b.Scope, index), index}, b.konst(int32(1)))
			shape := b.konst([]int64{1, int64(n)})
			b.fetch(op.EditDistance(b.Scope, pad, zeros, shape, pad, ones, shape))
		}},
		Attack{"non_max_suppression", func(b *builder) {
			boxes := op.RandomUniform(b.SubScope("boxes"), b.konst([]int32{100_000, 4}), tf.Float)
			scores := op.RandomUniform(b.SubScope("scores"), b.konst([]int32{100_000}), tf.Float)
			b.fetch(op.NonMaxSuppression(b.Scope, boxes, scores, b.konst(int32(100_000)), op.NonMaxSuppressionIouThreshold(1)))
		}},
		Attack{"poisson", func(b *builder) {
			b.fetch(op.RandomPoissonV2(b.Scope, b.konst([]int32{1 << 22}), b.konst([]float64{1e15}), op.RandomPoissonV2Dtype(tf.Double)))
		}},
		Attack{"truncated_far", func(b *builder) {
			x := func(v float32) tf.Output { return b.konst(v) }
			b.fetch(op.ParameterizedTruncatedNormal(b.Scope, b.konst([]int32{1 << 22}), x(0), x(1), x(38), x(39)))
		}},
		Attack{"igamma", func(b *builder) {
			x := op.Fill(b.Scope, b.konst([]int32{1 << 22}), b.konst(float64(1e12)))
			b.fetch(op.Igamma(b.Scope, x, x))
		}},
		Attack{"betainc", func(b *builder) {
			x := op.Fill(b.Scope, b.konst([]int32{1 << 22}), b.konst(float64(1e12)))
			b.fetch(op.Betainc(b.Scope, x, x, op.Fill(b.SubScope("half"), b.konst([]int32{1 << 22}), b.konst(float64(0.5)))))
		}},
		Attack{"zeta", func(b *builder) {
			x := op.Fill(b.Scope, b.konst([]int32{1 << 22}), b.konst(float64(1.0000001)))
			b.fetch(op.Zeta(b.Scope, x, x))
		}},
		Attack{"polygamma", func(b *builder) {
			x := op.Fill(b.Scope, b.konst([]int32{1 << 22}), b.konst(float64(1e6)))
			b.fetch(op.Polygamma(b.Scope, x, x))
		}},
	)
	return sorted(all)
}
