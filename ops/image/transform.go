package image

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("ImageProjectiveTransformV2").
		Input("images: dtype").Input("transforms: float").Input("output_shape: int32").
		Output("transformed_images: dtype").
		Attr("dtype: {uint8, int32, int64, half, bfloat16, float, double}").
		Attr("interpolation: string").
		Attr("fill_mode: string = 'CONSTANT'").
		Doc(`Applies projective transforms to images.

images: A batch of images: batch, height, width, channels.
transforms: For each image, or one for all, the first 8 entries of the 3 by 3 matrix from coordinates of the result to those of the image.
output_shape: Height and width of the result.
interpolation: "NEAREST" or "BILINEAR".
fill_mode: What is outside of the image: "CONSTANT", "REFLECT", "WRAP" or "NEAREST".`)
	registry.Define("ImageProjectiveTransformV3").
		Input("images: dtype").Input("transforms: float").Input("output_shape: int32").
		Input("fill_value: float").Output("transformed_images: dtype").
		Attr("dtype: {uint8, int32, int64, half, bfloat16, float, double}").
		Attr("interpolation: string").
		Attr("fill_mode: string = 'CONSTANT'").
		Doc(`Applies projective transforms to images, filling the outside with a given value.

images: A batch of images: batch, height, width, channels.
transforms: For each image, or one for all, the first 8 entries of the 3 by 3 matrix from coordinates of the result to those of the image.
output_shape: Height and width of the result.
fill_value: The value outside of the image where fill_mode is "CONSTANT".
interpolation: "NEAREST" or "BILINEAR".
fill_mode: What is outside of the image: "CONSTANT", "REFLECT", "WRAP" or "NEAREST".`)
	registry.Define("ExtractGlimpse").
		Input("input: float").Input("size: int32").Input("offsets: float").Output("glimpse: float").
		Attr("centered: bool = true").
		Attr("normalized: bool = true").
		Attr("uniform_noise: bool = true").
		Attr("noise: string = 'uniform'").
		Doc(`Cuts windows of one size out of images.

size: Height and width of the windows.
offsets: Where the center of each image's window is.
centered: Whether offsets count from the image's center.
normalized: Whether offsets are parts of the image's size, rather than pixels.
uniform_noise: Whether what lies outside of an image is uniform noise.
noise: "uniform", "gaussian" or "zero".`)
}
