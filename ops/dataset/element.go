package dataset

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/registry"
)

func init() {
	registry.Define("CompressElement").
		Input("components: input_types").Output("compressed: variant").
		Attr("input_types: list(type) >= 1").
		Doc("Packs the components of an element into one compressed variant.")
	registry.Define("UncompressElement").
		Input("compressed: variant").Output("components: output_types").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Doc(`Unpacks the components that CompressElement packed.

output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.`)
	registry.Define("OptionalFromValue").
		Input("components: Toutput_types").Output("optional: variant").
		Attr("Toutput_types: list(type) >= 1").
		Doc("Makes an optional that holds components.")
	registry.Define("OptionalNone").
		Output("optional: variant").
		Doc("Makes an optional that holds nothing.")
	registry.Define("OptionalHasValue").
		Input("optional: variant").Output("has_value: bool").
		Doc("Reports whether an optional holds anything.")
	registry.Define("OptionalGetValue").
		Input("optional: variant").Output("components: output_types").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Doc(`Gives the components that an optional holds; it fails if there are none.

output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.`)
	registry.Define("CompositeTensorVariantToComponents").
		Input("encoded: variant").Output("components: Tcomponents").
		Attr("metadata: string").
		Attr("Tcomponents: list(type) >= 0").
		Doc(`Unpacks a variant that holds the components of a composite tensor.

metadata: A serialized description of the composite tensor.
Tcomponents: The types of the components.`)

	gradient.Register(func(c *gradient.Context) {
		if c.Has(0) {
			var shapes []graph.Shape
			for i := range c.NumInputs() {
				shapes = append(shapes, c.Input(i).Shape())
			}
			c.SetList(0, c.Outputs("OptionalGetValue", graph.Attrs{"output_types": c.Node().InputTypes(), "output_shapes": shapes}, c.Dy(0)))
		}
	}, "OptionalFromValue")
	gradient.Register(func(c *gradient.Context) {
		c.Set(0, c.Op("OptionalFromValue", nil, c.Dys(0, c.NumOutputs())))
	}, "OptionalGetValue")
	gradient.Register(func(c *gradient.Context) {
		c.Set(0, c.Op("CompositeTensorVariantFromComponents", c.Attrs("metadata"), c.Dys(0, c.NumOutputs())))
	}, "CompositeTensorVariantToComponents")
}
