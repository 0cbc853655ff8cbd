package hostile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"strings"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
)

// Pictures of a few pixels that are wide, or that become so: what kernels need for each
// column is many times as much as the picture.
func tables() []Attack {
	type resize = func(b *builder, x, size tf.Output) tf.Output
	var all []Attack
	for name, f := range map[string]resize{
		"bicubic":  func(b *builder, x, size tf.Output) tf.Output { return op.ResizeBicubic(b.Scope, x, size) },
		"bilinear": func(b *builder, x, size tf.Output) tf.Output { return op.ResizeBilinear(b.Scope, x, size) },
		"nearest":  func(b *builder, x, size tf.Output) tf.Output { return op.ResizeNearestNeighbor(b.Scope, x, size) },
		"area":     func(b *builder, x, size tf.Output) tf.Output { return op.ResizeArea(b.Scope, x, size) },
		"scaled": func(b *builder, x, size tf.Output) tf.Output {
			return op.ScaleAndTranslate(b.Scope, x, size, b.konst([]float32{1, 1}), b.konst([]float32{0, 0}))
		},
		"cropped": func(b *builder, x, size tf.Output) tf.Output {
			return op.CropAndResize(b.Scope, x, b.konst([][]float32{{0, 0, 1, 1}}), b.konst([]int32{0}), size)
		},
	} {
		for _, n := range []int32{4, 20, 60} { // megapixels
			n <<= 20
			for shape, from := range map[string][2][]int32{
				"wide": {{1, 1, 1, 1}, {1, n}}, "high": {{1, 1, 1, 1}, {n, 1}},
				"from_wide": {{1, 1, n, 1}, {1, 1}}, "from_high": {{1, n, 1, 1}, {1, 1}},
			} {
				all = append(all, Attack{fmt.Sprintf("table_%s_%s_%dM", name, shape, n>>20), func(b *builder) {
					b.fetch(op.Shape(b.Scope, f(b, b.zeros(from[0]...), b.konst(from[1]))))
				}})
			}
		}
	}
	for name, f := range map[string]func(b *builder, wide, small tf.Output) tf.Output{
		"bicubic": func(b *builder, wide, small tf.Output) tf.Output { return op.ResizeBicubicGrad(b.Scope, wide, small) },
		"bilinear": func(b *builder, wide, small tf.Output) tf.Output {
			return op.ResizeBilinearGrad(b.Scope, wide, small)
		},
		"nearest": func(b *builder, wide, _ tf.Output) tf.Output {
			return op.ResizeNearestNeighborGrad(b.Scope, wide, b.konst([]int32{1, 1}))
		},
		"crop_image": func(b *builder, wide, _ tf.Output) tf.Output {
			return op.CropAndResizeGradImage(b.Scope, wide, b.konst([][]float32{{0, 0, 1, 1}}), b.konst([]int32{0}), b.konst([]int32{1, 1, 1, 1}), tf.Float)
		},
		"crop_boxes": func(b *builder, wide, small tf.Output) tf.Output {
			return op.CropAndResizeGradBoxes(b.Scope, wide, small, b.konst([][]float32{{0, 0, 1, 1}}), b.konst([]int32{0}))
		},
	} {
		all = append(all, Attack{"table_gradient_" + name, func(b *builder) {
			b.fetch(op.Shape(b.Scope, f(b, b.zeros(1, 1, 30<<20, 1), b.zeros(1, 1, 1, 1))))
		}})
	}
	return sorted(all)
}

