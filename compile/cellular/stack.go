package cellular

import (
	"github.com/troupe-go/troupe/tensor"
)

// A source is where a caller's row comes from.
type source struct {
	of  *member
	row int // in the present stack; -1: the member brings it
}

// stack returns rows of callers as one tensor: row k of each source, which is in from or with the
// member.
func stack(dt tensor.DType, dims []int64, k int, from *tensor.Value, rows []source) (tensor.Value, error) {
	t, err := tensor.New(dt, append([]int64{int64(len(rows))}, dims...)...)
	if err != nil {
		return tensor.Value{}, err
	}
	v := tensor.ValueOf(t)
	to := tensor.Bytes(&v)
	size := len(to) / len(rows)
	for i, r := range rows {
		if r.row < 0 {
			copy(to[i*size:(i+1)*size], tensor.Bytes(&r.of.rows[k]))
			continue
		}
		copy(to[i*size:(i+1)*size], tensor.Bytes(from)[r.row*size:(r.row+1)*size])
	}
	return v, nil
}

// same reports whether two callers bring the same invariant. Small tensors are compared by their
// elements, others by their memory: a lane that is missed costs time alone.
func same(a, b *tensor.Value) bool {
	if a.DType() != b.DType() || a.Rank() != b.Rank() {
		return false
	}
	for i, d := range a.Dims() {
		if b.Dims()[i] != d {
			return false
		}
	}
	switch dt := a.DType(); {
	case dt == tensor.Resource:
		g, h := tensor.Of[*tensor.Handle](a), tensor.Of[*tensor.Handle](b)
		for i := range g {
			if g[i] != h[i] && (g[i] == nil || h[i] == nil || *g[i] != *h[i]) {
				return false
			}
		}
		return true
	case dt.HasPointers():
		return a.NumElements() == 0 || *a == *b
	}
	x, y := tensor.Bytes(a), tensor.Bytes(b)
	if len(x) == 0 || &x[0] == &y[0] {
		return true
	}
	return len(x) <= mostCompared && string(x) == string(y)
}

// mostCompared is the size of invariants up to which elements are compared.
const mostCompared = 16 << 10
