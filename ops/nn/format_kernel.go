package nn

import (
	"strings"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	kernel.ForAll(newFormatKernel, "DataFormatDimMap", "DataFormatVecPermute")
}

// A translation is from one data format to another.
type translation struct{ from, to string }

func newFormatKernel(c *kernel.Construction) (kernel.Kernel, error) {
	t := translation{c.Str("src_format"), c.Str("dst_format")}
	if n := len(t.from); n != 4 && n != 5 {
		return nil, c.Errorf("Source format must be of length 4 or 5, received src_format = %s", t.from)
	}
	if n := len(t.to); n != 4 && n != 5 {
		return nil, c.Errorf("Destination format must be of length 4 or 5, received dst_format = %s", t.to)
	}
	if _, ok := t.places(); !ok {
		return nil, c.Errorf("Destination and source format must determine a permutation, got %s and %s", t.from, t.to)
	}
	if c.Type("T") == tensor.Int32 {
		return translate[int32](c.Op.Name, t), nil
	}
	return translate[int64](c.Op.Name, t), nil
}

func translate[T int32 | int64](op string, t translation) kernel.Func {
	return func(ctx *kernel.Context, in, out []tensor.Value) error {
		if op == "DataFormatDimMap" {
			return mapDims[T](ctx, t, in, out)
		}
		return permuteVector[T](ctx, t, in, out)
	}
}

// places is, for each letter of from, where it is in to.
func (t translation) places() ([]int, bool) {
	p := make([]int, len(t.from))
	for i := range t.from {
		p[i] = strings.IndexByte(t.to, t.from[i])
		if p[i] < 0 || strings.IndexByte(t.from[:i], t.from[i]) >= 0 {
			return nil, false
		}
	}
	return p, len(t.from) == len(t.to)
}

// spatial returns the translation of the formats without batch and channels.
func (t translation) spatial() translation {
	only := strings.NewReplacer("N", "", "C", "")
	return translation{only.Replace(t.from), only.Replace(t.to)}
}

// mapDims turns each dimension, counted from either end, into where the other
// format has it.
func mapDims[T int32 | int64](ctx *kernel.Context, t translation, in, out []tensor.Value) error {
	v, err := ctx.Alloc(in[0].DType(), in[0].Dims())
	if err != nil {
		return err
	}
	out[0] = v
	places, _ := t.places()
	n, o, x := T(len(places)), tensor.Of[T](&out[0]), tensor.Of[T](&in[0])
	for lo, hi := range ctx.Ranges(len(x), 1<<15) {
		for i, d := range x[lo:hi] {
			o[lo+i] = T(places[(d%n+n)%n])
		}
	}
	return nil
}

// permuteVector moves what belongs to each dimension, or to each spatial one.
func permuteVector[T int32 | int64](ctx *kernel.Context, t translation, in, out []tensor.Value) error {
	dims := in[0].Dims()
	if len(dims) != 1 && len(dims) != 2 {
		return status.Invalid("input must be a vector or 2D tensor, but got shape %s", tensor.FormatDims(dims))
	}
	full := int64(len(t.from))
	if dims[0] != full && dims[0] != full-2 {
		return status.Invalid("%dD input must have first dimension of size %d or %d, but got shape %s", len(dims), full-2, full, tensor.FormatDims(dims))
	}
	per := 1
	if len(dims) == 2 {
		if dims[1] != 2 {
			return status.Invalid("Second dimension of 2D input must be of size 2, but got shape %s", tensor.FormatDims(dims))
		}
		per = 2
	}
	if dims[0] != full {
		t = t.spatial()
	}
	places, ok := t.places()
	if !ok || int64(len(places)) != dims[0] {
		return status.Invalid("Format specifier must contain H and W for 2D case, got %s and %s", t.from, t.to)
	}
	v, err := ctx.Alloc(in[0].DType(), dims)
	if err != nil {
		return err
	}
	out[0] = v
	x, o := tensor.Of[T](&in[0]), tensor.Of[T](&out[0])
	for i, p := range places {
		copy(o[p*per:], x[i*per:(i+1)*per])
	}
	return nil
}
