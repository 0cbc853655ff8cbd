package image

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// animation returns a GIF with frames of several sizes and palettes, one with a transparent
// color, and a comment.
func animation(t *testing.T) []byte {
	t.Helper()
	two, clear := color.Palette{color.Black, color.White}, color.Palette{color.Transparent, color.RGBA{200, 10, 20, 255}, color.RGBA{1, 2, 3, 255}}
	g := gif.GIF{Config: image.Config{Width: 40, Height: 30, ColorModel: two}}
	for i, r := range []image.Rectangle{image.Rect(0, 0, 40, 30), image.Rect(3, 4, 20, 29), image.Rect(39, 0, 40, 1), image.Rect(0, 10, 40, 11)} {
		p := image.NewPaletted(r, two)
		if i%2 == 1 {
			p.Palette = clear
		}
		for j := range p.Pix {
			p.Pix[j] = uint8((j*7 + i) / 3 % len(p.Palette))
		}
		g.Image, g.Delay = append(g.Image, p), append(g.Delay, 3)
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &g); err != nil {
		t.Fatal(err)
	}
	file := b.Bytes()
	return append(append(slices.Clone(file[:len(file)-1]), "!\xfe\x05hello\x00"...), ';')
}

// Frames that are decoded one by one are those that are decoded together.
func TestGIFFrames(t *testing.T) {
	file := animation(t)
	all, err := gif.DecodeAll(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	const h, w = 30, 40
	var want, screen []byte
	screen = make([]byte, h*w*3)
	for _, p := range all.Image {
		for y := p.Rect.Min.Y; y < p.Rect.Max.Y; y++ {
			for x := p.Rect.Min.X; x < p.Rect.Max.X; x++ {
				if r, g, b, a := p.At(x, y).RGBA(); a != 0 {
					copy(screen[(y*w+x)*3:], []byte{byte(r >> 8), byte(g >> 8), byte(b >> 8)})
				}
			}
		}
		want = append(want, screen...)
	}
	got, err := decodeGIF(t, string(file))
	if err != nil {
		t.Fatal(err)
	}
	pixels, err := tensor.Data[uint8](got)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Shape(), []int64{int64(len(all.Image)), h, w, 3}) || !bytes.Equal(pixels, want) {
		t.Errorf("frames of shape %v, or their pixels, differ", got.Shape())
	}
}

func TestGIFCutAndChanged(t *testing.T) {
	file := string(animation(t))
	for i := range len(file) {
		if _, err := decodeGIF(t, file[:i]); status.CodeOf(err) != status.InvalidArgument {
			t.Errorf("cut at byte %d: %v", i, err)
		}
		for _, c := range []byte{0, 1, '!', ',', ';', 0xff, file[i] ^ 0x80, file[i] + 1} {
			changed := file[:i] + string([]byte{c}) + file[i+1:]
			_, want := gif.DecodeAll(strings.NewReader(changed))
			if _, err := decodeGIF(t, changed); want != nil && err == nil || err != nil && status.CodeOf(err) != status.InvalidArgument {
				t.Errorf("byte %d is %#x: %v, and decoded at once %v", i, c, err, want)
			}
		}
	}
}

func decodeGIF(t *testing.T, file string) (*tensor.Tensor, error) {
	t.Helper()
	x, err := tensor.New(tensor.String)
	if err != nil {
		t.Fatal(err)
	}
	v := tensor.ValueOf(x)
	tensor.Of[string](&v)[0] = file
	out, err := kerneltest.Run("DecodeGif", nil, v.Tensor())
	if err != nil {
		return nil, err
	}
	return out[0], nil
}
