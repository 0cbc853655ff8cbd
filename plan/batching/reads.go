package batching

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/tensor"
)

// A read is an element of an argument, along its first dimension, at an index that is a scalar.
type read struct {
	arg     int // of the function
	index   graph.Output
	fromEnd bool // negative indices count from the end
}

// reader reports whether a node reads an element of an argument: GatherV2(x, i, 0), or x[i] as a
// StridedSlice. That i is a scalar is seen when shapes are known.
func (c *callee) reader(n *graph.Node) (r read, ok bool) {
	in := n.Inputs()
	switch n.Type() {
	case "Gather":
		r.index = in[1]
	case "GatherV2":
		if v := n.Attrs().Find("batch_dims"); v != nil && v.I != 0 {
			return r, false
		}
		if axis, ok := constant(in[2]); !ok || len(axis) != 1 || axis[0] != 0 {
			return r, false
		}
		r.index = in[1]
	case "StridedSlice":
		for name, want := range map[string]int64{"begin_mask": 0, "end_mask": 0, "ellipsis_mask": 0, "new_axis_mask": 0, "shrink_axis_mask": 1} {
			if v := n.Attrs().Find(name); v == nil && want != 0 || v != nil && v.I != want {
				return r, false
			}
		}
		begin := through(in[1]).Op
		if stride, ok := constant(in[3]); !ok || len(stride) != 1 || stride[0] != 1 || begin.Type() != "Pack" || begin.NumInputs() != 1 {
			return r, false
		}
		r.index, r.fromEnd = begin.Inputs()[0], true
	default:
		return r, false
	}
	r.arg = c.argument(in[0])
	t := r.index.DataType()
	return r, r.arg >= 0 && (t == tensor.Int32 || t == tensor.Int64) && !in[0].DataType().HasPointers()
}

// constant returns the elements of a constant of integers.
func constant(o graph.Output) ([]int64, bool) {
	o = through(o)
	if o.Op.Class() != graph.ClassConstant {
		return nil, false
	}
	v := o.Op.Attrs().Find("value")
	if v == nil || v.Tensor == nil {
		return nil, false
	}
	if t := v.Tensor.DType(); t != tensor.Int32 && t != tensor.Int64 {
		return nil, false
	}
	list := tensor.ValueOf(v.Tensor)
	return kernel.AppendInts(nil, &list), true
}
