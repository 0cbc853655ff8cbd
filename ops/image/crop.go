package image

import (
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/registry"
)

func init() {
	registry.Define("CropAndResize").
		Input("image: T").Input("boxes: float").Input("box_ind: int32").Input("crop_size: int32").
		Output("crops: float").
		Attr("T: {uint8, uint16, int8, int16, int32, int64, half, float, double}").
		Attr("method: {'bilinear', 'nearest'} = 'bilinear'").
		Attr("extrapolation_value: float = 0").
		Doc(`Cuts boxes out of images and resizes them all to one size.

image: A batch of images: batch, height, width, channels.
boxes: One a row: y1, x1, y2, x2 as parts of the image's size; y1 above y2 turns the crop upside down.
box_ind: The image of each box.
crop_size: Height and width of the crops.
method: How to interpolate: "bilinear" or "nearest".
extrapolation_value: The value of what lies outside of an image.`)
	registry.Define("CropAndResizeGradImage").
		Input("grads: float").Input("boxes: float").Input("box_ind: int32").Input("image_size: int32").
		Output("output: T").
		Attr("T: {float, half, double}").
		Attr("method: {'bilinear', 'nearest'} = 'bilinear'").
		Doc(`Computes the gradient of CropAndResize with respect to the images.

grads: The gradient of the crops.
boxes: The boxes, one a row.
box_ind: The image of each box.
image_size: The shape of the images, a vector of four.
T: The type of the images.
method: How CropAndResize interpolated.`)
	registry.Define("CropAndResizeGradBoxes").
		Input("grads: float").Input("image: T").Input("boxes: float").Input("box_ind: int32").
		Output("output: float").
		Attr("T: {uint8, uint16, int8, int16, int32, int64, half, float, double}").
		Attr("method: {'bilinear'} = 'bilinear'").
		Doc(`Computes the gradient of CropAndResize with respect to the boxes.

grads: The gradient of the crops.
image: The images.
boxes: The boxes, one a row.
box_ind: The image of each box.
method: How CropAndResize interpolated.`)
	registry.Define("DrawBoundingBoxes").
		Input("images: T").Input("boxes: float").Output("output: T").
		Attr("T: {float, half} = DT_FLOAT").
		Doc(`Draws the outlines of boxes on images.

images: A batch of images: batch, height, width, channels.
boxes: For each image, boxes of y1, x1, y2, x2 as parts of its size.`)
	registry.Define("DrawBoundingBoxesV2").
		Input("images: T").Input("boxes: float").Input("colors: float").Output("output: T").
		Attr("T: {float, half} = DT_FLOAT").
		Doc(`Draws the outlines of boxes on images, in given colors.

images: A batch of images: batch, height, width, channels.
boxes: For each image, boxes of y1, x1, y2, x2 as parts of its size.
colors: RGBA colors in [0, 1], one a row, taken in turn; empty for the default ones.`)

	gradient.Register(func(c *gradient.Context) {
		if !c.Has(0) {
			return
		}
		image, boxes, which, dy := c.Input(0), c.Input(1), c.Input(2), c.Dy(0)
		if c.Wants(0) {
			attrs := c.Attrs("method", "T")
			c.Set(0, c.Op("CropAndResizeGradImage", attrs, dy, boxes, which, c.Shape(image)))
		}
		if c.Wants(1) { // with the nearest pixels too, bilinear ones are taken
			c.Set(1, c.Apply("CropAndResizeGradBoxes", dy, image, boxes, which))
		}
	}, "CropAndResize")
	gradient.None("DrawBoundingBoxes")
}
