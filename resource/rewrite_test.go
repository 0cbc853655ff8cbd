package resource_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func vectorOf(t *testing.T, x ...float64) tensor.Value {
	t.Helper()
	v, err := tensor.FromSlice(x, int64(len(x)))
	if err != nil {
		t.Fatal(err)
	}
	return tensor.ValueOf(v)
}

func TestRewriteAll(t *testing.T) {
	m := resource.NewManager()
	m.Budget = tensor.NewBudget(1000)
	a, b := resource.NewVariable(m, "a", tensor.Double), resource.NewVariable(m, "b", tensor.Double)
	both := []*resource.Variable{a, b}
	add := func(now, next []tensor.Value) error {
		for i := range now {
			tensor.Of[float64](&next[i])[0] = tensor.Of[float64](&now[i])[0] + 1
		}
		return nil
	}
	if err := resource.RewriteAll(context.Background(), both, add); status.CodeOf(err) != status.FailedPrecondition {
		t.Errorf("without values: %v", err)
	}
	for _, v := range both {
		if err := v.Assign(vectorOf(t, 1)); err != nil {
			t.Fatal(err)
		}
	}
	old, _ := a.Read()
	broken := errors.New("broken")
	if err := resource.RewriteAll(context.Background(), both, func(_, _ []tensor.Value) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("got %v, want the function's error", err)
	}
	for range 3 { // copied, then in place
		if err := resource.RewriteAll(context.Background(), both, add); err != nil {
			t.Fatal(err)
		}
	}
	now, _ := a.Read()
	if x, y := tensor.Of[float64](&old)[0], tensor.Of[float64](&now)[0]; x != 1 || y != 4 {
		t.Errorf("the old value is %v, want 1; the new one %v, want 4", x, y)
	}
	if got := m.Budget.Used(); got != 2*(tensor.HeaderBytes+8) {
		t.Errorf("%d bytes are charged, want two headers and 16", got)
	}
	if err := resource.RewriteAll(context.Background(), []*resource.Variable{a, a}, add); status.CodeOf(err) != status.Internal {
		t.Errorf("one variable twice: %v", err)
	}
}

// Two programs that name the same variables in opposite orders do not wait for
// each other forever.
func TestRewriteAllOrder(t *testing.T) {
	m := resource.NewManager()
	a, b := resource.NewVariable(m, "a", tensor.Double), resource.NewVariable(m, "b", tensor.Double)
	for _, v := range []*resource.Variable{a, b} {
		if err := v.Assign(tensor.Scalar(0.0)); err != nil {
			t.Fatal(err)
		}
	}
	var wg sync.WaitGroup
	for _, vars := range [][]*resource.Variable{{a, b}, {b, a}} {
		wg.Go(func() {
			for range 1000 {
				err := resource.RewriteAll(context.Background(), vars, func(now, next []tensor.Value) error {
					for i := range now {
						next[i] = tensor.Scalar(tensor.At0[float64](&now[i]) + 1)
					}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if v, _ := a.Read(); tensor.At0[float64](&v) != 2000 {
		t.Errorf("a is %v, want 2000", v)
	}
}
