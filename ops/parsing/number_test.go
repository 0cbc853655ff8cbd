package parsing_test

import (
	"math"
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	_ "github.com/troupe-go/troupe/ops/parsing"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// What TensorFlow 2.21 makes of each string as a double, as an int32 and as a
// uint64, and whether it takes it.
func TestStringToNumber(t *testing.T) {
	for _, c := range []struct {
		s          string
		double     float64
		doubleOK   bool
		signed     int32
		signedOK   bool
		unsigned   uint64
		unsignedOK bool
	}{
		{"1", 1, true, 1, true, 1, true},
		{" 1 ", 1, true, 1, true, 1, true},
		{"1.5", 1.5, true, 0, false, 0, false},
		{"0x10", 16, true, 0, false, 0, false},
		{"0x1p3", 8, true, 0, false, 0, false},
		{"1e3", 1000, true, 0, false, 0, false},
		{"inf", math.Inf(1), true, 0, false, 0, false},
		{"-INF", math.Inf(-1), true, 0, false, 0, false},
		{"infinity", math.Inf(1), true, 0, false, 0, false},
		{"nan", math.NaN(), true, 0, false, 0, false},
		{"NaN(1)", math.NaN(), true, 0, false, 0, false},
		{"1e400", math.Inf(1), true, 0, false, 0, false},
		{"+3", 3, true, 3, true, 3, true},
		{"-1", -1, true, -1, true, 0, false},
		{"4294967296", 4294967296, true, 0, false, 4294967296, true},
		{".5", 0.5, true, 0, false, 0, false},
		{"5.", 5, true, 0, false, 0, false},
		{"abc", 0, false, 0, false, 0, false},
		{"", 0, false, 0, false, 0, false},
		{"1 2", 0, false, 0, false, 0, false},
		{"1_0", 0, false, 0, false, 0, false},
		{"1e", 0, false, 0, false, 0, false},
		{"1f", 0, false, 0, false, 0, false},
	} {
		check(t, c.s, tensor.Double, c.double, c.doubleOK)
		check(t, c.s, tensor.Float, float32(c.double), c.doubleOK)
		check(t, c.s, tensor.Int32, c.signed, c.signedOK)
		check(t, c.s, tensor.Uint64, c.unsigned, c.unsignedOK)
	}
}

func check[T float32 | float64 | int32 | uint64](t *testing.T, s string, dt tensor.DType, want T, ok bool) {
	t.Helper()
	out, err := kerneltest.Run("StringToNumber", registry.Attrs{{Name: "out_type", Value: registry.TypeAttr(dt)}}, tensor.Scalar(s).Tensor())
	if !ok {
		if e := status.From(err); e == nil || e.Code != status.InvalidArgument || e.Message != "StringToNumberOp could not correctly convert string: "+s {
			t.Errorf("%q as %v: %v, error %v", s, dt, out, err)
		}
		return
	}
	if err != nil {
		t.Errorf("%q as %v: %v", s, dt, err)
		return
	}
	v := tensor.ValueOf(out[0])
	if got := tensor.At0[T](&v); got != want && (got == got || want == want) {
		t.Errorf("%q as %v = %v, want %v", s, dt, got, want)
	}
}
