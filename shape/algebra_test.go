package shape

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// parse reads what String writes.
func parse(text string) Shape {
	if text == "?" {
		return Shape{}
	}
	dims := []int64{}
	for _, d := range strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune("[,]", c) }) {
		n := Unknown
		if d != "?" {
			n = 0
			for _, c := range d {
				n = n*10 + int64(c-'0')
			}
		}
		dims = append(dims, n)
	}
	return Of(dims...)
}

func answer(s Shape, err error) string {
	if err != nil {
		return status.From(err).Message
	}
	return s.String()
}

func dimAnswer(d int64, err error) any {
	if err != nil {
		return status.From(err).Message
	}
	return d
}

func TestDims(t *testing.T) {
	const big = math.MaxInt64
	for _, c := range []struct {
		name string
		got  any
		want any
	}{
		{"2+3", dimAnswer(AddDims(2, 3)), int64(5)},
		{"2+?", dimAnswer(AddDims(2, Unknown)), Unknown},
		{"max+1", dimAnswer(AddDims(big, 1)), "Dimension size overflow from adding 9223372036854775807 and 1"},
		{"3-2", dimAnswer(SubDims(3, 2)), int64(1)},
		{"2-3", dimAnswer(SubDims(2, 3)), "Negative dimension size caused by subtracting 3 from 2"},
		{"?-0", dimAnswer(SubDims(Unknown, 0)), Unknown},
		{"0*?", dimAnswer(MulDims(0, Unknown)), int64(0)},
		{"2*?", dimAnswer(MulDims(2, Unknown)), Unknown},
		{"max*2", dimAnswer(MulDims(big, 2)), "Negative dimension size caused by overflow when multiplying 9223372036854775807 and 2"},
		{"7/2", dimAnswer(DivDims(7, 2)), int64(3)},
		{"?/2", dimAnswer(DivDims(Unknown, 2)), Unknown},
		{"7/0", dimAnswer(DivDims(7, 0)), "Divisor must be positive but is 0"},
		{"7/2 evenly", dimAnswer(DivDimsEvenly(7, 2)), "Dimension size must be evenly divisible by 2 but is 7"},
		{"8/2 evenly", dimAnswer(DivDimsEvenly(8, 2)), int64(4)},
		{"merge 2 3", dimAnswer(MergeDims(2, 3)), "Dimensions must be equal, but are 2 and 3"},
		{"merge ? 3", dimAnswer(MergeDims(Unknown, 3)), int64(3)},
		{"value", dimAnswer(WithValue(3, 2)), "Dimension must be 2 but is 3"},
		{"min ? 0", MinDim(Unknown, 0), int64(0)},
		{"min ? 2", MinDim(Unknown, 2), Unknown},
		{"max ? 2", MaxDim(Unknown, 2), Unknown},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, c.got, c.want)
		}
	}
}

