// Package variant computes with the contents of variants: zeros of the same structure
// for ZerosLike, sums for AddN. A value that supports this implements [Zeroer] or
// [Adder]; one that holds tensors, which may be variants again, calls [Zero] and [Add]
// for them.
package variant

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A Zeroer is a variant's value that has a zero of its own kind.
type Zeroer interface {
	// Zero returns a variant with a value like the receiver, which it does not
	// change, with zeros for all that it holds. Depth is how many variants the
	// receiver is nested in.
	Zero(ctx *kernel.Context, depth int) (tensor.Value, error)
}

// An Adder is a variant's value that can be added to others of its kind.
type Adder interface {
	// Add returns the variant with the sum of the receiver and y, neither of which
	// it changes, nor shares what they hold. Depth is as in [Zeroer].
	Add(ctx *kernel.Context, y any, depth int) (tensor.Value, error)
}

// An Accumulator is an Adder that a sum can take the place of.
type Accumulator interface {
	Adder
	// AddTo adds y to the receiver, which the variant in[0] holds, and makes that variant
	// out. It answers false, and has changed nothing, where others may see the receiver, or
	// where the sum has little of it.
	AddTo(ctx *kernel.Context, in []tensor.Value, out *tensor.Value, y any) (bool, error)
}

// mostNested is how deep variants may be nested: they are walked by recursion.
const mostNested = 10_000

func tooDeep() error {
	return status.Invalid("variants are nested more than %d deep", mostNested)
}

// held returns the value of a variant's element, decoded if it is serialized in a
// registered form.
func held(x *tensor.Object) (any, error) {
	if _, serialized := x.Value.(*tensor.VariantData); !serialized {
		return x.Value, nil
	}
	v, err := tensor.DecodeVariants(tensor.Scalar(x))
	if err != nil {
		return nil, err
	}
	return tensor.At0[*tensor.Object](&v).Value, nil
}

// Zero returns a tensor of zeros of the type and shape of x, which is nested in depth
// variants. An empty variant's zero is an empty variant.
func Zero(ctx *kernel.Context, x *tensor.Value, depth int) (tensor.Value, error) {
	if x.DType() != tensor.Variant {
		return ctx.AllocZeroed(x.DType(), x.Dims())
	}
	if depth > mostNested {
		return tensor.Value{}, tooDeep()
	}
	if x.IsScalar() {
		if o := tensor.At0[*tensor.Object](x); o != nil {
			return zeroOf(ctx, o, depth)
		}
	}
	v, err := ctx.Alloc(tensor.Variant, x.Dims())
	if err != nil {
		return v, err
	}
	zeros := tensor.Of[*tensor.Object](&v)
	for i, o := range tensor.Of[*tensor.Object](x) {
		if o == nil {
			continue
		}
		zero, err := zeroOf(ctx, o, depth)
		if err != nil {
			return v, err
		}
		zero.Share() // nobody counts what is in a tensor of several
		zeros[i] = tensor.At0[*tensor.Object](&zero)
	}
	return v, nil
}

func zeroOf(ctx *kernel.Context, o *tensor.Object, depth int) (tensor.Value, error) {
	x, err := held(o)
	if err != nil {
		return tensor.Value{}, err
	}
	z, ok := x.(Zeroer)
	if !ok {
		return tensor.Value{}, status.Errorf(status.Unimplemented, "ZerosLike has no zero for a variant that holds %T", x)
	}
	return z.Zero(ctx, depth)
}

// Add returns the sum of two tensors of one type and shape that are nested in depth
// variants. It does not share what they hold.
func Add(ctx *kernel.Context, x, y *tensor.Value, depth int) (tensor.Value, error) {
	if !tensor.SameShape(*x, *y) || x.DType() != y.DType() {
		return tensor.Value{}, status.Invalid("Trying to add two tensors with incompatible element shapes. One is %s of type %v and the other is %s of type %v",
			tensor.FormatDims(x.Dims()), x.DType(), tensor.FormatDims(y.Dims()), y.DType())
	}
	if x.DType() == tensor.Variant && x.IsScalar() {
		return addVariants(ctx, tensor.At0[*tensor.Object](x), tensor.At0[*tensor.Object](y), depth)
	}
	c := elementwise.Combine(elementwise.UpdateAdd, x.DType())
	if c == nil {
		return tensor.Value{}, status.Errorf(status.Unimplemented, "AddN has no sum for variants that hold tensors of %v", x.DType())
	}
	if x.Plain() {
		return c.Scalar(*x, *y)
	}
	v, err := ctx.Alloc(x.DType(), x.Dims())
	if err != nil {
		return v, err
	}
	return v, c.Range(&v, x, 0, y, 0, v.NumElements())
}

func addVariants(ctx *kernel.Context, x, y *tensor.Object, depth int) (tensor.Value, error) {
	if depth > mostNested {
		return tensor.Value{}, tooDeep()
	}
	if x == nil || y == nil {
		return tensor.Value{}, status.Invalid("AddN of an empty variant")
	}
	a, err := held(x)
	if err != nil {
		return tensor.Value{}, err
	}
	b, err := held(y)
	if err != nil {
		return tensor.Value{}, err
	}
	sum, ok := a.(Adder)
	if !ok {
		return tensor.Value{}, status.Errorf(status.Unimplemented, "AddN has no sum for a variant that holds %T", a)
	}
	return sum.Add(ctx, b, depth)
}

// AddTo sets out to the sum of the variants in[0] and y, which is another input, in place of
// in[0] if it can; false says that it cannot.
func AddTo(ctx *kernel.Context, in []tensor.Value, out, y *tensor.Value) (bool, error) {
	x := tensor.At0[*tensor.Object](&in[0])
	if o := tensor.At0[*tensor.Object](y); x != nil && o != nil {
		if a, ok := x.Value.(Accumulator); ok {
			return a.AddTo(ctx, in, out, o.Value)
		}
	}
	return false, nil
}
