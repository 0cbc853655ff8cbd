package nn

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("TopK").
		Input("input: T").Output("values: T").Output("indices: int32").
		Attr("k: int >= 0").
		Attr("sorted: bool = true").
		Attr("T: realnumbertype").
		Deprecated(7, "Use TopKV2").
		Doc(`Finds the k greatest elements of each row.

sorted: Whether they are given in descending order.`)
	registry.Define("TopKV2").
		Input("input: T").Input("k: Tk").Output("values: T").Output("indices: index_type").
		Attr("sorted: bool = true").
		Attr("T: realnumbertype").
		Attr("Tk: {int16, int32, int64} = DT_INT32").
		Attr("index_type: {int16, int32, int64} = DT_INT32").
		Doc(`Finds the k greatest elements of each row; of equal ones the first.

k: How many.
sorted: Whether they are given in descending order.`)
	registry.Define("InTopK").
		Input("predictions: float").Input("targets: T").Output("precision: bool").
		Attr("k: int").
		Attr("T: {int32, int64} = DT_INT32").
		Doc(`Tells whether the right class is among the k greatest predictions.

predictions: One example a row.
targets: The right class of each row.`)
	registry.Define("InTopKV2").
		Input("predictions: float").Input("targets: T").Input("k: T").Output("precision: bool").
		Attr("T: {int32, int64} = DT_INT32").
		Doc(`Tells whether the right class is among the k greatest predictions.

predictions: One example a row.
targets: The right class of each row.`)
}
