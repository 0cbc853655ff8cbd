package summary_test

import (
	"math"
	"testing"

	"github.com/troupe-go/troupe/kernel/summary"
	"github.com/troupe-go/troupe/tensor"
)

func value[T tensor.Element](t *testing.T, data []T, dims ...int64) tensor.Value {
	t.Helper()
	x, err := tensor.FromSlice(data, dims...)
	if err != nil {
		t.Fatal(err)
	}
	return tensor.ValueOf(x)
}

// The texts are those of TensorFlow 2.21.
func TestFirst(t *testing.T) {
	square, cube := []int32{1, 2, 3, 4}, []int32{1, 2, 3, 4}
	for _, c := range []struct {
		v    tensor.Value
		max  int64
		want string
	}{
		{value(t, []int32{1, 2, 3, 4, 5}, 5), 3, "1 2 3..."},
		{value(t, square, 2, 2), 3, "[1 2][3...]..."},
		{value(t, square, 2, 2), -1, "[1 2][3 4]"},
		{value(t, square, 2, 2), 1, "[1...]..."},
		{value(t, square, 2, 2), 2, "[1 2]..."},
		{value(t, cube, 2, 2, 1), 3, "[[1][2]][[3]]..."},
		{value(t, []bool{true, false}, 2), 3, "1 0"},
		{value(t, []string{"a\n\"\x00ÿ", "b"}, 2), 3, `a\n\"\000ÿ b`},
		{value(t, []complex128{1 + 2i, 3}, 2), 3, "? ?"},
		{value(t, []float32{}, 0), 3, ""},
		{value(t, []float32{}, 2, 0), 3, ""},
		{tensor.Scalar(int32(1)), 0, "..."},
		{value(t, []int32{1, 2}, 2), 0, "..."},
		{tensor.Scalar(int8(-3)), 3, "-3"},
		{tensor.Scalar(uint8(200)), 3, "200"},
		{tensor.Scalar(float32(1) / 3), 3, "0.333333343"},
		{tensor.Scalar(1.0 / 3), 3, "0.33333333333333331"},
		{tensor.Scalar(tensor.ToFloat16(0.1)), 3, "0.0999755859"},
		{tensor.Scalar(tensor.ToBFloat16(1.0 / 3)), 3, "0.333984375"},
	} {
		if got := summary.First(&c.v, c.max); got != c.want {
			t.Errorf("First(%v, %d) = %q, want %q", c.v, c.max, got, c.want)
		}
	}
}

func TestEnds(t *testing.T) {
	for _, c := range []struct {
		v    tensor.Value
		max  int64
		want string
	}{
		{value(t, []int32{1, 2, 3, 4, 5, 6, 7, 8}, 8), 3, "[1 2 3 ... 6 7 8]"},
		{value(t, []int32{1, 2, 3, 4, 5, 6}, 6), 3, "[1 2 3 4 5 6]"},
		{value(t, []int32{1, 2, 3, 4}, 2, 2), 3, "[[1 2]\n [3 4]]"},
		{value(t, []int32{1, 2, 3, 4, 5, 6, 7, 8}, 2, 2, 2), 3, "[[[1 2]\n  [3 4]]\n\n [[5 6]\n  [7 8]]]"},
		{value(t, []int32{1, 2, 3, 4, 3, 4, 5, 6, 1, 1, 1, 1}, 3, 4), 1, "[[1 ... 4]\n ...\n [1 ... 1]]"},
		{value(t, []float32{}, 0), 3, "[]"},
		{value(t, []string{`a"`, "b\n"}, 2), 3, `["a\"" "b\n"]`},
		{tensor.Scalar("x"), 3, `"x"`},
		{tensor.Scalar(true), 3, "1"},
		{value(t, []int32{1, 2}, 2), -1, "[1 2]"},
		{value(t, []int32{1, 2}, 2), 0, "[ ...]"},
		{tensor.Scalar(float32(2.5)), 3, "2.5"},
	} {
		if got := summary.Ends(&c.v, c.max); got != c.want {
			t.Errorf("Ends(%v, %d) = %q, want %q", c.v, c.max, got, c.want)
		}
	}
}

func TestFloat(t *testing.T) {
	for _, c := range []struct {
		x      float64
		single string
		double string
	}{
		{1e10, "1e+10", "10000000000"},
		{123456789, "123456792", "123456789"},
		{1e-7, "1e-07", "1e-07"},
		{16777216, "16777216", "16777216"},
		{1e38, "1e+38", "1e+38"},
		{math.Inf(1), "inf", "inf"},
		{math.Inf(-1), "-inf", "-inf"},
		{math.NaN(), "nan", "nan"},
		{math.Copysign(0, -1), "-0", "-0"},
		{1e15, "1e+15", "1e+15"},
		{123456.7, "123456.703", "123456.7"},
	} {
		if got := summary.Float(float64(float32(c.x)), 32); got != c.single {
			t.Errorf("Float(%v, 32) = %q, want %q", c.x, got, c.single)
		}
		if got := summary.Float(c.x, 64); got != c.double {
			t.Errorf("Float(%v, 64) = %q, want %q", c.x, got, c.double)
		}
	}
}
