package resource_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/tensor"
)

// elementOf returns the numbers of an element; nil for zeros.
func elementOf(e resource.Element) []float32 {
	if e.In.IsZero() {
		return nil
	}
	n := 1
	for _, d := range e.Dims {
		n *= int(d)
	}
	return tensor.Of[float32](&e.In)[e.Start : e.Start+n]
}

// Arrays behave as maps of what was written, one by one or many at once,
// whether they copy it or keep it, and are charged for nothing when they go.
func TestBlocksAgreeWithAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.SampledFrom([]int{1, 3, 100, 300}).Draw(t, "width")
		o := resource.TensorArrayOptions{
			Name: "a", Type: tensor.Float, Size: rapid.IntRange(0, 40).Draw(t, "size"), Add: sum,
			Identical: rapid.Bool().Draw(t, "identical"), Dynamic: rapid.Bool().Draw(t, "dynamic"),
		}
		if rapid.Bool().Draw(t, "declared") {
			o.Shape = shape.Of(int64(width))
		}
		clears := rapid.Bool().Draw(t, "clear")
		o.ClearAfterRead = clears
		m := &resource.Manager{Budget: tensor.NewBudget(0)}
		a := resource.NewTensorArray(m, o)
		sums := rapid.Bool().Draw(t, "gradient")
		dynamic := o.Dynamic && !sums
		if sums {
			g, err := a.Gradient(m, "g", nil)
			if err != nil {
				t.Fatal(err)
			}
			a, clears = g, true
		}
		size := o.Size
		written, read := map[int][]float32{}, map[int]bool{}
		next := float32(0)
		fresh := func(n int) []float32 {
			x := make([]float32, n)
			for i := range x {
				x[i], next = next, next+1
			}
			return x
		}
		// store writes to the map, and reports whether the array should.
		store := func(i int, x []float32) bool {
			old, twice := written[i]
			if i < 0 || i >= size && !dynamic || read[i] || twice && !sums {
				return false
			}
			size = max(size, i+1)
			x = slices.Clone(x)
			for k := range old {
				x[k] += old[k]
			}
			written[i] = x
			return true
		}
		index := rapid.IntRange(-1, 45)
		check := func(t *rapid.T, what string, ok bool, err error) {
			if (err == nil) != ok {
				t.Fatalf("%s: %v", what, err)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"write": func(t *rapid.T) {
				i, x := index.Draw(t, "i"), fresh(width)
				v := vector(x...)
				ok := store(i, x)
				check(t, "write", ok, a.Write(i, v))
				if a.Copies(&v) != (o.Identical || o.Shape.Known()) {
					t.Fatal("another kind of array copies")
				}
				if a.Copies(&v) {
					clear(x) // the array has its own
				}
			},
			"rows": func(t *rapid.T) {
				var at []int32
				for _, i := range rapid.SliceOfN(index, 0, 6).Draw(t, "indices") {
					at = append(at, int32(i))
				}
				x := fresh(len(at) * width)
				ok := true
				for k := 0; k < len(at) && ok; k++ {
					ok = store(int(at[k]), x[k*width:(k+1)*width])
				}
				v, err := tensor.FromSlice(x, int64(len(at)), int64(width))
				if err != nil {
					t.Fatal(err)
				}
				check(t, "rows", ok, a.WriteRows(at, tensor.ValueOf(v)))
			},
			"pieces": func(t *rapid.T) {
				n := rapid.IntRange(0, 4).Draw(t, "n")
				x, ok := fresh(n*width), true
				for k := 0; k < n && ok; k++ {
					ok = store(k, x[k*width:(k+1)*width])
				}
				check(t, "pieces", ok, a.WritePieces(slices.Repeat([]int64{int64(width)}, n), vector(x...)))
			},
			"read": func(t *rapid.T) {
				i := index.Draw(t, "i")
				want, is := written[i]
				known := o.Shape.Known() || o.Identical && len(written) > 0
				ok := i >= 0 && i < size && !(read[i] && clears) && (is || known)
				e, err := a.Read(i)
				check(t, "read", ok, err)
				if ok && !(slices.Equal(elementOf(e), want) && slices.Equal(e.Dims, []int64{int64(width)})) {
					t.Fatalf("element %d of shape %v is %v, want %v", i, e.Dims, elementOf(e), want)
				}
				read[i] = read[i] || ok
			},
		})
		a.Close()
		if used := m.Budget.Used(); used != 0 && !sums {
			t.Fatalf("%d bytes are charged for an array that is closed", used)
		}
	})
}

