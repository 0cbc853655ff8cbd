package tensor

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/status"
)

type (
	celsius  float64
	matrix   [][]celsius
	endless  []endless
	notASize struct{ _ int32 }
)

func TestNewTensor(t *testing.T) {
	for _, c := range []struct {
		in    any
		dt    DType
		shape []int64
		out   any // in itself if nil
	}{
		{true, Bool, nil, nil},
		{int8(-1), Int8, nil, nil},
		{int16(-1), Int16, nil, nil},
		{int32(-1), Int32, nil, nil},
		{int64(-1), Int64, nil, nil},
		{uint8(1), Uint8, nil, nil},
		{uint16(1), Uint16, nil, nil},
		{uint32(1), Uint32, nil, nil},
		{uint64(math.MaxUint64), Uint64, nil, nil},
		{float32(1.5), Float, nil, nil},
		{1.5, Double, nil, nil},
		{complex64(1i), Complex64, nil, nil},
		{2 + 1i, Complex128, nil, nil},
		{"a\xff", String, nil, nil},
		{Float16(0x3c00), Half, nil, nil},
		{[]BFloat16{0x3f80}, Bfloat16, []int64{1}, nil},
		{celsius(3), Double, nil, 3.0},
		{matrix{{1, 2}}, Double, []int64{1, 2}, [][]float64{{1, 2}}},
		{[]float32{}, Float, []int64{0}, nil},
		{[]float32(nil), Float, []int64{0}, []float32{}},
		{[]float32{1, 2}, Float, []int64{2}, nil},
		{[]float64{1}, Double, []int64{1}, nil},
		{[]int32{1}, Int32, []int64{1}, nil},
		{[]int64{1}, Int64, []int64{1}, nil},
		{[]bool{true, false}, Bool, []int64{2}, nil},
		{[]string{"a", ""}, String, []int64{2}, nil},
		{[]byte("abc"), Uint8, []int64{3}, nil},
		{[][]string{{"a", "b"}, {"c", "d"}, {"e", "f"}}, String, []int64{3, 2}, nil},
		{[3]int64{1, 2, 3}, Int64, []int64{3}, []int64{1, 2, 3}},
		{[2][3]int32{{1, 2, 3}, {4, 5, 6}}, Int32, []int64{2, 3}, [][]int32{{1, 2, 3}, {4, 5, 6}}},
		{[][2]int16{{1, 2}, {3, 4}}, Int16, []int64{2, 2}, [][]int16{{1, 2}, {3, 4}}},
		{[2][]uint16{{1}, {2}}, Uint16, []int64{2, 1}, [][]uint16{{1}, {2}}},
		{[1][1]string{{"x"}}, String, []int64{1, 1}, [][]string{{"x"}}},
		{[][]float32{{}, {}}, Float, []int64{2, 0}, nil},
		{[][]float32{}, Float, []int64{0, 0}, nil},
		{[0][3]float32{}, Float, []int64{0, 3}, [][]float32{}},
		{[][][]complex128{{{1, 2}}, {{3, 4}}}, Complex128, []int64{2, 1, 2}, nil},
	} {
		x, err := NewTensor(c.in)
		if err != nil {
			t.Errorf("%T %v: %v", c.in, c.in, err)
			continue
		}
		if x.DataType() != c.dt || !slices.Equal(x.Shape(), c.shape) || (x.Shape() == nil) != (c.shape == nil) {
			t.Errorf("%T %v is %v %v, want %v %v", c.in, c.in, x.DataType(), x.Shape(), c.dt, c.shape)
		}
		want := c.out
		if want == nil {
			want = c.in
		}
		if diff := cmp.Diff(want, x.Value()); diff != "" {
			t.Errorf("%T %v (-want +got):\n%s", c.in, c.in, diff)
		}
		if got, want := TypeOf(c.dt, c.shape), reflect.TypeOf(x.Value()); got != want {
			t.Errorf("TypeOf(%v, %v) = %v, want %v", c.dt, c.shape, got, want)
		}
	}
}

