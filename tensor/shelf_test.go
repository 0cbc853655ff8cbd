package tensor

import (
	"runtime"
	"testing"
	"unsafe"
)

// bufferOf returns memory of a class.
func bufferOf(class int) unsafe.Pointer { return uncleared(1 << class) }

// A buffer that any step has put on a shelf is the next one that any step takes.
func TestShelvesAreSharedByAllArenas(t *testing.T) {
	var mine, others Arena
	const n = 1<<23 - 5
	x := alloc(t, &mine, Uint8, n)
	data := x.t.data
	mine.Reclaim(x)
	y := alloc(t, &others, Uint8, n)
	if y.t.data != data {
		t.Error("another arena got other memory")
	}
	others.Reclaim(y)
	if got := testing.AllocsPerRun(100, func() { others.Reclaim(alloc(t, &others, Uint8, n)) }); got != 0 {
		t.Errorf("%g allocations for memory that lies on a shelf", got)
	}
}

// What lay on a shelf through two collections goes, and nothing else.
func TestShelvesForgetWhatIsNotNeeded(t *testing.T) {
	var s shelfSet
	s.watched.Store(true) // sweep is called here
	const class = shelved + 1
	for range 5 {
		s.put(class, bufferOf(class))
	}
	use := func(n int) {
		taken := make([]unsafe.Pointer, n)
		for i := range taken {
			if taken[i] = s.take(class); taken[i] == nil {
				t.Fatalf("%d buffers are taken, and none lies here", i)
			}
		}
		for _, b := range taken {
			s.put(class, b)
		}
	}
	for i, step := range []struct{ use, left int64 }{
		{5, 5}, // they came since the last collection
		{3, 5}, // two were not needed once
		{2, 3}, // and again
		{3, 3}, // of which one was not needed once
		{2, 3},
		{0, 2}, // and again
		{0, 0},
	} {
		use(int(step.use))
		s.sweep()
		s.watched.Store(true)
		if left := s.held.Load() >> class; left != step.left {
			t.Errorf("collection %d: %d buffers lie here, want %d", i, left, step.left)
		}
	}
}

// What goes is what lay lowest, and nothing refers to it afterwards. What was used between two
// collections stays until it lay unused through two of its own.
func TestShelvesKeepTheNewest(t *testing.T) {
	var s shelfSet
	s.watched.Store(true)
	const class = shelved
	var put []unsafe.Pointer
	for range 5 {
		put = append(put, bufferOf(class))
		s.put(class, put[len(put)-1])
	}
	for i, step := range []struct{ use, left int64 }{{5, 5}, {1, 5}, {1, 1}, {0, 1}, {0, 0}} {
		for range step.use {
			s.take(class)
		}
		for _, b := range put[len(put)-int(step.use):] {
			s.put(class, b)
		}
		s.sweep()
		s.watched.Store(true)
		all := s.shelves[0].buffers
		if int64(len(all)) != step.left || len(all) > 0 && all[len(all)-1] != put[4] {
			t.Fatalf("collection %d: %d buffers lie here, want %d, the newest on top", i, len(all), step.left)
		}
		for _, b := range all[len(all):cap(all)] {
			if b != nil {
				t.Fatalf("collection %d: what was dropped is referred to", i)
			}
		}
	}
}

func TestShelvesShedTheLargestFirst(t *testing.T) {
	var s shelfSet
	s.watched.Store(true)
	for _, class := range []int{shelved, shelved, shelved + 2, maxClass} {
		s.put(class, bufferOf(class))
	}
	for _, step := range []struct{ n, left int64 }{
		{0, 6<<shelved + 1<<maxClass},
		{1, 6 << shelved},
		{1<<shelved + 1, 2 << shelved},
		{1 << shelved, 1 << shelved},
		{1 << 40, 0},
	} {
		s.shed(step.n)
		if left := s.held.Load(); left != step.left {
			t.Errorf("%d bytes shed: %d lie here, want %d", step.n, left, step.left)
		}
	}
}

// The collector empties shelves without help.
func TestCollectionsEmptyShelves(t *testing.T) {
	s := &shelfSet{}
	s.put(maxClass, bufferOf(maxClass))
	for range 1000 {
		if s.held.Load() == 0 {
			return
		}
		runtime.GC()
	}
	t.Error("a buffer lies on a shelf after a thousand collections")
}
