package hostile

import (
	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

var (
	int64s  = []tf.DataType{tf.Int64}
	scalars = []tf.Shape{tf.ScalarShape()}
)

// count returns a dataset of the integers from 0 up to n.
func (b *builder) count(n int64) tf.Output {
	return op.RangeDataset(b.SubScope("range"), b.konst(int64(0)), b.konst(n), b.konst(int64(1)), int64s, scalars)
}

// first fetches the first element of a dataset.
func (b *builder) first(d tf.Output, types []tf.DataType, shapes []tf.Shape) {
	first := op.TakeDataset(b.SubScope("first"), d, b.konst(int64(1)), types, shapes)
	n := b.Scope.AddOperation(tf.OpSpec{
		Type: "DatasetToSingleElement", Input: []tf.Input{first}, Attrs: map[string]any{"output_types": types, "output_shapes": shapes},
	})
	b.fetch(op.Size(b.Scope, n.Output(0)))
}

// Datasets that take longer, or more, than their step may.
func datasets() []Attack {
	unknown := []tf.Shape{{}}
	far := int64(1) << 62
	nested := func(depth int32, around func(b *builder, s *op.Scope, d, one tf.Output) tf.Output) func(b *builder) {
		return func(b *builder) {
			one := b.konst(int64(1))
			b.first(b.loop(depth, []tf.Output{b.count(5)}, func(s *op.Scope, v []tf.Output) []tf.Output {
				return []tf.Output{around(b, s, v[0], one)}
			})[0], int64s, scalars)
		}
	}
	all := []Attack{
		{"dataset_skip", func(b *builder) {
			b.first(op.SkipDataset(b.Scope, b.count(far), b.konst(far-1), int64s, scalars), int64s, scalars)
		}},
		{"dataset_repeat_nothing", func(b *builder) {
			none := op.TakeDataset(b.Scope, b.count(5), b.konst(int64(0)), int64s, scalars)
			b.first(op.RepeatDataset(b.Scope, none, b.konst(int64(-1)), int64s, scalars), int64s, scalars)
		}},
		{"dataset_repeat_nothing_often", func(b *builder) {
			none := op.TakeDataset(b.Scope, b.count(5), b.konst(int64(0)), int64s, scalars)
			for range 5 {
				none = op.RepeatDataset(b.SubScope("r"), none, b.konst(int64(1)<<40), int64s, scalars)
			}
			b.first(none, int64s, scalars)
		}},
		{"dataset_shuffle", func(b *builder) {
			b.first(op.ShuffleDataset(b.Scope, b.count(far), b.konst(far), b.konst(int64(1)), b.konst(int64(1)), int64s, scalars), int64s, scalars)
		}},
		{"dataset_shuffle_and_repeat", func(b *builder) {
			b.first(op.ShuffleAndRepeatDataset(b.Scope, b.count(2), b.konst(far), b.konst(int64(1)), b.konst(int64(1)), b.konst(int64(-1)), int64s, scalars), int64s, scalars)
		}},
		{"dataset_batch", func(b *builder) {
			b.first(op.BatchDataset(b.Scope, b.count(far), b.konst(far), int64s, unknown), int64s, unknown)
		}},
		{"dataset_batches_of_batches", func(b *builder) {
			d := op.BatchDataset(b.Scope, b.count(far), b.konst(int64(1)<<20), int64s, unknown)
			b.first(op.BatchDataset(b.SubScope("outer"), d, b.konst(int64(1)<<20), int64s, unknown), int64s, unknown)
		}},
		{"dataset_padded_batch", func(b *builder) {
			rows := op.BatchDataset(b.Scope, b.count(far), b.konst(int64(2)), int64s, unknown)
			b.first(op.PaddedBatchDataset(b.Scope, rows, b.konst(far), []tf.Output{b.konst([]int64{1 << 20})}, []tf.Output{b.konst(int64(0))}, unknown), int64s, unknown)
		}},
		{"dataset_padded_far", func(b *builder) {
			rows := op.BatchDataset(b.Scope, b.count(far), b.konst(int64(2)), int64s, unknown)
			b.first(op.PaddedBatchDataset(b.Scope, rows, b.konst(int64(2)), []tf.Output{b.konst([]int64{1 << 60})}, []tf.Output{b.konst(int64(0))}, unknown), int64s, unknown)
		}},
		{"dataset_window", func(b *builder) {
			variants := []tf.DataType{tensor.Variant}
			d := op.WindowDataset(b.Scope, b.count(far), b.konst(int64(1)<<40), b.konst(int64(1)), b.konst(int64(1)), b.konst(false), variants, scalars)
			n := b.AddOperation(tf.OpSpec{Type: "DatasetToSingleElement", Input: []tf.Input{op.TakeDataset(b.Scope, d, b.konst(int64(1)), variants, scalars)}, Attrs: map[string]any{"output_types": variants, "output_shapes": scalars}})
			b.targets = append(b.targets, n)
		}},
		{"dataset_prefetch", func(b *builder) {
			d := op.PrefetchDataset(b.Scope, b.count(far), b.konst(far), int64s, scalars)
			b.first(op.SkipDataset(b.Scope, d, b.konst(far-1), int64s, scalars), int64s, scalars)
		}},
		{"dataset_concatenated_twice", func(b *builder) { // 2 to the power of 60 elements, of few datasets
			d := op.TakeDataset(b.Scope, b.count(5), b.konst(int64(0)), int64s, scalars)
			for range 60 {
				d = op.ConcatenateDataset(b.SubScope("c"), d, d, int64s, scalars)
			}
			b.first(d, int64s, scalars)
		}},
		{"dataset_zipped_twice", func(b *builder) {
			d, types, shapes := b.count(5), int64s, scalars
			for range 17 {
				types, shapes = append(types, types...), append(shapes, shapes...)
				d = op.ZipDataset(b.SubScope("z"), []tf.Output{d, d}, types, shapes)
			}
			b.first(d, types, shapes)
		}},
	}
	for _, depth := range []int32{9_000, 300_000, 10_000_000} {
		for name, around := range map[string]func(b *builder, s *op.Scope, d, one tf.Output) tf.Output{
			"taken": func(_ *builder, s *op.Scope, d, one tf.Output) tf.Output {
				return op.TakeDataset(s, d, one, int64s, scalars)
			},
			"concatenated": func(_ *builder, s *op.Scope, d, one tf.Output) tf.Output {
				return op.ConcatenateDataset(s, d, d, int64s, scalars)
			},
			"prefetched": func(_ *builder, s *op.Scope, d, one tf.Output) tf.Output {
				return op.PrefetchDataset(s, d, one, int64s, scalars)
			},
			"batched": func(_ *builder, s *op.Scope, d, one tf.Output) tf.Output {
				return op.BatchDataset(s, d, one, int64s, unknown)
			},
			"repeated": func(_ *builder, s *op.Scope, d, one tf.Output) tf.Output {
				return op.RepeatDataset(s, d, one, int64s, scalars)
			},
		} {
			all = append(all, Attack{"dataset_" + name + "_" + deep(depth), nested(depth, around)})
		}
	}
	return sorted(all)
}
