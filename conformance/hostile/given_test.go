package hostile

import (
	"context"
	"runtime"
	"testing"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	tf "github.com/troupe-go/troupe/session"
)

// What a list of a step keeps that others made and gave up, or keep themselves until they
// have something else, is on the account while the step runs: it agrees with the heap.
func TestGivenIsHeap(t *testing.T) {
	if testing.Short() {
		t.Skip("figures of memory, which the race detector changes")
	}
	for name, kind := range given {
		t.Run(name, func(t *testing.T) {
			g := graph.New()
			if err := notation.Add(g, keeping(kind, 24)); err != nil {
				t.Fatal(err)
			}
			s, err := tf.NewSession(g, &tf.SessionOptions{Engine: *engine})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			run := func(name string) {
				if _, err := s.RunContext(ctx, nil, nil, []*tf.Operation{g.Operation(name)}); err != nil {
					t.Error(err)
					cancel() // nobody waits for what does not come
				}
			}
			play := func(look func()) {
				done := make(chan struct{})
				go func() {
					defer close(done)
					run("y")
				}()
				run("came")
				look()
				run("open")
				<-done
			}
			var heap, account int64
			play(func() {}) // what is compiled, and rests in pools, is there now
			heap, account = inUse(), s.MemoryInUse()
			play(func() {
				heap, account = inUse()-heap, s.MemoryInUse()-account
			})
			if d := account - heap; heap < 5<<20 || d > heap/10+1<<20 || -d > heap/10+1<<20 {
				t.Errorf("%d bytes more are on the account, and %d on the heap", account, heap)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if left := s.MemoryInUse(); left != 0 {
				t.Errorf("%d bytes are left on the account", left)
			}
		})
	}
}

// inUse returns the bytes that somebody refers to.
func inUse() int64 {
	for range 8 { // pools and shelves keep things over two collections
		collected()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// collected collects garbage and waits until what is to be done after a collection is done,
// or has begun.
func collected() {
	done := make(chan struct{})
	runtime.AddCleanup(&struct{ _ [64]byte }{}, func(done chan struct{}) { close(done) }, done)
	runtime.GC()
	<-done
}
