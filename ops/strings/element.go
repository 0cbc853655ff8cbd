package strings

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// maxBytes bounds the text that one kernel puts out.
const maxBytes = 1 << 30

// room fails if a kernel may not put out n bytes of text: a few joins can make
// a small graph's text larger than any memory. The budget is asked, but not
// charged, as nobody knows when the collector takes text back.
func room(ctx *kernel.Context, n float64) error {
	if n > maxBytes {
		return status.Errorf(status.ResourceExhausted, "the result has %.0f bytes of text, more than the %d allowed", n, maxBytes)
	}
	b := ctx.Arena.Budget
	if err := b.Charge(int64(n)); err != nil {
		return err
	}
	b.Release(int64(n))
	return nil
}

// A text makes one string of another.
type text func(s string) (string, error)

// Run applies f to every element.
func (f text) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	x := tensor.Of[string](&in[0])
	v, err := ctx.ReuseOrAlloc(in, 0, tensor.String, in[0].Dims())
	if err != nil {
		return err
	}
	out[0] = v
	return each(ctx, x, tensor.Of[string](&out[0]), f)
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

// simple makes a text's kernel for any node.
func simple(f text) kernel.Factory {
	return func(*kernel.Construction) (kernel.Kernel, error) { return f, nil }
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

// scalarText is an input that must hold one string; otherwise the error is
// message, with the shape that the input has.
func scalarText(v *tensor.Value, message string) (string, error) {
	if !v.IsScalar() {
		return "", status.Invalid(message, tensor.FormatDims(v.Dims()))
	}
	return tensor.At0[string](v), nil
}