func TestShapes(t *testing.T) {
	prefix := func(s, p string) string {
		a, b, err := MergePrefix(parse(s), parse(p))
		if err != nil {
			return status.From(err).Message
		}
		return a.String() + " " + b.String()
	}
	for _, c := range []struct{ name, got, want string }{
		{"merge", answer(Merge(parse("[2,?]"), parse("[?,3]"))), "[2,3]"},
		{"merge unknown", answer(Merge(parse("?"), parse("[?,3]"))), "[?,3]"},
		{"merge ranks", answer(Merge(parse("[2]"), parse("[]"))), "Shapes must be equal rank, but are 1 and 0"},
		{"merge dims", answer(Merge(parse("[2,?]"), parse("[3,3]"))), "Dimension 0 in both shapes must be equal, but are 2 and 3. Shapes are [2,?] and [3,3]."},
		{"prefix", prefix("[2,?,4]", "[?,3]"), "[2,3,4] [2,3]"},
		{"prefix rank", prefix("[2]", "[?,3]"), "Shape must be at least rank 2 but is rank 1"},
		{"prefix dims", prefix("[5,2]", "[4]"), "Dimensions must be equal, but are 5 and 4"},
		{"relax", Relax(parse("[2,3,?]"), parse("[2,4,5]")).String(), "[2,?,?]"},
		{"relax ranks", Relax(parse("[2]"), parse("[2,4]")).String(), "?"},
		{"rank", answer(parse("[2]").WithRank(2)), "Shape must be rank 2 but is rank 1"},
		{"rank unknown", answer(parse("?").WithRank(2)), "[?,?]"},
		{"at least", answer(parse("[2]").WithRankAtLeast(2)), "Shape must be at least rank 2 but is rank 1"},
		{"at most", answer(parse("[2,3]").WithRankAtMost(1)), "Shape must be at most rank 1 but is rank 2"},
		{"dim", answer(parse("[2,?]").WithDim(-1, 3)), "[2,3]"},
		{"dim wrong", answer(parse("[2,4]").WithDim(1, 3)), "Dimension must be 3 but is 4"},
		{"concat", answer(Concat(parse("[2]"), parse("[]"), parse("[?,3]"))), "[2,?,3]"},
		{"concat unknown", answer(Concat(parse("[2]"), parse("?"))), "?"},
		{"concat too much", answer(Concat(OfRank(200), OfRank(55))), "the shape has 255 dimensions, more than the 254 allowed"},
		{"sub", parse("[1,2,3,4]").Sub(1, -1).String(), "[2,3]"},
		{"sub past the end", parse("[1,2]").Sub(1, 9).String(), "[2]"},
		{"from", parse("[1,2,3]").From(-1).String(), "[3]"},
		{"to", parse("[1,2,3]").To(-1).String(), "[1,2]"},
		{"insert", answer(parse("[1,2]").Insert(2, 9)), "[1,2,9]"},
		{"remove", parse("[1,2,3]").Remove(-2).String(), "[1,3]"},
		{"broadcast", answer(Broadcast(parse("[2,1]"), parse("[?,3]"))), "[2,3]"},
		{"broadcast rank", answer(Broadcast(parse("[3,1,2]"), parse("[?,1]"))), "[3,?,2]"},
		{"broadcast order", answer(Broadcast(parse("[4]"), parse("[2,3]"))), "Dimensions must be equal, but are 4 and 3"},
		{"broadcast 0 and ?", answer(Broadcast(parse("[0]"), parse("[?]"))), "[?]"},
		{"broadcast three", answer(Broadcast(parse("[2,1,1]"), parse("[3,1]"), parse("[4]"))), "[2,3,4]"},
		{"reduce", answer(Reduction(parse("[2,3,?]"), []int64{-1, 0}, false)), "[3]"},
		{"reduce keep", answer(Reduction(parse("[2,3,?]"), []int64{1, 1}, true)), "[2,1,?]"},
		{"reduce wrong", answer(Reduction(parse("[2,3]"), []int64{2}, true)), "Invalid reduction dimension 2 for input with 2 dimensions."},
		{"vector", answer(FromVector([]int64{2, -1})), "[2,?]"},
		{"vector wrong", answer(FromVector([]int64{2, -2})), "Invalid value in tensor used for shape: -2"},
		{"vector large", answer(FromVector([]int64{1 << 40, 1 << 40})), "Shape [1099511627776,1099511627776] has more elements than fit in 63 bits"},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, c.got, c.want)
		}
	}
}

func TestNumElements(t *testing.T) {
	for text, want := range map[string]any{
		"[]": int64(1), "[2,3]": int64(6), "[2,?]": Unknown, "?": Unknown, "[0,?]": int64(0),
		"[4611686018427387904,4]": "Negative dimension size caused by overflow when multiplying 4611686018427387904 and 4",
	} {
		if got := dimAnswer(parse(text).NumElements()); got != want {
			t.Errorf("%s: got %v, want %v", text, got, want)
		}
	}
}

func TestCheckAttr(t *testing.T) {
	for _, s := range []registry.Shape{{Dims: []int64{-2}}, {Dims: make([]int64, tensor.MaxRank+1)}, {Dims: []int64{math.MaxInt64, 2}}} {
		if err := CheckAttr(s); status.CodeOf(err) != status.InvalidArgument {
			t.Errorf("%v: got %v, want INVALID_ARGUMENT", s.Dims, err)
		}
	}
	if err := CheckAttr(registry.Shape{Dims: []int64{2, -1}}); err != nil {
		t.Error(err)
	}
}

