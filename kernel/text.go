package kernel

import (
	"slices"

	"github.com/troupe-go/troupe/tensor"
)

// PutText sets an output to the string s, of rank 0. It fails where the session's
// memory limit is passed.
func (c *Context) PutText(out *tensor.Value, s string) error {
	v, err := c.Alloc(tensor.String, nil)
	if err != nil {
		return err
	}
	tensor.Of[string](&v)[0] = s
	*out = v
	return nil
}

// Reserve charges n bytes that a kernel is about to take in addition to its outputs, or that
// strings which it is about to make will take: it fails, and the kernel with it,
// where the session's memory limit is passed. The kernel gives them back with
// Unreserve. For one that puts out strings this is done when it returns, and its
// outputs are charged with the strings that they have: so it reserves what it makes
// before it makes it, and does no more.
//
// It is not for functions that Parallel calls.
func (c *Context) Reserve(n int) error {
	if c.Lock != nil {
		c.Lock.Lock()
		defer c.Lock.Unlock()
	}
	err := c.Arena.Reserve(int64(n))
	if err == nil {
		c.reserved += max(int64(n), 0)
	}
	return err
}

// Unreserve gives back n bytes that Reserve charged.
func (c *Context) Unreserve(n int) { c.unreserve(int64(n)) }

func (c *Context) unreserve(n int64) {
	if n <= 0 {
		return
	}
	if c.Lock != nil {
		c.Lock.Lock()
		defer c.Lock.Unlock()
	}
	c.reserved -= n
	c.Arena.Unreserve(n)
}

// Within calls f, and gives back what f has reserved and not given back.
func (c *Context) Within(f func() error) error {
	before := c.reserved
	defer func() { c.unreserve(c.reserved - before) }()
	return f()
}

// Reserved returns how much the kernel has reserved and not given back, and UnreserveTo gives
// back what is more than that: a kernel that takes memory here and there defers
// ctx.UnreserveTo(ctx.Reserved()).
func (c *Context) Reserved() int64 { return c.reserved }

// UnreserveTo gives back what has been reserved beyond mark; see [Context.Reserved].
func (c *Context) UnreserveTo(mark int64) { c.unreserve(c.reserved - mark) }

// weighing is k with the strings that it puts out on the account: those of tensors
// that are the step's and no input. What it shares is not, such as constants and
// what resources hold, which charge it themselves.
func weighing(k Kernel, outputs []tensor.DType) Kernel {
	var texts []int
	for i, dt := range outputs {
		if dt == tensor.String {
			texts = append(texts, i)
		}
	}
	if texts == nil {
		return k
	}
	w := &weighingKernel{k, texts}
	switch k := k.(type) {
	case Receiver: // what comes from outside is not of the step
	case Async:
		return &weighingAsync{w, k}
	case Blocking:
		return &weighingBlocking{w, k}
	default:
		return w
	}
	return k
}

type weighingKernel struct {
	Kernel
	texts []int
}

func (k *weighingKernel) Run(ctx *Context, in, out []tensor.Value) error {
	before := ctx.reserved
	err := k.Kernel.Run(ctx, in, out)
	return k.weigh(ctx, in, out, before, err)
}

// weigh charges the strings of out, in place of what was reserved for them.
func (k *weighingKernel) weigh(ctx *Context, in, out []tensor.Value, before int64, err error) error {
	if ctx.reserved != before {
		ctx.unreserve(ctx.reserved - before)
	}
	if err != nil {
		return err
	}
	if ctx.Lock != nil {
		ctx.Lock.Lock()
		defer ctx.Lock.Unlock()
	}
	for _, i := range k.texts {
		if v := out[i]; !v.Shared() && !slices.Contains(in, v) {
			if err := ctx.Arena.Weigh(v); err != nil {
				return err
			}
		}
	}
	return nil
}

type weighingAsync struct {
	*weighingKernel
	async Async
}

func (k *weighingAsync) Start(ctx *Context, in, out []tensor.Value, done func(error)) {
	before := ctx.reserved
	k.async.Start(ctx, in, out, func(err error) { done(k.weigh(ctx, in, out, before, err)) })
}

type weighingBlocking struct {
	*weighingKernel
	Blocking
}

// Charge charges n bytes for what a kernel makes that is no tensor, and that the step
// may hold until it ends; a negative n gives some back. It fails where the session's
// memory limit is passed.
func (c *Context) Charge(n int) error {
	if c.Lock != nil {
		c.Lock.Lock()
		defer c.Lock.Unlock()
	}
	if n < 0 {
		c.Arena.Unreserve(int64(-n))
		return nil
	}
	return c.Arena.Reserve(int64(n))
}
