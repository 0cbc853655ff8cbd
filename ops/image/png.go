package image

import (
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/png"
	"io"
	"math"
	"strings"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/ops/image/jpeg"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) {
		level := c.Int("compression")
		if level < -1 || level > 9 {
			return nil, c.Errorf("compression should be in [-1,9], got %d", level)
		}
		return pngEncoder{int(level)}, nil
	}, "EncodePng")
}

// pngColor is PNG's color type of images of 1 to 4 channels: gray, gray and
// alpha, RGB, RGBA.
var pngColor = [...]byte{1: 0, 2: 4, 3: 2, 4: 6}

// A pngEncoder is the kernel of EncodePng. It writes what the PNG specification
// (ISO/IEC 15948) asks for itself, as package image/png has no images of gray
// and alpha, and leaves out an alpha that is 1 everywhere.
type pngEncoder struct{ level int }

func (k pngEncoder) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	dims := in[0].Dims()
	n := len(dims)
	if n < 3 {
		return status.Invalid("image must be at least 3-dimensional%s", tensor.FormatDims(dims))
	}
	height, width, channels := dims[n-3], dims[n-2], dims[n-1]
	if in[0].NumElements() == 0 {
		return status.Invalid("image cannot be empty: %s", tensor.FormatDims(dims))
	}
	if channels < 1 || channels > 4 {
		return status.Invalid("image must have 1, 2, 3, or 4 channels, got %d", channels)
	}
	if height > math.MaxInt32 || width > math.MaxInt32 {
		return status.Invalid("image too large for int: %s", tensor.FormatDims(dims))
	}
	v, err := ctx.Alloc(tensor.String, dims[:n-3])
	if err != nil {
		return err
	}
	out[0] = v
	o, x := tensor.Of[string](&out[0]), tensor.Bytes(&in[0])
	size := len(x) / len(o)
	for i := range o {
		if err := ctx.Err(); err != nil {
			return err
		}
		if o[i], err = k.encode(ctx, x[i*size:][:size], int(height), int(width), int(channels), in[0].DType().Size()); err != nil {
			return err
		}
	}
	return nil
}

// encode makes a file of the elements of an image.
func (k pngEncoder) encode(ctx *kernel.Context, x []byte, height, width, channels, bytesEach int) (string, error) {
	reserved := ctx.Reserved()
	data := growing{ctx: ctx}
	var file strings.Builder
	file.WriteString("\x89PNG\r\n\x1a\n")
	head := binary.BigEndian.AppendUint32(nil, uint32(width))
	head = binary.BigEndian.AppendUint32(head, uint32(height))
	chunk(&file, "IHDR", append(head, byte(8*bytesEach), pngColor[channels], 0, 0, 0))
	z, err := zlib.NewWriterLevel(&data, k.level)
	if err != nil {
		return "", status.From(err)
	}
	line := len(x) / height
	row, err := kernel.Scratch[byte](ctx, 1+line)
	if err != nil {
		return "", err
	}
	for y := range height {
		ctx.Ask()
		// Each byte less the one of the pixel to the left: filter 1.
		row[0] = 1
		from, to, pixel := x[y*line:][:line], row[1:], channels*bytesEach
		if bytesEach == 2 {
			for i := 0; i < line; i += 2 {
				binary.BigEndian.PutUint16(to[i:], binary.NativeEndian.Uint16(from[i:]))
			}
		} else {
			copy(to, from)
		}
		for i := line - 1; i >= pixel; i-- {
			to[i] -= to[i-pixel]
		}
		if _, err := z.Write(row); err != nil {
			return "", status.From(err)
		}
	}
	if err := z.Close(); err != nil {
		return "", status.From(err)
	}
	// The file is charged with the text that is put out.
	if err := ctx.Reserve(len(data.b)); err != nil {
		return "", err
	}
	file.Grow(len(data.b) + 64)
	chunk(&file, "IDAT", data.b)
	chunk(&file, "IEND", nil)
	ctx.UnreserveTo(reserved)
	return file.String(), ctx.Reserve(file.Len())
}

// growing is what is written, charged before it grows.
type growing struct {
	ctx *kernel.Context
	b   []byte
}

func (g *growing) Write(b []byte) (n int, err error) {
	if err := g.ctx.Err(); err != nil {
		return 0, err
	}
	if g.b, err = kernel.Grow(g.ctx, g.b, len(b)); err != nil {
		return 0, err
	}
	g.b = append(g.b, b...)
	return len(b), nil
}

// chunk writes a chunk of a PNG file: its length, its kind, its data and the
// check sum of the latter two.
func chunk(file *strings.Builder, kind string, data []byte) {
	var n [4]byte
	binary.BigEndian.PutUint32(n[:], uint32(len(data)))
	file.Write(n[:])
	sum := crc32.Update(crc32.ChecksumIEEE([]byte(kind)), crc32.IEEETable, data)
	file.WriteString(kind)
	file.Write(data)
	binary.BigEndian.PutUint32(n[:], sum)
	file.Write(n[:])
}

// A pngDecoder decodes PNG files.
type pngDecoder struct {
	channels int // 0 for those of the file
	dt       tensor.DType
}