func genDim() *rapid.Generator[int64] { return rapid.Int64Range(-1, 4) }

func genShape() *rapid.Generator[Shape] {
	return rapid.Custom(func(t *rapid.T) Shape {
		if rapid.IntRange(0, 5).Draw(t, "unknown rank") == 0 {
			return Shape{}
		}
		return Of(rapid.SliceOfN(genDim(), 0, 4).Draw(t, "dims")...)
	})
}

// full draws a fully known shape that s may turn out to be.
func full(t *rapid.T, s Shape) []int64 {
	if !s.Known() {
		s = OfRank(rapid.IntRange(0, 4).Draw(t, "rank"))
	}
	dims := make([]int64, s.Rank())
	for i, d := range s.Dims() {
		if dims[i] = d; d == Unknown {
			dims[i] = rapid.Int64Range(0, 4).Draw(t, "dim")
		}
	}
	return dims
}

// What Merge knows holds of exactly the tensors of which both shapes hold, and
// what Relax knows holds of those of either.
func TestMergeAndRelaxHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := genShape().Draw(t, "a"), genShape().Draw(t, "b")
		merged, err := Merge(a, b)
		if (err == nil) != Compatible(a, b) {
			t.Fatalf("Merge(%v, %v): %v, but Compatible is %v", a, b, err, Compatible(a, b))
		}
		x := Of(full(t, a)...)
		if both := Compatible(x, b); err == nil && both != Compatible(x, merged) || err != nil && both {
			t.Fatalf("Merge(%v, %v) = %v, %v with %v", a, b, merged, err, x)
		}
		if relaxed := Relax(a, b); !Compatible(x, relaxed) || !Compatible(Of(full(t, b)...), relaxed) {
			t.Fatalf("Relax(%v, %v) = %v with %v", a, b, relaxed, x)
		}
	})
}

// What Broadcast knows holds whatever the unknown dimensions turn out to be, by
// NumPy's rule; it fails only if they cannot broadcast.
func TestBroadcastHolds(t *testing.T) {
	numpy := func(a, b []int64) (out []int64, ok bool) {
		for i := 1; i <= max(len(a), len(b)); i++ {
			x, y := int64(1), int64(1)
			if i <= len(a) {
				x = a[len(a)-i]
			}
			if i <= len(b) {
				y = b[len(b)-i]
			}
			if x != y && x != 1 && y != 1 {
				return nil, false
			}
			if x == 1 {
				x = y
			}
			out = append([]int64{x}, out...)
		}
		return out, true
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := genShape().Draw(t, "a"), genShape().Draw(t, "b")
		s, err := Broadcast(a, b)
		want, ok := numpy(full(t, a), full(t, b))
		if ok && (err != nil || !Compatible(s, Of(want...))) {
			t.Fatalf("Broadcast(%v, %v) = %v, %v; want %v", a, b, s, err, want)
		}
		if back, err2 := Broadcast(b, a); (err == nil) != (err2 == nil) || !Equal(s, back) {
			t.Fatalf("Broadcast(%v, %v) = %v but %v the other way round", a, b, s, back)
		}
	})
}

