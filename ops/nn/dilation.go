package nn

import (
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/registry"
)

func init() {
	registry.Define("Dilation2D").
		Input("input: T").Input("filter: T").Output("output: T").
		Attr("T: realnumbertype").
		Attr("strides: list(int) >= 4").
		Attr("rates: list(int) >= 4").
		Attr("padding: {'SAME', 'VALID'}").
		Doc(`Computes the grayscale dilation of images: the greatest sum of a pixel and the filter around each place.

filter: Height, width and channels.
strides: The step in each dimension of the input.
rates: The distance of the filter's elements in each dimension.` + plainPaddingDoc)
	registry.Define("Dilation2DBackpropInput").
		Input("input: T").Input("filter: T").Input("out_backprop: T").Output("in_backprop: T").
		Attr("T: realnumbertype").
		Attr("strides: list(int) >= 4").
		Attr("rates: list(int) >= 4").
		Attr("padding: {'SAME', 'VALID'}").
		Doc(`Computes the gradient of Dilation2D with respect to its input.

input: As in Dilation2D.
filter: As in Dilation2D.
out_backprop: The gradient of the output.
strides: As in Dilation2D.
rates: As in Dilation2D.
padding: As in Dilation2D.`)
	registry.Define("Dilation2DBackpropFilter").
		Input("input: T").Input("filter: T").Input("out_backprop: T").Output("filter_backprop: T").
		Attr("T: realnumbertype").
		Attr("strides: list(int) >= 4").
		Attr("rates: list(int) >= 4").
		Attr("padding: {'SAME', 'VALID'}").
		Doc(`Computes the gradient of Dilation2D with respect to its filter.

input: As in Dilation2D.
filter: As in Dilation2D.
out_backprop: The gradient of the output.
strides: As in Dilation2D.
rates: As in Dilation2D.
padding: As in Dilation2D.`)

	gradient.Register(func(c *gradient.Context) {
		for i, op := range []string{"Dilation2DBackpropInput", "Dilation2DBackpropFilter"} {
			if c.Has(0) && c.Wants(i) {
				c.Set(i, c.Op(op, c.Attrs("strides", "rates", "padding"), c.Input(0), c.Input(1), c.Dy(0)))
			}
		}
	}, "Dilation2D")
}
