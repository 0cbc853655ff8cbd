package nn

import "github.com/troupe-go/troupe/registry"

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
sorted: Whether they are given in descending order.`)
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
sorted: Whether they are given in descending order.
index_type: The type of the places.`)
	registry.Define("InTopK").
		Input("predictions: float").Input("targets: T").Output("precision: bool").
		Attr("k: int").
		Attr("T: {int32, int64} = DT_INT32").
		Doc(`Tells whether the right class is among the k greatest predictions, or ties with the last of them.

predictions: One example a row.
targets: The right class of each row.
precision: For each row whether its class is among them; not if the class is out of range or a prediction is not finite.
k: How many predictions count.`)
	registry.Define("InTopKV2").
		Input("predictions: float").Input("targets: T").Input("k: T").Output("precision: bool").
		Attr("T: {int32, int64} = DT_INT32").
		Doc(`Tells whether the right class is among the k greatest predictions, or ties with the last of them.

predictions: One example a row.
targets: The right class of each row.
k: How many predictions count.
precision: For each row whether its class is among them; not if the class is out of range or a prediction is not finite.`)
}
