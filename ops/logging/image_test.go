package logging_test

import (
	"bytes"
	"encoding/json"
	"image/color"
	"image/png"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/literal"
)

// pixel returns the bytes of a color that is not multiplied by its alpha.
func pixel(c color.Color) (r, g, b, a int) {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	return int(n.R), int(n.G), int(n.B), int(n.A)
}

// field returns the last length-delimited field of that number in a message.
func field(t *testing.T, message []byte, want protowire.Number) (body []byte) {
	t.Helper()
	for len(message) > 0 {
		num, typ, n := protowire.ConsumeTag(message)
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		message = message[n:]
		size := protowire.ConsumeFieldValue(num, typ, message)
		if size < 0 {
			t.Fatal(protowire.ParseError(size))
		}
		if num == want && typ == protowire.BytesType {
			body, _ = protowire.ConsumeBytes(message)
		}
		message = message[size:]
	}
	return body
}

// The pixels are those of TensorFlow's summaries, which testdata/images.py
// recorded.
func TestImageSummary(t *testing.T) {
	data, err := os.ReadFile("testdata/images.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		DType  string
		Depth  int
		Values []string
		Pixels []int
	}
	if err := json.Unmarshal(data, &rows); err != nil || len(rows) == 0 {
		t.Fatal(len(rows), err)
	}
	for i, row := range rows {
		dt, _ := tensor.ParseDType(row.DType)
		flat, err := literal.Parse("["+strings.Join(row.Values, " ")+"]", dt)
		if err != nil {
			t.Fatal(err)
		}
		x, err := flat.WithShape([]int64{1, 2, 2, int64(row.Depth)})
		if err != nil {
			t.Fatal(err)
		}
		bad, err := tensor.NewTensor([]uint8{9, 8, 7, 6})
		if err != nil {
			t.Fatal(err)
		}
		attrs := registry.Attrs{{Name: "max_images", Value: registry.IntAttr(1)}, {Name: "bad_color", Value: registry.TensorAttr(bad)}}
		out, err := kerneltest.Run("ImageSummary", attrs, tensor.FromScalar("t"), x)
		if err != nil {
			t.Errorf("%d: %v", i, err)
			continue
		}
		value := field(t, []byte(out[0].Value().(string)), 1)
		if tag := string(field(t, value, 1)); tag != "t/image" {
			t.Errorf("%d: the tag is %q", i, tag)
		}
		picture, err := png.Decode(bytes.NewReader(field(t, field(t, value, 4), 4)))
		if err != nil {
			t.Errorf("%d: %v", i, err)
			continue
		}
		var got []int
		for y := range 2 {
			for x := range 2 {
				r, g, b, a := pixel(picture.At(x, y))
				got = append(got, []int{r, g, b, a}[:row.Depth]...)
			}
		}
		if diff := cmp.Diff(row.Pixels, got); diff != "" {
			t.Errorf("%d: %v: %s", i, row.Values, diff)
		}
	}
	x, err := tensor.New(tensor.Float, 1, 2, 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := kerneltest.Run("ImageSummary", nil, tensor.FromScalar("t"), x); status.CodeOf(err) != status.InvalidArgument {
		t.Errorf("two channels: %v", err)
	}
}
