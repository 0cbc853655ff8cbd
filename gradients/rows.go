package gradients

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/tensor"
)

// What flows to a matrix that is the same in all iterations is a sum of products AᵀB,
// one an iteration, each as large as the matrix. It is also the product of all As under
// one another and all Bs: so a backward loop only puts A and B on lists, and one product
// behind it takes the place of all, and of adding them up.

// rowLists are the variables of a backward loop that have the A and the B of each
// iteration.
type rowLists [2]int

// keepRows puts the matrices of a product on lists.
func (lv *level) keepRows(p *gradient.Product) (rowLists, error) {
	var r rowLists
	for k, m := range []graph.Output{p.A, p.B} {
		m = lv.twin(m)
		list := emptyList(lv.outer.on(lv.w.b), m.DataType())
		if err := lv.w.b.Err(); err != nil {
			return r, err
		}
		var err error
		if r[k], err = lv.back.Var(list); err != nil {
			return r, err
		}
		lv.popped = append(lv.popped, lv.on(lv.w.b).Apply("TensorListPushBack", lv.back.Current[r[k]], m))
	}
	return r, lv.w.b.Err()
}

// product returns the sum of the products, which is the gradient of w, of what the loop
// leaves behind.
func (r rowLists) product(a gradient.Algebra, w graph.Output, results []graph.Output) graph.Output {
	var all [2]graph.Output
	for k, i := range r {
		var width graph.Output // of the matrices
		if s := a.StaticShape(w); s.Known() && s.Rank() == 2 && s.Dim(k) != shape.Unknown && s.Dim(k) <= 1<<31-1 {
			width = a.Int32s(-1, int32(s.Dim(k)))
		} else {
			at := a.Apply("GatherV2", a.Shape(w), a.Const(int32(k)), a.Const(int32(0)))
			width = a.Op("Pack", nil, graph.OutputList{a.Const(int32(-1)), at})
		}
		all[k] = a.Op("TensorListConcatV2", graph.Attrs{"element_dtype": w.DataType(), "shape_type": tensor.Int32}, results[i], width, a.Int64s())
	}
	return a.Op("MatMul", graph.Attrs{"transpose_a": true}, all[0], all[1])
}
