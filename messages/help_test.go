package messages

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actors"
	"github.com/troupe-go/troupe/devices/cpu"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/tensor"
)

// inHalves counts what was done by two goroutines at the same time.
var inHalves atomic.Int64

// TestInHalves passes a number on when two goroutines have worked on it at the same time,
// TestLong by itself; both take long enough to be given to another core.
func init() {
	pass := func(compute func(ctx *kernel.Context)) kernel.Factory {
		return func(*kernel.Construction) (kernel.Kernel, error) {
			return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
				for begun := time.Now(); time.Since(begun) < 100*time.Microsecond; {
				}
				compute(ctx)
				out[0] = in[0]
				return ctx.Err()
			}), nil
		}
	}
	for _, op := range []string{"TestInHalves", "TestLong"} {
		registry.Define(op).Input("x: int32").Output("y: int32").Stateful()
		shape.Register(func(c *shape.Context) error { c.SetOutput(0, c.Input(0)); return nil }, op)
	}
	kernel.ForAll(pass(func(*kernel.Context) {}), "TestLong")
	kernel.ForAll(pass(func(ctx *kernel.Context) {
		var there atomic.Int32
		pool := ctx.Step.Pool
		pool.Parallel(2, 1, func(int, int) {
			there.Add(1)
			for there.Load() < 2 && ctx.Err() == nil {
				pool.Expect(time.Hour)
				runtime.Gosched()
			}
		})
		if there.Load() == 2 {
			inHalves.Add(1)
		}
	}), "TestInHalves")
}

// A kernel that a worker runs is shared out to the core of the step's driver when that has
// nothing else to do: of two threads, nobody else is there.
func TestDriverHelps(t *testing.T) {
	for name, engine := range map[string]func(c actors.Config) nodes.Engine{
		"actors":   func(c actors.Config) nodes.Engine { c.Tokens = true; return actors.New(c) },
		"messages": func(c actors.Config) nodes.Engine { return New(c) },
	} {
		t.Run(name, func(t *testing.T) {
			pool := cpu.NewPool(cpu.Options{Threads: 2})
			defer pool.Close()
			e := engine(actors.Config{Pool: pool})
			defer e.Close()
			p := compiled(t, `
zero = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
one = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
before = TestLong(one)
halves = TestInHalves(zero)
after = TestLong(one)
more = TestLong(one)
long = Mul(before, after)
longer = Mul(long, more)
sum = AddV2(halves, longer)
`, "sum")
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			defer cancel()
			inHalves.Store(0)
			for i := range 300 {
				fetched := make([]tensor.Value, 1)
				step := &kernel.Step{Context: ctx, Resources: resource.NewManager(), PerStep: resource.NewManager(), Pool: pool}
				if err := e.Run(step, p, nil, fetched); err != nil || tensor.At0[int32](&fetched[0]) != 1 {
					t.Fatalf("run %d: %v, %v", i, fetched[0], err)
				}
			}
			if n := inHalves.Load(); n != 300 {
				t.Errorf("%d of 300 runs were shared out", n)
			}
		})
	}
}
