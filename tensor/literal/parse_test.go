package literal

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/tensortest"
)

func TestParse(t *testing.T) {
	nan := float32(math.NaN())
	inf := math.Inf(1)
	for _, c := range []struct {
		text string
		want *tensor.Tensor
	}{
		{"3", tensor.FromScalar(int32(3))},
		{" -3\n", tensor.FromScalar(int64(-3))},
		{"0x10", tensor.FromScalar(uint8(16))},
		{"010", tensor.FromScalar(int8(10))},
		{"1e3", tensor.FromScalar(float32(1000))},
		{"1e99", tensor.FromScalar(float32(math.Inf(1)))},
		{"[]", tensortest.Slice(t, tensor.Float, []float32{}, 0)},
		{"[[],[]]", tensortest.Slice(t, tensor.Float, []float32{}, 2, 0)},
		{"[1,2,3]", tensortest.Slice(t, tensor.Int32, []int32{1, 2, 3}, 3)},
		{"[1 2\t3,]", tensortest.Slice(t, tensor.Qint32, []int32{1, 2, 3}, 3)},
		{"[[1.5, 2],[3, 4]]", tensortest.Slice(t, tensor.Double, []float64{1.5, 2, 3, 4}, 2, 2)},
		{"[[1. 2.]\n [3. 4.]]", tensortest.Slice(t, tensor.Float, []float32{1, 2, 3, 4}, 2, 2)},
		{"[[[1]],[[2]]]", tensortest.Slice(t, tensor.Int16, []int16{1, 2}, 2, 1, 1)},
		{"[nan, inf -inf NaN +Inf]", tensortest.Slice(t, tensor.Float, []float32{nan, float32(inf), float32(-inf), nan, float32(inf)}, 5)},
		{"[0.1]", tensortest.Slice(t, tensor.Half, []tensor.Float16{0x2e66}, 1)},
		{"[0.1]", tensortest.Slice(t, tensor.Bfloat16, []tensor.BFloat16{0x3dcd}, 1)},
		{"[1 500]", tensortest.Slice(t, tensor.Float8e4m3fn, []uint8{0x38, 0x7f}, 2)},
		{"[-8 7]", tensortest.Slice(t, tensor.Int4, []int8{-8, 7}, 2)},
		{"[true false True 0]", tensortest.Slice(t, tensor.Bool, []bool{true, false, true, false}, 4)},
		{"[1+2j, (3-4i), 5j, 6]", tensortest.Slice(t, tensor.Complex64, []complex64{1 + 2i, 3 - 4i, 5i, 6}, 4)},
		{"18446744073709551615", tensor.FromScalar(uint64(math.MaxUint64))},
		{"hello, world", tensor.FromScalar("hello, world")},
		{"", tensor.FromScalar("")},
		{`"a b"`, tensor.FromScalar("a b")},
		{`b'it\'s'`, tensor.FromScalar("it's")},
		{"banana", tensor.FromScalar("banana")},
		{`[a, 'b c' "d\n\x00\u00e9" b"e" ` + "`f\\`]", tensortest.Slice(t, tensor.String, []string{"a", "b c", "d\n\x00é", "e", `f\`}, 5)},
		{`[b'\xff' "\/"]`, tensortest.Slice(t, tensor.String, []string{"\xff", "/"}, 2)},
	} {
		got, err := Parse(c.text, c.want.DType())
		if err == nil {
			err = tensor.Compare(got, c.want, tensor.Tolerance{Exact: true})
		}
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		text string
		dt   tensor.DType
		want string
	}{
		{"", tensor.Int32, "character 0: text ends where an element should be"},
		{"abc", tensor.Int32, `character 0: "abc" is not an int32, such as 3`},
		{"1.5", tensor.Int32, `"1.5" is not an int32, such as 3`},
		{"[1, 300]", tensor.Uint8, `character 4: "300" is out of the range of uint8`},
		{"8", tensor.Int4, `"8" is out of the range of int4`},
		{"2", tensor.Bool, `"2" is not a bool: true or false`},
		{"1 2", tensor.Int32, "character 2: text goes on"},
		{"[1", tensor.Int32, "character 0: a bracket is not closed"},
		{"[[1,2],[3]]", tensor.Int32, "character 7: ragged: a list of length 1 where others have 2"},
		{"[1,[2]]", tensor.Int32, "character 3: ragged: a list where an element should be"},
		{"[[1],2]", tensor.Int32, "character 5: ragged: an element where a list of depth 1 should be"},
		{"[[],[[]]]", tensor.Int32, "ragged"},
		{"[[[]],[]]", tensor.Int32, "ragged"},
		{"[1]]", tensor.Int32, "character 3: text goes on"},
		{"[,]", tensor.Int32, "character 1: ',' where an element should be"},
		{"[1,,2]", tensor.Int32, "',' where an element should be"},
		{`["a]`, tensor.String, "character 1: a string is not closed"},
		{`["\q"]`, tensor.String, "a string is not closed or not well-formed"},
		{strings.Repeat("[", 300), tensor.Int32, "character 254: more than 254 dimensions"},
		{"1", tensor.Variant, "a tensor of type variant cannot be parsed"},
		{"1", tensor.Invalid, "cannot be parsed"},
	} {
		x, err := Parse(c.text, c.dt)
		if x != nil || status.CodeOf(err) != status.InvalidArgument || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40q: got %v, %v, want %q", c.text, x, err, c.want)
		}
	}
}

// What is printed in full, with all digits, parses as the same tensor.
func TestParseReadsWhatIsPrinted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape := rapid.SliceOfN(rapid.Int64Range(1, 4), 0, 3).Draw(t, "shape")
		n := 1
		for _, d := range shape {
			n *= int(d)
		}
		var x *tensor.Tensor
		var err error
		switch rapid.IntRange(0, 4).Draw(t, "type") {
		case 0:
			x, err = tensor.FromSlice(rapid.SliceOfN(rapid.Int64(), n, n).Draw(t, "data"), shape...)
		case 1:
			x, err = tensor.FromSlice(rapid.SliceOfN(rapid.Float32(), n, n).Draw(t, "data"), shape...)
		case 2:
			x, err = tensor.FromSlice(rapid.SliceOfN(rapid.Float64(), n, n).Draw(t, "data"), shape...)
		case 3:
			x, err = tensor.FromSlice(rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "data"), shape...)
		case 4:
			x, err = tensor.FromSlice(rapid.SliceOfN(rapid.String(), n, n).Draw(t, "data"), shape...)
		}
		if err != nil {
			t.Fatal(err)
		}
		text := tensor.Printer{Precision: 400, Threshold: 1 << 20}.Sprint(x)
		y, err := Parse(text, x.DType())
		if err == nil {
			err = tensor.Compare(y, x, tensor.Tolerance{Exact: true})
		}
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"3", "[1,2,3]", "[[1.5,2],[3,4]]", "[true]", `["a" b'c' d]`, "[nan inf 1+2j]", "[[],[]]", "[[[[", "]"} {
		for _, dt := range []tensor.DType{tensor.Int32, tensor.Float, tensor.String, tensor.Bool, tensor.Complex64} {
			f.Add(s, uint8(dt))
		}
	}
	f.Fuzz(func(t *testing.T, text string, dt uint8) {
		x, err := Parse(text, tensor.DType(dt))
		if err != nil {
			return
		}
		n, err := tensor.NumElements(x.DType(), x.Dims())
		if err != nil || n != x.NumElements() || n > len(text)+1 {
			t.Fatalf("%v has %d elements, %v", x.Dims(), x.NumElements(), err)
		}
		switch x.DType() {
		case tensor.Complex64, tensor.Complex128, tensor.Bfloat16, tensor.Float8e5m2, tensor.Float8e4m3fn, tensor.Float8e4m3fnuz, tensor.Float8e4m3b11fnuz, tensor.Float8e5m2fnuz:
			return // printed with fewer digits, or with spaces inside
		}
		if x.NumElements() == 0 {
			return // all shapes print as []
		}
		y, err := Parse(tensor.Printer{Precision: 400, Threshold: 1 << 30}.Sprint(x), x.DType())
		if err == nil {
			err = tensor.Compare(y, x, tensor.Tolerance{})
		}
		if err != nil {
			t.Fatal(err)
		}
	})
}
