package image

import (
	"math"
	"slices"
	"unsafe"

	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/kernel/philox"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("SampleDistortedBoundingBox").
		Input("image_size: T").Input("bounding_boxes: float").
		Output("begin: T").Output("size: T").Output("bboxes: float").
		Attr("T: {uint8, int8, int16, int32, int64}").
		Attr("seed: int = 0").
		Attr("seed2: int = 0").
		Attr("min_object_covered: float = 0.1").
		Attr("aspect_ratio_range: list(float) = [0.75, 1.33]").
		Attr("area_range: list(float) = [0.05, 1.0]").
		Attr("max_attempts: int = 100").
		Attr("use_image_if_no_bounding_boxes: bool = false").
		Stateful().
		Doc(`Draws a window of an image that covers some of an object.

image_size: Height, width and channels of the image.
bounding_boxes: The boxes of objects: batch, boxes, and the coordinates y and x of two corners, as parts of the image's size.
begin: Where the window begins, for Slice.
size: The window's size, for Slice: height, width and -1.
bboxes: The window as a bounding box.
min_object_covered: The part of some object that the window covers at least.
aspect_ratio_range: The least and the greatest ratio of the window's width to its height.
area_range: The least and the greatest part of the image that the window is.
max_attempts: How many windows are tried before it is the whole image.
use_image_if_no_bounding_boxes: Whether the whole image is the object if there are no boxes.`)
	registry.Define("SampleDistortedBoundingBoxV2").
		Input("image_size: T").Input("bounding_boxes: float").Input("min_object_covered: float").
		Output("begin: T").Output("size: T").Output("bboxes: float").
		Attr("T: {uint8, int8, int16, int32, int64}").
		Attr("seed: int = 0").
		Attr("seed2: int = 0").
		Attr("aspect_ratio_range: list(float) = [0.75, 1.33]").
		Attr("area_range: list(float) = [0.05, 1.0]").
		Attr("max_attempts: int = 100").
		Attr("use_image_if_no_bounding_boxes: bool = false").
		Stateful().
		Doc(`Draws a window of an image that covers some of an object.

image_size: Height, width and channels of the image.
bounding_boxes: The boxes of objects: batch, boxes, and the coordinates y and x of two corners, as parts of the image's size.
min_object_covered: The part of some object that the window covers at least.
begin: Where the window begins, for Slice.
size: The window's size, for Slice: height, width and -1.
bboxes: The window as a bounding box.
aspect_ratio_range: The least and the greatest ratio of the window's width to its height.
area_range: The least and the greatest part of the image that the window is.
max_attempts: How many windows are tried before it is the whole image.
use_image_if_no_bounding_boxes: Whether the whole image is the object if there are no boxes.`)
	registry.Define("StatelessSampleDistortedBoundingBox").
		Input("image_size: T").Input("bounding_boxes: float").Input("min_object_covered: float").Input("seed: Tseed").
		Output("begin: T").Output("size: T").Output("bboxes: float").
		Attr("T: {uint8, int8, int16, int32, int64}").
		Attr("Tseed: {int32, int64}").
		Attr("aspect_ratio_range: list(float) = [0.75, 1.33]").
		Attr("area_range: list(float) = [0.05, 1.0]").
		Attr("max_attempts: int = 100").
		Attr("use_image_if_no_bounding_boxes: bool = false").
		Doc(`Draws, by a seed, a window of an image that covers some of an object.

image_size: Height, width and channels of the image.
bounding_boxes: The boxes of objects: batch, boxes, and the coordinates y and x of two corners, as parts of the image's size.
min_object_covered: The part of some object that the window covers at least.
seed: Two numbers: the same give the same window.
begin: Where the window begins, for Slice.
size: The window's size, for Slice: height, width and -1.
bboxes: The window as a bounding box.
aspect_ratio_range: The least and the greatest ratio of the window's width to its height.
area_range: The least and the greatest part of the image that the window is.
max_attempts: How many windows are tried before it is the whole image.
use_image_if_no_bounding_boxes: Whether the whole image is the object if there are no boxes.`)
	shape.Register(shape.Rule("image_size: ?, bounding_boxes: ? -> begin: [3], size: [3], bboxes: [1,1,4]"), "SampleDistortedBoundingBox")
	shape.Register(shape.Rule("image_size: ?, bounding_boxes: ?, min_object_covered: ? -> begin: [3], size: [3], bboxes: [1,1,4]"), "SampleDistortedBoundingBoxV2")
	shape.Register(shape.Rule("image_size: ?, bounding_boxes: ?, min_object_covered: ?, seed: ? -> begin: [3], size: [3], bboxes: [1,1,4]"), "StatelessSampleDistortedBoundingBox")
	gradient.None("SampleDistortedBoundingBox", "SampleDistortedBoundingBoxV2")
	for _, dt := range [...]tensor.DType{tensor.Uint8, tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64} {
		boxSamplerFor(dt)
	}
}

