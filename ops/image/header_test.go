package image_test

import (
	"bytes"
	stdimage "image"
	"image/jpeg"
	"image/png"
	"testing"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
)

// TestConstantImages compares what is known of the shape of a constant image, and of what
// is sliced by it, with what decoding gives, for files of each kind; of files that are
// broken, or that are read when the graph runs, nothing is known.
func TestConstantImages(t *testing.T) {
	rect := stdimage.Rect(0, 0, 7, 5)
	encoded := func(write func(*bytes.Buffer) error) string {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	pngOf := func(m stdimage.Image) string { return encoded(func(b *bytes.Buffer) error { return png.Encode(b, m) }) }
	jpegOf := func(m stdimage.Image) string {
		return encoded(func(b *bytes.Buffer) error { return jpeg.Encode(b, m, nil) })
	}
	rgba := stdimage.NewNRGBA(rect)
	rgba.Pix[3] = 9 // not opaque
	bmp := make([]byte, 54+5*24)
	copy(bmp, "BM")
	bmp[10], bmp[14], bmp[18], bmp[22], bmp[26], bmp[28] = 54, 40, 7, 5, 1, 24
	for name, c := range map[string]struct {
		decoder, file string
		channels      int64
		known         bool
	}{
		"PNG":                    {"DecodePng", pngOf(rgba), 0, true},
		"gray PNG":               {"DecodePng", pngOf(stdimage.NewGray(rect)), 0, true},
		"gray PNG as color":      {"DecodePng", pngOf(stdimage.NewGray(rect)), 3, true},
		"PNG, by DecodeJpeg":     {"DecodeJpeg", pngOf(rgba), 0, true},
		"JPEG":                   {"DecodeJpeg", jpegOf(rgba), 0, true},
		"gray JPEG":              {"DecodeImage", jpegOf(stdimage.NewGray(rect)), 0, true},
		"BMP":                    {"DecodeBmp", string(bmp), 0, true},
		"BMP, by DecodeImage":    {"DecodeImage", string(bmp), 0, true},
		"a header that is short": {"DecodePng", pngOf(rgba)[:20], 0, false},
		"text":                   {"DecodePng", "an image", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := op.NewScope()
			decode := func(s *op.Scope, from tf.Output) tf.Output {
				return s.AddOperation(tf.OpSpec{Type: c.decoder, Input: []tf.Input{from}, Attrs: map[string]any{"channels": c.channels}}).Output(0)
			}
			m := decode(s, op.Const(s.SubScope("file"), c.file))
			dims := op.Shape(s, m)
			sliced := op.Slice(s.SubScope("all"), m, op.Const(s.SubScope("begin"), []int32{0, 0, 0}), dims)
			file := op.Placeholder(s.SubScope("fed"), tf.String, op.PlaceholderShape(tf.ScalarShape()))
			later := decode(s.SubScope("later"), file)
			g, err := s.Finalize()
			if err != nil {
				t.Fatal(err)
			}
			if later.Shape().IsFullySpecified() {
				t.Errorf("of a file that is fed the shape is %v", later.Shape())
			}
			if !c.known {
				if m.Shape().IsFullySpecified() {
					t.Errorf("the shape is %v", m.Shape())
				}
				return
			}
			session, err := tf.NewSession(g, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			out, err := session.Run(nil, []tf.Output{m, sliced}, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i, o := range []tf.Output{m, sliced} {
				if want := tf.MakeShape(out[i].Shape()...); o.Shape().String() != want.String() {
					t.Errorf("output %d: the shape is %v, then %v", i, o.Shape(), want)
				}
			}
		})
	}
}
