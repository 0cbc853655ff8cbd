package kernel

import (
	"slices"

	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/tensor"
)

// ChargeValue is v charged to the step, for a kernel that puts out what it has got from a
// resource, which gave it up and charges it no more, or from a function: see
// [tensor.Arena.ChargeValue].
func (c *Context) ChargeValue(v tensor.Value) tensor.Value {
	if c.Lock != nil { // the step's driver claims it with the outputs
		c.Lock.Lock()
		defer c.Lock.Unlock()
		return c.Arena.ChargeValue(v)
	}
	w := c.Arena.ChargeValue(v)
	w.Claim()
	return w
}

// ChargeOutputs wraps f's kernels so that outputs that they did not allocate are charged
// to the step: for operations that return what a resource has released, or what a
// function returned. See [Context.ChargeValue].
//
//go:noinline
func ChargeOutputs(f Factory) Factory {
	return func(c *Construction) (Kernel, error) {
		k, err := f(c)
		if err != nil {
			return nil, err
		}
		switch k := k.(type) {
		case Waiting:
			return givenWaiting{givenAsync{given{k}, k}, k}, nil
		case Async:
			return givenAsync{given{k}, k}, nil
		case Blocking:
			return givenBlocking{given{k.(Kernel)}, k}, nil
		}
		return given{k}, nil
	}
}

type given struct{ Kernel }

func (k given) Run(ctx *Context, in, out []tensor.Value) error {
	return k.adopt(ctx, in, out, k.Kernel.Run(ctx, in, out))
}

func (k given) adopt(ctx *Context, in, out []tensor.Value, err error) error {
	if err != nil {
		return err
	}
	for i, v := range out {
		if !v.Plain() && v.Shared() && !slices.Contains(in, v) {
			out[i] = ctx.ChargeValue(v)
		}
	}
	return nil
}

type givenAsync struct {
	given
	async Async
}

func (k givenAsync) Start(ctx *Context, in, out []tensor.Value, done func(error)) {
	k.async.Start(ctx, in, out, func(err error) { done(k.adopt(ctx, in, out, err)) })
}

type givenWaiting struct {
	givenAsync
	waiting Waiting
}

func (k givenWaiting) Try(ctx *Context, in, out []tensor.Value, p *resource.Place) (bool, error) {
	done, err := k.waiting.Try(ctx, in, out, p)
	if done {
		err = k.adopt(ctx, in, out, err)
	}
	return done, err
}

func (k givenWaiting) Served(ctx *Context, in, out []tensor.Value) error {
	return k.adopt(ctx, in, out, k.waiting.Served(ctx, in, out))
}

type givenBlocking struct {
	given
	Blocking
}
