package recording

import (
	"testing"

	"github.com/troupe-go/troupe/profile/sequence"
	"github.com/troupe-go/troupe/tensor"
)

func TestValueText(t *testing.T) {
	list, err := tensor.NewTensor([]int32{-7})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []tensor.Value{{}, tensor.Scalar(true), tensor.Scalar(false), tensor.Scalar(int32(-7)), tensor.Scalar(int64(1) << 60), tensor.Scalar(float32(1.5)), tensor.ValueOf(list)} {
		if got, want := string(appendText(nil, &v)), sequence.Text(v); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
