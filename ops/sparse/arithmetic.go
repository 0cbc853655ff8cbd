package sparse

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

const pairDoc = `

a_indices: Indices of the entries of the one tensor, one a row, in row-major order.
a_values: Its entries.
a_shape: Its shape.
b_indices: Indices of the entries of the other, likewise.
b_values: Its entries.
b_shape: Its shape, the same.`

func init() {
	registry.Define("SparseAdd").
		Input("a_indices: int64").Input("a_values: T").Input("a_shape: int64").Input("b_indices: int64").
		Input("b_values: T").Input("b_shape: int64").Input("thresh: Treal").Output("sum_indices: int64").
		Output("sum_values: T").Output("sum_shape: int64").
		Attr("T: numbertype").
		Attr("Treal: realnumbertype").
		Doc(`Adds two sparse tensors of one shape.

thresh: Sums of an absolute value below this are left out.` + pairDoc)
	registry.Define("SparseAddGrad").
		Input("backprop_val_grad: T").Input("a_indices: int64").Input("b_indices: int64").
		Input("sum_indices: int64").Output("a_val_grad: T").Output("b_val_grad: T").
		Attr("T: numbertype").
		Doc(`Computes the gradient of SparseAdd.

backprop_val_grad: The gradient of the sum's values.
a_indices: What the operation was given.
b_indices: What the operation was given.
sum_indices: Its output sum_indices.
a_val_grad: The gradient of the values of a: zero for those that were dropped.
b_val_grad: The gradient of the values of b.`)
	registry.Define("SparseTensorDenseAdd").
		Input("a_indices: Tindices").Input("a_values: T").Input("a_shape: Tindices").Input("b: T").
		Output("output: T").
		Attr("T: numbertype").
		Attr("Tindices: {int32, int64}").
		Doc(`Adds a sparse tensor to an ordinary one, of one shape.

a_indices: Indices of the entries of a, one a row.
a_values: The entries.
a_shape: The shape of a.
b: The ordinary tensor.`)
	registry.Define("SparseDenseCwiseAdd").
		Input("sp_indices: int64").Input("sp_values: T").Input("sp_shape: int64").Input("dense: T").
		Output("output: T").
		Attr("T: numbertype").
		Doc(`Adds to each entry of a sparse tensor the element of a tensor in its place.

sp_indices: Indices of the entries, one a row, in row-major order.
sp_values: The entries.
sp_shape: The shape.
dense: A tensor that broadcasts to the shape of the sparse one; what is not at an entry is not read.
output: The new values of the entries.`)
	registry.Define("SparseDenseCwiseMul").
		Input("sp_indices: int64").Input("sp_values: T").Input("sp_shape: int64").Input("dense: T").
		Output("output: T").
		Attr("T: numbertype").
		Doc(`Multiplies each entry of a sparse tensor by the element of a tensor in its place.

sp_indices: Indices of the entries, one a row, in row-major order.
sp_values: The entries.
sp_shape: The shape.
dense: A tensor that broadcasts to the shape of the sparse one.
output: The new values of the entries.`)
	registry.Define("SparseDenseCwiseDiv").
		Input("sp_indices: int64").Input("sp_values: T").Input("sp_shape: int64").Input("dense: T").
		Output("output: T").
		Attr("T: numbertype").
		Doc(`Divides each entry of a sparse tensor by the element of a tensor in its place.

sp_indices: Indices of the entries, one a row, in row-major order.
sp_values: The entries.
sp_shape: The shape.
dense: A tensor that broadcasts to the shape of the sparse one.
output: The new values of the entries.`)
	registry.Define("SparseSparseMaximum").
		Input("a_indices: int64").Input("a_values: T").Input("a_shape: int64").Input("b_indices: int64").
		Input("b_values: T").Input("b_shape: int64").Output("output_indices: int64").
		Output("output_values: T").
		Attr("T: realnumbertype").
		Doc("Takes the larger of the entries of two sparse tensors; a missing entry is 0." + pairDoc)
	registry.Define("SparseSparseMinimum").
		Input("a_indices: int64").Input("a_values: T").Input("a_shape: int64").Input("b_indices: int64").
		Input("b_values: T").Input("b_shape: int64").Output("output_indices: int64").
		Output("output_values: T").
		Attr("T: numbertype").
		Doc("Takes the smaller of the entries of two sparse tensors; a missing entry is 0." + pairDoc)
	registry.Define("SparseReduceSumSparse").
		Input("input_indices: int64").Input("input_values: T").Input("input_shape: int64").
		Input("reduction_axes: int32").Output("output_indices: int64").Output("output_values: T").
		Output("output_shape: int64").
		Attr("keep_dims: bool = false").
		Attr("T: numbertype").
		Doc(`Adds up the entries of a sparse tensor along dimensions, into a sparse tensor.

input_indices: Indices of the entries, one a row.
input_values: The entries.
input_shape: The shape.
reduction_axes: The dimensions.
keep_dims: Whether these dimensions stay, of size 1.`)
	registry.Define("SparseReduceMaxSparse").
		Input("input_indices: int64").Input("input_values: T").Input("input_shape: int64").
		Input("reduction_axes: int32").Output("output_indices: int64").Output("output_values: T").
		Output("output_shape: int64").
		Attr("keep_dims: bool = false").
		Attr("T: realnumbertype").
		Doc(`Takes the largest entries of a sparse tensor along dimensions, into a sparse tensor.

input_indices: Indices of the entries, one a row.
input_values: The entries.
input_shape: The shape.
reduction_axes: The dimensions.
keep_dims: Whether these dimensions stay, of size 1.`)
	registry.Define("SparseReduceSum").
		Input("input_indices: int64").Input("input_values: T").Input("input_shape: int64").
		Input("reduction_axes: int32").Output("output: T").
		Attr("keep_dims: bool = false").
		Attr("T: numbertype").
		Doc(`Adds up the entries of a sparse tensor along dimensions, into a tensor.

input_indices: Indices of the entries, one a row.
input_values: The entries.
input_shape: The shape.
reduction_axes: The dimensions.
keep_dims: Whether these dimensions stay, of size 1.`)
	registry.Define("SparseReduceMax").
		Input("input_indices: int64").Input("input_values: T").Input("input_shape: int64").
		Input("reduction_axes: int32").Output("output: T").
		Attr("keep_dims: bool = false").
		Attr("T: realnumbertype").
		Doc(`Takes the largest entries of a sparse tensor along dimensions, into a tensor.

input_indices: Indices of the entries, one a row.
input_values: The entries.
input_shape: The shape.
reduction_axes: The dimensions.
keep_dims: Whether these dimensions stay, of size 1.`)
	registry.Define("SparseSoftmax").
		Input("sp_indices: int64").Input("sp_values: T").Input("sp_shape: int64").Output("output: T").
		Attr("T: {half, float, double}").
		Doc(`Computes the softmax of each row of a sparse tensor, over its entries.

sp_indices: Indices of the entries, one a row, in row-major order.
sp_values: The entries.
sp_shape: The shape.
output: The new values of the entries.`)

	gradient.Register(func(c *gradient.Context) {
		if c.Has(1) {
			grads := c.Outputs("SparseAddGrad", nil, c.Dy(1), c.Input(0), c.Input(3), c.Output(0))
			if grads != nil {
				c.Set(1, grads[0])
				c.Set(4, grads[1])
			}
		}
	}, "SparseAdd")
	gradient.None("SparseAddGrad")
	gradient.Register(func(c *gradient.Context) {
		if c.Has(0) {
			c.Set(1, c.Apply("GatherNd", c.Dy(0), c.Input(0)))
			c.Pass(0, 3)
		}
	}, "SparseTensorDenseAdd")
	for _, op := range []string{"SparseDenseCwiseAdd", "SparseSparseMaximum", "SparseSparseMinimum"} {
		gradient.Refuse(status.Unimplemented, "Gradient for "+op+" is not implemented.", op)
	}
	gradient.Register(cwiseGradient, "SparseDenseCwiseMul", "SparseDenseCwiseDiv")
	gradient.Register(reduceSumGradient, "SparseReduceSum")
	gradient.Register(func(c *gradient.Context) {
		if !c.Has(0) {
			return
		}
		indices, shape, y, dy := c.Input(0), c.Input(2), c.Output(0), c.Dy(0)
		sums := c.Op("SparseReduceSum", graph.Attrs{"keep_dims": true}, indices, c.Mul(y, dy), shape, c.Int32s(-1))
		c.Set(1, c.Mul(c.Apply("SparseDenseCwiseAdd", indices, dy, shape, c.Neg(sums)), y))
	}, "SparseSoftmax")
}

