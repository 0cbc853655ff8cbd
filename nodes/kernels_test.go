package nodes_test

import (
	"sync/atomic"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/tensor"
)

// The operations of these tests hand an int32 tensor on: TestPoint calls hook
// before it does, TestWait waits on another goroutine until hook lets it,
// TestNow is done before its start returns, and TestDonePanic panics after it is.
// Tests that set hook do not run beside each other.

var hook atomic.Pointer[func(ctx *kernel.Context) error]

// setHook lets f be called by every TestPoint and TestWait; nil lets them pass.
func setHook(f func(ctx *kernel.Context) error) {
	if f == nil {
		hook.Store(nil)
	} else {
		hook.Store(&f)
	}
}

func callHook(ctx *kernel.Context) error {
	if f := hook.Load(); f != nil {
		return (*f)(ctx)
	}
	return nil
}

type point struct{}

func (point) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	if err := callHook(ctx); err != nil {
		return err
	}
	x := in[0]
	if x.IsScalar() {
		out[0] = x
		return nil
	}
	y, err := ctx.ReuseOrAlloc(in, 0, tensor.Int32, x.Dims())
	if err != nil {
		return err
	}
	if !in[0].IsZero() { // not reused
		copy(tensor.Of[int32](&y), tensor.Of[int32](&x))
	}
	out[0] = y
	return nil
}

type wait struct{ point }

func (w wait) Start(ctx *kernel.Context, in, out []tensor.Value, done func(error)) {
	go func() { done(w.Run(ctx, in, out)) }()
}

type now struct{ point }

func (n now) Start(ctx *kernel.Context, in, out []tensor.Value, done func(error)) {
	done(n.Run(ctx, in, out))
}

// donePanic panics when it is done.
type donePanic struct{ point }

func (d donePanic) Start(ctx *kernel.Context, in, out []tensor.Value, done func(error)) {
	done(d.Run(ctx, in, out))
	panic("after all")
}

func init() {
	for op, k := range map[string]kernel.Kernel{"TestPoint": point{}, "TestWait": wait{}, "TestNow": now{}, "TestDonePanic": donePanic{}} {
		registry.Define(op).Input("x: int32").Output("y: int32").Stateful()
		shape.Register(func(c *shape.Context) error { c.SetOutput(0, c.Input(0)); return nil }, op)
		kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return k, nil }, op)
	}
}

// A countdown says once that its time has come: at the n-th asking, from 0.
type countdown struct {
	n    int64
	seen atomic.Int64
}

func newCountdown(n int) *countdown { return &countdown{n: int64(n)} }

func (c *countdown) now() bool      { return c.seen.Add(1)-1 == c.n }
func (c *countdown) happened() bool { return c.seen.Load() > c.n }
