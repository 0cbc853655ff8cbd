package shape

import "slices"

// Broadcast returns the shape that all shapes broadcast to. Of a dimension that is
// more than 1 in one shape and unknown in another, it is taken that it fits.
func Broadcast(shapes ...Shape) (Shape, error) {
	out := Scalar
	for i, s := range shapes {
		if i == 0 {
			out = s
			continue
		}
		var err error
		if out, err = broadcast(out, s); err != nil {
			return Shape{}, err
		}
	}
	return out, nil
}

func broadcast(a, b Shape) (Shape, error) {
	switch {
	case !a.known || !b.known:
		return Shape{}, nil
	case len(a.dims) < len(b.dims):
		return broadcastUp(b, a, true)
	}
	return broadcastUp(a, b, false)
}

// broadcastUp broadcasts the shape b to a, whose rank is not less. Swapped
// says that a was the second operand, for the message's sake.
func broadcastUp(a, b Shape, swapped bool) (Shape, error) {
	dims := a.dims // cloned before the first difference
	skip := len(a.dims) - len(b.dims)
	for i, e := range b.dims {
		i += skip
		d := a.dims[i]
		x, y := d, e
		if swapped {
			x, y = e, d
		}
		out, err := broadcastDims(x, y)
		if err != nil {
			return Shape{}, err
		}
		if out != dims[i] {
			if &dims[0] == &a.dims[0] {
				dims = slices.Clone(a.dims)
			}
			dims[i] = out
		}
	}
	return Of(dims...), nil
}

func broadcastDims(a, b int64) (int64, error) {
	switch {
	case a == b || b == 1:
		return a, nil
	case a == 1:
		return b, nil
	case a == Unknown || b == Unknown:
		if d := max(a, b); d > 1 {
			return d, nil
		}
		return Unknown, nil
	}
	return MergeDims(a, b)
}
