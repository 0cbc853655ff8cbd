package list

import (
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/tensorproto"
)

// contents are the elements of a list of float64 scalars; -1 is one that is
// not set.
func contents(l *List) []float64 {
	x := make([]float64, l.n)
	for i := range x {
		v := l.at(i)
		if x[i] = -1; !v.IsZero() {
			x[i] = tensor.At0[float64](&v)
		}
	}
	return x
}

// TestVersions changes arbitrary versions of lists and compares all of them
// with plain slices.
func TestVersions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lists := []*List{newList(tensor.Double, shape.Scalar, -1, rapid.IntRange(0, 20).Draw(t, "n"))}
		model := [][]float64{slices.Repeat([]float64{-1}, lists[0].n)}
		next := 0.0
		for range rapid.IntRange(1, 60).Draw(t, "changes") {
			k := rapid.IntRange(0, len(lists)-1).Draw(t, "list")
			l, m := lists[k], slices.Clone(model[k])
			next++
			switch kind := rapid.SampledFrom([]string{"set", "push", "pop", "grow", "cut", "read"}).Draw(t, "change"); {
			case kind == "set" && l.n > 0:
				i := rapid.IntRange(0, l.n-1).Draw(t, "i")
				l, m[i] = l.with(l.n, change{i, item{Value: tensor.Scalar(next)}}), next
			case kind == "push":
				l, m = l.with(l.n+1, change{l.n, item{Value: tensor.Scalar(next)}}), append(m, next)
			case kind == "pop" && l.n > 0:
				l, m = l.first(l.n-1), m[:l.n-1]
			case kind == "grow":
				l, m = l.first(l.n+3), append(m, -1, -1, -1)
			case kind == "cut":
				n := rapid.IntRange(0, l.n).Draw(t, "n")
				l, m = l.first(n), m[:n]
			default:
				if got := contents(l); !slices.Equal(got, m) {
					t.Fatalf("list %d is %v, want %v", k, got, m)
				}
				continue
			}
			lists, model = append(lists, l), append(model, m)
		}
		for k, l := range lists {
			if got := contents(l); !slices.Equal(got, model[k]) {
				t.Fatalf("list %d is %v, want %v", k, got, model[k])
			}
		}
	})
}

// A long list costs what is set in it.
func TestSparse(t *testing.T) {
	l := newList(tensor.Double, shape.Scalar, -1, 1<<30)
	for _, i := range []int{1<<30 - 1, 5, denseLimit, denseLimit + 1} {
		l = l.with(l.n, change{i, item{Value: tensor.Scalar(float64(i))}})
	}
	if v := l.at(1<<30 - 1); tensor.At0[float64](&v) != 1<<30-1 {
		t.Errorf("the last element is %v", v)
	}
	l = l.first(6)
	if got, want := contents(l), []float64{-1, -1, -1, -1, -1, 5}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Goroutines that change one list each get their own.
func TestConcurrent(t *testing.T) {
	l := newList(tensor.Double, shape.Scalar, -1, 10)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			m := l
			for i := range 1000 {
				m = m.with(10, change{i % 10, item{Value: tensor.Scalar(float64(g))}})
			}
			for i, x := range contents(m) {
				if x != float64(g) {
					t.Errorf("element %d of goroutine %d is %v", i, g, x)
				}
			}
		})
	}
	wg.Wait()
}

func TestMarshal(t *testing.T) {
	inner := newList(tensor.Float, shape.Of(shape.Unknown, 2), 7, 1)
	l := newList(tensor.Variant, shape.Scalar, -1, 3).with(3, change{1, item{Value: tensor.Scalar(inner.element())}})
	v, err := tensor.New(tensor.Variant)
	if err != nil {
		t.Fatal(err)
	}
	val := tensor.ValueOf(v)
	tensor.Of[*tensor.Object](&val)[0] = l.element()
	b, err := tensorproto.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	back, err := tensorproto.Unmarshal(b, 0)
	if err != nil {
		t.Fatal(err)
	}
	val = tensor.ValueOf(back)
	got, err := listOf(&val)
	if err != nil {
		t.Fatal(err)
	}
	x := got.at(1)
	in, err := listOf(&x)
	if err != nil {
		t.Fatal(err)
	}
	if got.n != 3 || got.max != -1 || !got.at(0).IsZero() || in.n != 1 || in.max != 7 || in.String() != inner.String() {
		t.Errorf("got %v (%d) of %v (%d), want %v of %v", got, got.max, in, in.max, l, inner)
	}
}

func FuzzUnmarshal(f *testing.F) {
	for _, l := range []*List{
		newList(tensor.Float, shape.Shape{}, -1, 0),
		newList(tensor.Double, shape.Of(), 5, 3).with(3, change{1, item{Value: tensor.Scalar(2.5)}}),
	} {
		v, err := l.MarshalVariant()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(v.Metadata, slices.Concat(v.Tensors...))
	}
	f.Add([]byte{255, 255, 255, 255, 255, 255, 255, 255, 255, 1}, []byte{})
	f.Fuzz(func(t *testing.T, meta, first []byte) {
		v := &tensor.VariantData{TypeName: typeName, Metadata: meta}
		if len(first) > 0 {
			v.Tensors = [][]byte{first}
		}
		l, err := unmarshal(v)
		if err != nil {
			return
		}
		again, err := l.MarshalVariant()
		if err != nil {
			t.Fatal(err)
		}
		for i := range again.Parts {
			b, err := tensorproto.Marshal(again.Part(i).Tensor())
			if err != nil {
				return // such as resources, which have no form
			}
			again.Tensors = append(again.Tensors, b)
		}
		back, err := unmarshal(again)
		if err != nil || back.String() != l.String() {
			t.Fatalf("%v became %v: %v", l, back, err)
		}
	})
}

func BenchmarkSetItem(b *testing.B) {
	const n = 10000
	l := newList(tensor.Double, shape.Scalar, -1, n)
	for i := range b.N {
		l = l.with(n, change{i % n, item{Value: tensor.Scalar(1.0)}})
	}
}
