package resource_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func sum(acc, x *tensor.Value) {
	a, b := tensor.Of[float32](acc), tensor.Of[float32](x)
	for i := range a {
		a[i] += b[i]
	}
}

func fails(t *testing.T, err error, want string) {
	t.Helper()
	if status.CodeOf(err) != status.InvalidArgument || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want INVALID_ARGUMENT with %q", err, want)
	}
}

func TestTensorArrayMakesMemoryForWhatIsWritten(t *testing.T) {
	m := &resource.Manager{Budget: tensor.NewBudget(32 << 20)}
	a := resource.NewTensorArray(m, resource.TensorArrayOptions{Name: "a", Type: tensor.Float, Size: math.MaxInt32})
	if used := m.Budget.Used(); used != 0 {
		t.Errorf("%d bytes for an array in which nothing is", used)
	}
	for _, i := range []int{5, math.MaxInt32 - 1, 70000} {
		if err := a.Write(i, tensor.Scalar(float32(i))); err != nil {
			t.Fatal(err)
		}
		e, err := a.Read(i)
		if err != nil || tensor.At0[float32](&e.In) != float32(i) {
			t.Errorf("element %d: %v, %v", i, e, err)
		}
	}
	if _, err := a.Read(6); err == nil {
		t.Error("an element of unknown shape was read as zeros")
	}
	a.Close()
	if used := m.Budget.Used(); used != 0 {
		t.Errorf("%d bytes for an array that is closed", used)
	}
	grows := resource.NewTensorArray(&resource.Manager{Budget: tensor.NewBudget(1 << 20)}, resource.TensorArrayOptions{Name: "g", Type: tensor.Float, Dynamic: true})
	if err := grows.Write(math.MaxInt32-1, vector(1)); status.CodeOf(err) != status.ResourceExhausted {
		t.Errorf("growing past the limit: %v", err)
	}
}

func TestTensorArrayChargesTheBudget(t *testing.T) {
	m := &resource.Manager{Budget: tensor.NewBudget(0)}
	a := resource.NewTensorArray(m, resource.TensorArrayOptions{Name: "a", Type: tensor.Float, Size: 4, ClearAfterRead: true})
	if err := a.Write(0, vector(1, 2)); err != nil {
		t.Fatal(err)
	}
	with := m.Budget.Used()
	if _, err := a.Read(0); err != nil {
		t.Fatal(err)
	}
	if without := m.Budget.Used(); with-without != tensor.HeaderBytes+8 {
		t.Errorf("reading gives %d bytes back, want a header and 8", with-without)
	}
}