func (k pngDecoder) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	if in[0].Rank() != 0 {
		return status.Invalid("`contents` must be scalar but got shape%s", tensor.FormatDims(in[0].Dims()))
	}
	contents := tensor.At0[string](&in[0])
	if !strings.HasPrefix(contents, "\x89PNG") {
		return (&decoder{channels: k.channels, dt: k.dt, still: true, jpegOptions: jpeg.Options{Ratio: 1, Fancy: true}, fraction: 1}).Run(ctx, in, out)
	}
	config, err := png.DecodeConfig(strings.NewReader(contents))
	if err != nil {
		return status.Invalid("Invalid PNG data, size %d: %v", len(contents), err)
	}
	channels := k.channels
	color := contents[pngColorType]
	if channels == 0 {
		channels = int(pngChannels(contents))
	}
	mix := channels == 1 && color != 0 && color != 4
	wide := contents[pngColorType-1] == 16
	// The result first: it is charged to the step before the file is decoded.
	v, err := ctx.Alloc(k.dt, []int64{int64(config.Height), int64(config.Width), int64(channels)})
	if err != nil {
		return err
	}
	out[0] = v
	defer ctx.UnreserveTo(ctx.Reserved())
	beside, least := pngMemory(contents, config)
	if least/mostDeflated > len(contents) {
		return status.Invalid("Invalid PNG data, size %d: too little for %d x %d pixels", len(contents), config.Width, config.Height)
	}
	if err := ctx.Reserve(beside); err != nil {
		return err
	}
	m, err := png.Decode(asking{ctx, strings.NewReader(contents)})
	if e := ctx.Err(); e != nil {
		return e
	}
	if err != nil {
		return status.Invalid("Invalid PNG data, size %d: %v", len(contents), err)
	}
	i := 0
	var pixel [4]uint16
	for y := range config.Height {
		if err := ctx.Err(); err != nil {
			return err
		}
		for x := range config.Width {
			if x%tablePart == tablePart-1 {
				ctx.Ask()
			}
			channelsAt(m, x, y, &pixel)
			if mix {
				pixel[0] = grayOf(pixel, wide)
			}
			if channels == 2 {
				pixel[1] = pixel[3]
			}
			for _, c := range pixel[:channels] {
				if k.dt == tensor.Uint8 {
					tensor.Of[uint8](&out[0])[i] = uint8(c >> 8)
				} else {
					tensor.Of[uint16](&out[0])[i] = c
				}
				i++
			}
		}
	}
	return nil
}

// mostDeflated is how many bytes a byte of deflated data can stand for.
const mostDeflated = 1032

// pngMemory returns how many bytes png.Decode takes for a file, an image and two lines, and
// how many the file has at least when it has been inflated.
func pngMemory(file string, config image.Config) (taken, inflated int) {
	depth, color, interlaced := int(file[pngColorType-1]), file[pngColorType], file[pngColorType+3] != 0
	channels := int(pngChannels(file)) // of the file
	if color == 3 {
		channels = 1
	}
	each := 1 // what a pixel takes in the image: gray, or a place in a palette
	if color != 0 && color != 3 || color == 0 && strings.Contains(file, "tRNS") {
		each = 4
	}
	if depth == 16 {
		each *= 2
	}
	pixels, line := config.Width*config.Height, (config.Width*channels*depth+7)/8
	taken = pixels*each + 2*line
	if interlaced { // an image for each pass beside the whole
		taken += pixels * each
	}
	return taken, line * config.Height
}

// asking is a reader that fails once the step has ended.
type asking struct {
	ctx  *kernel.Context
	from io.Reader
}

// Read reads from the reader.
func (a asking) Read(p []byte) (int, error) {
	if err := a.ctx.Err(); err != nil {
		return 0, err
	}
	return a.from.Read(p[:min(len(p), askingPart)])
}

// askingPart is how many bytes of a file are read without asking: when inflated it may
// be a thousand times as many, and each line of an image may be two of them.
const askingPart = 256

// grayOf returns the brightness of a pixel of a file of 8 or 16 bits, as libpng weighs
// red, green and blue; it rounds those of 16 bits.
func grayOf(p [4]uint16, wide bool) uint16 {
	const red, green, blue, one = 9797, 19234, 3737, 1 << 15
	if !wide {
		return uint16((red*uint32(p[0]>>8)+green*uint32(p[1]>>8)+blue*uint32(p[2]>>8))/one) * 257
	}
	return uint16((red*uint32(p[0]) + green*uint32(p[1]) + blue*uint32(p[2]) + one/2) / one)
}

// channelsAt is red, green, blue and alpha of a pixel, not multiplied.
func channelsAt(m image.Image, x, y int, pixel *[4]uint16) {
	switch m := m.(type) {
	case *image.NRGBA:
		c := m.NRGBAAt(x, y)
		*pixel = [4]uint16{257 * uint16(c.R), 257 * uint16(c.G), 257 * uint16(c.B), 257 * uint16(c.A)}
	case *image.NRGBA64:
		c := m.NRGBA64At(x, y)
		*pixel = [4]uint16{c.R, c.G, c.B, c.A}
	default: // without alpha, or a palette
		r, g, b, a := m.At(x, y).RGBA()
		*pixel = [4]uint16{uint16(r), uint16(g), uint16(b), uint16(a)}
	}
}
