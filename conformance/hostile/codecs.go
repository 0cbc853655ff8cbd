package hostile

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"strings"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
)

// Bytes that say that they are more than anybody wants.
func codecs() []Attack {
	one := func(name string, make func() []byte, decode func(b *builder, contents tf.Output) tf.Output) Attack {
		return Attack{"decode_" + name, func(b *builder) { b.fetch(op.Shape(b.Scope, decode(b, b.konst(string(make()))))) }}
	}
	asImage := func(b *builder, x tf.Output) tf.Output { return op.DecodeImage(b.Scope, x) }
	asPNG := func(b *builder, x tf.Output) tf.Output { return op.DecodePng(b.Scope, x) }
	return sorted([]Attack{
		one("png_wide", func() []byte { return pngOf(1<<31-1, 1<<31-1, nil) }, asPNG),
		one("png_promised", func() []byte { return pngOf(30_000, 30_000, nil) }, asPNG),
		one("png_of_zeros", func() []byte { return pngOf(1<<14, 1<<14, make([]byte, (1<<14)*(4<<14+1))) }, asPNG),
		one("png_image", func() []byte { return pngOf(1<<14, 1<<14, make([]byte, (1<<14)*(4<<14+1))) }, asImage),
		one("jpeg_promised", func() []byte { return jpegOf(65_535, 65_535) }, func(b *builder, x tf.Output) tf.Output { return op.DecodeJpeg(b.Scope, x) }),
		one("gif_frames", func() []byte { return gifOf(1000, 1000, 1000) }, func(b *builder, x tf.Output) tf.Output { return op.DecodeGif(b.Scope, x) }),
		one("gif_wide", func() []byte { return gifOf(65_535, 65_535, 1) }, asImage),
		one("bmp_wide", func() []byte { return bmpOf(1<<30, 1<<30) }, func(b *builder, x tf.Output) tf.Output { return op.DecodeBmp(b.Scope, x) }),
		one("wav_long", func() []byte { return wavOf(1<<31 - 1) }, func(b *builder, x tf.Output) tf.Output { y, _ := op.DecodeWav(b.Scope, x); return y }),
		one("wav_wanted", func() []byte { return wavOf(16) }, func(b *builder, x tf.Output) tf.Output {
			y, _ := op.DecodeWav(b.Scope, x, op.DecodeWavDesiredSamples(1<<31-1), op.DecodeWavDesiredChannels(1<<15))
			return y
		}),
		one("zlib", func() []byte { return zeros(1 << 30) }, func(b *builder, x tf.Output) tf.Output {
			return op.StringLength(b.Scope, op.DecodeCompressed(b.Scope, x, op.DecodeCompressedCompressionType("ZLIB")))
		}),
		one("raw", func() []byte { return make([]byte, 1<<20) }, func(b *builder, x tf.Output) tf.Output {
			return op.DecodePaddedRaw(b.Scope, op.Fill(b.Scope, b.konst([]int32{1000}), x), b.konst(int32(1<<30)), tf.Double)
		}),
		one("csv_fields", func() []byte { return []byte(strings.Repeat(",", 1<<26)) }, func(b *builder, x tf.Output) tf.Output {
			return op.DecodeCSV(b.Scope, x, []tf.Output{b.konst([]string{""})})[0]
		}),
		one("csv_records", func() []byte { return []byte("1,2,3") }, func(b *builder, x tf.Output) tf.Output {
			var defaults []tf.Output
			for range 3 {
				defaults = append(defaults, b.konst([]string{"x"}))
			}
			return op.DecodeCSV(b.Scope, op.Fill(b.Scope, b.konst([]int32{4_000_000}), x), defaults)[2]
		}),
		one("tensor", func() []byte {
			return []byte("\x08\x01\x12\x0a\x12\x08\x08\x80\x80\x80\x80\x80\x80\x01\x2a\x04\x00\x00\x80\x3f")
		}, func(b *builder, x tf.Output) tf.Output {
			return op.ParseTensor(b.Scope, x, tf.Float)
		}),
	})
}

// pngOf returns a PNG that says that it is so large, with those bytes of pixels.
func pngOf(width, height uint32, pixels []byte) []byte {
	var b bytes.Buffer
	b.WriteString("\x89PNG\r\n\x1a\n")
	chunk := func(kind string, data []byte) {
		_ = binary.Write(&b, binary.BigEndian, uint32(len(data)))
		b.WriteString(kind)
		b.Write(data)
		_ = binary.Write(&b, binary.BigEndian, sumOf([]byte(kind), data))
	}
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, width), height)
	chunk("IHDR", append(head, 8, 6, 0, 0, 0))
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	_, _ = w.Write(pixels)
	_ = w.Close()
	chunk("IDAT", z.Bytes())
	chunk("IEND", nil)
	return b.Bytes()
}

// sumOf returns the checksum of a PNG's chunk.
func sumOf(parts ...[]byte) uint32 {
	crc := crc32.NewIEEE()
	for _, p := range parts {
		crc.Write(p)
	}
	return crc.Sum32()
}

// jpegOf returns a small JPEG whose header says that it is so large.
func jpegOf(width, height uint16) []byte {
	var b bytes.Buffer
	_ = jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 16, 16)), nil)
	out := b.Bytes()
	at := bytes.Index(out, []byte{0xff, 0xc0}) // the frame: its length, precision, height, width
	binary.BigEndian.PutUint16(out[at+5:], height)
	binary.BigEndian.PutUint16(out[at+7:], width)
	return out
}

// gifOf returns a GIF of one pixel and frames of one that says that it is so large.
func gifOf(width, height, frames int) []byte {
	g := gif.GIF{Config: image.Config{Width: width, Height: height, ColorModel: color.Palette{color.Black, color.White}}}
	for range frames {
		g.Image = append(g.Image, image.NewPaletted(image.Rect(0, 0, 1, 1), color.Palette{color.Black, color.White}))
		g.Delay = append(g.Delay, 0)
	}
	var b bytes.Buffer
	_ = gif.EncodeAll(&b, &g)
	return b.Bytes()
}

func bmpOf(width, height uint32) []byte {
	b := make([]byte, 54)
	copy(b, "BM")
	binary.LittleEndian.PutUint32(b[10:], 54)
	binary.LittleEndian.PutUint32(b[14:], 40)
	binary.LittleEndian.PutUint32(b[18:], width)
	binary.LittleEndian.PutUint32(b[22:], height)
	binary.LittleEndian.PutUint16(b[26:], 1)
	binary.LittleEndian.PutUint16(b[28:], 24)
	return b
}

// wavOf returns a WAV of silence that says that its data has n bytes.
func wavOf(n uint32) []byte {
	b := []byte("RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x44\xac\x00\x00\x88\x58\x01\x00\x02\x00\x10\x00data")
	return append(binary.LittleEndian.AppendUint32(b, n), make([]byte, 16)...)
}

// zeros is n zeros, compressed: what a block of them becomes behind another one, again
// and again. It is cut off at the end.
func zeros(n int) []byte {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	block := make([]byte, 1<<20)
	write := func() int {
		_, _ = w.Write(block)
		_ = w.Flush()
		return b.Len()
	}
	first := write()
	second := write()
	return append(b.Bytes(), bytes.Repeat(b.Bytes()[first:second], n>>20-2)...)
}
