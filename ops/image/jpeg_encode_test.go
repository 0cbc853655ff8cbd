package image_test

import (
	"bytes"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// Images of many pieces, which Go's image/jpeg decodes: brightness is within what the divisors
// allow, also behind the seams, and several workers make the same file as one.
func TestEncodedPieces(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, size := range [][3]int64{{8, 8 * 65, 1}, {333, 517, 3}, {701, 90, 3}, {16, 16 * 64 * 9, 3}, {520, 519, 1}} {
		h, w, channels := size[0], size[1], size[2]
		pixels := make([]uint8, h*w*channels)
		for i := range pixels { // planes that meet at steps, and noise
			at := int64(i) / channels
			pixels[i] = uint8(120 + 90*math.Sin(float64(at%w)/40)*math.Cos(float64(at/w)/30) + 20*rng.Float64())
		}
		image, err := tensor.FromSlice(pixels, h, w, channels)
		if err != nil {
			t.Fatal(err)
		}
		attrs := registry.Attrs{{Name: "chroma_downsampling", Value: registry.BoolAttr(w != 90)}}
		file := func(r kerneltest.Runner) string {
			out, err := r.Run("encode", "EncodeJpeg", attrs, image)
			if err != nil {
				t.Fatal(err)
			}
			text, err := tensor.Data[string](out[0])
			if err != nil {
				t.Fatal(err)
			}
			return text[0]
		}
		contents := file(kerneltest.Runner{})
		if file(kerneltest.Runner{Pool: kerneltest.Threads{}}) != contents {
			t.Errorf("%v: several workers make another file", size)
		}
		decoded, err := jpeg.Decode(strings.NewReader(contents))
		if err != nil {
			t.Fatalf("%v: %v", size, err)
		}
		if !bytes.HasSuffix([]byte(contents), []byte{0xff, 0xd9}) {
			t.Errorf("%v: no end", size)
		}
		for at := range h * w {
			r, g, b, _ := decoded.At(int(at%w), int(at/w)).RGBA()
			got := 0.299*float64(r>>8) + 0.587*float64(g>>8) + 0.114*float64(b>>8)
			p := pixels[at*channels:]
			want := float64(p[0])
			if channels == 3 {
				want = 0.299*float64(p[0]) + 0.587*float64(p[1]) + 0.114*float64(p[2])
			}
			if math.Abs(got-want) > 16 {
				t.Fatalf("%v: pixel %d, %d is %v, want %v", size, at%w, at/w, got, want)
			}
		}
	}
}

// A unit of one color more, in another piece, takes six bits more: a difference of 0, and the
// end of a block. Nothing is coded behind the last one, which no decoder would see.
func TestEncodedLastPiece(t *testing.T) {
	size := func(units int64) int {
		image, err := tensor.FromSlice(bytes.Repeat([]byte{77}, int(64*units)), 8, 8*units, 1)
		if err != nil {
			t.Fatal(err)
		}
		var r kerneltest.Runner
		out, err := r.Run("encode", "EncodeJpeg", nil, image)
		if err != nil {
			t.Fatal(err)
		}
		text, err := tensor.Data[string](out[0])
		if err != nil {
			t.Fatal(err)
		}
		return len(text[0])
	}
	for _, units := range []int64{64, 128, 8 * 64} {
		if one, more := size(units), size(units+1); more-one > 1 {
			t.Errorf("%d units take %d bytes, and one more %d", units, one, more)
		}
	}
}
