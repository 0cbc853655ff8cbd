package image_test

import (
	"fmt"
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// Files that TensorFlow wrote, and what it read in them.
func TestPNGAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/png.jsonl.gz", tensor.Tolerance{})
}

// What is written is read back.
func TestPNGRoundTrip(t *testing.T) {
	for channels := range int64(4) {
		data := make([]uint16, 5*7*(channels+1))
		for i := range data {
			data[i] = uint16(i * i * 977)
		}
		image, err := tensor.FromSlice(data, 5, 7, channels+1)
		if err != nil {
			t.Fatal(err)
		}
		for level := -1; level <= 9; level += 5 {
			attrs, err := registry.ParseAttrs(fmt.Sprintf("compression=%d", level))
			if err != nil {
				t.Fatal(err)
			}
			file, err := kerneltest.Run("EncodePng", attrs, image)
			if err != nil {
				t.Fatal(err)
			}
			attrs, err = registry.ParseAttrs("dtype=DT_UINT16")
			if err != nil {
				t.Fatal(err)
			}
			back, err := kerneltest.Run("DecodePng", attrs, file...)
			if err != nil {
				t.Fatal(err)
			}
			if err := tensor.Compare(back[0], image, tensor.Tolerance{}); err != nil {
				t.Errorf("%d channels, compression %d: %v", channels+1, level, err)
			}
		}
	}
}
