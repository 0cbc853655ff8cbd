package kernel_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/tensor"
)

// contexts are those of a kernel on the driver's goroutine and of one away from
// it, each with a function that does what the driver does with an output.
func contexts(t *testing.T, f func(t *testing.T, ctx *kernel.Context, budget *tensor.Budget)) {
	for name, lock := range map[string]*sync.Mutex{"driver": nil, "away": new(sync.Mutex)} {
		t.Run(name, func(t *testing.T) {
			budget := tensor.NewBudget(0)
			f(t, &kernel.Context{Arena: &tensor.Arena{Budget: budget}, Lock: lock, Step: &kernel.Step{}}, budget)
		})
	}
}

// counted returns a tensor of n int32s that count from 0, which one token holds.
func counted(t *testing.T, ctx *kernel.Context, n int64) tensor.Value {
	t.Helper()
	v, err := ctx.Alloc(tensor.Int32, []int64{n})
	if err != nil {
		t.Fatal(err)
	}
	for i := range tensor.Of[int32](&v) {
		tensor.Of[int32](&v)[i] = int32(i)
	}
	v.Hold(1)
	return v
}

// What 64 numbers of counted take, and a view.
const (
	base = tensor.HeaderBytes + 256
	view = tensor.HeaderBytes + 32
)

func TestContextView(t *testing.T) {
	contexts(t, func(t *testing.T, ctx *kernel.Context, budget *tensor.Budget) {
		v := counted(t, ctx, 64)
		w, err := ctx.View(v, 32, 32, []int64{4, 8})
		if err != nil {
			t.Fatal(err)
		}
		if ctx.Lock == nil == v.Sole() {
			t.Error("a view holds its base at once on the driver's goroutine, and not elsewhere")
		}
		w.Claim()
		w.Hold(1)
		if v.Sole() {
			t.Error("a view that was delivered does not hold its base")
		}
		ctx.Arena.Drop(v)
		if got := tensor.Of[int32](&w); got[0] != 32 || got[31] != 63 || budget.Used() != base+view {
			t.Errorf("the view is %v, and %d bytes are in use", got, budget.Used())
		}
		ctx.Arena.Drop(w)
		if budget.Used() != 0 {
			t.Errorf("%d bytes are in use by nobody", budget.Used())
		}
	})
}

// A kernel may give back a view that it needed for itself.
func TestContextFreesViews(t *testing.T) {
	contexts(t, func(t *testing.T, ctx *kernel.Context, budget *tensor.Budget) {
		v := counted(t, ctx, 64)
		w, err := ctx.View(v, 0, 64, []int64{8, 8})
		if err != nil {
			t.Fatal(err)
		}
		ctx.Free(w)
		if !v.Sole() || budget.Used() != base {
			t.Errorf("a view that was given back holds its base, %d bytes are in use", budget.Used())
		}
	})
}

func TestContextReshaped(t *testing.T) {
	contexts(t, func(t *testing.T, ctx *kernel.Context, _ *tensor.Budget) {
		in := []tensor.Value{counted(t, ctx, 6)}
		v := in[0]
		ctx.Keep = 1
		w, err := ctx.Reshaped(in, 0, []int64{2, 3})
		if err != nil || w == v || in[0] != v || !slices.Equal(w.Dims(), []int64{2, 3}) || !slices.Equal(v.Dims(), []int64{6}) {
			t.Fatalf("an input that is read again: %v, %v", w.Dims(), err)
		}
		ctx.Free(w)
		ctx.Keep = 0
		w, err = ctx.Reshaped(in, 0, []int64{3, 2})
		if err != nil || w != v || !in[0].IsZero() || !slices.Equal(w.Dims(), []int64{3, 2}) {
			t.Fatalf("an input that nobody else has: %v, %v", w.Dims(), err)
		}
		in[0] = tensor.Scalar(int32(8))
		if w, err = ctx.Reshaped(in, 0, []int64{1}); err != nil || tensor.Of[int32](&w)[0] != 8 || w.Rank() != 1 {
			t.Errorf("a scalar as a vector: %v, %v", w, err)
		}
		in[0] = w
		if w, err = ctx.Reshaped(in, 0, nil); err != nil || !w.Inside(tensor.Int32) || tensor.At0[int32](&w) != 8 {
			t.Errorf("a vector as a scalar: %v, %v", w, err)
		}
	})
}

