package nodes_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/tensor"
)

// TestCostsAreJudgedAgain: a program whose kernels are dear side by side is shared
// among cores if it is faster then, and no longer once they are cheap. The clock is the test's own.
func TestCostsAreJudgedAgain(t *testing.T) {
	p := compiled(t, `
x = Placeholder() {dtype=DT_INT32}
a = TestPoint(x)
b = TestPoint(x)
c = TestPoint(x)
d = TestPoint(x)
ab = AddV2(a, b) {T=DT_INT32}
cd = AddV2(c, d) {T=DT_INT32}
y = AddV2(ab, cd) {T=DT_INT32}
`, []string{"x"}, "y")
	var now, cost atomic.Int64
	setHook(func(*kernel.Context) error { now.Add(cost.Load()); return nil })
	defer setHook(nil)
	play := func() (shared int) {
		s := p.Begin(newStep(context.Background()), []tensor.Value{tensor.Scalar(int32(1))}, nodes.Options{Units: true, Clock: now.Load})
		var due []*nodes.Activation
		for {
			if a := s.Advance(); a != nil {
				due = append(due, a)
				continue
			}
			if len(due) == 0 {
				break
			}
			shared++
			begin := now.Load()
			for _, a := range due {
				s.Complete(a, a.Run())
			}
			now.Store(begin + cost.Load()) // they run side by side
			due = due[:0]
		}
		out := make([]tensor.Value, 1)
		if err := s.End(out); err != nil || tensor.At0[int32](&out[0]) != 4 {
			t.Fatalf("%v, %v", out, err)
		}
		return shared
	}
	for _, c := range []struct {
		nanos int64
		want  bool
	}{{100, false}, {1_000_000, true}, {100, false}, {1_000_000, true}} {
		cost.Store(c.nanos)
		for range 2000 {
			play()
		}
		if got := play() > 0; got != c.want {
			t.Errorf("kernels of %d ns: shared %v", c.nanos, got)
		}
	}
}
