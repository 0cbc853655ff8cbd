package functional

import (
	"fmt"
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/tensor"
)

// What TensorFlow 2.21 answers.
func TestToBool(t *testing.T) {
	for _, test := range []struct {
		value any
		want  string
	}{
		{true, "true"},
		{false, "false"},
		{float32(0), "false"},
		{float64(-0.5), "true"},
		{int8(1), "true"},
		{int16(0), "false"},
		{int32(-1), "true"},
		{int64(0), "false"},
		{uint8(255), "true"},
		{"", "false"},
		{"0", "true"},
		{[]float32{0}, "true"},
		{[]float32{}, "false"},
		{[][]int32{{}, {}}, "false"},
		{[]uint32{0}, "true"},
		{[]complex64{}, "false"},
		{uint16(1), "INVALID_ARGUMENT: uint16 cannot be converted to a boolean"},
		{uint64(1), "INVALID_ARGUMENT: uint64 cannot be converted to a boolean"},
		{complex64(1), "INVALID_ARGUMENT: complex64 cannot be converted to a boolean"},
	} {
		x, err := tensor.NewTensor(test.value)
		if err != nil {
			t.Fatal(err)
		}
		out, err := kerneltest.Run("ToBool", nil, x)
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprint(out[0].Value())
		}
		if got != test.want {
			t.Errorf("ToBool(%#v): got %s, want %s", test.value, got, test.want)
		}
	}
}
