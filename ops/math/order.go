package math

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("NthElement").
		Input("input: T").Input("n: int32").Output("values: T").
		Attr("reverse: bool = false").
		Attr("T: realnumbertype").
		Doc(`Finds the element of each row that is in place n when the row is sorted.

reverse: Whether the row is sorted in descending order.`)
}
