package image

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/registry"
)

func init() {
	registry.Define("RGBToHSV").
		Input("images: T").Output("output: T").
		Attr("T: {half, bfloat16, float, double} = DT_FLOAT").
		Doc(`Turns pixels from red, green and blue into hue, saturation and value.

images: Pixels in the last dimension, which is of size 3; components are in [0, 1].`)
	registry.Define("HSVToRGB").
		Input("images: T").Output("output: T").
		Attr("T: {half, bfloat16, float, double} = DT_FLOAT").
		Doc(`Turns pixels from hue, saturation and value into red, green and blue.

images: Pixels in the last dimension, which is of size 3; components are in [0, 1].`)
	registry.Define("AdjustContrastv2").
		Input("images: T").Input("contrast_factor: float").Output("output: T").
		Attr("T: {half, float} = DT_FLOAT").
		Doc(`Scales how far each pixel is from the mean of its channel, image by image.

images: At least 3 dimensions, the last being height, width and channels.
contrast_factor: The factor; 1 leaves images as they are.`)
	registry.Define("AdjustHue").
		Input("images: T").Input("delta: float").Output("output: T").
		Attr("T: {half, float} = DT_FLOAT").
		Doc(`Turns the hue of RGB images.

images: At least 3 dimensions, the last of size 3.
delta: How much to add to the hue, of which 1 is a full turn.`)
	registry.Define("AdjustSaturation").
		Input("images: T").Input("scale: float").Output("output: T").
		Attr("T: {half, float} = DT_FLOAT").
		Doc(`Scales the saturation of RGB images.

images: At least 3 dimensions, the last of size 3.
scale: The factor; what exceeds 1 is cut.`)

	gradient.Unary(hsvGradient, "RGBToHSV")
	gradient.None("HSVToRGB")
}

// hsvGradient: of the largest channel M, the smallest m and the one between them,
// the value is M, the saturation (M-m)/M, and the hue is linear in the difference of
// two channels, divided by M-m. Among equal channels red comes before green for the
// largest, and blue before green for the smallest; grey has no hue, and black no
// saturation.
func hsvGradient(c *gradient.Context, x, y, dy graph.Output) graph.Output {
	three := graph.Attrs{"num": int64(3), "axis": int64(-1)}
	rgb, hsv, d := c.Outputs("Unpack", three, x), c.Outputs("Unpack", three, y), c.Outputs("Unpack", three, dy)
	if d == nil {
		return graph.Output{}
	}
	r, g, b := rgb[0], rgb[1], rgb[2]
	is := func(op string, a, b graph.Output) graph.Output { return c.Cast(c.Apply(op, a, b), c.Type("T")) }
	both := func(a, b graph.Output) graph.Output { return c.Mul(a, b) }
	largest := []graph.Output{
		both(is("GreaterEqual", r, b), is("GreaterEqual", r, g)),
		both(is("Greater", g, r), is("GreaterEqual", g, b)),
		both(is("Greater", b, r), is("Greater", b, g)),
	}
	smallest := []graph.Output{
		both(is("Less", r, b), is("Less", r, g)),
		both(is("LessEqual", g, r), is("Less", g, b)),
		both(is("LessEqual", b, r), is("LessEqual", b, g)),
	}
	most := hsv[2]
	least := c.Apply("Minimum", r, c.Apply("Minimum", g, b))
	quotient := func(a, b graph.Output) graph.Output { return c.Apply("DivNoNan", a, b) }
	overMost, delta := quotient(c.Scalar(r, 1), most), c.Sub(most, least)
	sixth := quotient(c.Scalar(r, 1.0/6), delta)
	// The hue is ((x-y)/δ + constant)/6, where x and y are the channels that follow the
	// largest one, in a circle.
	channels := []graph.Output{r, g, b}
	var parts graph.OutputList
	hue := c.Scalar(r, 0)
	for i, m := range largest {
		hue = c.Add(hue, c.Mul(m, c.Sub(channels[(i+1)%3], channels[(i+2)%3])))
	}
	byDelta := c.Mul(c.Neg(sixth), quotient(hue, delta))
	for i := range channels {
		up, down := largest[(i+2)%3], largest[(i+1)%3] // this channel is x, or y
		dHue := c.Add(c.Mul(sixth, c.Sub(up, down)), c.Mul(byDelta, c.Sub(largest[i], smallest[i])))
		dSaturation := c.Sub(c.Mul(largest[i], c.Mul(least, c.Square(overMost))), c.Mul(smallest[i], overMost))
		parts = append(parts, c.Add(c.Add(c.Mul(d[0], dHue), c.Mul(d[1], dSaturation)), c.Mul(d[2], largest[i])))
	}
	return c.Op("Pack", graph.Attrs{"axis": int64(-1)}, parts)
}
