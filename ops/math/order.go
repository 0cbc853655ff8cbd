package math

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("NthElement").
		Input("input: T").Input("n: int32").Output("values: T").
		Attr("reverse: bool = false").
		Attr("T: realnumbertype").
		Doc(`Finds the element that is in place n when the row is sorted, in each row.

input: Rows in the last dimension, of more than n elements.
n: The place, from 0.
reverse: Whether the row is sorted in descending order.`)
}