func TestTensorArrayGradients(t *testing.T) {
	m := resource.NewManager()
	a := resource.NewTensorArray(m, resource.TensorArrayOptions{
		Name: "a_0", Type: tensor.Float, Size: 1, Dynamic: true, ClearAfterRead: true, Add: sum,
	})
	_ = a.Write(1, vector(1, 2))
	g, err := a.Gradient(m, "g", nil)
	if err != nil {
		t.Fatal(err)
	}
	if same, _ := a.Gradient(m, "g", nil); same != g {
		t.Error("one source has two arrays")
	}
	if other, _ := a.Gradient(m, "h", nil); other == g {
		t.Error("two sources have one array")
	}
	last, err := g, error(nil)
	for order := 2; err == nil && order < 100; order++ {
		if last, err = last.Gradient(m, "g", nil); err != nil && order != 65 {
			t.Errorf("gradients of order %d: %v", order, err)
		}
	}
	if err == nil {
		t.Error("gradients of gradients have no end")
	}
	of, err := g.Gradient(m, "again", nil)
	if err != nil || of.Write(1, vector(3, 4)) != nil {
		t.Fatalf("the gradient of an array of gradients: %v", err)
	}
	for range 2 { // one for each of the writes that g sums
		if e, err := of.Read(1); err != nil || e.Given || !slices.Equal(floats(e.In), []float32{3, 4}) {
			t.Errorf("the gradient of a sum is %v, %v", e, err)
		}
	}
	fails(t, a.Write(2, vector(1)), "TensorArray a_0: Tried to write to index 2 but array is not resizeable and size is: 2")
	if e, err := g.Read(1); err != nil || !e.In.IsZero() || !slices.Equal(e.Dims, []int64{2}) {
		t.Errorf("nothing written: %v, %v", e, err)
	}
	fails(t, g.Write(1, vector(1, 1)), "a_0@g: Could not write to TensorArray index 1 because it has already been read.")

	h, _ := a.Gradient(m, "h", nil)
	first, second := vector(1, 2), vector(10, 20)
	for _, v := range []tensor.Value{first, second, second} {
		if err := h.Write(1, v); err != nil {
			t.Fatal(err)
		}
	}
	fails(t, h.Write(1, vector(1)), "Could not aggregate to TensorArray index 1 because the existing shape is [2] but the new input shape is [1].")
	e, err := h.Read(1)
	if err != nil || !slices.Equal(floats(e.In), []float32{21, 42}) {
		t.Errorf("sum %v, %v", e, err)
	}
	if !slices.Equal(floats(first), []float32{1, 2}) || !slices.Equal(floats(second), []float32{10, 20}) {
		t.Errorf("what was written became %v and %v", first, second)
	}

	p, err := a.Gradient(m, "p", []int64{3})
	if err != nil {
		t.Fatal(err)
	}
	if e, err := p.Read(1); err != nil || !slices.Equal(e.Dims, []int64{3, 2}) {
		t.Errorf("with more dimensions: %v, %v", e.Dims, err)
	}
}

func TestTensorArrayIdenticalShapes(t *testing.T) {
	a := resource.NewTensorArray(resource.NewManager(), resource.TensorArrayOptions{
		Name: "a", Type: tensor.Float, Size: 3, Identical: true, Shape: shape.OfRank(1),
	})
	_ = a.Write(0, vector(1, 2))
	fails(t, a.Write(1, vector(1)), "because the value shape is [1] which is incompatible with the TensorArray's inferred element shape: [2] (consider setting infer_shape=False).")
	if e, err := a.Read(2); err != nil || !slices.Equal(e.Dims, []int64{2}) {
		t.Errorf("zeros %v, %v", e.Dims, err)
	}
}

// An array behaves as a map of what was written.
func TestTensorArrayAgreesWithAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(0, 9000).Draw(t, "size")
		o := resource.TensorArrayOptions{
			Name: "a", Type: tensor.Float, Size: size, Shape: shape.Scalar,
			Dynamic: rapid.Bool().Draw(t, "dynamic"), ClearAfterRead: rapid.Bool().Draw(t, "clear"),
		}
		a := resource.NewTensorArray(resource.NewManager(), o)
		written, read := map[int]float32{}, map[int]bool{}
		index := rapid.OneOf(rapid.IntRange(-1, 20), rapid.IntRange(4090, 4100), rapid.IntRange(-1, 9001))
		t.Repeat(map[string]func(*rapid.T){
			"write": func(t *rapid.T) {
				i, x := index.Draw(t, "i"), rapid.Float32().Draw(t, "x")
				_, twice := written[i]
				ok := i >= 0 && (i < size || o.Dynamic) && !twice && !read[i]
				if err := a.Write(i, tensor.Scalar(x)); (err == nil) != ok {
					t.Fatalf("write %d: %v", i, err)
				}
				if ok {
					written[i], size = x, max(size, i+1)
				}
			},
			"read": func(t *rapid.T) {
				i := index.Draw(t, "i")
				ok := i >= 0 && i < size && !(read[i] && o.ClearAfterRead)
				e, err := a.Read(i)
				if (err == nil) != ok {
					t.Fatalf("read %d: %v", i, err)
				}
				if !ok {
					return
				}
				read[i] = true
				x, is := written[i]
				if is == e.In.IsZero() || len(e.Dims) != 0 || is && math.Float32bits(tensor.At0[float32](&e.In)) != math.Float32bits(x) {
					t.Fatalf("read %d: %v, want %v", i, e, x)
				}
			},
			"": func(t *rapid.T) {
				if n, err := a.Len(); n != size || err != nil {
					t.Fatalf("size %d, want %d; %v", n, size, err)
				}
			},
		})
	})
}

