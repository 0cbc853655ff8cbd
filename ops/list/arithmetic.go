package list

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/variant"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Zero returns the list with zeros for the elements that are set. See [variant.Zeroer].
func (l *List) Zero(ctx *kernel.Context, depth int) (tensor.Value, error) {
	z := newList(l.dt, l.shape, l.max, l.n)
	for i := range l.n {
		if err := z.extend(ctx, i); err != nil {
			return tensor.Value{}, err
		}
		x := l.at(i)
		if x.IsZero() {
			continue
		}
		v, err := variant.Zero(ctx, &x, depth+1)
		if err != nil {
			return tensor.Value{}, err
		}
		z.begin(i, once(v))
	}
	return z.token(ctx)
}

// Add returns the list of the sums of the elements of l and of y, another list. Where one
// element is not set, the sum is the other. See [variant.Adder].
func (l *List) Add(ctx *kernel.Context, y any, depth int) (tensor.Value, error) {
	o := tensor.Object{Value: y}
	r, err := heldBy(&o)
	if err != nil {
		return tensor.Value{}, err
	}
	if l.dt != r.dt {
		return tensor.Value{}, status.Invalid("Trying to add two lists of tensors of different dtypes. One is %v and the other is %v", l.dt, r.dt)
	}
	if l.n != r.n {
		return tensor.Value{}, status.Invalid("Trying to add two lists of tensors with different lengths. One is %d and the other is %d", l.n, r.n)
	}
	s, err := shape.Merge(l.shape, r.shape)
	if err != nil {
		return tensor.Value{}, status.Invalid("Trying to add two lists of tensors with incompatible element shapes. One is %s and the other is %s",
			resource.FormatShape(l.shape), resource.FormatShape(r.shape))
	}
	sum := newList(l.dt, s, l.max, l.n)
	for i := range l.n {
		if err := sum.extend(ctx, i); err != nil {
			return tensor.Value{}, err
		}
		a, b := l.item(i), r.item(i)
		switch {
		case a.IsZero() && b.IsZero():
		case a.IsZero():
			sum.begin(i, b.too())
		case b.IsZero():
			sum.begin(i, a.too())
		default:
			v, err := variant.Add(ctx, &a.Value, &b.Value, depth+1)
			if err != nil {
				return tensor.Value{}, err
			}
			sum.begin(i, once(v))
		}
	}
	return sum.token(ctx)
}
