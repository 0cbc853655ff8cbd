package image

import (
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
)

func init() {
	const resized = "images: [b,?,?,d], size: [2] = [h,w] -> resized_images: [b,h,w,d]"
	shape.Register(shape.Rule(resized),
		"ResizeArea", "ResizeBicubic", "ResizeBilinear", "ResizeNearestNeighbor")
	shape.Register(shape.Rule(resized), "ScaleAndTranslate")
	shape.Register(shape.Like(1), "ResizeBilinearGrad", "ResizeBicubicGrad", "ScaleAndTranslateGrad")
	shape.Register(shape.Rule("grads: [b,?,?,d], size: [2] = [h,w] -> output: [b,h,w,d]"), "ResizeNearestNeighborGrad")
	shape.Register(glimpseShape, "ExtractGlimpse", "ExtractGlimpseV2")
	shape.Register(shape.Rule("images: [b,?,?,d], transforms: ?, output_shape: [2] = [h,w] -> transformed_images: [b,h,w,d]"),
		"ImageProjectiveTransformV2", "ImageProjectiveTransformV3")

	shape.Register(shape.UnchangedAtLeast(3), "AdjustHue", "AdjustSaturation", "DrawBoundingBoxesV2")
	shape.Register(shape.Rule("images: [S...,h,w,d], contrast_factor: [] -> output: [S...,h,w,d]"), "AdjustContrastv2")
	shape.Register(drawBoxesShape, "DrawBoundingBoxes")
	shape.Register(shape.Rule("images: [S...,3] -> output: [S...,3]"), "HSVToRGB", "RGBToHSV")

	shape.Register(shape.Rule("image: [?,?,?,d], boxes: [n,4], box_ind: [n], crop_size: [2] = [h,w] -> crops: [n,h,w,d]"), "CropAndResize")
	shape.Register(shape.Rule("grads: ?, boxes: ?, box_ind: ?, image_size: [4] = [b,h,w,d] -> output: [b,h,w,d]"), "CropAndResizeGradImage")
	shape.Register(shape.Rule("grads: ?, image: ?, boxes: B -> output: B"), "CropAndResizeGradBoxes")

	shape.Register(shape.Rule("boxes: [n,4], scores: [n], max_output_size: [] -> selected_indices: [?]"), "NonMaxSuppression")
	shape.Register(shape.Rule("boxes: [n,4], scores: [n], max_output_size: [], iou_threshold: [] -> selected_indices: [?]"), "NonMaxSuppressionV2")
	shape.Register(shape.Rule("boxes: [n,4], scores: [n], max_output_size: [], iou_threshold: [], score_threshold: [] -> selected_indices: [?]"), "NonMaxSuppressionV3")
	shape.Register(paddedSuppressionShape, "NonMaxSuppressionV4", "NonMaxSuppressionV5")
	shape.Register(combinedSuppressionShape, "CombinedNonMaxSuppression")

	shape.Register(decodeShape("PNG", "JPEG"), "DecodePng", "DecodeJpeg")
	shape.Register(decodeAnyShape, "DecodeImage")
	shape.Register(shape.Rule("image: [S...,?,?,?] -> contents: S"), "EncodePng")
}

var glimpse = shape.Rule("input: [b,?,?,d], size: [2] = [h,w], offsets: [b,2] -> glimpse: [b,h,w,d]")

func glimpseShape(c *shape.Context) error {
	if noise := c.Str("noise"); c.Bool("uniform_noise") && noise != "" && noise != "uniform" {
		return status.Invalid("The uniform_noise should not be True when noise is not uniform")
	}
	return glimpse(c)
}

// drawBoxesShape is for images that are grey or have three or four channels.
func drawBoxesShape(c *shape.Context) error {
	images, boxes := c.Try(c.Input(0).WithRank(4)), c.Try(c.Input(1).WithRank(3))
	switch images.Dim(3) {
	case shape.Unknown, 1, 3, 4:
	default:
		c.Fail(status.Invalid("Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)"))
	}
	c.TryDim(shape.WithValue(boxes.Dim(2), 4))
	c.SetOutput(0, c.Input(0))
	return c.Err()
}