func TestTensorArrayWritesAllocateWhatTheyStore(t *testing.T) {
	const n = 1000
	m := resource.NewManager()
	x := vector(1, 2, 3)
	allocs := testing.AllocsPerRun(10, func() {
		a := resource.NewTensorArray(m, resource.TensorArrayOptions{Name: "a", Type: tensor.Float, Size: n, ClearAfterRead: true})
		for i := range n {
			if err := a.Write(i, x); err != nil {
				t.Fatal(err)
			}
		}
		for i := range n {
			if _, err := a.Read(n - 1 - i); err != nil {
				t.Fatal(err)
			}
		}
	})
	if allocs > 5 {
		t.Errorf("%v allocations for an array of %d elements", allocs, n)
	}
}

// Blocks begin and end, and elements of one shape and of many are in turn.
func TestStackOfManyKinds(t *testing.T) {
	m := &resource.Manager{Budget: tensor.NewBudget(1 << 30)}
	s := resource.NewStack(m, "s_0", tensor.Float, -1)
	r := rand.New(rand.NewPCG(1, 2))
	var want []tensor.Value
	for range 20_000 {
		if n := len(want); r.IntN(5) < 2 && n > 0 || n > 3000 {
			got, err := s.Pop(new(tensor.Arena))
			if err != nil || !tensor.SameShape(got, want[n-1]) || !slices.Equal(tensor.Of[float32](&got), tensor.Of[float32](&want[n-1])) {
				t.Fatalf("popped %v, %v; want %v", got, err, want[n-1])
			}
			want = want[:n-1]
			continue
		}
		v := vector(make([]float32, 1+r.IntN(3))...)
		if r.IntN(3) == 0 {
			v = tensor.Scalar(r.Float32())
		} else {
			tensor.Of[float32](&v)[0] = r.Float32()
		}
		if err := s.Push(v); err != nil {
			t.Fatal(err)
		}
		want = append(want, v)
	}
	for range want {
		if _, err := s.Pop(new(tensor.Arena)); err != nil {
			t.Fatal(err)
		}
	}
	_, err := s.Pop(new(tensor.Arena))
	fails(t, err, "is empty when calling Pop().")
	s.Close()
	if used := m.Budget.Used(); used != 0 {
		t.Errorf("%d bytes for a closed stack", used)
	}
}

func TestStack(t *testing.T) {
	m := &resource.Manager{Budget: tensor.NewBudget(1270)} // a block of 1 KiB and two shapes
	s := resource.NewStack(m, "s_0", tensor.Float, 2)
	pop := func() (tensor.Value, error) { return s.Pop(new(tensor.Arena)) }
	if err := s.Push(vector(1, 2)); err != nil {
		t.Fatal(err)
	}
	_ = s.Push(vector(3))
	fails(t, s.Push(vector(4)), "Stack[s_0] overflowed its max_size (2)")
	for _, want := range []float32{3, 1} {
		v, err := pop()
		if err != nil || floats(v)[0] != want {
			t.Errorf("popped %v, %v; want %v", v, err, want)
		}
	}
	if used := m.Budget.Used(); used > 1<<10 {
		t.Errorf("%d bytes for an empty stack, which keeps a block", used)
	}
	_, err := pop()
	fails(t, err, "Stack[s_0] is empty when calling Pop().")
	if err := s.Push(vector(make([]float32, 500)...)); status.CodeOf(err) != status.ResourceExhausted {
		t.Errorf("past the limit: %v", err)
	}
	s.Close()
	fails(t, s.Push(vector(1)), "Stack[s_0] has already been closed.")
	_, err = pop()
	fails(t, err, "closed")
	if used := m.Budget.Used(); used != 0 {
		t.Errorf("%d bytes for a closed stack", used)
	}
}
