package math

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("Cross").
		Input("a: T").Input("b: T").Output("product: T").
		Attr("T: realnumbertype").
		Doc("Computes cross products of vectors of three elements, in the last dimension.")
}
