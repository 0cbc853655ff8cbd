package hostile

import (
	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

// nest returns a list in a list in a list, as deep as time and memory let it.
func (b *builder) nest(depth int32) tf.Output {
	shape, room := b.konst([]int32{}), b.konst(int32(-1))
	first := op.EmptyTensorList(b.SubScope("first"), shape, room, tensor.Variant)
	return b.loop(depth, []tf.Output{first}, func(s *op.Scope, v []tf.Output) []tf.Output {
		return []tf.Output{op.TensorListPushBack(s, op.EmptyTensorList(s, shape, room, tensor.Variant), v[0])}
	})[0]
}

// nestOptional returns an optional in an optional in an optional.
func (b *builder) nestOptional(depth int32) tf.Output {
	first := op.OptionalFromValue(b.SubScope("first"), []tf.Output{b.konst(int32(7))})
	return b.loop(depth, []tf.Output{first}, func(s *op.Scope, v []tf.Output) []tf.Output {
		return []tf.Output{op.OptionalFromValue(s, v)}
	})[0]
}

// nestComposite returns a composite tensor of a composite tensor, and so on.
func (b *builder) nestComposite(depth int32) tf.Output {
	of := func(s *op.Scope, x tf.Output) tf.Output {
		return op.CompositeTensorVariantFromComponents(s, []tf.Output{x}, "")
	}
	return b.loop(depth, []tf.Output{of(b.SubScope("first"), b.konst(int32(7)))}, func(s *op.Scope, v []tf.Output) []tf.Output {
		return []tf.Output{of(s, v[0])}
	})[0]
}

// Values nested so deep that a walk by recursion needs more stack than there is.
func nesting() []Attack {
	var all []Attack
	for _, depth := range []int32{20_000, 300_000, 10_000_000} {
		for name, nest := range map[string]func(*builder, int32) tf.Output{
			"list": (*builder).nest, "optional": (*builder).nestOptional, "composite": (*builder).nestComposite,
		} {
			for use, f := range map[string]func(b *builder, v tf.Output){
				"fetched":    func(b *builder, v tf.Output) { b.fetch(v) },
				"released":   func(b *builder, v tf.Output) { b.fetch(op.Const(b.WithControlDependencies(v.Op), int32(1))) },
				"zeros_like": func(b *builder, v tf.Output) { b.fetch(op.ZerosLike(b.Scope, v)) },
				"serialized": func(b *builder, v tf.Output) { b.fetch(op.SerializeTensor(b.Scope, v)) },
				"added":      func(b *builder, v tf.Output) { b.fetch(op.AddN(b.Scope, []tf.Output{v, v})) },
				"printed": func(b *builder, v tf.Output) {
					b.fetch(op.StringFormat(b.Scope, []tf.Output{v}))
				},
				"kept": func(b *builder, v tf.Output) {
					h := op.VarHandleOp(b.Scope, tensor.Variant, tf.ScalarShape(), op.VarHandleOpSharedName("v"))
					b.targets = append(b.targets, op.AssignVariableOp(b.Scope, h, v))
				},
			} {
				all = append(all, Attack{
					Name:  "nested_" + name + "_" + use + "_" + deep(depth),
					Build: func(b *builder) { f(b, nest(b, depth)) },
				})
			}
		}
	}
	// What is within itself often would take more bytes than there are numbers.
	all = append(all, Attack{"nested_twice", func(b *builder) {
		v := b.loop(200, []tf.Output{op.OptionalFromValue(b.SubScope("first"), []tf.Output{b.zeros(1000)})}, func(s *op.Scope, v []tf.Output) []tf.Output {
			return []tf.Output{op.OptionalFromValue(s, []tf.Output{v[0], v[0]})}
		})
		h := op.VarHandleOp(b.Scope, tensor.Variant, tf.ScalarShape(), op.VarHandleOpSharedName("v"))
		b.targets = append(b.targets, op.AssignVariableOp(b.Scope, h, v[0]))
	}})
	return sorted(all)
}
