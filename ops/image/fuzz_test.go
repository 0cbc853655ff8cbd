package image_test

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// Whatever bytes a decoder is given, it answers: with an image that has a size, or an
// error.
func FuzzDecode(f *testing.F) {
	palette := color.Palette{color.Black, color.White, color.RGBA{R: 200, A: 255}}
	pixels := image.NewPaletted(image.Rect(0, 0, 9, 5), palette)
	for i := range pixels.Pix {
		pixels.Pix[i] = uint8(i % 3)
	}
	frame := image.NewPaletted(image.Rect(2, 1, 6, 4), palette)
	var asPNG, asJPEG, asGIF bytes.Buffer
	if err := png.Encode(&asPNG, pixels); err != nil {
		f.Fatal(err)
	}
	if err := jpeg.Encode(&asJPEG, pixels, nil); err != nil {
		f.Fatal(err)
	}
	if err := gif.EncodeAll(&asGIF, &gif.GIF{Image: []*image.Paletted{pixels, frame}, Delay: []int{1, 1}}); err != nil {
		f.Fatal(err)
	}
	bmp := []byte("BM\x4e\x00\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00\x28\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00\x01\x00\x18\x00" +
		"\x00\x00\x00\x00\x18\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00abcdef\x00\x00ghijkl\x00\x00mnopqr\x00\x00")
	for _, seed := range [][]byte{asPNG.Bytes(), asJPEG.Bytes(), asGIF.Bytes(), bmp} {
		for channels := range uint8(4) {
			f.Add(seed, channels)
		}
	}
	window, err := tensor.FromSlice([]int32{1, 2, 3, 4}, 4)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte, channels uint8) {
		contents := tensor.FromScalar(string(data))
		attrs := registry.Attrs{{Name: "channels", Value: registry.IntAttr(int64(channels % 5))}}
		for op, in := range map[string][]*tensor.Tensor{
			"DecodeImage": {contents}, "DecodePng": {contents}, "DecodeJpeg": {contents}, "DecodeBmp": {contents},
			"DecodeGif": {contents}, "DecodeAndCropJpeg": {contents, window}, "ExtractJpegShape": {contents},
		} {
			a := attrs
			if op == "DecodeGif" || op == "ExtractJpegShape" {
				a = nil
			}
			r := kerneltest.Runner{Limit: 32 << 20}
			out, err := r.Run("node", op, a, in...)
			if err == nil && out[0].NumElements() == 0 && len(data) < 8 {
				t.Errorf("%s made %v of %q", op, out[0].Dims(), data)
			}
		}
	})
}
