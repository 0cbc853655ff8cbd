package logging

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	for _, dt := range []tensor.DType{tensor.Uint8, tensor.Float, tensor.Half, tensor.Double} {
		kernel.ForType("ImageSummary", "T", dt, func(c *kernel.Construction) (kernel.Kernel, error) {
			bad, err := badColor(tensor.ValueOf(c.Tensor("bad_color")))
			if err != nil {
				return nil, err
			}
			return imageSummary(c.Int("max_images"), func([]tensor.Value) ([]uint8, error) { return bad, nil }), nil
		})
	}
	writeSummaryOf("WriteImageSummary", func(c *kernel.Construction) kernel.Func {
		return imageSummary(c.Int("max_images"), func(in []tensor.Value) ([]uint8, error) { return badColor(in[2]) })
	})
}

// badColor reads the color of pixels that are not finite.
func badColor(v tensor.Value) ([]uint8, error) {
	if v.DType() != tensor.Uint8 || v.Rank() != 1 {
		return nil, status.Invalid("bad_color must be a vector of uint8, got %v of shape %s", v.DType(), tensor.FormatDims(v.Dims()))
	}
	return tensor.Of[uint8](&v), nil
}

// imageSummary makes the kernel of operations whose inputs begin with tag and
// images; bad gives the color of pixels that are not finite.
func imageSummary(most int64, bad func(in []tensor.Value) ([]uint8, error)) kernel.Func {
	return func(ctx *kernel.Context, in, out []tensor.Value) error {
		images := &in[1]
		if in[0].Rank() != 0 {
			return status.Invalid("Tags must be a scalar")
		}
		if images.Rank() != 4 {
			return status.Invalid("Tensor must be 4-D with last dim 1, 3, or 4, not %s", tensor.FormatDims(images.Dims()))
		}
		n, h, w, depth := images.Dim(0), images.Dim(1), images.Dim(2), images.Dim(3)
		switch {
		case depth != 1 && depth != 3 && depth != 4:
			return status.Invalid("Tensor must be 4-D with last dim 1, 3, or 4, not %s", tensor.FormatDims(images.Dims()))
		case n > 0 && (h == 0 || w == 0):
			return status.Invalid("images must not be empty, got %s", tensor.FormatDims(images.Dims()))
		}
		color, err := bad(in)
		if err != nil {
			return err
		}
		if len(color) < depth {
			return status.Invalid("expected bad_color.size >= depth of image, got bad_color.size = %d, image.depth = %d", len(color), depth)
		}
		tag, size := tensor.At0[string](&in[0]), h*w*depth
		var b []byte
		for i := range int(min(int64(n), most)) {
			if err := ctx.Err(); err != nil {
				return err
			}
			pixels, err := ctx.Alloc(tensor.Uint8, []int64{int64(size)})
			if err != nil {
				return err
			}
			bytesOf(images, i*size, depth, color, tensor.Of[uint8](&pixels))
			file, err := pngOf(tensor.Of[uint8](&pixels), h, w, depth)
			ctx.Free(pixels)
			if err != nil {
				return err
			}
			name := tag + "/image"
			if most > 1 {
				name = fmt.Sprintf("%s/image/%d", tag, i)
			}
			var m []byte
			for field, x := range []int{imageHeight: h, imageWidth: w, imageChannels: depth} {
				if field > 0 {
					m = protowire.AppendVarint(protowire.AppendTag(m, protowire.Number(field), protowire.VarintType), uint64(x))
				}
			}
			b = appendMessage(b, summaryValue, appendMessage(appendText(nil, valueTag, name), valueImage, appendMessage(m, imageBytes, file)))
		}
		out[0] = tensor.Scalar(string(b))
		return nil
	}
}

// bytesOf scales an image, from element at of v on, into bytes.
func bytesOf(v *tensor.Value, at, depth int, bad, pixels []uint8) {
	if v.DType() == tensor.Uint8 {
		copy(pixels, tensor.Of[uint8](v)[at:])
		return
	}
	x := reals(v)
	finite := func(pixel int) bool {
		for c := range depth {
			if value := x(at + pixel + c); math.IsNaN(value) || math.IsInf(value, 0) {
				return false
			}
		}
		return true
	}
	least, most := math.Inf(1), math.Inf(-1)
	for pixel := 0; pixel < len(pixels); pixel += depth {
		if finite(pixel) {
			for c := range depth {
				least, most = min(least, x(at+pixel+c)), max(most, x(at+pixel+c))
			}
		}
	}
	scale, offset := 0.0, 0.0
	const zero = 1e-6
	if least < 0 {
		offset = 128
		if m := max(-least, math.Abs(most)); m >= zero {
			scale = 127 / m
		}
	} else if most >= zero {
		scale = 255 / most
	}
	// TensorFlow computes in the image's type.
	narrow := func(y float64) float64 { return y }
	switch v.DType() {
	case tensor.Float:
		narrow = func(y float64) float64 { return float64(float32(y)) }
	case tensor.Half:
		narrow = func(y float64) float64 { return float64(tensor.ToFloat16(float32(y)).Float32()) }
	}
	scale = narrow(float64(float32(scale)))
	for pixel := 0; pixel < len(pixels); pixel += depth {
		if !finite(pixel) {
			copy(pixels[pixel:pixel+depth], bad)
			continue
		}
		for c := range depth {
			pixels[pixel+c] = uint8(min(max(narrow(narrow(x(at+pixel+c)*scale)+offset), 0), 255))
		}
	}
}

// pngOf returns a PNG file of 1 (grey), 3 or 4 bytes a pixel.
func pngOf(pixels []uint8, h, w, depth int) ([]byte, error) {
	var picture image.Image
	switch depth {
	case 1:
		picture = &image.Gray{Pix: pixels, Stride: w, Rect: image.Rect(0, 0, w, h)}
	case 4:
		picture = &image.NRGBA{Pix: pixels, Stride: 4 * w, Rect: image.Rect(0, 0, w, h)}
	default:
		rgba := image.NewNRGBA(image.Rect(0, 0, w, h))
		for i := range h * w {
			copy(rgba.Pix[4*i:], pixels[3*i:3*i+3])
			rgba.Pix[4*i+3] = 255
		}
		picture = rgba
	}
	var file bytes.Buffer
	if err := png.Encode(&file, picture); err != nil {
		return nil, status.Errorf(status.Internal, "PNG encoding failed: %v", err)
	}
	return file.Bytes(), nil
}
