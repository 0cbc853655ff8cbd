package rewrite

import (
	"context"
	"time"

	"github.com/rs/zerolog"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/tensor"
)

const (
	// mostGrown is how many bytes more than it takes a folded node may put out: a
	// graph must not grow by what a Fill or a Tile makes of a few numbers.
	mostGrown = 256 << 10
	// mostFolded is how many bytes the constants of a program may take together
	// that folding makes, and what one kernel may take while it does.
	mostFolded = 64 << 20
)

// An evaluator runs kernels while a program is compiled, outside any step.
type evaluator struct {
	options Options
	step    kernel.Step
	arena   tensor.Arena
	budget  *tensor.Budget
	made    int
}

// begin makes what kernels need, before the first pass.
func (e *evaluator) begin(ctx context.Context) {
	if e.budget != nil {
		return
	}
	log := zerolog.Nop()
	e.step = kernel.Step{Context: ctx, Resources: resource.NewManager(), PerStep: resource.NewManager(), Pool: e.options.Pool, Log: &log}
	if e.step.Pool == nil {
		e.step.Pool = alone{}
	}
	e.budget = tensor.NewBudget(mostFolded)
	e.arena.Budget = e.budget
}

// alone is a pool of no workers.
type alone struct{}

func (alone) Parallel(n, grain int, f func(lo, hi int)) {
	grain = max(grain, 1)
	for lo := 0; lo < n; lo += grain {
		f(lo, min(lo+grain, n))
	}
}

func (alone) Workers() int { return 1 }

func (alone) Expect(time.Duration) {}

// evaluate returns what a pure node puts out for the inputs; nil if its kernel fails or
// if the result is too large to be kept. It fails when the context ends.
func (w *work) evaluate(n *graph.Node, in []*tensor.Tensor) ([]*tensor.Tensor, error) {
	taken := 0
	values := make([]tensor.Value, len(in))
	for i, t := range in {
		values[i] = tensor.ValueOf(t).Share()
		taken += values[i].SizeBytes()
	}
	if taken > mostFolded {
		return nil, nil
	}
	k, err := w.kernel(n)
	if err != nil {
		return nil, nil
	}
	if _, waits := k.(kernel.Blocking); waits {
		return nil, nil
	}
	if _, waits := k.(kernel.Async); waits {
		return nil, nil
	}
	out := w.evaluator.run(k, values, n.NumOutputs())
	if err := w.Watch.Ask(); err != nil {
		return nil, err
	}
	size := 0
	for i := range out {
		if out[i].IsZero() || out[i].DType() != n.OutputTypes()[i] {
			return nil, nil
		}
		size += out[i].SizeBytes()
	}
	if out == nil || size > taken+mostGrown || w.made+size > mostFolded {
		return nil, nil
	}
	w.made += size
	tensors := make([]*tensor.Tensor, len(out))
	for i := range out {
		tensors[i] = out[i].Compact().Tensor()
	}
	return tensors, nil
}

// kernel makes the kernel of a node.
func (w *work) kernel(n *graph.Node) (kernel.Kernel, error) {
	return kernel.Make("CPU", &kernel.Construction{
		Node: n.Name(), Op: n.Def(), Attrs: n.Attrs(),
		Inputs: n.InputTypes(), Outputs: n.OutputTypes(), Device: w.options.Device,
	})
}

// run runs a kernel; the answer is nil if it fails, or panics.
func (e *evaluator) run(k kernel.Kernel, in []tensor.Value, outputs int) (out []tensor.Value) {
	defer func() {
		if recover() != nil {
			out = nil
		}
		e.arena.Finish()
		e.arena = tensor.Arena{Budget: e.budget} // nothing that is kept is used again
	}()
	out = make([]tensor.Value, outputs)
	if k.Run(&kernel.Context{Step: &e.step, Arena: &e.arena}, in, out) != nil {
		return nil
	}
	return out
}