// A boxSampler draws windows of an image.
type boxSampler struct {
	node          string
	seed, seed2   int64
	covered       float32 // the part of an object, if no input says it
	ratios, areas [2]float32
	attempts      int64
	imageIfNone   bool
}

func boxSamplerFor(dt tensor.DType) {
	for _, op := range []string{"SampleDistortedBoundingBox", "SampleDistortedBoundingBoxV2", "StatelessSampleDistortedBoundingBox"} {
		kernel.ForType(op, "T", dt, func(c *kernel.Construction) (kernel.Kernel, error) {
			k := &boxSampler{
				node: c.Node, seed: c.Int("seed"), seed2: c.Int("seed2"), covered: c.Float("min_object_covered"),
				attempts: c.Int("max_attempts"), imageIfNone: c.Bool("use_image_if_no_bounding_boxes"),
			}
			if c.Attrs.Find("min_object_covered") != nil && k.covered < 0 {
				return nil, c.Errorf("Min object covered must be non-negative: %v", k.covered)
			}
			for name, to := range map[string]*[2]float32{"aspect_ratio_range": &k.ratios, "area_range": &k.areas} {
				list := c.Attrs.Find(name).List
				if len(list) != 2 {
					return nil, c.Errorf("%s must have two elements, got %d", name, len(list))
				}
				to[0], to[1] = list[0].F, list[1].F
				if !(to[0] > 0) || !(to[1] > 0) {
					return nil, c.Errorf("%s must be positive: %v, %v", name, to[0], to[1])
				}
			}
			switch {
			case k.areas[0] > 1 || k.areas[1] > 1:
				return nil, c.Errorf("area_range must be less then or equal to 1.0: %v, %v", k.areas[0], k.areas[1])
			case k.attempts <= 0:
				return nil, c.Errorf("max_attempts must be positive: %d", k.attempts)
			}
			return elementwise.WidenToInt64(dt, kernel.Func(k.sample), 0, 1), nil
		})
	}
}

// A rect is a rectangle of pixels.
type rect struct{ x0, y0, x1, y1 int }

func (r rect) area() float32 { return float32((r.x1 - r.x0) * (r.y1 - r.y0)) }

func (r rect) intersect(o rect) rect {
	i := rect{max(r.x0, o.x0), max(r.y0, o.y0), min(r.x1, o.x1), min(r.y1, o.y1)}
	if i.x0 > i.x1 || i.y0 > i.y1 {
		return rect{}
	}
	return i
}

// sample draws a window of an image whose size is of int64.
func (k *boxSampler) sample(ctx *kernel.Context, in, out []tensor.Value) (err error) {
	if in[0].Rank() != 1 || in[0].NumElements() != 3 {
		return status.Invalid("image_size must be 1-dimensional and contain 3 elements%s", tensor.FormatDims(in[0].Dims()))
	}
	size := tensor.Of[int64](&in[0])
	height, width := size[0], size[1]
	if height <= 0 || width <= 0 || height > math.MaxInt32 || width > math.MaxInt32 {
		return status.Invalid("Image height and width must be positive, and below 2^31, got %d and %d", height, width)
	}
	image := rect{0, 0, int(width), int(height)}
	covered := k.covered
	if len(in) > 2 {
		if in[2].Rank() != 0 {
			return status.Invalid("min_object_covered must be 0-D scalar, got shape %s", tensor.FormatDims(in[2].Dims()))
		}
		if covered = tensor.At0[float32](&in[2]); !(covered >= 0) {
			return status.Invalid("Min object covered must be non-negative: %v", covered)
		}
	}
	defer ctx.UnreserveTo(ctx.Reserved())
	objects, err := objectsOf(ctx, &in[1], image)
	if err != nil {
		return err
	}
	if len(objects) == 0 {
		if !k.imageIfNone {
			return status.Invalid("No bounding boxes provided as input. One must enable use_image_if_no_bounding_boxes if you wish to not provide any bounding boxes.")
		}
		objects = []rect{image}
	}
	var g philox.Generator
	if len(in) > 3 {
		g, err = philox.FromSeed(&in[3])
	} else {
		g, err = philox.Reserve(ctx, k.node, k.seed, k.seed2, uint64(k.attempts))
	}
	if err != nil {
		return err
	}
	window, err := k.draw(ctx, philox.NewSingle(g), image, objects, covered)
	if err != nil {
		return err
	}
	for i := range 2 {
		if out[i], err = ctx.Alloc(tensor.Int64, []int64{3}); err != nil {
			return err
		}
	}
	if out[2], err = ctx.Alloc(tensor.Float, []int64{1, 1, 4}); err != nil {
		return err
	}
	begin, extent, box := tensor.Of[int64](&out[0]), tensor.Of[int64](&out[1]), tensor.Of[float32](&out[2])
	begin[0], begin[1], begin[2] = int64(window.y0), int64(window.x0), 0
	const none = -1 // or the largest number, of integers without a sign
	extent[0], extent[1], extent[2] = int64(window.y1-window.y0), int64(window.x1-window.x0), none
	box[0], box[1] = float32(window.y0)/float32(height), float32(window.x0)/float32(width)
	box[2], box[3] = float32(window.y1)/float32(height), float32(window.x1)/float32(width)
	return nil
}

