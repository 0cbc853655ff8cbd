package gradient

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/tensor"
)

// Dense is rows as a whole tensor, in which those for the same place are added.
func (a Algebra) Dense(rows *IndexedSlices) graph.Output {
	first, next := a.Int32s(0), a.Int32s(1)
	n := a.Op("StridedSlice", graph.Attrs{"shrink_axis_mask": int64(1)}, rows.Shape, first, next, next)
	return a.Apply("UnsortedSegmentSum", rows.Values, rows.Indices, n)
}

// Sum adds gradients of one tensor up. If all are rows, the sum is all their rows.
func (a Algebra) Sum(parts []Value) Value {
	switch len(parts) {
	case 0:
		return Value{}
	case 1:
		return parts[0]
	}
	sparse := true
	for _, p := range parts {
		sparse = sparse && p.Rows != nil
	}
	if sparse {
		return Value{Rows: a.joined(parts)}
	}
	list := make(graph.OutputList, len(parts))
	for i, p := range parts {
		if list[i] = p.Dense; p.Rows != nil {
			list[i] = a.Dense(p.Rows)
		}
	}
	return Value{Dense: a.Op("AddN", nil, list)}
}

// joined returns the rows of all parts. Indices are int64 if some are.
func (a Algebra) joined(parts []Value) *IndexedSlices {
	dt := tensor.Int32
	for _, p := range parts {
		if p.Rows.Indices.DataType() == tensor.Int64 {
			dt = tensor.Int64
		}
	}
	var values, indices graph.OutputList
	for _, p := range parts {
		at := p.Rows.Indices
		if at.DataType() != dt {
			at = a.Op("Cast", graph.Attrs{"DstT": dt}, at)
		}
		values, indices = append(values, p.Rows.Values), append(indices, at)
	}
	axis := a.Const(int32(0))
	return &IndexedSlices{
		Values:  a.Op("ConcatV2", nil, values, axis),
		Indices: a.Op("ConcatV2", nil, indices, axis),
		Shape:   parts[0].Rows.Shape,
	}
}

// RowsAt is dy as rows of the gradient of x: those that the indices, a tensor of any
// shape, took from the first dimension of x, which may be a variable's handle.
func (a Algebra) RowsAt(x, indices, dy graph.Output) IndexedSlices {
	shape := a.Shape(x)
	row := a.Op("StridedSlice", graph.Attrs{"end_mask": int64(1)}, shape, a.Int32s(1), a.Int32s(0), a.Int32s(1))
	count := a.Apply("ExpandDims", a.Size(indices), a.Const(int32(0)))
	dims := a.Op("ConcatV2", nil, graph.OutputList{count, row}, a.Const(int32(0)))
	return IndexedSlices{a.Reshape(dy, dims), a.Reshape(indices, count), shape}
}
