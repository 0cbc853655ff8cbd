package jpeg_test

import (
	"bytes"
	"image"
	"image/color"
	gojpeg "image/jpeg"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/ops/image/jpeg"
)

// workers runs each range on a goroutine of its own, the last first.
type workers int

func (w workers) Workers() int { return int(w) }

func (w workers) Parallel(n, grain int, f func(lo, hi int)) {
	var all sync.WaitGroup
	for lo := (n - 1) / grain * grain; lo >= 0; lo -= grain {
		all.Go(func() { f(lo, min(lo+grain, n)) })
	}
	all.Wait()
}

// Several workers make the same bytes as the caller alone, of whole images, parts and
// smaller ones.
func TestWorkersMakeTheSameBytes(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 11))
	m := image.NewRGBA(image.Rect(0, 0, 1203, 905))
	for y := range 905 {
		for x := range 1203 {
			m.Set(x, y, color.RGBA{uint8(x / 3), uint8(y/4 + rng.IntN(40)), uint8(x*y/900 + rng.IntN(9)), 255})
		}
	}
	var file bytes.Buffer
	if err := gojpeg.Encode(&file, m, &gojpeg.Options{Quality: 85}); err != nil {
		t.Fatal(err)
	}
	crop := struct{ Y, X, Height, Width int }{117, 31, 700, 901}
	for i, o := range []jpeg.Options{{Fancy: true}, {}, {Fancy: true, Accurate: true}, {Fancy: true, Crop: crop}, {Ratio: 2}, {Fancy: true, Channels: 1}} {
		var results [2][]byte
		for k, pool := range []jpeg.Pool{nil, workers(4)} {
			o.Pool = pool
			image, err := jpeg.Open(file.String(), o)
			if err != nil {
				t.Fatal(err)
			}
			results[k] = make([]byte, image.Height*image.Width*image.Channels)
			if n, err := image.Decode(func() error { return nil }, results[k]); err != nil || n != image.Height {
				t.Fatalf("options %d: %d lines of %d: %v", i, n, image.Height, err)
			}
		}
		if !bytes.Equal(results[0], results[1]) {
			t.Errorf("options %d: several workers make other bytes", i)
		}
	}
}
