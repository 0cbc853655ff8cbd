package kerneltest

import (
	"context"
	"runtime"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A Runner runs kernels that share resources. The zero Runner is ready for use.
type Runner struct {
	// Limit bounds the bytes that a kernel may allocate; 0 is no limit.
	Limit int64
	// Pool shares out ranges; nil runs them one after another.
	Pool kernel.Pool

	resources *resource.Manager
	perStep   *resource.Manager
	budget    *tensor.Budget // of all that is run; nil: each run has its own
}

// Run runs operation op in a Runner of its own.
func Run(op string, attrs registry.Attrs, inputs ...*tensor.Tensor) ([]*tensor.Tensor, error) {
	return new(Runner).Run("node", op, attrs, inputs...)
}

// Run runs operation op as the node of that name. Attributes that are not
// given follow from the inputs' types or are defaults. A nil *tensor.Tensor
// among the outputs is a dead one. A kernel that can be prepared must do then what
// it does in Run: else there is a panic.
func (r *Runner) Run(node, op string, attrs registry.Attrs, inputs ...*tensor.Tensor) ([]*tensor.Tensor, error) {
	types := make([]tensor.DType, len(inputs))
	in := make([]tensor.Value, len(inputs))
	for i, t := range inputs {
		types[i] = t.DType()
		in[i] = tensor.ValueOf(t)
	}
	k, outputs, err := New(node, op, attrs, types...)
	if err != nil {
		return nil, err
	}
	out := make([]tensor.Value, len(outputs))
	ctx := r.Context()
	given := slices.Clone(in)
	defer ctx.Arena.Finish()
	err = k.Run(ctx, in, out)
	if r.budget == nil {
		checkPrepared(k, ctx, given, out, err)
		checkTiled(k, ctx, given, out, err)
	}
	if err != nil {
		return nil, err
	}
	result := make([]*tensor.Tensor, len(out))
	for i, v := range out {
		result[i] = v.Tensor()
		if t := result[i]; t != nil && t.DType() != outputs[i] {
			return nil, status.Errorf(status.Internal, "output %d of %s is %v and should be %v", i, op, t.DType(), outputs[i])
		}
	}
	return result, nil
}

// Play runs a kernel as engines do: what it panics with is its error.
func Play(k kernel.Kernel, ctx *kernel.Context, in, out []tensor.Value) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = kernel.Panicked(r)
		}
	}()
	return k.Run(ctx, in, out)
}

// New makes the CPU kernel of a node and returns the types of its outputs.
func New(node, op string, attrs registry.Attrs, inputs ...tensor.DType) (kernel.Kernel, []tensor.DType, error) {
	def, err := registry.Global.Lookup(op)
	if err != nil {
		return nil, nil, err
	}
	resolved, err := registry.InferFlat(def, attrs, inputs)
	if err != nil {
		return nil, nil, err
	}
	k, err := kernel.Make("CPU", &kernel.Construction{
		Node: node, Op: def, Attrs: resolved.Attrs,
		Inputs: resolved.Inputs, Outputs: resolved.Outputs,
		Device: "/job:localhost/replica:0/task:0/device:CPU:0",
	})
	return k, resolved.Outputs, err
}

// Context returns a context for one run of a kernel.
func (r *Runner) Context() *kernel.Context {
	if r.resources == nil {
		r.resources, r.perStep = resource.NewManager(), resource.NewManager()
	}
	pool := r.Pool
	if pool == nil {
		pool = Serial{}
	}
	log := zerolog.Nop()
	arena := &tensor.Arena{Budget: r.budget}
	if r.Limit > 0 {
		arena.Budget = tensor.NewBudget(r.Limit)
	}
	return &kernel.Context{
		Arena: arena,
		Step: &kernel.Step{
			Context: context.Background(), Resources: r.resources, PerStep: r.perStep,
			Pool: pool, Log: &log,
		},
	}
}

// Serial is a pool that runs ranges one after another.
type Serial struct{}

// Parallel calls f for ranges of grain.
func (Serial) Parallel(n, grain int, f func(lo, hi int)) {
	for lo := 0; lo < n; lo += grain {
		f(lo, min(lo+grain, n))
	}
}

// Workers is 1.
func (Serial) Workers() int { return 1 }

// Expect does nothing.
func (Serial) Expect(time.Duration) {}

// Threads is a pool that runs every range on a goroutine of its own.
type Threads struct{}

// Parallel calls f for ranges of grain.
func (Threads) Parallel(n, grain int, f func(lo, hi int)) {
	done := make(chan any)
	ranges := 0
	for lo := 0; lo < n; lo += grain {
		ranges++
		go func() {
			defer func() { done <- recover() }()
			f(lo, min(lo+grain, n))
		}()
	}
	var died any
	for range ranges {
		if r := <-done; r != nil {
			died = r
		}
	}
	if died != nil {
		panic(died)
	}
}

// Workers returns the number of processors.
func (Threads) Workers() int { return runtime.GOMAXPROCS(0) }

// Expect does nothing.
func (Threads) Expect(time.Duration) {}
