package gradient

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/tensor"
)

// StaticShape returns what is known of a tensor's shape before the graph runs.
func (a Algebra) StaticShape(x graph.Output) shape.Shape {
	if !x.Exists() {
		return shape.Shape{}
	}
	s := x.Op.OutputShapes()[x.Index]
	if !s.Full() && a.known != nil {
		if more, ok := a.known(x); ok {
			return more
		}
	}
	return s
}

// Shape returns the shape of x, a vector of int32: a constant if it is known. Of a
// resource it is the shape of the variable.
//
//go:noinline
func (a Algebra) Shape(x graph.Output) graph.Output { return a.ShapeOf(x, tensor.Int32) }

// ShapeOf is [Algebra.Shape] of type int32 or int64.
func (a Algebra) ShapeOf(x graph.Output, dt tensor.DType) graph.Output {
	if x.Op == nil {
		return graph.Output{}
	}
	if h, ok := handleOf(x); ok {
		if h.Shape.Full() {
			return a.constantShape(dt, h.Shape)
		}
		return a.beside(x).Op("VariableShape", graph.Attrs{"out_type": dt}, x)
	}
	if s := a.StaticShape(x); s.Full() {
		return a.constantShape(dt, s)
	}
	return a.beside(x).Op("Shape", graph.Attrs{"out_type": dt}, x)
}

// handleOf returns what is known of the variable behind a resource. Loops do not know what
// they carry, but it is what they began with.
func handleOf(x graph.Output) (h shape.HandleData, ok bool) {
	if x.DataType() != tensor.Resource {
		return h, false
	}
	const far = 10_000
	for range far {
		if all := x.Op.OutputHandles(); x.Index < len(all) && len(all[x.Index]) > 0 {
			return all[x.Index][0], true
		}
		if c := x.Op.Class(); !c.ControlFlow() && c != graph.ClassIdentity {
			break
		}
		x = x.Op.Inputs()[0]
	}
	return h, true
}

// Rank returns the number of x's dimensions, a scalar of int32: a constant if it is known.
func (a Algebra) Rank(x graph.Output) graph.Output {
	if x.Op == nil {
		return graph.Output{}
	}
	if s := a.StaticShape(x); s.Known() {
		return a.Const(int32(s.Rank()))
	}
	return a.beside(x).Apply("Rank", x)
}

// Size returns the number of x's elements, a scalar of int32: a constant if it is known.
func (a Algebra) Size(x graph.Output) graph.Output {
	if x.Op == nil {
		return graph.Output{}
	}
	if s := a.StaticShape(x); s.Full() {
		n := int64(1)
		for _, d := range s.Dims() {
			n *= d
		}
		if n == int64(int32(n)) {
			return a.Const(int32(n))
		}
	}
	return a.beside(x).Apply("Size", x)
}

// beside returns a builder of what runs whenever x is there.
func (a Algebra) beside(x graph.Output) *graph.Builder {
	if a.besideOf == nil {
		return a.Builder
	}
	return a.besideOf(x)
}

// constantShape returns a shape that is known, under the name that Shape would have.
func (a Algebra) constantShape(dt tensor.DType, s shape.Shape) graph.Output {
	return a.vector("Shape", dt, s.Dims())
}

// vector returns a constant vector of int32 or int64.
func (a Algebra) vector(name string, dt tensor.DType, elements []int64) graph.Output {
	if dt == tensor.Int64 {
		return constantVector(a.Builder, name, elements)
	}
	list := make([]int32, len(elements))
	for i, e := range elements {
		list[i] = int32(e)
	}
	return constantVector(a.Builder, name, list)
}

// Int32s returns a constant vector.
//
//go:noinline
func (a Algebra) Int32s(elements ...int32) graph.Output {
	return constantVector(a.Builder, "Const", elements)
}

// Int64s returns a constant vector.
//
//go:noinline
func (a Algebra) Int64s(elements ...int64) graph.Output {
	return constantVector(a.Builder, "Const", elements)
}

func constantVector[T int32 | int64](b *graph.Builder, name string, elements []T) graph.Output {
	t, err := tensor.FromSlice(append([]T{}, elements...), int64(len(elements)))
	if err != nil {
		b.Fail(err)
		return graph.Output{}
	}
	return b.Add(graph.OpSpec{Type: "Const", Name: name, Attrs: graph.Attrs{"value": t, "dtype": t.DType()}}).Output(0)
}

// Constant returns the value of x if it is known before the graph runs: that of a Const,
// perhaps behind Identity nodes. Else it is nil.
func (a Algebra) Constant(x graph.Output) *tensor.Tensor {
	for x.Op != nil && x.Op.Type() == "Identity" {
		x = x.Op.Inputs()[0]
	}
	if x.Op == nil || x.Op.Type() != "Const" {
		return nil
	}
	if v := x.Op.Attrs().Find("value"); v != nil {
		return v.Tensor
	}
	return nil
}

// ConstInts returns the elements of x if it is integers that are known before the graph
// runs, as [Algebra.Constant] knows them.
func (a Algebra) ConstInts(x graph.Output) (elements []int64, ok bool) {
	t := a.Constant(x)
	if t == nil {
		return nil, false
	}
	switch t.DType() {
	case tensor.Int32:
		data, err := tensor.Data[int32](t)
		if err != nil {
			return nil, false
		}
		for _, e := range data {
			elements = append(elements, int64(e))
		}
		return elements, true
	case tensor.Int64:
		data, err := tensor.Data[int64](t)
		return data, err == nil
	}
	return nil, false
}

// Range is 0, 1, …, n-1 for a scalar n of int32.
//
//go:noinline
func (a Algebra) Range(n graph.Output) graph.Output {
	return a.Apply("Range", a.Const(int32(0)), n, a.Const(int32(1)))
}

// Reshape is x in a shape, a vector of int32 or int64.
//
//go:noinline
func (a Algebra) Reshape(x, shape graph.Output) graph.Output {
	return a.Apply("Reshape", x, shape)
}

// ReshapeLike is x in the shape of another tensor; x itself if it is known to have
// it.
//
//go:noinline
func (a Algebra) ReshapeLike(x, like graph.Output) graph.Output {
	if same(a.StaticShape(x), a.StaticShape(like)) {
		return x
	}
	return a.Reshape(x, a.Shape(like))
}

// same reports whether two shapes are known to be equal.
func same(a, b shape.Shape) bool {
	return a.Full() && b.Full() && a.String() == b.String()
}

// RowShape returns the shape of a row of x: all dimensions but the first, a vector of
// int32, a constant if they are known.
//
//go:noinline
func (a Algebra) RowShape(x graph.Output) graph.Output {
	if s := a.StaticShape(x); s.Known() && s.Rank() > 0 && s.From(1).Full() {
		return a.constantShape(tensor.Int32, s.From(1))
	}
	return a.Op("StridedSlice", graph.Attrs{"end_mask": int64(1)}, a.Shape(x), a.Int32s(1), a.Int32s(0), a.Int32s(1))
}
