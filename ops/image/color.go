package image

import "github.com/troupe-go/troupe/registry"

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
}