func TestStridedSpec(t *testing.T) {
	// NumPy-like: what is taken of a vector equals a plain loop.
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.Int64Range(0, 6).Draw(t, "size")
		begin, end := rapid.Int64Range(-9, 9).Draw(t, "begin"), rapid.Int64Range(-9, 9).Draw(t, "end")
		stride := rapid.Int64Range(-3, 3).Filter(func(x int64) bool { return x != 0 }).Draw(t, "stride")
		spec := StridedSpec{
			Begin: []int64{begin}, End: []int64{end}, Strides: []int64{stride},
			BeginMask: rapid.Int64Range(0, 1).Draw(t, "begin mask"), EndMask: rapid.Int64Range(0, 1).Draw(t, "end mask"),
		}
		s, err := spec.Apply(Of(size))
		if err != nil {
			t.Fatal(err)
		}
		wrap := func(x int64) int64 {
			if x < 0 {
				return x + size
			}
			return x
		}
		from, to := wrap(begin), wrap(end)
		if spec.BeginMask != 0 {
			if from = 0; stride < 0 {
				from = size - 1
			}
		}
		if spec.EndMask != 0 {
			if to = size; stride < 0 {
				to = -1
			}
		}
		if stride < 0 {
			from = min(from, size-1)
		} else {
			from = max(from, 0)
		}
		want, first := int64(0), Unknown
		for i := from; stride > 0 && i < min(to, size) || stride < 0 && i > max(to, -1); i += stride {
			if want == 0 {
				first = i
			}
			want++
		}
		if got := s.Dims[0]; got.Count != want || want > 0 && got.Begin != first {
			t.Fatalf("%+v of %d: got %+v, want %d from %d", spec, size, got, want, first)
		}
	})
}

func TestWindow(t *testing.T) {
	// The number of positions, by trying each.
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.Int64Range(0, 12).Draw(t, "size")
		w := Window{
			Size: rapid.Int64Range(1, 4).Draw(t, "window"), Stride: rapid.Int64Range(1, 3).Draw(t, "stride"),
			Dilation: rapid.Int64Range(1, 3).Draw(t, "dilation"), Padding: "EXPLICIT",
			Before: rapid.Int64Range(0, 2).Draw(t, "before"), After: rapid.Int64Range(0, 2).Draw(t, "after"),
		}
		want := int64(0)
		for at := int64(0); at+(w.Size-1)*w.Dilation < size+w.Before+w.After; at += w.Stride {
			want++
		}
		got, err := w.Output(size)
		if want == 0 && err == nil || want > 0 && got != want {
			t.Fatalf("%+v over %d: got %d, %v; want %d", w, size, got, err, want)
		}
		w.Padding = "SAME"
		if got, err := w.Output(size); err != nil || got != (size+w.Stride-1)/w.Stride {
			t.Fatalf("%+v over %d: got %d, %v", w, size, got, err)
		}
	})
}

func TestRangeSize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start, limit := rapid.Int64Range(-20, 20).Draw(t, "start"), rapid.Int64Range(-20, 20).Draw(t, "limit")
		delta := rapid.Int64Range(-4, 4).Draw(t, "delta")
		want := int64(0)
		for i := start; delta > 0 && i < limit || delta < 0 && i > limit; i += delta {
			want++
		}
		got, err := RangeSize(start, limit, delta)
		wrong := delta == 0 || delta > 0 && start > limit || delta < 0 && start < limit
		if wrong != (err != nil) || err == nil && got != want {
			t.Fatalf("RangeSize(%d, %d, %d) = %d, %v; want %d", start, limit, delta, got, err, want)
		}
		if n, err := RangeSizeFloat(float64(start), float64(limit), float64(delta)); (err != nil) != wrong || n != got {
			t.Fatalf("RangeSizeFloat(%d, %d, %d) = %d, %v", start, limit, delta, n, err)
		}
	})
	if n, err := RangeSize(math.MinInt64, math.MaxInt64, 1<<62); n != 4 || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
}

func TestFormatOf(t *testing.T) {
	type format struct{ Batch, Spatial, Channel, Rank int }
	got := map[string]format{}
	for name, dims := range map[string]int{"": 2, "NHWC": 2, "NCHW": 2, "NDHWC": 3, "NCDHW": 3, "NCHW_VECT_C": 2} {
		f, err := FormatOf(name, dims)
		if err != nil {
			t.Fatal(err)
		}
		got[name] = format{f.Batch, f.Spatial, f.Channel, f.Rank()}
	}
	want := map[string]format{
		"": {0, 1, 3, 4}, "NHWC": {0, 1, 3, 4}, "NCHW": {0, 2, 1, 4},
		"NDHWC": {0, 1, 4, 5}, "NCDHW": {0, 2, 1, 5}, "NCHW_VECT_C": {0, 2, 1, 5},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for _, name := range []string{"NDHWC", "nhwc", "XYZ"} {
		if _, err := FormatOf(name, 2); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
