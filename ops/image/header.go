package image

import (
	"encoding/binary"
	"image/color"
	"image/jpeg"
	"image/png"
	"strings"

	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/tensor"
)

// mostHeader is how much of a constant file is read for its shape when a node is added.
const mostHeader = 1 << 16

// A constant file says the shape of the image before the graph runs. TensorFlow has it
// as well where a later shape depends on its numbers, as it then runs the decoder.

// headerShape returns the shape of the image whose file input 0 is, with so many channels if
// they are known; of unknown dimensions if the file is not known or is of another kind
// than those that decode so.
func headerShape(c *shape.Context, channels int64, formats ...string) shape.Shape {
	unknown := shape.Of(shape.Unknown, shape.Unknown, channels)
	t := c.Value(0)
	if t == nil || t.DType() != tensor.String || t.NumElements() != 1 {
		return unknown
	}
	v := tensor.ValueOf(t)
	file := tensor.At0[string](&v)
	format := formatOf(file)
	for _, f := range formats {
		if f != format {
			continue
		}
		h, w, n := header(format, file[:min(len(file), mostHeader)])
		if h <= 0 || w <= 0 || n <= 0 {
			return unknown
		}
		if channels == shape.Unknown {
			channels = n
		}
		return shape.Of(h, w, channels)
	}
	return unknown
}

// header returns the height, the width and the channels that a file has; zeros if its
// beginning does not say them.
func header(format, file string) (h, w, channels int64) {
	switch format {
	case "PNG":
		if config, err := png.DecodeConfig(strings.NewReader(file)); err == nil {
			return int64(config.Height), int64(config.Width), pngChannels(file)
		}
	case "JPEG":
		if config, err := jpeg.DecodeConfig(strings.NewReader(file)); err == nil {
			channels = 3
			if config.ColorModel == color.GrayModel {
				channels = 1
			}
			return int64(config.Height), int64(config.Width), channels
		}
	case "BMP":
		if len(file) < 32 {
			return 0, 0, 0
		}
		b := []byte(file[:32])
		w, h = int64(int32(binary.LittleEndian.Uint32(b[18:]))), int64(int32(binary.LittleEndian.Uint32(b[22:])))
		if h < 0 {
			h = -h
		}
		if w < 1<<27 && h < 1<<27 {
			return h, w, int64(binary.LittleEndian.Uint16(b[28:])) / 8
		}
	}
	return 0, 0, 0
}

// pngColorType is where the header of a PNG file says what its numbers mean.
const pngColorType = 25

// pngChannels returns how many channels a PNG file has whose header has been read.
func pngChannels(file string) int64 {
	switch file[pngColorType] {
	case 0:
		return 1
	case 4:
		return 2
	case 6:
		return 4
	}
	return 3
}
