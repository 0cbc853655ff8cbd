package hostile

import (
	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
)

// Sparse and ragged tensors of few numbers that stand for very many.
func places() []Attack {
	return []Attack{
		{"sparse_to_dense", func(b *builder) {
			b.fetch(op.SparseToDense(b.Scope, b.konst([][]int64{{0, 0}}), b.konst([]int64{1 << 31, 1 << 31}), b.konst([]float32{1}), b.konst(float32(0))))
		}},
		{"sparse_fill_rows", func(b *builder) {
			i, _, _, _ := op.SparseFillEmptyRows(b.Scope, b.konst([][]int64{{0, 0}}), b.konst([]float32{1}), b.konst([]int64{1 << 40, 2}), b.konst(float32(0)))
			b.fetch(i)
		}},
		{"sparse_csr", func(b *builder) {
			m := op.SparseTensorToCSRSparseMatrix(b.Scope, b.konst([][]int64{{0, 0}}), b.konst([]float32{1}), b.konst([]int64{1 << 29, 2}))
			b.fetch(op.SparseMatrixNNZ(b.Scope, m))
		}},
		{"sparse_csr_batch", func(b *builder) {
			m := op.SparseTensorToCSRSparseMatrix(b.Scope, b.konst([][]int64{{0, 0, 0}}), b.konst([]float32{1}), b.konst([]int64{1 << 29, 2, 2}))
			b.fetch(op.SparseMatrixNNZ(b.Scope, m))
		}},
		{"sparse_reduced", func(b *builder) {
			b.fetch(op.SparseReduceSum(b.Scope, b.konst([][]int64{{0, 0}}), b.konst([]float32{1}), b.konst([]int64{1 << 40, 1 << 20}), b.konst([]int32{1})))
		}},
		{"sparse_product", func(b *builder) {
			b.fetch(op.SparseTensorDenseMatMul(b.Scope, b.konst([][]int64{{0, 0}}), b.konst([]float32{1}), b.konst([]int64{1 << 40, 1}), b.zeros(1, 1000)))
		}},
		{"sparse_cross", func(b *builder) {
			dense := []tf.Output{}
			for range 6 {
				dense = append(dense, op.Cast(b.SubScope("cast"), b.zeros(1, 1000), tf.Int64))
			}
			i, _, _ := op.SparseCross(b.Scope, nil, nil, nil, dense, true, 0, 1, tf.Int64, tf.Int64)
			b.fetch(i)
		}},
		{"sparse_cross_text", func(b *builder) {
			text := op.Fill(b.Scope, b.konst([]int32{1, 1000}), b.text(1000))
			_, v, _ := op.SparseCross(b.Scope, nil, nil, nil, []tf.Output{text, text, text}, false, 0, 1, tf.String, tf.String)
			b.fetch(op.Shape(b.Scope, v))
		}},
		{"ragged_range", func(b *builder) {
			_, v := op.RaggedRange(b.Scope, b.konst([]int64{0}), b.konst([]int64{1 << 40}), b.konst([]int64{1}))
			b.fetch(op.Shape(b.Scope, v))
		}},
		{"ragged_to_tensor", func(b *builder) {
			b.fetch(op.RaggedTensorToTensor(b.Scope, b.konst([]int64{1 << 30, 1 << 30}), b.konst([]float32{1}), b.konst(float32(0)), []tf.Output{b.konst([]int64{0, 1})}, []string{"ROW_SPLITS"}))
		}},
		{"ragged_first_dim", func(b *builder) {
			b.fetch(op.RaggedTensorToTensor(b.Scope, b.konst([]int64{-1, -1}), b.konst([]float32{1}), b.konst(float32(0)),
				[]tf.Output{b.konst(int64(1) << 40), b.konst([]int64{1 << 39})}, []string{"FIRST_DIM_SIZE", "VALUE_ROWIDS"}))
		}},
		{"bincount", func(b *builder) {
			b.fetch(op.Bincount(b.Scope, b.konst([]int32{1}), b.konst(int32(1<<31-1)), b.konst([]float32{})))
		}},
		{"bincount_dense", func(b *builder) {
			b.fetch(op.DenseBincount(b.Scope, op.Cast(b.Scope, b.zeros(1000, 1), tf.Int32), b.konst(int32(1<<26)), b.konst([]float32{})))
		}},
		{"one_hot", func(b *builder) {
			b.fetch(op.OneHot(b.Scope, b.konst([]int32{1, 2, 3}), b.konst(int32(1<<31-1)), b.konst(float32(1)), b.konst(float32(0))))
		}},
		{"segments", func(b *builder) {
			b.fetch(op.UnsortedSegmentSum(b.Scope, b.zeros(1, 1000), b.konst([]int32{0}), b.konst(int32(1<<31-1))))
		}},
		{"unravelled", func(b *builder) {
			b.fetch(op.UnravelIndex(b.Scope, op.Cast(b.Scope, b.zeros(30_000_000), tf.Int32), op.Cast(b.SubScope("ones"), op.Add(b.Scope, b.zeros(200), b.konst(float32(1))), tf.Int32)))
		}},
		{"shape_of_ones", func(b *builder) {
			ones := op.Fill(b.Scope, b.konst([]int32{60_000_000}), b.konst(int32(1)))
			b.fetch(op.BroadcastArgs(b.Scope, ones, ones))
		}},
		{"reduced_along_many", func(b *builder) {
			axes := op.Fill(b.Scope, b.konst([]int32{60_000_000}), b.konst(int32(0)))
			b.fetch(op.Sum(b.Scope, b.konst([]float32{1}), axes))
		}},
	}
}

