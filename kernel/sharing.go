package kernel

import "github.com/troupe-go/troupe/tensor"

// sharing is k with the variants among its inputs shared before it runs, so that
// it may copy what is in them. See [tensor.RefCounted].
func sharing(k Kernel, inputs []tensor.DType) Kernel {
	var variants []int
	for i, dt := range inputs {
		if dt.Base() == tensor.Variant {
			variants = append(variants, i)
		}
	}
	if variants == nil {
		return k
	}
	s := sharingKernel{k, variants}
	switch k := k.(type) {
	case Async:
		return sharingAsync{s, k}
	case Blocking:
		return sharingBlocking{s, k}
	}
	return s
}

type sharingKernel struct {
	Kernel
	variants []int
}

func (k sharingKernel) share(in []tensor.Value) {
	for _, i := range k.variants {
		in[i].Share()
	}
}

func (k sharingKernel) Run(ctx *Context, in, out []tensor.Value) error {
	k.share(in)
	return k.Kernel.Run(ctx, in, out)
}

type sharingAsync struct {
	sharingKernel
	async Async
}

func (k sharingAsync) Start(ctx *Context, in, out []tensor.Value, done func(error)) {
	k.share(in)
	k.async.Start(ctx, in, out, done)
}

type sharingBlocking struct {
	sharingKernel
	Blocking
}