// An array that copies has about as much memory as it has elements, wherever
// they are, and gives it back as they are read.
func TestBlocksAreChargedAsTheyAreMade(t *testing.T) {
	const n, most = 1000, 1 << 20
	m := &resource.Manager{Budget: tensor.NewBudget(0)}
	a := resource.NewTensorArray(m, resource.TensorArrayOptions{
		Name: "a", Type: tensor.Float, Size: 1 << 30, Shape: shape.Of(64), ClearAfterRead: true,
	})
	x := vector(make([]float32, 64)...)
	var cells int64
	for i := range n {
		if err := a.Write(i, x); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			cells = m.Budget.Used() - 1<<10
		}
		elements := int64(i+1) * 256
		if got := m.Budget.Used() - cells; got < elements || got > 2*elements+1<<10 {
			t.Fatalf("%d bytes are charged for %d elements of 256", got, i+1)
		}
	}
	for i := range n {
		if _, err := a.Read(i); err != nil {
			t.Fatal(err)
		}
	}
	if got := m.Budget.Used() - cells; got > most {
		t.Errorf("%d bytes are charged when all elements have been read", got)
	}
	small := &resource.Manager{Budget: tensor.NewBudget(200 << 10)}
	b := resource.NewTensorArray(small, resource.TensorArrayOptions{Name: "b", Type: tensor.Float, Size: n, Shape: shape.Of(64)})
	var err error
	for i := 0; i < n && err == nil; i++ {
		err = b.Write(i, x)
	}
	if err == nil {
		t.Error("the limit was passed")
	}
	b.Close()
	if used := small.Budget.Used(); used != 0 {
		t.Errorf("%d bytes for an array that is closed", used)
	}
}

func TestBlocksTakeFewAllocations(t *testing.T) {
	const n = 1000
	m := resource.NewManager()
	x := vector(1, 2, 3)
	allocs := testing.AllocsPerRun(10, func() {
		a := resource.NewTensorArray(m, resource.TensorArrayOptions{Name: "a", Type: tensor.Float, Size: n, Identical: true})
		for i := range n {
			if err := a.Write(i, x); err != nil {
				t.Fatal(err)
			}
		}
	})
	if allocs > 40 {
		t.Errorf("%v allocations for an array of %d elements", allocs, n)
	}
}

// The memory of arrays whose steps have ended serves others, but what a reader
// has been lent stays as it is.
func TestMemoryServesAgain(t *testing.T) {
	o := resource.TensorArrayOptions{Name: "a", Type: tensor.Float, Size: 300, Shape: shape.Of(5), ClearAfterRead: true}
	fill := func(m *resource.Manager, number float32) *resource.TensorArray {
		a := resource.NewTensorArray(m, o)
		for i := range o.Size {
			v, err := tensor.FromSlice([]float32{number, float32(i), 2, 3, 4}, 5)
			if err != nil {
				t.Fatal(err)
			}
			if err := a.Write(i, tensor.ValueOf(v)); err != nil {
				t.Fatal(err)
			}
		}
		return a
	}
	var lent []resource.Element
	for number := range 30 {
		m := &resource.Manager{Budget: tensor.NewBudget(0)}
		a := fill(m, float32(number))
		for i := range o.Size {
			e, err := a.Read(i)
			if x := elementOf(e); err != nil || x[0] != float32(number) || x[1] != float32(i) {
				t.Fatalf("element %d of array %d: %v, %v", i, number, x, err)
			}
			if i == number { // of the small blocks, and of the large ones
				e.Lend()
				lent = append(lent, e)
			}
		}
		a.End()
		if used := m.Budget.Used(); used != 0 {
			t.Fatalf("%d bytes are charged for an array that has ended", used)
		}
		if _, err := a.Read(0); err == nil {
			t.Fatal("an array that has ended was read")
		}
	}
	for number, e := range lent {
		if x := elementOf(e); x[0] != float32(number) || x[1] != float32(number) || x[4] != 4 {
			t.Errorf("array %d: %v after others have been written", number, x)
		}
	}
}
