package tensor

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/status"
)

func TestParse(t *testing.T) {
	nan := float32(math.NaN())
	inf := math.Inf(1)
	for _, c := range []struct {
		text string
		want *Tensor
	}{
		{"3", FromScalar(int32(3))},
		{" -3\n", FromScalar(int64(-3))},
		{"0x10", FromScalar(uint8(16))},
		{"010", FromScalar(int8(10))},
		{"1e3", FromScalar(float32(1000))},
		{"1e99", FromScalar(float32(math.Inf(1)))},
		{"[]", mustSlice(t, Float, []float32{}, 0)},
		{"[[],[]]", mustSlice(t, Float, []float32{}, 2, 0)},
		{"[1,2,3]", mustSlice(t, Int32, []int32{1, 2, 3}, 3)},
		{"[1 2\t3,]", mustSlice(t, Qint32, []int32{1, 2, 3}, 3)},
		{"[[1.5, 2],[3, 4]]", mustSlice(t, Double, []float64{1.5, 2, 3, 4}, 2, 2)},
		{"[[1. 2.]\n [3. 4.]]", mustSlice(t, Float, []float32{1, 2, 3, 4}, 2, 2)},
		{"[[[1]],[[2]]]", mustSlice(t, Int16, []int16{1, 2}, 2, 1, 1)},
		{"[nan, inf -inf NaN +Inf]", mustSlice(t, Float, []float32{nan, float32(inf), float32(-inf), nan, float32(inf)}, 5)},
		{"[0.1]", mustSlice(t, Half, []Float16{0x2e66}, 1)},
		{"[0.1]", mustSlice(t, Bfloat16, []BFloat16{0x3dcd}, 1)},
		{"[1 500]", mustSlice(t, Float8e4m3fn, []uint8{0x38, 0x7f}, 2)},
		{"[-8 7]", mustSlice(t, Int4, []int8{-8, 7}, 2)},
		{"[true false True 0]", mustSlice(t, Bool, []bool{true, false, true, false}, 4)},
		{"[1+2j, (3-4i), 5j, 6]", mustSlice(t, Complex64, []complex64{1 + 2i, 3 - 4i, 5i, 6}, 4)},
		{"18446744073709551615", FromScalar(uint64(math.MaxUint64))},
		{"hello, world", FromScalar("hello, world")},
		{"", FromScalar("")},
		{`"a b"`, FromScalar("a b")},
		{`b'it\'s'`, FromScalar("it's")},
		{"banana", FromScalar("banana")},
		{`[a, 'b c' "d\n\x00\u00e9" b"e" ` + "`f\\`]", mustSlice(t, String, []string{"a", "b c", "d\n\x00é", "e", `f\`}, 5)},
		{`[b'\xff' "\/"]`, mustSlice(t, String, []string{"\xff", "/"}, 2)},
	} {
		got, err := Parse(c.text, c.want.dtype)
		if err == nil {
			err = Compare(got, c.want, Tolerance{Exact: true})
		}
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		text string
		dt   DType
		want string
	}{
		{"", Int32, "character 0: text ends where an element should be"},
		{"abc", Int32, `character 0: "abc" is not an int32, such as 3`},
		{"1.5", Int32, `"1.5" is not an int32, such as 3`},
		{"[1, 300]", Uint8, `character 4: "300" is out of the range of uint8`},
		{"8", Int4, `"8" is out of the range of int4`},
		{"2", Bool, `"2" is not a bool: true or false`},
		{"1 2", Int32, "character 2: text goes on"},
		{"[1", Int32, "character 0: a bracket is not closed"},
		{"[[1,2],[3]]", Int32, "character 7: ragged: a list of length 1 where others have 2"},
		{"[1,[2]]", Int32, "character 3: ragged: a list where an element should be"},
		{"[[1],2]", Int32, "character 5: ragged: an element where a list of depth 1 should be"},
		{"[[],[[]]]", Int32, "ragged"},
		{"[[[]],[]]", Int32, "ragged"},
		{"[1]]", Int32, "character 3: text goes on"},
		{"[,]", Int32, "character 1: ',' where an element should be"},
		{"[1,,2]", Int32, "',' where an element should be"},
		{`["a]`, String, "character 1: a string is not closed"},
		{`["\q"]`, String, "a string is not closed or not well-formed"},
		{strings.Repeat("[", 300), Int32, "character 254: more than 254 dimensions"},
		{"1", Variant, "a tensor of type variant cannot be parsed"},
		{"1", Invalid, "cannot be parsed"},
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
		var x *Tensor
		var err error
		switch rapid.IntRange(0, 4).Draw(t, "type") {
		case 0:
			x, err = FromSlice(rapid.SliceOfN(rapid.Int64(), n, n).Draw(t, "data"), shape...)
		case 1:
			x, err = FromSlice(rapid.SliceOfN(rapid.Float32(), n, n).Draw(t, "data"), shape...)
		case 2:
			x, err = FromSlice(rapid.SliceOfN(rapid.Float64(), n, n).Draw(t, "data"), shape...)
		case 3:
			x, err = FromSlice(rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "data"), shape...)
		case 4:
			x, err = FromSlice(rapid.SliceOfN(rapid.String(), n, n).Draw(t, "data"), shape...)
		}
		if err != nil {
			t.Fatal(err)
		}
		text := Printer{Precision: 400, Threshold: 1 << 20}.Sprint(x)
		y, err := Parse(text, x.DType())
		if err == nil {
			err = Compare(y, x, Tolerance{Exact: true})
		}
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"3", "[1,2,3]", "[[1.5,2],[3,4]]", "[true]", `["a" b'c' d]`, "[nan inf 1+2j]", "[[],[]]", "[[[[", "]"} {
		for _, dt := range []DType{Int32, Float, String, Bool, Complex64} {
			f.Add(s, uint8(dt))
		}
	}
	f.Fuzz(func(t *testing.T, text string, dt uint8) {
		x, err := Parse(text, DType(dt))
		if err != nil {
			return
		}
		n, err := NumElements(x.dtype, x.shape)
		if err != nil || n != x.n || n > len(text)+1 {
			t.Fatalf("%v has %d elements, %v", x.shape, x.n, err)
		}
		switch x.dtype {
		case Complex64, Complex128, Bfloat16, Float8e5m2, Float8e4m3fn, Float8e4m3fnuz, Float8e4m3b11fnuz, Float8e5m2fnuz:
			return // printed with fewer digits, or with spaces inside
		}
		if x.n == 0 {
			return // all shapes print as []
		}
		y, err := Parse(Printer{Precision: 400, Threshold: 1 << 30}.Sprint(x), x.dtype)
		if err == nil {
			err = Compare(y, x, Tolerance{})
		}
		if err != nil {
			t.Fatal(err)
		}
	})
}
