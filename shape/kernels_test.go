package shape_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/tensor"
)

// pure returns the operations of a list that have kernels and are functions of their
// inputs, for which nothing else has to come.
func pure(ops []string) []string {
	return slices.DeleteFunc(slices.Clone(ops), func(op string) bool {
		return len(kernel.Registered(op)) == 0 || definitions()[op].Stateful || kernel.Waits(op) || op == "MatchingFiles" || op == "ReadFile"
	})
}

// drawTensor returns a small tensor of one of the types that are mostly indices or
// data; nil for others.
func drawTensor(t *rapid.T, dt tensor.DType, dims []int64) *tensor.Tensor {
	n := 1
	for _, d := range dims {
		n *= int(d)
	}
	v := rapid.SliceOfN(rapid.Int64Range(-2, 4), n, n).Draw(t, "value")
	var out *tensor.Tensor
	switch dt.Base() {
	case tensor.Int64:
		out, _ = tensor.FromSlice(v, dims...)
	case tensor.Int32:
		out = converted(v, dims, func(x int64) int32 { return int32(x) })
	case tensor.Float:
		out = converted(v, dims, func(x int64) float32 { return float32(x) / 2 })
	case tensor.Double:
		out = converted(v, dims, func(x int64) float64 { return float64(x) / 2 })
	case tensor.Bool:
		out = converted(v, dims, func(x int64) bool { return x > 0 })
	case tensor.Uint8:
		out = converted(v, dims, func(x int64) uint8 { return uint8(x) })
	case tensor.Int8:
		out = converted(v, dims, func(x int64) int8 { return int8(x) })
	case tensor.String:
		out = converted(v, dims, func(x int64) string { return string(rune('a' + x + 2)) })
	}
	return out
}

func converted[T tensor.Element](v []int64, dims []int64, to func(int64) T) *tensor.Tensor {
	data := make([]T, len(v))
	for i, x := range v {
		data[i] = to(x)
	}
	t, _ := tensor.FromSlice(data, dims...)
	return t
}

// drawNode returns a node of an operation with small constant inputs, nil if it
// cannot have such.
func drawNode(t *rapid.T, op string) (*node, []*tensor.Tensor) {
	def := definitions()[op]
	var attrs registry.Attrs
	for i := range def.Attrs {
		a := &def.Attrs[i]
		var v registry.AttrValue
		switch {
		case a.Kind == registry.KindInt && a.Default == nil:
			v = registry.IntAttr(rapid.Int64Range(1, 3).Draw(t, a.Name))
		case a.Kind == registry.KindInt:
			v = registry.IntAttr(rapid.Int64Range(-2, 4).Draw(t, a.Name))
		case a.Kind == registry.KindShape:
			v = registry.ShapeAttr(registry.Shape{Unknown: rapid.Bool().Draw(t, "unknown"), Dims: rapid.SliceOfN(rapid.Int64Range(-1, 3), 0, 3).Draw(t, a.Name)})
		default:
			v = drawAttr(t, a)
		}
		attrs = append(attrs, registry.NamedAttr{Name: a.Name, Value: v})
	}
	n, err := newNode(op, attrs)
	if err != nil || len(n.ins) > 8 {
		return nil, nil
	}
	inputs := make([]*tensor.Tensor, len(n.ins))
	n.inputs = make([]edge, len(n.ins))
	for i, dt := range n.ins {
		dims := rapid.SliceOfN(rapid.Int64Range(0, 3), 0, 3).Draw(t, "dims")
		if i > 0 && rapid.Bool().Draw(t, "dims of the one before") {
			dims = inputs[i-1].Dims()
		}
		if inputs[i] = drawTensor(t, dt, dims); inputs[i] == nil {
			return nil, nil
		}
		n.inputs[i].from = constant(inputs[i])
	}
	return n, inputs
}

// runKernel runs the node's kernel, if there is one for its types.
func runKernel(n *node, inputs []*tensor.Tensor) ([]*tensor.Tensor, error) {
	r := kerneltest.Runner{Limit: 1 << 24}
	return r.Run(n.name, n.def.Name, n.attrs, inputs...)
}

// What kernels put out has the shapes that were inferred, whether or not the
// inputs' values were known.
func TestKernelsAgree(t *testing.T) {
	ops := pure(registered())
	ran := map[string]bool{}
	check := func(t *rapid.T) {
		op := rapid.SampledFrom(ops).Draw(t, "op")
		n, inputs := drawNode(t, op)
		if n == nil {
			return
		}
		out, err := runKernel(n, inputs)
		if err != nil {
			return
		}
		ran[op] = true
		for _, known := range []bool{true, false} {
			if !known {
				for i := range n.inputs {
					n.inputs[i].from = source(n.ins[i], shape.Of(inputs[i].Dims()...))
				}
			}
			var f shape.Inferrer
			if infer(&f, n) != nil {
				return // TensorFlow's kernels, too, take more than its shape functions
			}
			for i, v := range out {
				if v != nil && !shape.Compatible(shape.Of(v.Dims()...), n.shapes[i]) && !slices.Contains(guessing, op) {
					t.Fatalf("%s: output %d is of shape %v, inferred was %v (values known: %v)", op, i, v.Dims(), n.shapes[i], known)
				}
			}
		}
	}
	rapid.Check(t, repeat(60, check))
	t.Logf("%d of %d operations with kernels ran", len(ran), len(ops))
}

// What is worked out of constants is what kernels put out.
func TestKernelsAgreeOnConstants(t *testing.T) {
	ops := pure(shape.Evaluated())
	worked := map[string]bool{}
	check := func(t *rapid.T) {
		op := rapid.SampledFrom(ops).Draw(t, "op")
		n, inputs := drawNode(t, op)
		if n == nil {
			return
		}
		var f shape.Inferrer
		if infer(&f, n) != nil {
			return
		}
		out, err := runKernel(n, inputs)
		if err != nil {
			return
		}
		for i := range n.out {
			got := shape.Evaluate(n, i)
			if got == nil {
				continue
			}
			worked[op] = true
			if got.String() != out[i].String() || got.DType() != out[i].DType() {
				t.Fatalf("%s: output %d is %v, worked out as %v", op, i, out[i], got)
			}
		}
	}
	rapid.Check(t, repeat(40, check))
	t.Logf("%d of %d operations were worked out", len(worked), len(ops))
}
