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
	r, s, err := l.summand(y)
	if err != nil {
		return tensor.Value{}, err
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

// summand returns y, which is a list that can be added to l, and the shape of the elements of
// the sum.
func (l *List) summand(y any) (r *List, s shape.Shape, err error) {
	o := tensor.Object{Value: y}
	if r, err = heldBy(&o); err != nil {
		return nil, s, err
	}
	if l.dt != r.dt {
		return nil, s, status.Invalid("Trying to add two lists of tensors of different dtypes. One is %v and the other is %v", l.dt, r.dt)
	}
	if l.n != r.n {
		return nil, s, status.Invalid("Trying to add two lists of tensors with different lengths. One is %d and the other is %d", l.n, r.n)
	}
	if s, err = shape.Merge(l.shape, r.shape); err != nil {
		return nil, s, status.Invalid("Trying to add two lists of tensors with incompatible element shapes. One is %s and the other is %s",
			resource.FormatShape(l.shape), resource.FormatShape(r.shape))
	}
	return r, s, nil
}

// mostAdded is how many elements are added to a list in place: with more there is as much to
// do for the sum as for a new list.
const mostAdded = 8

// AddTo adds a list of few elements that are set, as a loop's gradient adds that of one
// element in every iteration. See [variant.Accumulator].
func (l *List) AddTo(ctx *kernel.Context, in []tensor.Value, out *tensor.Value, y any) (bool, error) {
	r, s, err := l.summand(y)
	if err != nil {
		return false, err
	}
	var buf [mostAdded]change
	few, ok := r.few(buf[:0])
	if !ok || ctx.Lock != nil || l.isPile() || !l.alone(ctx, in, out) {
		return false, nil
	}
	l.shape = s
	for _, c := range few {
		x, y := l.item(c.at), item{}
		if x.IsZero() {
			y = c.to.too()
		} else {
			v, err := variant.Add(ctx, &x.Value, &c.to.Value, 1)
			if err != nil {
				return true, err
			}
			y = once(v)
		}
		l.mu.Lock()
		l.own.set(c.at, y)
		l.mu.Unlock()
		if y.kept != nil && !y.kept.held {
			y.hold(ctx.Arena)
		}
		x.drop(ctx.Arena)
	}
	return true, l.charge(ctx)
}

// few appends the elements that are set to list, for which there must be room; ok is false if
// they are more, or not l's own.
func (l *List) few(list []change) (_ []change, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.newer != nil || l.pile != nil || l.own.behind > 0 || len(l.own.far) > 0 {
		return list, false
	}
	for i, x := range l.own.first {
		if x.IsZero() {
			continue
		}
		if len(list) == cap(list) {
			return list, false
		}
		list = append(list, change{i, x})
	}
	return list, true
}
