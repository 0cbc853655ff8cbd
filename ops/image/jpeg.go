package image

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/ops/image/jpeg"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// mostPixels is how many pixels TensorFlow decodes at most.
const mostPixels = 1 << 29

// jpeg decodes a JPEG file, or the part of it that window gives: y, x, height and width.
func (k *decoder) jpeg(ctx *kernel.Context, file string, window []int32, out *tensor.Value) error {
	if k.channels == 4 {
		return status.Invalid("JPEG does not support 4 channels")
	}
	fail := func(why any) error {
		return status.Invalid("jpeg::Uncompress failed. Invalid JPEG data or crop window: %v", why)
	}
	options := k.jpegOptions
	options.Channels, options.Pool = k.channels, ctx.Pool()
	if window != nil {
		c := &options.Crop
		c.Y, c.X, c.Height, c.Width = int(window[0]), int(window[1]), int(window[2]), int(window[3])
	}
	m, err := jpeg.Open(file, options)
	if err != nil {
		return fail(err)
	}
	if w, h := int64(m.FullWidth), int64(m.FullHeight); w*h >= mostPixels {
		return fail("too many pixels")
	} else if !options.Recover && k.fraction >= 1 && w*h/512 > int64(len(file)) {
		// Each block of 8 by 8 samples takes a bit at least.
		return status.Invalid("jpeg::Uncompress failed. Invalid JPEG data or crop window: %d bytes cannot hold %d x %d pixels", len(file), w, h)
	}
	if c := options.Crop; window != nil && !m.Holds(c.Y, c.X, c.Height, c.Width) {
		return fail("the window is not inside of the image")
	}
	work := m.Memory()
	if err := ctx.Reserve(work); err != nil {
		return err
	}
	defer ctx.Unreserve(work)
	result, err := k.alloc(ctx, out, m.Height, m.Width, m.Channels)
	if err != nil {
		return err
	}
	pixels := result.bytes
	if pixels == nil {
		space, err := ctx.Alloc(tensor.Uint8, []int64{int64(m.Height), int64(m.Width), int64(m.Channels)})
		if err != nil {
			return err
		}
		defer ctx.Free(space)
		pixels = tensor.Of[uint8](&space)
	}
	lines, err := m.Decode(ctx.Err, pixels)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fail(err)
	}
	if float32(lines)/float32(m.Height) < min(1, k.fraction) {
		return status.Invalid("jpeg::Uncompress failed. Invalid JPEG data or crop window: the file ends after %d of %d lines", lines, m.Height)
	}
	clear(pixels[lines*m.Width*m.Channels:])
	if result.bytes == nil {
		for i, x := range pixels {
			result.set(i, x)
		}
	}
	return nil
}
