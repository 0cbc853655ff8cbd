package image

import (
	"encoding/binary"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// bmp decodes a bitmap of 8, 24 or 32 bits a pixel, without compression; 8 bits
// are taken for gray, whatever the palette.
func (k *decoder) bmp(ctx *kernel.Context, file string, out *tensor.Value) error {
	if k.channels != 0 && k.channels != 3 && k.channels != 4 {
		return status.Invalid("`channels` must be 0, 3 or 4 for BMP, but got %d", k.channels)
	}
	const header = 32 // as far as it is read
	if len(file) < header {
		return status.Invalid("Incomplete bmp content, requires at least %d bytes to find the header size, width, height, and bpp, got %d bytes", header, len(file))
	}
	at := func(i int) int64 { return int64(int32(binary.LittleEndian.Uint32([]byte(file[i : i+4])))) }
	first, width, height := at(10), at(18), at(22)
	bits := int64(binary.LittleEndian.Uint16([]byte(file[28:30])))
	if first < 0 {
		return status.Invalid("header size must be >= 0, got %d", first)
	}
	top := height < 0
	if top {
		height = -height
	}
	channels := bits / 8 // in the file
	switch {
	case channels != 1 && channels != 3 && channels != 4:
		return status.Invalid("Number of channels inherent in the image must be 1, 3 or 4, was %d", channels)
	case width <= 0:
		return status.Invalid("Width must be positive")
	case height == 0:
		return status.Invalid("Height must be nonzero")
	case width >= 1<<27 || height >= 1<<27 || width*height >= 1<<29/channels:
		return status.Invalid("Total possible pixel bytes must be less than 2^30")
	}
	line := (bits*width + 31) / 32 * 4
	if diff := int64(len(file)) - first - line*height; diff < 0 {
		return status.Invalid("Input size should match (header_size + row_size * abs_height) but they differ by %d", diff)
	}
	wanted := k.channels
	if wanted == 0 {
		wanted = int(channels)
	}
	c, err := k.alloc(ctx, out, int(height), int(width), wanted)
	if err != nil {
		return err
	}
	i := 0
	for y := range height {
		if err := ctx.Err(); err != nil {
			return err
		}
		row := y
		if !top {
			row = height - 1 - y
		}
		pixels := file[first+row*line:]
		for x := range width {
			p := pixels[x*channels:][:channels]
			// Gray; or blue, green, red and perhaps alpha.
			rgba := [4]uint8{p[0], p[0], p[0], 255}
			if channels > 1 {
				rgba[0], rgba[1], rgba[2] = p[2], p[1], p[0]
			}
			if channels == 4 {
				rgba[3] = p[3]
			}
			for n, v := range rgba[:wanted] {
				c.set(i+n, v)
			}
			i += wanted
		}
	}
	return nil
}
