package image

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/registry"
)

func init() {
	registry.Define("ResizeArea").
		Input("images: T").Input("size: int32").Output("resized_images: float").
		Attr("T: {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}").
		Attr("align_corners: bool = false").
		Doc(`Resizes images, each new pixel being the mean of the area it covers.

images: Batch, height, width and channels.
size: The new height and width.
align_corners: Whether the centers of the corner pixels stay where they are.`)
	registry.Define("ResizeBicubic").
		Input("images: T").Input("size: int32").Output("resized_images: float").
		Attr("T: {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}").
		Attr("align_corners: bool = false").
		Attr("half_pixel_centers: bool = false").
		Doc(`Resizes images by bicubic interpolation.

images: Batch, height, width and channels.
size: The new height and width.
align_corners: Whether the centers of the corner pixels stay where they are.
half_pixel_centers: Whether pixels are taken to lie at half coordinates.`)
	registry.Define("ResizeBicubicGrad").
		Input("grads: float").Input("original_image: T").Output("output: T").
		Attr("T: {float, double}").
		Attr("align_corners: bool = false").
		Attr("half_pixel_centers: bool = false").
		Doc(`Computes the gradient of ResizeBicubic.

grads: The gradient of the resized images.
original_image: The images before they were resized, of which only the shape counts.
align_corners: As the resizing had it.
half_pixel_centers: As the resizing had it.`)
	registry.Define("ResizeBilinear").
		Input("images: T").Input("size: int32").Output("resized_images: float").
		Attr("T: {int8, uint8, int16, uint16, int32, int64, bfloat16, half, float, double, bfloat16}").
		Attr("align_corners: bool = false").
		Attr("half_pixel_centers: bool = false").
		Doc(`Resizes images by bilinear interpolation.

images: Batch, height, width and channels.
size: The new height and width.
align_corners: Whether the centers of the corner pixels stay where they are.
half_pixel_centers: Whether pixels are taken to lie at half coordinates.`)
	registry.Define("ResizeBilinearGrad").
		Input("grads: float").Input("original_image: T").Output("output: T").
		Attr("T: {float, bfloat16, half, double}").
		Attr("align_corners: bool = false").
		Attr("half_pixel_centers: bool = false").
		Doc(`Computes the gradient of ResizeBilinear.

grads: The gradient of the resized images.
original_image: The images before they were resized, of which only the shape counts.
align_corners: As the resizing had it.
half_pixel_centers: As the resizing had it.`)
	registry.Define("ResizeNearestNeighbor").
		Input("images: T").Input("size: int32").Output("resized_images: T").
		Attr("T: {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}").
		Attr("align_corners: bool = false").
		Attr("half_pixel_centers: bool = false").
		Doc(`Resizes images, each new pixel being the nearest old one.

images: Batch, height, width and channels.
size: The new height and width.
align_corners: Whether the centers of the corner pixels stay where they are.
half_pixel_centers: Whether pixels are taken to lie at half coordinates.`)
	registry.Define("ResizeNearestNeighborGrad").
		Input("grads: T").Input("size: int32").Output("output: T").
		Attr("T: {uint8, int8, int32, half, float, double, bfloat16}").
		Attr("align_corners: bool = false").
		Attr("half_pixel_centers: bool = false").
		Doc(`Computes the gradient of ResizeNearestNeighbor.

grads: The gradient of the resized images.
size: Height and width before they were resized.
align_corners: As the resizing had it.
half_pixel_centers: As the resizing had it.`)
	registry.Define("ScaleAndTranslate").
		Input("images: T").Input("size: int32").Input("scale: float").Input("translation: float").
		Output("resized_images: float").
		Attr("T: {int8, uint8, int16, uint16, int32, int64, bfloat16, half, float, double}").
		Attr("kernel_type: string = 'lanczos3'").
		Attr("antialias: bool = true").
		Doc(`Scales and shifts images with a resampling kernel.

images: A batch of images: batch, height, width, channels.
size: Height and width of the result.
scale: Factors for height and width.
translation: Shifts of height and width, after scaling.
kernel_type: "lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle", "keyscubic" or "mitchellcubic".
antialias: Whether the kernel is widened where images shrink.`)
	registry.Define("ScaleAndTranslateGrad").
		Input("grads: T").Input("original_image: T").Input("scale: float").Input("translation: float").
		Output("output: T").
		Attr("T: {float}").
		Attr("kernel_type: string = 'lanczos3'").
		Attr("antialias: bool = true").
		Doc(`Computes the gradient of ScaleAndTranslate.

grads: The gradient of its result.
original_image: The images that it was given, of which only the shape counts.
scale: The factors that it was given.
translation: The shifts that it was given.
kernel_type: As ScaleAndTranslate had it.
antialias: As ScaleAndTranslate had it.`)

	for _, op := range []string{"ResizeBilinear", "ResizeBicubic"} {
		gradient.Unary(func(c *gradient.Context, x, _, dy graph.Output) graph.Output {
			return c.Op(op+"Grad", c.Attrs("align_corners", "half_pixel_centers"), dy, x)
		}, op)
	}
	gradient.Unary(func(c *gradient.Context, x, _, dy graph.Output) graph.Output {
		return c.Op("ResizeNearestNeighborGrad", c.Attrs("align_corners", "half_pixel_centers"), dy, sizeOfImages(c, x))
	}, "ResizeNearestNeighbor")
	gradient.Unary(func(c *gradient.Context, x, _, dy graph.Output) graph.Output {
		return c.Op("ScaleAndTranslateGrad", c.Attrs("kernel_type", "antialias"), dy, x, c.Input(2), c.Input(3))
	}, "ScaleAndTranslate")
	gradient.None("ResizeBilinearGrad")
}

// sizeOfImages returns the height and width of images.
func sizeOfImages(c *gradient.Context, images graph.Output) graph.Output {
	if s := c.StaticShape(images); s.Full() && s.Rank() == 4 {
		return c.Int32s(int32(s.Dim(1)), int32(s.Dim(2)))
	}
	return c.Apply("StridedSlice", c.Shape(images), c.Int32s(1), c.Int32s(3), c.Int32s(1))
}