// Files that hold far more than they are long.
func pictures() []Attack {
	one := func(name string, make func() []byte, decode func(b *builder, contents tf.Output) tf.Output) Attack {
		return Attack{"picture_" + name, func(b *builder) { b.fetch(op.Shape(b.Scope, decode(b, b.konst(string(make()))))) }}
	}
	asGIF := func(b *builder, x tf.Output) tf.Output { return op.DecodeGif(b.Scope, x) }
	asFirst := func(b *builder, x tf.Output) tf.Output {
		return op.DecodeImage(b.Scope, x, op.DecodeImageExpandAnimations(false))
	}
	asPNG := func(b *builder, x tf.Output) tf.Output { return op.DecodePng(b.Scope, x) }
	asGray := func(b *builder, x tf.Output) tf.Output { return op.DecodePng(b.Scope, x, op.DecodePngChannels(1)) }
	asFloats := func(b *builder, x tf.Output) tf.Output {
		return op.DecodeImage(b.Scope, x, op.DecodeImageDtype(tf.Float))
	}
	all := []Attack{
		one("gif_full_frames", func() []byte { return gifOfFrames(1500, 1500, 400) }, asGIF),
		one("gif_many_full_frames", func() []byte { return gifOfFrames(1500, 1500, 1200) }, asGIF),
		one("gif_first_of_many", func() []byte { return gifOfFrames(1500, 1500, 400) }, asFirst),
		one("gif_small_frames", func() []byte { return gifOfFrames(1, 1, 100_000) }, asGIF),
		one("gif_one_large", func() []byte { return gifOfFrames(8000, 8000, 1) }, asGIF),
		one("gif_interlaced", func() []byte { return interlacedGIF(gifOfFrames(8000, 8000, 1)) }, asGIF),
		one("gif_blocks", func() []byte {
			return append(gifOfFrames(1, 1, 1)[:19], bytes.Repeat([]byte("!\xfe\x01x\x00"), 10_000_000)...)
		}, asGIF),
		one("gif_comment", func() []byte {
			return append(append(gifOfFrames(1, 1, 1)[:19], "!\xfe"...), bytes.Repeat([]byte("\x01x"), 20_000_000)...)
		}, asGIF),
	}
	for name, decode := range map[string]func(b *builder, x tf.Output) tf.Output{"own": asPNG, "gray": asGray, "floats": asFloats} {
		for kind, size := range map[string][2]uint32{"square": {9000, 9000}, "wide": {60_000_000, 1}, "high": {1, 20_000_000}} {
			all = append(all,
				one("png_interlaced_"+kind+"_"+name, func() []byte { return pngAs(size[0], size[1], 8, 0, true, 100_000_000) }, decode),
				one("png_cut_"+kind+"_"+name, func() []byte { return pngAs(size[0], size[1], 8, 0, false, 1000) }, decode),
				one("png_deep_"+kind+"_"+name, func() []byte { return pngAs(size[0]/3, size[1], 16, 6, false, 250_000_000) }, decode),
				one("png_transparent_"+kind+"_"+name, func() []byte { return withTransparency(pngAs(size[0], size[1], 8, 0, true, 100_000_000)) }, decode))
		}
	}
	return sorted(all)
}

// gifOfFrames returns a GIF of frames of that size, all of one color.
func gifOfFrames(width, height, frames int) []byte {
	two := color.Palette{color.Black, color.White}
	g := gif.GIF{Image: []*image.Paletted{image.NewPaletted(image.Rect(0, 0, width, height), two)}, Delay: []int{0}}
	var b bytes.Buffer
	_ = gif.EncodeAll(&b, &g)
	whole := b.Bytes()
	at := bytes.Index(whole, append([]byte{','}, 0, 0, 0, 0, byte(width), byte(width>>8), byte(height), byte(height>>8)))
	frame := whole[at : len(whole)-1]
	return append(append(whole[:at:at], bytes.Repeat(frame, frames)...), ';')
}

// interlacedGIF returns a GIF whose first frame is said to be interlaced.
func interlacedGIF(b []byte) []byte {
	b[bytes.IndexByte(b[13:], ',')+13+9] |= 0x40
	return b
}

// pngAs is pngOf for other colors and depths, of so many bytes of pixels.
func pngAs(width, height uint32, depth, colors byte, interlaced bool, pixels int) []byte {
	b := pngOf(width, height, make([]byte, pixels))
	b[24], b[25] = depth, colors
	if interlaced {
		b[28] = 1
	}
	binary.BigEndian.PutUint32(b[29:], sumOf(b[12:29]))
	return b
}

// withTransparency puts a color that is transparent behind a PNG's header.
func withTransparency(b []byte) []byte {
	chunk := []byte("\x00\x00\x00\x02tRNS\x00\x01")
	chunk = binary.BigEndian.AppendUint32(chunk, sumOf(chunk[4:]))
	return append(append(b[:33:33], chunk...), b[33:]...)
}

