package nodes_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// TestTagAfterPanic: a step whose predecessor panicked in a loop knows where it
// is itself.
func TestTagAfterPanic(t *testing.T) {
	defer setHook(nil)
	// The first kernel is the one before the loop.
	src := strings.NewReplacer("KERNEL", "TestPoint", "cn = Enter(n)", "cn = Enter(n, ^start)").Replace(vectors)
	p := compiled(t, src, vectorFeeds, "out")
	for _, e := range engines(t, 1) {
		for _, c := range []struct {
			at   int
			then func() error
			tag  bool
		}{
			{3, func() error { panic("in the loop") }, true},
			{0, func() error { return status.Errorf(status.DataLoss, "before it") }, false},
		} {
			hit := newCountdown(c.at)
			setHook(func(*kernel.Context) error {
				if hit.now() {
					return c.then()
				}
				return nil
			})
			_, err := run(context.Background(), e, p, tensor.Scalar(int32(4)), vector(t, 1, 10, 100))
			if err == nil || (status.From(err).Tag != "") != c.tag {
				t.Errorf("%s: %v", e.label, err)
			}
		}
	}
}

// TestOneEngineManyGoroutines runs programs beside each other on one engine.
func TestOneEngineManyGoroutines(t *testing.T) {
	for op, p := range programs(t, "TestPoint", "TestWait", "TestNow") {
		for _, e := range engines(t, 2) {
			var all sync.WaitGroup
			for g := range int32(8) {
				all.Go(func() {
					for n := range int32(5) {
						// x and 2x take turns, after x itself.
						got, err := run(context.Background(), e, p, tensor.Scalar(n), vector(t, g, g))
						want := g * (1 + n + (n+1)/2)
						if err != nil || fmt.Sprint(got[0].Tensor().Value()) != fmt.Sprint([]int32{want, want}) {
							t.Errorf("%s on %s: %v, %v, want %d", op, e.label, got, err, want)
						}
					}
				})
			}
			all.Wait()
			if used := e.budget.Used(); used != 0 {
				t.Errorf("%s on %s: %d bytes stay charged", op, e.label, used)
			}
		}
	}
}

// TestDoneThenPanic: a kernel that panics after it was done is done.
func TestDoneThenPanic(t *testing.T) {
	defer setHook(nil)
	p := compiled(t, "x = Placeholder() {dtype=DT_INT32}\ny = TestDonePanic(x)\nz = Neg(y) {T=DT_INT32}\n", []string{"x"}, "z")
	for _, e := range engines(t, 1) {
		for range 3 {
			got, err := run(context.Background(), e, p, tensor.Scalar(int32(4)))
			if err != nil || tensor.At0[int32](&got[0]) != -4 {
				t.Fatalf("%s: %v, %v", e.label, got, err)
			}
		}
	}
}
