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
	name    string
	program *Program
	engine  Engine
}

// Function returns the function with its program. See [kernel.Functions].
func (r *Functions) Function(ctx context.Context, f *registry.Func) (kernel.Function, error) {
	if r.engine == nil {
		return nil, status.Errorf(status.Unimplemented, "function '%s' is called where kernels cannot call functions", f.Name)
	}
	p, err := r.program(ctx, f, r.callee(f, true))
	if err != nil {
		return nil, err
	}
	return &function{f.Name, p, r.engine}, nil
}

// Callable returns a program that was compiled with r as a function that kernels call; name is
// for errors.
func (r *Functions) Callable(name string, p *Program) kernel.Function {
	return &function{name, p, r.engine}
}

// Call plays the program on the engine. See [kernel.Function].
func (f *function) Call(step *kernel.Step, args []tensor.Value) (kernel.Results, error) {
	if len(args) != len(f.program.feeds) {
		return kernel.Results{}, status.Invalid("function '%s' takes %d arguments, not %d", f.name, len(f.program.feeds), len(args))
	}
	if err := status.FromContext(step.Context); err != nil { // a short program would not look
		return kernel.Results{}, err
	}
	inner := *step
	if err := deepen(&inner, f.name); err != nil {
		return kernel.Results{}, err
	}
	feeds := slices.Clone(args)
	for i := range feeds {
		if want := f.program.feeds[i].DataType().Base(); feeds[i].DType() != want {
			return kernel.Results{}, status.Invalid("argument %d of function '%s' is %v, not %v", i, f.name, feeds[i].DType(), want)
		}
		feeds[i] = feeds[i].Share()
	}
	fetched := make([]tensor.Value, len(f.program.fetches))
	if err := f.engine.Run(&inner, f.program, feeds, fetched); err != nil {
		return kernel.Results{}, err
	}
	for i := range fetched {
		fetched[i] = fetched[i].Share()
	}
	return kernel.NewResults(step.Resources.Budget, feeds, fetched)
}