// Work that is more than its operands are large, between two looks at the end of the step.
func unasked() []Attack {
	return sorted([]Attack{
		{"unasked_substr", func(b *builder) {
			places := op.Fill(b.Scope, b.konst([]int32{500_000}), b.konst(int32(7)))
			b.fetch(op.Shape(b.Scope, op.Substr(b.Scope, b.konst(strings.Repeat("äb", 5000)), places, places, op.SubstrUnit("UTF8_CHAR"))))
		}},
		{"unasked_substr_halves", func(b *builder) {
			places := op.Fill(b.Scope, b.konst([]int32{100_000}), b.konst(int32(9_999)))
			b.fetch(op.Shape(b.Scope, op.Substr(b.Scope, b.konst(strings.Repeat("ab", 10_000)), places, places, op.SubstrUnit("UTF8_CHAR"))))
		}},
		{"unasked_substr_bytes", func(b *builder) {
			places := op.Fill(b.Scope, b.konst([]int32{100_000}), b.konst(int32(9_999)))
			b.fetch(op.Shape(b.Scope, op.Substr(b.Scope, b.konst(strings.Repeat("ab", 10_000)), places, places)))
		}},
		{"unasked_substr_long", func(b *builder) {
			long := op.StringJoin(b.Scope, repeat(b.konst(strings.Repeat("ä", 1<<20)), 100))
			b.fetch(op.StringLength(b.Scope, op.Substr(b.Scope, long, b.konst(int32(1)), b.konst(int32(1<<26)), op.SubstrUnit("UTF8_CHAR"))))
		}},
		{"unasked_multinomial", func(b *builder) {
			b.fetch(op.Shape(b.Scope, op.Multinomial(b.Scope, b.zeros(1, 1<<20), b.konst(int32(30_000_000)))))
		}},
		{"unasked_multinomial_small", func(b *builder) {
			b.fetch(op.Shape(b.Scope, op.Multinomial(b.Scope, b.zeros(1, 2), b.konst(int32(30_000_000)))))
		}},
		{"unasked_multinomial_stateless", func(b *builder) {
			b.fetch(op.Shape(b.Scope, op.StatelessMultinomial(b.Scope, b.zeros(1, 2), b.konst(int32(30_000_000)), b.konst([]int32{1, 2}))))
		}},
		{"unasked_ctc_greedy", func(b *builder) {
			i, _, _, _ := op.CTCGreedyDecoder(b.Scope, b.zeros(12_000_000, 1, 2), b.konst([]int32{12_000_000}))
			b.fetch(op.Shape(b.Scope, i))
		}},
		{"unasked_ctc_greedy_wide", func(b *builder) {
			x := op.RandomUniform(b.Scope, b.konst([]int32{1, 8_000_000, 3}), tf.Float)
			i, _, _, _ := op.CTCGreedyDecoder(b.Scope, x, op.Fill(b.SubScope("n"), b.konst([]int32{8_000_000}), b.konst(int32(1))))
			b.fetch(op.Shape(b.Scope, i))
		}},
		{"unasked_ctc_beam", func(b *builder) {
			x := op.RandomUniform(b.Scope, b.konst([]int32{1000, 1, 10_000}), tf.Float)
			i, _, _, _ := op.CTCBeamSearchDecoder(b.Scope, x, b.konst([]int32{1000}), 10_000, 1)
			b.fetch(op.Shape(b.Scope, i[0]))
		}},
		{"unasked_ctc_beam_classes", func(b *builder) {
			i, _, _, _ := op.CTCBeamSearchDecoder(b.Scope, b.zeros(1, 1, 50_000_000), b.konst([]int32{1}), 1, 1)
			b.fetch(op.Shape(b.Scope, i[0]))
		}},
		{"unasked_ctc_loss", func(b *builder) {
			n := int32(2_000_000)
			index := op.Reshape(b.Scope, op.Range(b.Scope, b.konst(int64(0)), b.konst(int64(n)), b.konst(int64(1))), b.konst([]int32{-1, 1}))
			places := op.ConcatV2(b.Scope, []tf.Output{op.ZerosLike(b.Scope, index), index}, b.konst(int32(1)))
			l, _ := op.CTCLoss(b.Scope, b.zeros(n, 1, 3), places, op.Cast(b.Scope, b.zeros(n), tf.Int32), b.konst([]int32{n}), op.CTCLossIgnoreLongerOutputsThanInputs(true))
			b.fetch(l)
		}},
		{"unasked_ctc_loss_batch", func(b *builder) {
			n := int32(6_000_000)
			index := op.Reshape(b.Scope, op.Range(b.Scope, b.konst(int64(0)), b.konst(int64(n)), b.konst(int64(1))), b.konst([]int32{-1, 1}))
			places := op.ConcatV2(b.Scope, []tf.Output{index, op.ZerosLike(b.Scope, index)}, b.konst(int32(1)))
			l, _ := op.CTCLoss(b.Scope, b.zeros(1, n, 2), places, op.Cast(b.Scope, b.zeros(n), tf.Int32), op.Fill(b.SubScope("n"), b.konst([]int32{n}), b.konst(int32(1))))
			b.fetch(op.Shape(b.Scope, l))
		}},
	})
}
