package image

import (
	"image/color"
	"image/jpeg"
	"strings"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// The operations that are called after one format.
func init() {
	registry.Define("DecodeBmp").
		Input("contents: string").Output("image: uint8").
		Attr("channels: int = 0").
		Doc(`Decodes a BMP image.

contents: The bytes of the file.
channels: 0 for what the file has, 3 for RGB, 4 for RGBA.`)
	registry.Define("DecodeGif").
		Input("contents: string").Output("image: uint8").
		Doc(`Decodes all frames of a GIF image.

contents: The bytes of the file.
image: Frames, height, width and 3 channels.`)
	registry.Define("DecodeAndCropJpeg").
		Input("contents: string").Input("crop_window: int32").Output("image: uint8").
		Attr("channels: int = 0").
		Attr("ratio: int = 1").
		Attr("fancy_upscaling: bool = true").
		Attr("try_recover_truncated: bool = false").
		Attr("acceptable_fraction: float = 1").
		Attr("dct_method: string = ''").
		Doc(`Decodes a part of a JPEG image.

contents: The bytes of the file.
crop_window: Top, left, height and width of the part.
channels: As in DecodeJpeg.
ratio: As in DecodeJpeg.
fancy_upscaling: As in DecodeJpeg.
try_recover_truncated: As in DecodeJpeg.
acceptable_fraction: As in DecodeJpeg.
dct_method: As in DecodeJpeg.`)
	registry.Define("ExtractJpegShape").
		Input("contents: string").Output("image_shape: output_type").
		Attr("output_type: {int32, int64} = DT_INT32").
		Doc(`Returns height, width and channels of a JPEG image without decoding it.

contents: The bytes of the file.
output_type: The type of the result.`)

	shape.Register(decodeShape("BMP"), "DecodeBmp")
	shape.Register(shape.Rule("contents: [] -> image: [?,?,?,3]"), "DecodeGif")
	shape.Register(cropJpegShape, "DecodeAndCropJpeg")
	shape.Register(shape.Rule("contents: [] -> image_shape: [3]"), "ExtractJpegShape")
	kernel.ForAll(newDecoder, "DecodeBmp", "DecodeGif", "DecodeAndCropJpeg")
	kernel.ForAll(newExtractShape, "ExtractJpegShape")
}

// cropJpegShape has the height and width that the window has.
func cropJpegShape(c *shape.Context) error {
	c.Try(c.Input(0).WithRank(0))
	window := c.Try(c.Input(1).WithRank(1))
	c.TryDim(shape.WithValue(window.Dim(0), 4))
	h, w := shape.Unknown, shape.Unknown
	if v, ok := c.ConstInts(1); ok && len(v) == 4 {
		if h, w = v[2], v[3]; h < 0 || w < 0 {
			return status.Invalid("the crop window is %d by %d", h, w)
		}
	}
	n := c.TryDim(channels(c))
	c.SetOutput(0, shape.Of(h, w, n))
	return c.Err()
}

// formats is how the files of each begin.
var formats = []struct{ name, magic string }{
	{"JPEG", "\xff\xd8\xff"}, {"PNG", "\x89PNG\r\n\x1a\n"}, {"GIF", "GIF8"}, {"BMP", "BM"},
}

// formatOf returns the format of a file; empty if it is none that is known.
func formatOf(file string) string {
	for _, f := range formats {
		if strings.HasPrefix(file, f.magic) {
			return f.name
		}
	}
	return ""
}

// refuse reports whether the decoder's operation takes files of a format: BMP has
// operations of its own, which take nothing else, and only JPEG can be cut.
func (k *decoder) refuse(format string) error {
	switch {
	case k.op == "DecodeImage":
		return nil
	case k.op == "DecodeAndCropJpeg" && format != "JPEG":
		return status.Invalid("DecodeAndCropJpeg operation can run on JPEG only, but detected %s.", format)
	case (format == "BMP") != (k.op == "DecodeBmp"):
		return status.Invalid("Trying to decode %s format using a wrong op. Use `decode_%s` or `decode_image` instead. Op used: %s", format, strings.ToLower(format), k.op)
	}
	return nil
}

// cropWindow returns the part of an image that v names: top, left, height and width.
func cropWindow(v *tensor.Value) ([]int32, error) {
	if v.NumElements() != 4 || v.Rank() != 1 {
		return nil, status.Invalid("crop_window must have four elements, got shape %s", tensor.FormatDims(v.Dims()))
	}
	return tensor.Of[int32](v), nil
}

// newExtractShape makes the kernel of ExtractJpegShape.
func newExtractShape(c *kernel.Construction) (kernel.Kernel, error) {
	dt := c.Type("output_type")
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		if in[0].Rank() != 0 {
			return status.Invalid("contents must be scalar, got shape %s", tensor.FormatDims(in[0].Dims()))
		}
		file := tensor.At0[string](&in[0])
		config, err := jpeg.DecodeConfig(strings.NewReader(file))
		if err != nil {
			return status.Invalid("Invalid JPEG data, size %d: %v", len(file), err)
		}
		channels := 3
		switch config.ColorModel {
		case color.GrayModel:
			channels = 1
		case color.CMYKModel:
			channels = 4
		}
		if out[0], err = ctx.Alloc(dt, []int64{3}); err != nil {
			return err
		}
		for i, n := range []int{config.Height, config.Width, channels} {
			if dt == tensor.Int32 {
				tensor.Of[int32](&out[0])[i] = int32(n)
			} else {
				tensor.Of[int64](&out[0])[i] = int64(n)
			}
		}
		return nil
	}), nil
}
