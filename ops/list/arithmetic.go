package list

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Zero is the list with zeros for the elements that are set: what ZerosLike
// gives.
func (l *List) Zero(ctx *kernel.Context) (tensor.Value, error) {
	z, err := l.zero(ctx, 0)
	if err != nil {
		return tensor.Value{}, err
	}
	return z.token(ctx)
}

// mostNested is how deep lists may be nested that are gone through by recursion.
const mostNested = 10_000

func tooDeep() error {
	return status.Invalid("TensorLists are nested more than %d deep", mostNested)
}

func (l *List) zero(ctx *kernel.Context, depth int) (*List, error) {
	if depth > mostNested {
		return nil, tooDeep()
	}
	z := newList(l.dt, l.shape, l.max, l.n)
	for i := range l.n {
		if err := z.extend(ctx, i); err != nil {
			return nil, err
		}
		x := l.at(i)
		if x.IsZero() {
			continue
		}
		v, err := zero(ctx, &x, depth)
		if err != nil {
			return nil, err
		}
		z.begin(i, once(v))
	}
	return z, nil
}

// zero is a tensor of zeros like x; of a list, a list of them.
func zero(ctx *kernel.Context, x *tensor.Value, depth int) (tensor.Value, error) {
	if x.DType() != tensor.Variant || !x.IsScalar() {
		return ctx.AllocZeroed(x.DType(), x.Dims())
	}
	l, err := listOf(x)
	if err != nil {
		return tensor.Value{}, err
	}
	z, err := l.zero(ctx, depth+1)
	if err != nil {
		return tensor.Value{}, err
	}
	return z.token(ctx)
}

// Add is the list of the sums of the elements of l and of y, another list:
// what AddN gives. Where one element is not set, the sum is the other.
func (l *List) Add(ctx *kernel.Context, y any) (tensor.Value, error) {
	sum, err := l.add(ctx, y, 0)
	if err != nil {
		return tensor.Value{}, err
	}
	return sum.token(ctx)
}

func (l *List) add(ctx *kernel.Context, y any, depth int) (*List, error) {
	if depth > mostNested {
		return nil, tooDeep()
	}
	o := tensor.Object{Value: y}
	r, err := heldBy(&o)
	if err != nil {
		return nil, err
	}
	if l.dt != r.dt {
		return nil, status.Invalid("Trying to add two lists of tensors of different dtypes. One is %v and the other is %v", l.dt, r.dt)
	}
	if l.n != r.n {
		return nil, status.Invalid("Trying to add two lists of tensors with different lengths. One is %d and the other is %d", l.n, r.n)
	}
	s, err := shape.Merge(l.shape, r.shape)
	if err != nil {
		return nil, status.Invalid("Trying to add two lists of tensors with incompatible element shapes. One is %s and the other is %s",
			resource.FormatShape(l.shape), resource.FormatShape(r.shape))
	}
	sum := newList(l.dt, s, l.max, l.n)
	for i := range l.n {
		if err := sum.extend(ctx, i); err != nil {
			return nil, err
		}
		a, b := l.item(i), r.item(i)
		switch {
		case a.IsZero() && b.IsZero():
		case a.IsZero():
			sum.begin(i, b.too())
		case b.IsZero():
			sum.begin(i, a.too())
		default:
			v, err := add(ctx, &a.Value, &b.Value, depth)
			if err != nil {
				return nil, err
			}
			sum.begin(i, once(v))
		}
	}
	return sum, nil
}

func add(ctx *kernel.Context, a, b *tensor.Value, depth int) (tensor.Value, error) {
	if !tensor.SameShape(*a, *b) {
		return tensor.Value{}, status.Invalid("Trying to add two tensors with incompatible element shapes. One is %s and the other is %s",
			tensor.FormatDims(a.Dims()), tensor.FormatDims(b.Dims()))
	}
	if a.DType() == tensor.Variant && a.IsScalar() {
		x, err := listOf(a)
		if err != nil {
			return tensor.Value{}, err
		}
		o := tensor.At0[*tensor.Object](b)
		if o == nil {
			return tensor.Value{}, status.Invalid("a TensorList is added to an empty variant")
		}
		z, err := x.add(ctx, o.Value, depth+1)
		if err != nil {
			return tensor.Value{}, err
		}
		return z.token(ctx)
	}
	c := elementwise.Combine(elementwise.UpdateAdd, a.DType())
	if c == nil {
		return tensor.Value{}, status.Errorf(status.Unimplemented, "AddN has no sum for lists of %v", a.DType())
	}
	if a.Plain() {
		return c.Scalar(*a, *b)
	}
	v, err := ctx.Alloc(a.DType(), a.Dims())
	if err != nil {
		return v, err
	}
	return v, c.Range(&v, a, 0, b, 0, v.NumElements())
}