// within moves indices into the bounds of a shape, all of int64. As dimensions that
// were broadcast or reduced are 1, they become the places in the tensor without them.
func within(c *gradient.Context, indices, shape graph.Output) graph.Output {
	return c.Apply("Minimum", indices, c.Sub(shape, c.Const(int64(1))))
}

// cwiseGradient is for entries multiplied or divided by what a dense tensor, which
// may be broadcast, has in their places.
func cwiseGradient(c *gradient.Context) {
	if !c.Has(0) {
		return
	}
	indices, x, shape, dense, dz := c.Input(0), c.Input(1), c.Input(2), c.Input(3), c.Dy(0)
	more := c.Sub(c.Size(shape), c.Rank(dense))
	none, one := c.Int32s(0, 0), c.Int32s(1, 1)
	begin := c.Op("Pack", nil, graph.OutputList{c.Const(int32(0)), more})
	indices = c.Op("StridedSlice", graph.Attrs{"end_mask": int64(3)}, indices, begin, none, one)
	dims := c.ShapeOf(dense, tensor.Int64)
	indices = within(c, indices, dims)
	y := c.Apply("GatherNd", dense, indices)
	if c.Node().Type() == "SparseDenseCwiseMul" {
		c.Set(1, c.Mul(dz, y))
		c.Set(3, c.Apply("ScatterNd", indices, c.Mul(dz, x), dims))
		return
	}
	c.Set(1, c.Div(dz, y))
	c.Set(3, c.Apply("ScatterNd", indices, c.Mul(dz, c.Div(c.Neg(x), c.Square(y))), dims))
}

// reduceSumGradient takes for each entry what flows to the sum that it is in.
func reduceSumGradient(c *gradient.Context) {
	if !c.Has(0) {
		return
	}
	indices, shape, axes := c.Input(0), c.Input(2), c.Apply("Reshape", c.Input(3), c.Int32s(-1))
	rank := c.Size(shape)
	axes = c.Apply("FloorMod", c.Add(axes, rank), rank)
	kept := c.Op("DynamicStitch", nil,
		graph.OutputList{c.Range(rank), axes},
		graph.OutputList{shape, c.Apply("Fill", c.Apply("Shape", axes), c.Const(int64(1)))})

	c.Set(1, c.Apply("GatherNd", c.Reshape(c.Dy(0), kept), within(c, indices, kept)))
}
