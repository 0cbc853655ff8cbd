package strings

import (
	"strings"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// maxBytes bounds the text that one kernel puts out.
const maxBytes = 1 << 30

// room reserves n bytes of text that a kernel is about to put out: a few joins can
// make a small graph's text larger than any memory.
func room(ctx *kernel.Context, n float64) error {
	if n > maxBytes {
		return status.Errorf(status.ResourceExhausted, "the result has %.0f bytes of text, more than the %d allowed", n, maxBytes)
	}
	return ctx.Reserve(int(n))
}

// A text makes one string of another.
type text struct {
	make func(s string) (string, error)
	peak int // the most bytes that making it takes for each byte of s, the new string's among them
}

// long is the length from which a text's memory is asked for string by string.
const long = 1 << 16

// Run makes a string of every element.
func (t *text) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	x := tensor.Of[string](&in[0])
	v, err := ctx.ReuseOrAlloc(in, 0, tensor.String, in[0].Dims())
	if err != nil {
		return err
	}
	out[0] = v
	o, made, asked := tensor.Of[string](&out[0]), 0, 0
	for i, s := range x {
		if asked += len(s) + 1024; asked >= 1<<20 {
			if asked = 0; ctx.Err() != nil {
				return ctx.Err()
			}
		}
		work := 0
		if len(s) >= long {
			work = t.peak * len(s)
			if err := ctx.Reserve(work); err != nil {
				return err
			}
		}
		if o[i], err = t.make(s); err != nil {
			return err
		}
		if work > 0 {
			ctx.Unreserve(work)
		}
		if made += len(o[i]); made >= long {
			if err := ctx.Reserve(made); err != nil {
				return err
			}
			made = 0
		}
	}
	return nil
}

// each sets o[i] to f(x[i]) as long as the step lasts.
func each[T, R any](ctx *kernel.Context, x []T, o []R, f func(T) (R, error)) error {
	for i, s := range x {
		if i%1024 == 1023 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		r, err := f(s)
		if err != nil {
			return err
		}
		o[i] = r
	}
	return nil
}

// simple makes the kernel of a text for any node.
func simple(f func(string) (string, error), peak int) kernel.Factory {
	return func(*kernel.Construction) (kernel.Kernel, error) { return &text{f, peak}, nil }
}

// own is part, which is in s, as a string of its own unless it is about all of s:
// a few characters do not keep a long string in memory.
func own(s, part string) string {
	if len(s) > 64 && len(part) < len(s)/2 {
		return strings.Clone(part)
	}
	return part
}

// mapTo applies f to every string and puts out elements of another type.
func mapTo[R tensor.Element](ctx *kernel.Context, in, out []tensor.Value, f func(string) (R, error)) error {
	v, err := ctx.Alloc(tensor.DTypeOf[R](), in[0].Dims())
	if err != nil {
		return err
	}
	out[0] = v
	return each(ctx, tensor.Of[string](&in[0]), tensor.Of[R](&out[0]), f)
}

// scalarText returns an input that must hold one string; otherwise the error is
// message, with the shape that the input has.
func scalarText(v *tensor.Value, message string) (string, error) {
	if !v.IsScalar() {
		return "", status.Invalid(message, tensor.FormatDims(v.Dims()))
	}
	return tensor.At0[string](v), nil
}
