package math

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("Einsum").
		Input("inputs: N * T").Output("output: T").
		Attr("equation: string").
		Attr("N: int >= 1").
		Attr("T: type").
		Doc(`Multiplies and adds up tensors as an equation in Einstein's notation says.

inputs: One or two tensors.
equation: Such as "ij,jk->ik": a letter for each dimension, of which those missing behind the arrow are summed over; "..." stands for dimensions that broadcast.`)
}
