package reduction

import (
	"runtime"
	"testing"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/tensor"
)

// TestKernelsShareOrder: kernels with the same constant share it in order, each in its own
// account; no others do, and none of it stays when the kernels are gone.
func TestKernelsShareOrder(t *testing.T) {
	const n = 256
	constant := func() (tensor.Value, []float32) {
		v, err := tensor.New(tensor.Float, n, n)
		if err != nil {
			t.Fatal(err)
		}
		value := tensor.ValueOf(v)
		return value, tensor.Of[float32](&value)
	}
	budget := tensor.NewBudget(1 << 30)
	var arena tensor.Arena
	arena.Budget = budget
	ctx := &kernel.Context{Arena: &arena}
	a, as := constant()
	b, bs := constant()
	var kernels [8]*constantRight[float32]
	for i := range kernels {
		kernels[i] = &constantRight[float32]{}
	}
	first := kernels[0].of(ctx, true, 64, n, n, a, as, n)
	if first == nil {
		t.Skip("products read constants where they are")
	}
	charged := budget.Used()
	if charged == 0 {
		t.Error("nothing is charged")
	}
	if kernels[1].of(ctx, true, 32, n, n, a, as, n) != first || budget.Used() != 2*charged {
		t.Errorf("the same constant is ordered again, or charged %d in place of %d", budget.Used(), 2*charged)
	}
	for i, other := range []func(c *constantRight[float32]) any{
		func(c *constantRight[float32]) any { return c.of(ctx, true, 64, n, n, b, bs, n) },
		func(c *constantRight[float32]) any { return c.of(ctx, true, 1, n, n, a, as, n) },
		func(c *constantRight[float32]) any { return c.of(ctx, true, 64, n/2, n, a, as, n) },
		func(c *constantRight[float32]) any { return c.of(ctx, true, 64, n, n/2, a, as, n) },
	} {
		if other(kernels[2+i]) == any(first) {
			t.Errorf("%d: what is ordered otherwise is shared", i)
		}
	}
	own, err := new(tensor.Arena).Alloc(tensor.Float, []int64{n, n})
	if err != nil {
		t.Fatal(err)
	}
	slice := tensor.Of[float32](&own)
	ctx.Arena = &tensor.Arena{}
	if mine := kernels[6].of(ctx, true, 64, n, n, own, slice, n); mine == kernels[7].of(ctx, true, 64, n, n, own, slice, n) {
		t.Error("what a step may still write is shared")
	}
	// An address may be another constant's, once the kernels that had its order are gone.
	clear(kernels[:])
	for range 1000 {
		runtime.GC()
		orders.Lock()
		left := len(orders.known)
		orders.Unlock()
		if left == 0 && budget.Used() == 0 {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("%d orders are left, and %d bytes charged", len(orders.known), budget.Used())
}
