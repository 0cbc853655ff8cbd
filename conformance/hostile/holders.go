package hostile

import (
	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

// Things that hold tensors, given ever more of them.
func holders() []Attack {
	fresh := map[string]func(b *builder, s *op.Scope, i tf.Output) tf.Output{
		"text": func(b *builder, s *op.Scope, i tf.Output) tf.Output {
			return op.StringJoin(s, []tf.Output{op.AsString(s, i), b.text(1 << 20)})
		},
		"floats": func(b *builder, s *op.Scope, i tf.Output) tf.Output {
			return op.Fill(s, b.konst([]int32{1 << 18}), op.Cast(s, i, tf.Float))
		},
		"scalars": func(_ *builder, s *op.Scope, i tf.Output) tf.Output { return op.Cast(s, i, tf.Float) },
	}
	fresh["empty"] = func(b *builder, s *op.Scope, i tf.Output) tf.Output {
		return op.Fill(s, b.konst([]int32{0}), op.Cast(s, i, tf.Float))
	}
	fresh["blank"] = func(b *builder, s *op.Scope, i tf.Output) tf.Output {
		return op.Substr(s, op.AsString(s, i), b.konst(int32(0)), b.konst(int32(0)))
	}
	fresh["ragged"] = func(b *builder, s *op.Scope, i tf.Output) tf.Output {
		return op.RaggedTensorToVariant(s, nil, fresh["floats"](b, s, i), false)
	}
	fresh["composite"] = func(b *builder, s *op.Scope, i tf.Output) tf.Output {
		return op.CompositeTensorVariantFromComponents(s, []tf.Output{fresh["floats"](b, s, i)}, "")
	}
	fresh["dataset"] = func(b *builder, s *op.Scope, i tf.Output) tf.Output {
		return s.AddOperation(tf.OpSpec{
			Type: "TensorDataset", Input: []tf.Input{tf.OutputList{fresh["floats"](b, s, i)}}, Attrs: map[string]any{"output_shapes": []tf.Shape{{}}},
		}).Output(0)
	}
	fresh["compressed"] = func(b *builder, s *op.Scope, i tf.Output) tf.Output {
		return s.AddOperation(tf.OpSpec{Type: "CompressElement", Input: []tf.Input{tf.OutputList{fresh["floats"](b, s, i)}}}).Output(0)
	}
	kinds := map[string]tf.DataType{
		"text": tf.String, "floats": tf.Float, "scalars": tf.Float, "empty": tf.Float, "blank": tf.String,
		"ragged": tensor.Variant, "composite": tensor.Variant, "dataset": tensor.Variant, "compressed": tensor.Variant,
	}
	type hold func(b *builder, dt tf.DataType, n int32, make func(s *op.Scope, i tf.Output) tf.Output)
	one := func(b *builder) tf.Output { return b.konst(int32(1)) }
	count := func(b *builder, n int32, init []tf.Output, body func(s *op.Scope, i tf.Output, v []tf.Output) []tf.Output) []tf.Output {
		inc := one(b)
		out := b.loop(n, append([]tf.Output{b.konst(int32(0))}, init...), func(s *op.Scope, v []tf.Output) []tf.Output {
			return append([]tf.Output{op.Add(s, v[0], inc)}, body(s, v[0], v[1:])...)
		})
		return out[1:]
	}
	holders := map[string]hold{
		"list": func(b *builder, dt tf.DataType, n int32, mk func(s *op.Scope, i tf.Output) tf.Output) {
			l := op.EmptyTensorList(b.Scope, b.konst(int32(-1)), b.konst(int32(-1)), dt)
			b.fetch(op.TensorListLength(b.Scope, count(b, n, []tf.Output{l}, func(s *op.Scope, i tf.Output, v []tf.Output) []tf.Output {
				return []tf.Output{op.TensorListPushBack(s, v[0], mk(s, i))}
			})[0]))
		},
		"stack": func(b *builder, dt tf.DataType, n int32, mk func(s *op.Scope, i tf.Output) tf.Output) {
			h := op.StackV2(b.Scope, b.konst(int32(-1)), dt)
			b.fetch(count(b, n, []tf.Output{b.konst(int32(0))}, func(s *op.Scope, i tf.Output, v []tf.Output) []tf.Output {
				p := op.StackPushV2(s, h, mk(s, i))
				return []tf.Output{op.Identity(s.WithControlDependencies(p.Op), v[0])}
			})...)
		},
		"queue": func(b *builder, dt tf.DataType, n int32, mk func(s *op.Scope, i tf.Output) tf.Output) {
			h := op.FIFOQueueV2(b.Scope, []tf.DataType{dt}, op.FIFOQueueV2Capacity(-1))
			b.fetch(count(b, n, []tf.Output{b.konst(int32(0))}, func(s *op.Scope, i tf.Output, v []tf.Output) []tf.Output {
				p := op.QueueEnqueueV2(s, h, []tf.Output{mk(s, i)})
				return []tf.Output{op.Identity(s.WithControlDependencies(p), v[0])}
			})...)
		},
		"array": func(b *builder, dt tf.DataType, n int32, mk func(s *op.Scope, i tf.Output) tf.Output) {
			h, flow := op.TensorArrayV3(b.Scope, b.konst(int32(0)), dt, op.TensorArrayV3DynamicSize(true), op.TensorArrayV3ClearAfterRead(false))
			b.fetch(count(b, n, []tf.Output{flow}, func(s *op.Scope, i tf.Output, v []tf.Output) []tf.Output {
				return []tf.Output{op.TensorArrayWriteV3(s, h, i, mk(s, i), v[0])}
			})...)
		},
		"table": func(b *builder, dt tf.DataType, n int32, mk func(s *op.Scope, i tf.Output) tf.Output) {
			h := op.MutableHashTableV2(b.Scope, tf.Int64, dt)
			b.fetch(count(b, n, []tf.Output{b.konst(int32(0))}, func(s *op.Scope, i tf.Output, v []tf.Output) []tf.Output {
				p := op.LookupTableInsertV2(s, h, op.Cast(s, i, tf.Int64), mk(s, i))
				return []tf.Output{op.Identity(s.WithControlDependencies(p), v[0])}
			})...)
		},
	}
	var all []Attack
	for kind, mk := range fresh {
		for name, hold := range holders {
			if name == "table" && kinds[kind] != tf.String {
				continue
			}
			all = append(all, Attack{Name: "hold_" + name + "_" + kind, Build: func(b *builder) {
				hold(b, kinds[kind], 100_000_000, func(s *op.Scope, i tf.Output) tf.Output { return mk(b, s, i) })
			}})
		}
		all = append(all, Attack{Name: "hold_variable_" + kind, Build: func(b *builder) {
			h := op.VarHandleOp(b.Scope, kinds[kind], tf.Shape{}, op.VarHandleOpSharedName("v"))
			first := op.AssignVariableOp(b.SubScope("first"), h, op.Reshape(b.Scope, mk(b, b.Scope, b.konst(int32(0))), b.konst([]int32{-1})))
			axis := b.konst(int32(0))
			with := b.WithControlDependencies(first)
			start := op.Identity(with, b.konst(int32(0)))
			inc := one(b)
			b.fetch(b.loop(40, []tf.Output{start}, func(s *op.Scope, v []tf.Output) []tf.Output {
				x := op.ReadVariableOp(s.WithControlDependencies(v[0].Op), h, kinds[kind])
				p := op.AssignVariableOp(s, h, op.ConcatV2(s, []tf.Output{x, x}, axis))
				return []tf.Output{op.Add(s.WithControlDependencies(p), v[0], inc)}
			})...)
		}})
	}
	return sorted(all)
}