// long returns a vector of n whole numbers.
func (b *builder) long(n int32) tf.Output {
	return op.Range(b.SubScope("range"), b.konst(int32(0)), b.konst(n), b.konst(int32(1)))
}

// Kernels that need more than they are given, and give less.
func temporaries() []Attack {
	return []Attack{
		{"beside_list_diff", func(b *builder) {
			y, _ := op.ListDiff(b.Scope, b.long(14_000_000), b.long(14_000_000))
			b.fetch(op.Size(b.Scope, y))
		}},
		{"beside_unique", func(b *builder) {
			y, _ := op.Unique(b.Scope, b.long(14_000_000))
			b.fetch(op.Size(b.Scope, y))
		}},
		{"beside_fake_quant", func(b *builder) {
			x := b.zeros(14_000_000)
			b.fetch(op.Size(b.Scope, op.FakeQuantWithMinMaxVarsPerChannel(b.Scope, x, x, x)))
		}},
		{"beside_segments", func(b *builder) {
			b.fetch(op.Size(b.Scope, op.SegmentSum(b.Scope, b.zeros(14_000_000), b.long(14_000_000))))
		}},
		{"beside_sparse_segments", func(b *builder) {
			x := op.Mul(b.Scope, b.long(25_000_000), b.konst(int32(0)))
			b.fetch(op.Size(b.Scope, op.SparseSegmentSum(b.Scope, b.zeros(1, 2), x, x)))
		}},
		{"beside_cross_entropy", func(b *builder) {
			x := b.zeros(1, 20_000_000)
			l, _ := op.SoftmaxCrossEntropyWithLogits(b.Scope, x, x)
			b.fetch(l)
		}},
		{"beside_list_of_rows", func(b *builder) {
			x := op.Cast(b.Scope, b.zeros(12_000_000, 1), tf.Uint8)
			l := op.TensorListFromTensor(b.Scope, x, b.konst([]int32{1}))
			b.fetch(op.TensorListLength(b.Scope, l))
		}},
		{"beside_accidental_hits", func(b *builder) {
			one := b.konst([][]int64{{1}})
			i, _, _ := op.ComputeAccidentalHits(b.Scope, one, op.Cast(b.Scope, b.long(14_000_000), tf.Int64), 1)
			b.fetch(op.Size(b.Scope, i))
		}},
		{"beside_words", func(b *builder) {
			text := op.Fill(b.Scope, b.konst([]int32{6_000_000}), b.konst("a"))
			_, v, _ := op.StringSplitV2(b.Scope, text, b.konst(""))
			b.fetch(op.Size(b.Scope, v))
		}},
		{"beside_regex", func(b *builder) {
			text := op.Fill(b.Scope, b.konst([]int32{6_000_000}), b.konst("a"))
			b.fetch(op.Size(b.Scope, op.RegexReplace(b.Scope, text, b.konst("a"), b.konst("b"))))
		}},
	}
}
