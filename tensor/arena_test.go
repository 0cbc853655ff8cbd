package tensor

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/status"
)

func alloc(t testing.TB, a *Arena, dt DType, shape ...int64) Value {
	t.Helper()
	v, err := a.Alloc(dt, shape)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestArenaReusesBuffers(t *testing.T) {
	var a Arena
	v := alloc(t, &a, Float, 4, 4)
	v.Hold(2)
	data := &Of[float32](&v)[0]
	a.Drop(v)
	if w := alloc(t, &a, Float, 16); &Of[float32](&w)[0] == data {
		t.Fatal("a buffer that a token holds was handed out")
	}
	a.Drop(v)
	// 16 int32s and 7 doubles fit the same class of 64 bytes.
	w := alloc(t, &a, Double, 7)
	if w.t != v.t {
		t.Error("a buffer that nobody holds was not handed out")
	}
	if !slices.Equal(w.Dims(), []int64{7}) || w.DType() != Double || w.NumElements() != 7 {
		t.Errorf("it is %v %v", w.DType(), w.Dims())
	}
	if w.t.refs != 0 {
		t.Errorf("%d tokens hold a fresh buffer", w.t.refs)
	}
}

func TestArenaClasses(t *testing.T) {
	for _, n := range []int64{1, 63, 64, 65, 127, 128, 129, 1 << 20, 1<<20 + 1} {
		var a Arena
		v := alloc(t, &a, Uint8, n)
		if got := len(Of[uint8](&v)); got != int(n) {
			t.Errorf("%d elements, want %d", got, n)
		}
		if b := v.t.bytes; b < int(n) || b >= int(2*max(n, 64)) || b&(b-1) != 0 {
			t.Errorf("%d bytes are reserved for %d", b, n)
		}
		v.Hold(1)
		a.Drop(v)
		if w := alloc(t, &a, Uint8, n); w.t != v.t {
			t.Errorf("a buffer of %d bytes was not reused", n)
		}
	}
}

func TestArenaNeverReusesPointers(t *testing.T) {
	var a Arena
	v := alloc(t, &a, String, 3)
	Of[string](&v)[1] = "x"
	v.Hold(1)
	a.Drop(v)
	w := alloc(t, &a, String, 3)
	if got := Of[string](&w); !slices.Equal(got, []string{"", "", ""}) {
		t.Errorf("fresh strings are %q", got)
	}
}

func TestAllocZeroed(t *testing.T) {
	var a Arena
	v := alloc(t, &a, Int32, 100)
	for i := range Of[int32](&v) {
		Of[int32](&v)[i] = -1
	}
	v.Hold(1)
	a.Drop(v)
	for _, shape := range [][]int64{{100}, {0}, {}} {
		w, err := a.AllocZeroed(Int32, shape)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range Of[int32](&w) {
			if x != 0 {
				t.Fatalf("%v has a %d", shape, x)
			}
		}
	}
}

func TestArenaLeavesSharedTensorsAlone(t *testing.T) {
	var a Arena
	v := alloc(t, &a, Float, 8)
	v.Hold(1)
	v.Share()
	a.Drop(v)
	if w := alloc(t, &a, Float, 8); w.t == v.t {
		t.Error("a shared tensor's buffer was handed out")
	}
	fed := ValueOf(mustSlice(t, Float, []float32{1, 2}, 2))
	fed.Hold(1)
	if fed.Sole() {
		t.Error("a fed tensor may be written")
	}
	a.Drop(fed)
	a.Drop(fed)
	if got := Of[float32](&fed); !slices.Equal(got, []float32{1, 2}) {
		t.Errorf("a fed tensor became %v", got)
	}
	a.Drop(Value{})
	a.Reclaim(Value{})
}

func TestSoleRetakeSweep(t *testing.T) {
	var a Arena
	v := alloc(t, &a, Float, 8)
	if v.Sole() {
		t.Error("no token holds it, and yet one may write it")
	}
	v.Hold(1)
	if !v.Sole() {
		t.Error("its one holder may not write it")
	}
	v.Hold(1)
	if v.Sole() {
		t.Error("one of two holders may write it")
	}
	a.Drop(v)
	v.Retake()   // kept as an output
	a.Reclaim(v) // delivered to nobody
	if w := alloc(t, &a, Float, 8); w.t != v.t {
		t.Error("the buffer of an output that went nowhere is lost")
	}
	v = alloc(t, &a, Float, 8)
	v.Hold(1)
	a.Reclaim(v)
	if w := alloc(t, &a, Float, 8); w.t == v.t {
		t.Error("an output that was delivered was swept")
	}
}

// A function puts out what its caller, which still counts tokens of it, gave it: nobody in
// there takes it, and the tokens are left to the caller. The race detector sees it.
func TestSweepOfAnothersValue(t *testing.T) {
	var caller, callee Arena
	for range 100 {
		v := alloc(t, &caller, Float, 4)
		v.Hold(3)
		done := make(chan struct{})
		go func() {
			defer close(done)
			v.Share()
			callee.Reclaim(v)
		}()
		caller.Drop(v)
		<-done
		caller.Drop(v)
		if v.t.origin == resting {
			t.Fatal("a shared value was taken back")
		}
	}
}

func TestSharingEndsOwnership(t *testing.T) {
	for name, share := range map[string]func(v Value){
		"Share":     func(v Value) { v.Share() },
		"Tensor":    func(v Value) { v.Tensor() },
		"WithShape": func(v Value) { v.t.WithShape([]int64{2, 4}) },
		"Slice":     func(v Value) { v.t.Slice(1, 3, []int64{3}) },
		"View":      func(v Value) { v.t.View() },
	} {
		var a Arena
		v := alloc(t, &a, Float, 8)
		v.Hold(1)
		share(v)
		if v.Sole() {
			t.Errorf("after %s the buffer may be written", name)
		}
		a.Drop(v)
		if w := alloc(t, &a, Float, 8); w.t == v.t {
			t.Errorf("after %s the buffer was handed out", name)
		}
	}
}

func TestBudget(t *testing.T) {
	b := NewBudget(1000)
	a := Arena{Budget: b}
	v := alloc(t, &a, Uint8, 100)
	const want = HeaderBytes + 128
	if b.Used() != want {
		t.Errorf("100 bytes charge %d", b.Used())
	}
	_, err := a.Alloc(Uint8, []int64{900})
	if status.CodeOf(err) != status.ResourceExhausted || b.Used() != want {
		t.Errorf("passing the limit: %v, %d bytes in use", err, b.Used())
	}
	v.Hold(1)
	a.Drop(v)
	if b.Used() != 0 {
		t.Errorf("%d bytes are in use by nobody", b.Used())
	}
	alloc(t, &a, Uint8, 100) // from the arena's own
	alloc(t, &a, String, 2)
	alloc(t, &a, Int32)
	if want := want + HeaderBytes + 32; b.Used() != want {
		t.Errorf("%d bytes are in use, want %d", b.Used(), want)
	}
	a.Finish()
	if b.Used() != 0 {
		t.Errorf("%d bytes are in use after the step", b.Used())
	}
	if (*Budget)(nil).Charge(1<<60) != nil || (*Budget)(nil).Used() != 0 {
		t.Error("no budget bounds something")
	}
}

// A buffer may end up with the arena of another goroutine.
func TestBudgetOfSeveralArenas(t *testing.T) {
	b := NewBudget(0)
	driver := Arena{Budget: b}
	made := make(chan Value)
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			worker := Arena{Budget: b}
			defer worker.Finish()
			for i := range int64(100) {
				v, err := worker.Alloc(Float, []int64{i})
				if err != nil {
					t.Error(err)
				}
				made <- v
			}
		})
	}
	go func() { workers.Wait(); close(made) }()
	for v := range made {
		v.Hold(1)
		driver.Drop(v)
	}
	driver.Finish()
	if b.Used() != 0 {
		t.Errorf("%d bytes are in use by nobody", b.Used())
	}
}

