package nodes

import (
	"context"
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A function is one that kernels call.
type function struct {
	name          string
	program       *Program
	engine        Engine
	args, results []tensor.DType
}

// Function is the function with its program. See [kernel.Functions].
func (r *Functions) Function(ctx context.Context, f *registry.Func) (kernel.Function, error) {
	if r.engine == nil {
		return nil, status.Errorf(status.Unimplemented, "function '%s' is called where kernels cannot call functions", f.Name)
	}
	p, err := r.program(ctx, f, r.callee(f))
	if err != nil {
		return nil, err
	}
	called := &function{name: f.Name, program: p, engine: r.engine}
	for _, o := range p.feeds {
		called.args = append(called.args, o.DataType().Base())
	}
	for _, o := range p.fetches {
		called.results = append(called.results, o.DataType().Base())
	}
	return called, nil
}

// Args are the types of the arguments.
func (f *function) Args() []tensor.DType { return f.args }

// Results are the types of the results.
func (f *function) Results() []tensor.DType { return f.results }

// Call plays the program on the engine. See [kernel.Function].
func (f *function) Call(step *kernel.Step, args []tensor.Value) ([]tensor.Value, error) {
	if len(args) != len(f.args) {
		return nil, status.Invalid("function '%s' takes %d arguments, not %d", f.name, len(f.args), len(args))
	}
	inner := *step
	if err := deepen(&inner, f.name); err != nil {
		return nil, err
	}
	feeds := slices.Clone(args)
	for i := range feeds {
		if got := feeds[i].DType(); got != f.args[i] {
			return nil, status.Invalid("function '%s': argument %d is %v, not %v", f.name, i, f.args[i], got)
		}
		feeds[i] = feeds[i].Share()
	}
	fetched := make([]tensor.Value, len(f.results))
	if err := f.engine.Run(&inner, f.program, feeds, fetched); err != nil {
		return nil, err
	}
	for i := range fetched {
		fetched[i] = fetched[i].Share()
	}
	return fetched, nil
}
