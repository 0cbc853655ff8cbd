package array

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("CheckNumerics").
		Input("tensor: T").Output("output: T").
		Attr("T: {bfloat16, half, float, double}").
		Attr("message: string").
		Stateful().
		Doc(`Passes a tensor on, and fails if it has infinities or NaNs.

message: What the error begins with.`)
	registry.Define("CheckNumericsV2").
		Input("tensor: T").Output("output: T").
		Attr("T: {bfloat16, half, float, double}").
		Attr("message: string").
		Stateful().
		Doc(`Passes a tensor on, and fails if it has infinities or NaNs, telling negative infinities from positive ones.

message: What the error begins with.`)
}