func TestNewTensorErrors(t *testing.T) {
	for _, c := range []struct {
		in   any
		want string
	}{
		{nil, "nil"},
		{5, "type int "},
		{uint(5), "type uint "},
		{new(float32), "*float32"},
		{notASize{}, "notASize"},
		{[]any{int32(1)}, "interface"},
		{[]int{}, "type int "},
		{map[string]int32{}, "map"},
		{endless{}, "more than 254 dimensions"},
		{[][]int32{{1, 2}, {3}}, "ragged value: a slice of length 1 where others have 2"},
		{[][]int32{{1, 2}, nil}, "ragged"},
		{[][]int32{{}, {1}}, "ragged"},
		{[][][]int32{{{1}}, {{1}, {2}}}, "ragged"},
		{[][][]int32{{{1}, {2}}, {{1}, {2, 3}}}, "ragged"},
		{[2][]int64{{1}}, "ragged"},
	} {
		x, err := NewTensor(c.in)
		if x != nil || status.CodeOf(err) != status.InvalidArgument || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%T %v: got %v, %v, want %q", c.in, c.in, x, err, c.want)
		}
	}
}

func TestNewTensorCopies(t *testing.T) {
	in := [][]float32{{1, 2}, {3, 4}}
	flat := []int32{1, 2}
	x, err := NewTensor(in)
	if err != nil {
		t.Fatal(err)
	}
	y, err := NewTensor(flat)
	if err != nil {
		t.Fatal(err)
	}
	in[0][0], flat[0] = 9, 9
	out := x.Value().([][]float32)
	out[1][1] = 9
	out[0] = append(out[0], 9)
	if got := x.String() + y.String(); got != "[[1. 2.]\n [3. 4.]][1 2]" {
		t.Errorf("writing what went in or came out changed the tensor: %s", got)
	}
}

func TestReshapeOfOneViewOnly(t *testing.T) {
	x := mustSlice(t, Int32, []int32{1, 2, 3, 4, 5, 6}, 6)
	v := x.View()
	if err := x.Reshape([]int64{2, 3}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(x.Shape(), []int64{2, 3}) || !slices.Equal(v.Shape(), []int64{6}) {
		t.Errorf("shapes are %v and %v", x.Shape(), v.Shape())
	}
	if err := x.Reshape(nil); err != nil || !slices.Equal(x.Shape(), []int64{2, 3}) {
		t.Errorf("reshaping to rank 0: %v, %v", x.Shape(), err)
	}
	for _, shape := range [][]int64{{4}, {-1, 6}, {0}} {
		if err := x.Reshape(shape); status.CodeOf(err) != status.InvalidArgument {
			t.Errorf("reshaping to %v: %v", shape, err)
		}
	}
}

func TestValueOfNothing(t *testing.T) {
	for _, c := range []struct {
		shape []int64
		want  int
	}{{[]int64{2, 0}, 2}, {[]int64{0, 1 << 40}, 0}, {[]int64{1 << 40, 0}, 0}, {[]int64{1 << 15, 1 << 15, 0}, 0}} {
		x, err := New(Float, c.shape...)
		if err != nil {
			t.Fatal(err)
		}
		if got := reflect.ValueOf(x.Value()).Len(); got != c.want {
			t.Errorf("%v has %d slices, want %d", c.shape, got, c.want)
		}
	}
}

func TestValuePanicsWithoutGoType(t *testing.T) {
	for _, dt := range []DType{Resource, Variant, Float8e5m2, Int4, Float.Ref(), 200} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("TypeOf(%v) did not panic", dt)
				}
			}()
			TypeOf(dt, nil)
		}()
	}
}

func TestFromScalarOfNamedType(t *testing.T) {
	if x := FromScalar(celsius(2)); x.DType() != Double || x.String() != "2.0" {
		t.Errorf("%v %v", x.DType(), x)
	}
}