func TestContextReusesViews(t *testing.T) {
	contexts(t, func(t *testing.T, ctx *kernel.Context, budget *tensor.Budget) {
		v := counted(t, ctx, 64)
		w, _ := ctx.View(v, 0, 64, []int64{8, 8})
		w.Claim()
		w.Hold(1)
		in := []tensor.Value{w}
		if ctx.Lock == nil {
			if _, ok := ctx.Reuse(in, 0); ok {
				t.Error("a view of what a token holds was given up")
			}
		}
		ctx.Arena.Drop(v)
		got, ok := ctx.Reuse(in, 0)
		if !ok || got != w || !in[0].IsZero() {
			t.Fatal("a view that nobody else has was not given up")
		}
		got.Hold(1)
		ctx.Arena.Drop(got)
		if budget.Used() != 0 {
			t.Errorf("%d bytes are in use by nobody", budget.Used())
		}
		in[0] = counted(t, ctx, 4).Reshaped([]int64{2, 2})
		if _, ok := ctx.Reuse(in, 0); ok {
			t.Error("a borrowed value was given up")
		}
	})
}

func TestContextLetsValuesOut(t *testing.T) {
	contexts(t, func(t *testing.T, ctx *kernel.Context, budget *tensor.Budget) {
		v := counted(t, ctx, 1024)
		part, _ := ctx.View(v, 16, 16, []int64{16})
		most, _ := ctx.View(v, 0, 512, []int64{512})
		for _, w := range []tensor.Value{part, most} {
			w.Claim()
			w.Hold(1)
		}
		kept, err := ctx.Share(part)
		if err != nil || !kept.Shared() || part.Shared() || v.Shared() || tensor.Of[int32](&kept)[3] != 19 {
			t.Errorf("a small part was kept: %v, %v", kept, err)
		}
		const all, one = tensor.HeaderBytes + 4096 + 2*view, tensor.HeaderBytes + 64
		if budget.Used() != all+one {
			t.Errorf("%d bytes are in use, want %d", budget.Used(), all+one)
		}
		given := ctx.UnchargeValue(part)
		if !given.Shared() || part.Shared() || v.Shared() || tensor.Of[int32](&given)[3] != 19 {
			t.Errorf("a small part was given away: %v", given)
		}
		if budget.Used() != all+one {
			t.Errorf("%d bytes are in use, want %d", budget.Used(), all+one)
		}
		if given := ctx.UnchargeValue(most); given != most || !v.Shared() || budget.Used() != view+one {
			t.Errorf("a large part was given away: %d bytes are in use, want %d", budget.Used(), view+one)
		}
		ctx.UnchargeValue(v)
		if budget.Used() != view+one {
			t.Errorf("a base was taken off twice: %d bytes are in use, want %d", budget.Used(), view+one)
		}
		if one := ctx.UnchargeValue(tensor.Scalar(int32(1))); tensor.At0[int32](&one) != 1 || !ctx.UnchargeValue(tensor.Value{}).IsZero() {
			t.Error("a scalar changed when it was given away")
		}
	})
}

func TestContextBitcast(t *testing.T) {
	contexts(t, func(t *testing.T, ctx *kernel.Context, budget *tensor.Budget) {
		v := counted(t, ctx, 64)
		w, ok := ctx.Bitcast(v, tensor.Uint8, []int64{64, 4})
		if !ok || w.DType() != tensor.Uint8 || w.NumElements() != 256 {
			t.Fatalf("%v, %v", w.DType(), ok)
		}
		w.Claim()
		w.Hold(1)
		ctx.Arena.Drop(v)
		ctx.Arena.Drop(w)
		if budget.Used() != 0 {
			t.Errorf("%d bytes are in use by nobody", budget.Used())
		}
		if _, ok := ctx.Bitcast(tensor.Scalar(int32(1)), tensor.Uint8, []int64{4}); ok {
			t.Error("the bytes of a scalar are a view")
		}
	})
}
