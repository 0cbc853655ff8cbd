package tensor

import (
	"slices"
	"testing"
)

func take(t testing.TB, h *BufferSlot, a *Arena, dt DType, shape ...int64) Value {
	t.Helper()
	v, err := h.Take(a, dt, shape)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestHomeHandsOutWhatNobodyHolds(t *testing.T) {
	var a Arena
	var h BufferSlot
	v := take(t, &h, &a, Float, 4, 4)
	v.Hold(2)
	a.Drop(v)
	w := take(t, &h, &a, Float, 4, 4)
	if w.t == v.t {
		t.Fatal("a tensor that a token holds was handed out")
	}
	w.Hold(1)
	// Both are held: a third is the arena's alone.
	x := take(t, &h, &a, Float, 4, 4)
	x.Hold(1)
	if x.t == v.t || x.t == w.t || x.t.origin != lent {
		t.Fatal("a third tensor has a home")
	}
	a.Drop(x)
	a.Drop(v)
	if again := take(t, &h, &a, Float, 4, 4); again.t != v.t {
		t.Error("a tensor that came home was not handed out")
	} else if a.Reclaim(again); again.t.origin != atHome {
		t.Error("what is delivered to nobody does not come home")
	}
	a.Drop(w)
	if w.t.origin != atHome {
		t.Error("the second tensor did not come home")
	}
	// The arena hands out neither.
	for range 4 {
		if y := alloc(t, &a, Float, 4, 4); y.t == v.t || y.t == w.t {
			t.Error("the arena handed out a tensor that is at home")
		}
	}
}

// While a kernel has a tensor and no token holds it yet, it is not at home.
func TestHomeKnowsOutputsThatAreNotDelivered(t *testing.T) {
	var a Arena
	var h BufferSlot
	v := take(t, &h, &a, Float, 8)
	if w := take(t, &h, &a, Float, 8); w.t == v.t {
		t.Error("a fresh output was handed out again")
	}
	v.Hold(1)
	v.Retake() // a kernel keeps its input as an output
	if w := take(t, &h, &a, Float, 8); w.t == v.t {
		t.Error("a tensor that a kernel took over was handed out")
	}
}

func TestHomeReplacesWhatEscaped(t *testing.T) {
	for name, escape := range map[string]func(a *Arena, v Value){
		"Share":  func(a *Arena, v Value) { v.Share() },
		"Disown": func(a *Arena, v Value) { a.UnchargeValue(v) },
		"Tensor": func(a *Arena, v Value) { v.Tensor() },
	} {
		var a Arena
		var h BufferSlot
		v := take(t, &h, &a, Float, 8)
		v.Hold(1)
		escape(&a, v)
		Of[float32](&v)[0] = 42
		a.Drop(v)
		w := take(t, &h, &a, Float, 8)
		if w.t == v.t {
			t.Fatalf("%s: what escaped was handed out", name)
		}
		Of[float32](&w)[0] = 7
		w.Hold(1)
		a.Drop(w)
		if x := take(t, &h, &a, Float, 8); x.t != w.t {
			t.Errorf("%s: the place of what escaped was not taken", name)
		}
		h.Release(&a)
		if Of[float32](&v)[0] != 42 {
			t.Errorf("%s: what escaped was overwritten", name)
		}
	}
}

func TestHomeOfAnotherShape(t *testing.T) {
	b := NewBudget(2 << 10)
	a := Arena{Budget: b}
	var h BufferSlot
	v := take(t, &h, &a, Float, 4, 4)
	v.Hold(1)
	v.Retake()
	v.SetDims([]int64{16}) // by a kernel that reused it
	v.Hold(1)
	a.Drop(v)
	w := take(t, &h, &a, Float, 4, 4)
	if !slices.Equal(w.Dims(), []int64{4, 4}) {
		t.Fatalf("asked for [4,4], got %v", w.Dims())
	}
	w.Hold(1)
	a.Drop(w)
	for _, c := range []struct {
		dt    DType
		shape []int64
	}{{Float, []int64{100}}, {Double, []int64{100}}, {Double, []int64{10, 10}}, {Float, []int64{0, 3}}, {Float, nil}, {String, []int64{2}}} {
		w := take(t, &h, &a, c.dt, c.shape...)
		if w.DType() != c.dt || !slices.Equal(w.Dims(), c.shape) {
			t.Errorf("asked for %v %v, got %v %v", c.dt, c.shape, w.DType(), w.Dims())
		}
		if !w.Plain() {
			w.Hold(1)
			a.Drop(w)
		}
	}
	h.Release(&a)
	if b.Used() != 0 {
		t.Errorf("%d bytes are in use by nobody", b.Used())
	}
}

func TestHomeNeverKeepsPointers(t *testing.T) {
	var a Arena
	var h BufferSlot
	v := take(t, &h, &a, String, 2)
	Of[string](&v)[0] = "x"
	v.Hold(1)
	a.Drop(v)
	w := take(t, &h, &a, String, 2)
	if got := Of[string](&w); !slices.Equal(got, []string{"", ""}) {
		t.Errorf("fresh strings are %q", got)
	}
}

func TestHomeStaysOnTheAccount(t *testing.T) {
	b := NewBudget(2*HeaderBytes + 256)
	a := Arena{Budget: b}
	var h BufferSlot
	v := take(t, &h, &a, Uint8, 128)
	v.Hold(1)
	for range 3 {
		a.Drop(v)
		if want := HeaderBytes + 128; b.Used() != want {
			t.Fatalf("%d bytes are in use, want %d", b.Used(), want)
		}
		v = take(t, &h, &a, Uint8, 128)
		v.Hold(1)
	}
	w := take(t, &h, &a, Uint8, 128)
	w.Hold(1)
	if _, err := h.Take(&a, Uint8, []int64{128}); err == nil {
		t.Error("the limit was passed")
	}
	a.Drop(w)
	h.Release(&a) // w at once, v with its token
	if b.Used() != HeaderBytes+128 {
		t.Errorf("%d bytes are in use, want %d", b.Used(), HeaderBytes+128)
	}
	a.Drop(v)
	if b.Used() != 0 {
		t.Errorf("%d bytes are in use by nobody", b.Used())
	}
	if x := alloc(t, &a, Uint8, 128); x.t != v.t && x.t != w.t {
		t.Error("the arena did not get the buffers back")
	}
}

// With the build tag invariants a use after release shows; without it nothing
// is spent on that.
func TestHomePoison(t *testing.T) {
	var a Arena
	var h BufferSlot
	v := take(t, &h, &a, Uint8, 100)
	clear(Of[uint8](&v))
	v.Hold(1)
	a.Drop(v)
	if got := Of[uint8](&v)[50] == 0xa5; got != invariants {
		t.Errorf("a tensor at home is overwritten: %v", got)
	}
}

func TestSetInner(t *testing.T) {
	v := Descriptor(Int32)
	if !v.Inside(Int32) || Inner[int32](&v) != 0 {
		t.Errorf("the descriptor is %v", v)
	}
	SetInner(&v, int32(-7))
	if At0[int32](&v) != -7 || v.Rank() != 0 || v.DType() != Int32 {
		t.Errorf("it is %v", v)
	}
	w := Scalar(uint64(1<<63 | 5))
	SetInner(&w, uint64(9))
	if At0[uint64](&w) != 9 {
		t.Errorf("it is %v", w)
	}
	defer func() {
		if recover() == nil {
			t.Error("a complex128 is inside a value")
		}
	}()
	Descriptor(Complex128)
}

func BenchmarkHome(b *testing.B) {
	var a Arena
	var h BufferSlot
	shape := []int64{4, 4}
	b.ReportAllocs()
	for b.Loop() {
		v, _ := h.Take(&a, Float, shape)
		v.Hold(1)
		a.Drop(v)
	}
}

func BenchmarkSetInner(b *testing.B) {
	v := Descriptor(Float)
	for b.Loop() {
		if v.Inside(Float) {
			SetInner(&v, Inner[float32](&v)+1)
		}
	}
}
