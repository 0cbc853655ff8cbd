package image

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/registry"
)

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
	registry.Define("ExtractGlimpseV2").
		Input("input: float").Input("size: int32").Input("offsets: float").Output("glimpse: float").
		Attr("centered: bool = true").
		Attr("normalized: bool = true").
		Attr("uniform_noise: bool = true").
		Attr("noise: string = 'uniform'").
		Doc(`Cuts windows of one size out of images.

It is as ExtractGlimpse, but for what offsets mean.

size: Height and width of the windows.
offsets: Where each image's window begins; if they are centered and normalized, where its center is.
centered: Whether offsets count from the image's center.
normalized: Whether offsets are parts of the image's size, rather than pixels.
uniform_noise: Whether what lies outside of an image is uniform noise.
noise: "uniform", "gaussian" or "zero".`)

	gradient.Unary(projectionGradient, "ImageProjectiveTransformV2", "ImageProjectiveTransformV3")
	gradient.None("ExtractGlimpse")
}

// projectionGradient transforms the gradient by the inverse, which is not the
// transpose of the transform's interpolation, but what TensorFlow gives. A transform is
// the first eight elements of a matrix, of which the ninth is 1.
func projectionGradient(c *gradient.Context, images, _, dy graph.Output) graph.Output {
	last := c.Const(int32(1))
	flat := c.Reshape(c.Input(1), c.Int32s(-1, 8))
	n := c.Apply("StridedSlice", c.Apply("Shape", flat), c.Int32s(0), c.Int32s(1), c.Int32s(1))
	one := c.Apply("Fill", c.Op("ConcatV2", nil, graph.OutputList{n, c.Int32s(1)}, c.Const(int32(0))), c.Scalar(flat, 1))
	matrices := c.Reshape(c.Op("ConcatV2", nil, graph.OutputList{flat, one}, last), c.Int32s(-1, 3, 3))
	inverse := c.Reshape(c.Apply("MatrixInverse", matrices), c.Int32s(-1, 9))
	parts := c.Outputs("SplitV", graph.Attrs{"num_split": int64(2)}, inverse, c.Int32s(8, 1), last)
	if parts == nil {
		return graph.Output{}
	}
	inputs := []graph.Input{dy, c.Div(parts[0], parts[1]), sizeOfImages(c, images)}
	if c.NumInputs() > 3 {
		inputs = append(inputs, c.Scalar(c.Input(3), 0))
	}
	return c.Op(c.Node().Type(), c.Attrs("interpolation", "fill_mode"), inputs...)
}
