package tensor

import "testing"

// fetch returns a tensor of n bytes as a step gives it out.
func fetch(t testing.TB, n int64) *Tensor {
	var a Arena
	v := alloc(t, &a, Uint8, n)
	v.Hold(1)
	if !v.Exclusive() {
		t.Fatal("a fresh tensor is somebody else's")
	}
	return v.Give()
}

// The stock may forget, as pools do, so one success in many attempts is wanted.
func TestReleasedMemoryIsUsedAgain(t *testing.T) {
	for _, n := range []int64{1 << 10, 1<<20 - 5, 1 << maxClass} {
		again := false
		for try := 0; try < 100 && !again; try++ {
			x := fetch(t, n)
			data := x.data
			x.Release()
			if x.data != nil || x.n != 0 {
				t.Fatalf("%d bytes: a released tensor has elements", n)
			}
			y := fetch(t, n)
			again = y.data == data
		}
		if !again {
			t.Errorf("%d bytes were never used again", n)
		}
	}
}

func TestReleaseTakesOnlyWhatIsTheCallersAlone(t *testing.T) {
	for name, from := range map[string]func(x *Tensor) *Tensor{
		"small":   func(*Tensor) *Tensor { return fetch(t, 100) },
		"huge":    func(*Tensor) *Tensor { return fetch(t, 1<<maxClass+1) },
		"made":    func(*Tensor) *Tensor { x, _ := New(Uint8, 1<<12); return x },
		"of data": func(*Tensor) *Tensor { x, _ := FromSlice(make([]uint8, 1<<12), 1<<12); return x },
		"fed":     func(x *Tensor) *Tensor { ValueOf(x); return x },
		"viewed":  func(x *Tensor) *Tensor { x.View(); return x },
		"a view":  func(x *Tensor) *Tensor { return x.View() },
		"cut":     func(x *Tensor) *Tensor { x.Slice(0, 1, nil); return x },
	} {
		x := from(fetch(t, 1<<12))
		data, n := x.data, x.n
		x.Release()
		if x.data != data || x.n != n {
			t.Errorf("%s: released", name)
		}
	}
}

func BenchmarkFetchRelease(b *testing.B) {
	var a Arena
	b.ReportAllocs()
	for b.Loop() {
		v := alloc(b, &a, Uint8, 1<<20)
		v.Hold(1)
		v.Give().Release()
	}
}