func TestAllocErrors(t *testing.T) {
	var a Arena
	for _, shape := range [][]int64{{-1}, {1 << 62}, {1 << 40, 1 << 40}, make([]int64, 255)} {
		if _, err := a.Alloc(Float, shape); !errors.Is(err, &status.Error{Code: status.InvalidArgument}) {
			t.Errorf("%.80v: %v", shape, err)
		}
	}
}

func TestStepPathsDoNotAllocate(t *testing.T) {
	var a Arena
	shape := []int64{4, 4}
	fed := mustSlice(t, Double, []float64{2})
	var sink Value
	for name, f := range map[string]func(){
		"Scalar":       func() { sink = Scalar(float32(1)) },
		"SetScalar":    func() { SetScalar(&sink, Int64, int64(7)) },
		"ValueOf":      func() { sink = ValueOf(fed) },
		"Alloc scalar": func() { sink, _ = a.Alloc(Float, nil) },
		"At0":          func() { sink = Scalar(At0[float32](&sink) + 1) },
		"Alloc and Drop": func() {
			v, _ := a.Alloc(Float, shape)
			v.Hold(1)
			a.Drop(v)
		},
	} {
		sink = Scalar(float32(0))
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s takes %v allocations", name, n)
		}
	}
}

func BenchmarkAllocDrop(b *testing.B) {
	var a Arena
	shape := []int64{4, 4}
	b.ReportAllocs()
	for b.Loop() {
		v, _ := a.Alloc(Float, shape)
		v.Hold(1)
		a.Drop(v)
	}
}
