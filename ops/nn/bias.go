package nn

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("BiasAdd").
		Input("value: T").Input("bias: T").Output("output: T").
		Attr("T: numbertype").
		Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'").
		Doc(`Adds a vector to the channels.

data_format: Where the channels are: the last dimension, or the second with NCHW.`)
	registry.Define("BiasAddGrad").
		Input("out_backprop: T").Output("output: T").
		Attr("T: numbertype").
		Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'").
		Doc(`Adds up a gradient over all dimensions but the channels.

data_format: Where the channels are: the last dimension, or the second with NCHW.`)
	registry.Define("BiasAddV1").
		Input("value: T").Input("bias: T").Output("output: T").
		Attr("T: numbertype").
		Doc("Adds a vector to the last dimension.")
}
