package kernel

import (
	"context"
	"runtime/debug"
	"slices"

	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Functions finds the functions that kernels call when they run. A session
// gives its steps one, over the library of its graph.
type Functions interface {
	// Function is the function of that name and those attributes, compiled when it
	// is first asked for. It fails with NOT_FOUND if there is none, as its body does
	// where it cannot be compiled, and soon after ctx has ended.
	Function(ctx context.Context, f *registry.Func) (Function, error)
}

// A Function may be called any number of times and from any goroutine.
type Function interface {
	// Call runs the function as a step within the given one: with its context,
	// its resources and its number, on the session's engine and account. It waits
	// for all that the function waits for. So it is for kernels that are [Apart],
	// and for goroutines of resources.
	//
	// It fails with INVALID_ARGUMENT for arguments of other types than it takes;
	// what it returns is for the caller to check. Arguments are shared, as are the
	// results.
	Call(step *Step, args []tensor.Value) (Results, error)
}

// Results are what a function has returned, on the session's account until they are
// released.
type Results struct {
	Values []tensor.Value
	budget *tensor.Budget
	bytes  int64
}

// NewResults are results that a function has made of args, charged to a budget. It fails
// where that is passed.
func NewResults(budget *tensor.Budget, args, values []tensor.Value) (Results, error) {
	r := Results{Values: values, budget: budget}
	for i, v := range values {
		if !v.Plain() && !slices.Contains(args, v) && !slices.Contains(values[:i], v) {
			r.bytes += v.TotalBytes()
		}
	}
	if err := budget.Charge(r.bytes); err != nil {
		return Results{}, err
	}
	return r, nil
}

// Release takes the results off the account: their holder releases them, or has
// charged them himself. Calls after the first do nothing.
func (r *Results) Release() {
	r.budget.Release(r.bytes)
	r.bytes = 0
}

// Function finds a function of the session's library.
func (s *Step) Function(f *registry.Func) (Function, error) {
	if f == nil {
		return nil, status.Invalid("the attribute names no function")
	}
	if s.Functions == nil {
		return nil, status.Errorf(status.Unimplemented, "function '%s' is called in a step outside a session", f.Name)
	}
	return s.Functions.Function(s.Context, f)
}

// BlockingFunc is a kernel that may wait for long: for a function that it calls, or for
// another goroutine. It runs on a goroutine of its own, so that its step goes on
// meanwhile, and returns soon after the step's context has ended.
type BlockingFunc func(ctx *Context, in, out []tensor.Value) error

// Run calls f.
func (f BlockingFunc) Run(ctx *Context, in, out []tensor.Value) error { return f(ctx, in, out) }

// Start calls f on another goroutine.
func (f BlockingFunc) Start(ctx *Context, in, out []tensor.Value, done func(error)) {
	go func() { done(f.guarded(ctx, in, out)) }()
}

func (f BlockingFunc) guarded(ctx *Context, in, out []tensor.Value) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // see files.Mapping
	defer func() {
		if r := recover(); r != nil {
			err = Panicked(r)
		}
	}()
	return f(ctx, in, out)
}
