package nn

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("TopK").
		Input("input: T").Output("values: T").Output("indices: int32").
		Attr("k: int >= 0").
		Attr("sorted: bool = true").
		Attr("T: realnumbertype").
		Deprecated(7, "Use TopKV2").
		Doc(`Finds the k greatest elements of each row, of equal ones those that come first.

input: Rows in the last dimension, of at least k elements.
values: The elements.
indices: Their places in the row.
k: How many.
sorted: Whether they are given in descending order; if not, in the order of the heap that finds them, which is TensorFlow's.`)
	registry.Define("TopKV2").
		Input("input: T").Input("k: Tk").Output("values: T").Output("indices: index_type").
		Attr("sorted: bool = true").
		Attr("T: realnumbertype").
		Attr("Tk: {int16, int32, int64} = DT_INT32").
		Attr("index_type: {int16, int32, int64} = DT_INT32").
		Doc(`Finds the k greatest elements of each row, of equal ones those that come first.

input: Rows in the last dimension, of at least k elements.
k: How many.
values: The elements.
indices: Their places in the row.
sorted: Whether they are given in descending order; if not, in the order of the heap that finds them, which is TensorFlow's.
index_type: The type of the places.`)
	registry.Define("InTopK").
		Input("predictions: float").Input("targets: T").Output("precision: bool").
		Attr("k: int").
		Attr("T: {int32, int64} = DT_INT32").
		Doc(`Reports whether the right class is among the k greatest predictions, or ties with the last of them.

predictions: One example a row.
targets: The right class of each row.
precision: For each row whether its class is among them; not if the class is out of range or a prediction is not finite.
k: How many predictions count.`)
	registry.Define("InTopKV2").
		Input("predictions: float").Input("targets: T").Input("k: T").Output("precision: bool").
		Attr("T: {int32, int64} = DT_INT32").
		Doc(`Reports whether the right class is among the k greatest predictions, or ties with the last of them.

predictions: One example a row.
targets: The right class of each row.
k: How many predictions count.
precision: For each row whether its class is among them; not if the class is out of range or a prediction is not finite.`)

	gradient.Unary(topGradient, "TopK", "TopKV2")
}

// topGradient puts dy back to where the elements were taken, counting the elements
// of all rows.
func topGradient(c *gradient.Context, x, _, dy graph.Output) graph.Output {
	shape, zero, one, all := c.Shape(x), c.Const(int32(0)), c.Const(int32(1)), c.Int32s(-1)
	n := c.Apply("GatherV2", shape, c.Sub(c.Rank(x), one), zero)
	places := c.Cast(c.Output(1), tensor.Int32)
	width := c.Apply("GatherV2", c.Apply("Shape", places), c.Sub(c.Rank(x), one), zero)
	rows := c.Div(c.Size(x), c.Apply("Maximum", n, one))
	places = c.Reshape(places, c.Op("Pack", nil, graph.OutputList{rows, width}))
	start := c.Apply("ExpandDims", c.Mul(c.Range(rows), n), one)
	flat := c.Apply("UnsortedSegmentSum", c.Reshape(dy, all), c.Reshape(c.Add(places, start), all), c.Size(x))
	return c.Reshape(flat, shape)
}
