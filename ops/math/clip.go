package math

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("ClipByValue").
		Input("t: T").Input("clip_value_min: T").Input("clip_value_max: T").Output("output: T").
		Attr("T: numbertype").
		Doc(`Limits elements to a range.

clip_value_min: The lower limit: a scalar, or of the shape of t.
clip_value_max: The upper limit, likewise.`)
}