// paddedSuppressionShape has as many boxes as may be selected if the result is
// padded. The last output counts those that were.
func paddedSuppressionShape(c *shape.Context) error {
	boxes, scores := c.Try(c.Input(0).WithRank(2)), c.Try(c.Input(1).WithRank(1))
	for i := 2; i < c.NumInputs(); i++ {
		c.Try(c.Input(i).WithRank(0))
	}
	c.TryDim(shape.MergeDims(boxes.Dim(0), scores.Dim(0)))
	c.TryDim(shape.WithValue(boxes.Dim(1), 4))
	n := shape.Unknown
	if c.Bool("pad_to_max_output_size") {
		n = c.TryDim(c.DimFrom(2))
	}
	c.SetOutputs(shape.Of(n))
	c.SetOutput(c.NumOutputs()-1, shape.Scalar)
	return c.Err()
}

// combinedSuppressionShape is for boxes [batch, boxes, 1 or classes, 4] and
// scores [batch, boxes, classes].
func combinedSuppressionShape(c *shape.Context) error {
	boxes, scores := c.Try(c.Input(0).WithRank(4)), c.Try(c.Input(1).WithRank(3))
	for i := 2; i < c.NumInputs(); i++ {
		c.Try(c.Input(i).WithRank(0))
	}
	batch := boxes.Dim(0)
	c.TryDim(shape.MergeDims(batch, scores.Dim(0)))
	c.TryDim(shape.MergeDims(boxes.Dim(1), scores.Dim(1)))
	c.TryDim(shape.WithValue(boxes.Dim(3), 4))
	if d, classes := boxes.Dim(2), scores.Dim(2); d != 1 && !shape.CompatibleDims(d, classes) {
		c.Fail(status.Invalid("third dimension of boxes must be either 1 or equal to the third dimension of scores"))
	}
	perClass, total := c.TryDim(c.DimFrom(2)), c.TryDim(c.DimFrom(3))
	if c.Err() != nil {
		return c.Err()
	}
	if v, ok := c.ConstInt(3); ok && v <= 0 {
		return status.Invalid("max_total_size should be > 0")
	}
	n := total
	if c.Bool("pad_per_class") {
		if perClass == 0 {
			return status.Invalid("max_output_size_per_class must be > 0 if pad_per_class is set to true ")
		}
		n = shape.Unknown
		if classes := scores.Dim(2); classes != shape.Unknown && perClass != shape.Unknown && total != shape.Unknown {
			n = min(c.TryDim(shape.MulDims(perClass, classes)), total)
		}
	}
	c.SetOutput(0, shape.Of(batch, n, 4))
	c.SetOutput(1, shape.Of(batch, n))
	c.SetOutput(2, shape.Of(batch, n))
	c.SetOutput(3, shape.Of(batch))
	return c.Err()
}

// channels returns the number of channels that a decoded image is to have.
func channels(c *shape.Context) (int64, error) {
	switch n := c.Int32("channels"); {
	case n == 0:
		return shape.Unknown, nil
	case n < 0:
		return shape.Unknown, status.Invalid("channels must be non-negative, got %d", n)
	default:
		return n, nil
	}
}

// decodeShape is for a decoder of files of these formats that hold one image.
func decodeShape(formats ...string) shape.Func {
	return func(c *shape.Context) error {
		c.Try(c.Input(0).WithRank(0))
		c.SetOutput(0, headerShape(c, c.TryDim(channels(c)), formats...))
		return c.Err()
	}
}

// decodeAnyShape says nothing where a file may hold an animation.
func decodeAnyShape(c *shape.Context) error {
	c.Try(c.Input(0).WithRank(0))
	s := headerShape(c, c.TryDim(channels(c)), "PNG", "JPEG", "BMP")
	if !c.Bool("expand_animations") || s.Full() {
		c.SetOutput(0, s)
	}
	return c.Err()
}