// objectsOf returns the boxes in pixels.
func objectsOf(ctx *kernel.Context, v *tensor.Value, image rect) ([]rect, error) {
	if v.Rank() != 3 || v.Dim(2) != 4 {
		return nil, status.Invalid("input boxes must be 3-dimensional [batch, num_boxes, coords], the coords four: %s", tensor.FormatDims(v.Dims()))
	}
	boxes := tensor.Of[float32](v)
	n := len(boxes) / 4
	if err := ctx.Reserve(n * int(unsafe.Sizeof(rect{}))); err != nil {
		return nil, err
	}
	objects := make([]rect, 0, n)
	w, h := float32(image.x1), float32(image.y1)
	for lo, hi := range ctx.Ranges(n, 1<<14) {
		for box := range slices.Chunk(boxes[4*lo:4*hi], 4) {
			for _, x := range box {
				if !(x >= 0 && x <= 1) {
					return nil, status.Invalid("All bounding box coordinates must be in [0.0, 1.0]: %v", x)
				}
			}
			objects = append(objects, rect{int(box[1] * w), int(box[0] * h), int(box[3] * w), int(box[2] * h)})
		}
	}
	return objects, nil
}

// draw tries windows until one covers enough of an object.
func (k *boxSampler) draw(ctx *kernel.Context, g *philox.Single, image rect, objects []rect, covered float32) (rect, error) {
	var credit kernel.Credit
	for range k.attempts {
		if !credit.Spend(ctx, 8) {
			return rect{}, ctx.Err()
		}
		ratio := philox.Unit(g)*(k.ratios[1]-k.ratios[0]) + k.ratios[0]
		window, ok := k.window(g, image.x1, image.y1, ratio)
		if !ok || window.area() < 1 {
			continue
		}
		for some := range slices.Chunk(objects, 1<<14) {
			if !credit.Spend(ctx, 8*len(some)) {
				return rect{}, ctx.Err()
			}
			for _, o := range some {
				if area := o.area(); area >= 1 && o.intersect(window).area()/area >= covered {
					return window, nil
				}
			}
		}
	}
	return image, nil
}

// window draws a window of a ratio of width to height whose area is in the range.
func (k *boxSampler) window(g *philox.Single, width, height int, ratio float32) (r rect, ok bool) {
	if k.areas[0] > k.areas[1] {
		return r, false
	}
	round := func(x float32) int { return int(math.RoundToEven(float64(x))) }
	root := func(x float32) float32 { return float32(math.Sqrt(float64(x))) }
	least, most := k.areas[0]*float32(width)*float32(height), k.areas[1]*float32(width)*float32(height)
	h, highest := round(root(least/ratio)), round(root(most/ratio))
	if round(float32(highest)*ratio) > width {
		highest = int((float32(width) + 0.5 - 1e-7) / ratio)
		if round(float32(highest)*ratio) > width {
			highest--
		}
	}
	highest = min(highest, height)
	h = min(h, highest)
	if h < highest {
		h += int(philox.Below(g, uint32(highest-h+1)))
	}
	w := round(float32(h) * ratio)
	// Rounding may have led out of the range by one.
	if float32(w*h) < least {
		h++
		w = round(float32(h) * ratio)
	}
	if float32(w*h) > most {
		h--
		w = round(float32(h) * ratio)
	}
	if area := float32(w * h); area < least || area > most || w > width || h > height || w <= 0 || h <= 0 {
		return r, false
	}
	if h < height {
		r.y0 = int(philox.Below(g, uint32(height-h)))
	}
	if w < width {
		r.x0 = int(philox.Below(g, uint32(width-w)))
	}
	r.x1, r.y1 = r.x0+w, r.y0+h
	return r, true
}
