package tensor

import (
	"math"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/status"
)

func TestCompare(t *testing.T) {
	nan, inf, negZero := math.NaN(), math.Inf(1), math.Copysign(0, -1)
	loose := Tolerance{RTol: 1e-5, ATol: 1e-6}
	exact := Tolerance{Exact: true}
	d := func(v ...float64) *Tensor { return mustSlice(t, Double, v, int64(len(v))) }
	for _, c := range []struct {
		name      string
		got, want *Tensor
		tol       Tolerance
		err       string // empty if they agree
	}{
		{"equal", d(1, 2), d(1, 2), Tolerance{}, ""},
		{"dtype", d(1), mustSlice(t, Float, []float32{1}, 1), loose, "dtype is double, want float"},
		{"shape", d(1, 2), mustSlice(t, Double, []float64{1, 2}, 2, 1), loose, "shape is [2], want [2,1]"},
		{"scalar", FromScalar(1.5), FromScalar(2.5), loose, "value is 1.5, want 2.5 (off by 1)"},
		{"no elements", d(), d(), exact, ""},
		{"within atol", d(5e-7), d(0), loose, ""},
		{"at the edge", d(3), d(2), Tolerance{ATol: 1}, ""},
		{"beyond atol", d(5e-6), d(0), loose, "off by 5e-06"},
		{"within rtol", d(1000.005), d(1000), loose, ""},
		{"rtol is of want", d(1.1), d(1), Tolerance{RTol: 0.095}, "off by 0.1"},
		{"beyond rtol", d(1000.02), d(1000), loose, "off by 0.02"},
		{"NaN", d(nan), d(nan), Tolerance{}, ""},
		{"NaN and number", d(nan, 1), d(0, 1), loose, "element [0] is nan, want 0.0; 1 of 2 elements differ"},
		{"number and NaN", d(0), d(nan), loose, "is 0.0, want nan"},
		{"infinities", d(inf, -inf), d(inf, -inf), loose, ""},
		{"infinities of other signs", d(inf), d(-inf), Tolerance{RTol: inf, ATol: inf}, "is inf, want -inf"},
		{"infinity and number", d(inf), d(1e308), Tolerance{RTol: 10}, "is inf, want 1e+308"},
		{"exact", d(1, nan), d(1, math.Float64frombits(0x7ff8000000000001)), exact, ""},
		{"exact zeros", d(negZero), d(0), exact, "is -0.0, want 0.0"},
		{"zeros", d(negZero), d(0), Tolerance{}, ""},
		{"exact digits", d(0.1), d(math.Nextafter(0.1, 1)), exact, "is 0.1, want 0.10000000000000002"},
		{"second row", mustSlice(t, Float, []float32{1, 2, 3, 4}, 2, 2), mustSlice(t, Float, []float32{1, 2, 7, 8}, 2, 2), loose,
			"element [1,0] is 3.0, want 7.0 (off by 4); 2 of 4 elements differ"},
		{"half", mustSlice(t, Half, []Float16{ToFloat16(1)}, 1), mustSlice(t, Half, []Float16{ToFloat16(1.001)}, 1), Tolerance{RTol: 0.01}, ""},
		{"bfloat16", mustSlice(t, Bfloat16, []BFloat16{ToBFloat16(1)}, 1), mustSlice(t, Bfloat16, []BFloat16{ToBFloat16(1.5)}, 1), loose, "is 1, want 1.5"},
		{"float8", mustSlice(t, Float8e5m2, []uint8{0x7e}, 1), mustSlice(t, Float8e5m2, []uint8{0x7f}, 1), exact, ""},
		{"complex", mustSlice(t, Complex64, []complex64{1 + 2i}, 1), mustSlice(t, Complex64, []complex64{1 + 2.5i}, 1), loose,
			"is (1+2j), want (1+2.5j) (off by 0 in the real part and 0.5 in the imaginary)"},
		{"complex parts apart", FromScalar(complex(1e9, 1)), FromScalar(complex(1e9, 1.1)), loose, "off by 0 in the real part and 0.1"},
		{"complex NaN", FromScalar(complex(nan, inf)), FromScalar(complex(nan, inf)), loose, ""},
		{"complex exact", FromScalar(complex(nan, negZero)), FromScalar(complex(-nan, 0)), exact, "is (nan-0j), want (nan+0j)"},
		{"integers", FromScalar(int64(1 << 62)), FromScalar(int64(1<<62 + 1)), Tolerance{ATol: 10}, "value is 4611686018427387904, want 4611686018427387905"},
		{"bools", FromScalar(true), FromScalar(false), loose, "value is true, want false"},
		{"strings", FromScalar("a"), FromScalar("b"), loose, "value is b'a', want b'b'"},
		{"long strings", FromScalar(strings.Repeat("a", 1000)), FromScalar("b"), loose, "aaa..., want"},
		{"handles", FromScalar(&Handle{Name: "a", Value: 1}), FromScalar(&Handle{Name: "a"}), loose, ""},
		{"other handles", FromScalar(&Handle{Name: "a"}), FromScalar(&Handle{Name: "b"}), loose, `is <Resource  "/a">, want <Resource  "/b">`},
		{"no handle", FromScalar[*Handle](nil), FromScalar(&Handle{}), loose, ""},
		{"variants", FromScalar(&Object{Value: &VariantData{TypeName: "t"}}), FromScalar(&Object{Value: &VariantData{TypeName: "t"}}), loose, ""},
		{"other variants", FromScalar(&Object{Value: &VariantData{TypeName: "t"}}), FromScalar(&Object{Value: &VariantData{TypeName: "u"}}), loose, `is <Variant "t">, want <Variant "u">`},
		{"opaque variants", FromScalar(&Object{Value: 1}), FromScalar(&Object{Value: 1}), loose, "is <Variant int>"},
		{"no variant", FromScalar[*Object](nil), FromScalar[*Object](nil), loose, ""},
	} {
		err := Compare(c.got, c.want, c.tol)
		if c.err == "" && err != nil || c.err != "" && (status.CodeOf(err) != status.FailedPrecondition || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.err)
		}
	}
}
