package nn

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("DataFormatDimMap").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total).
		Attr("T: {int32, int64} = DT_INT32").
		Attr("src_format: string = 'NHWC'").
		Attr("dst_format: string = 'NCHW'").
		Doc(`Turns dimensions of one data format into those of another.

x: Dimensions of src_format; negative ones count from the end.
src_format: The format to translate from, a letter for each dimension.
dst_format: The format to translate to, with the same letters.`)
	registry.Define("DataFormatVecPermute").
		Input("x: T").Output("y: T").
		Attr("T: {int32, int64} = DT_INT32").
		Attr("src_format: string = 'NHWC'").
		Attr("dst_format: string = 'NCHW'").
		Doc(`Puts what is given for each dimension of one data format into the order of another.

x: A value or a pair for each dimension, or for each spatial one.
src_format: The format to translate from, a letter for each dimension.
dst_format: The format to translate to, with the same letters.`)
}
