package batch

import (
	"slices"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// rowsOf returns the first dimension of all feeds; 0 if they have none in common.
func rowsOf(feeds []*tensor.Tensor) int {
	rows := int64(0)
	for i, t := range feeds {
		d := t.Dims()
		if len(d) == 0 || d[0] < 1 || i > 0 && d[0] != rows {
			return 0
		}
		rows = d[0]
	}
	const most = 1 << 30
	if rows > most {
		return 0
	}
	return int(rows)
}

// appendKey appends the types of feeds and their shapes, or with padding their ranks.
func appendKey(b []byte, feeds []*tensor.Tensor, padded bool) []byte {
	for _, t := range feeds {
		d := t.Dims()
		b = append(b, byte(t.DType()), byte(len(d)))
		if padded {
			continue
		}
		for _, n := range d[1:] {
			for range 8 {
				b = append(b, byte(n))
				n >>= 8
			}
		}
	}
	return b
}

// join returns feed i of all requests along the first dimension, with rows in all; rows
// beyond those that there are repeat the first.
func join(requests []*request, i, rows int) (*tensor.Tensor, error) {
	first := requests[0].feeds[i]
	dims := slices.Clone(first.Dims())
	even := true
	for _, r := range requests[1:] {
		for k, d := range r.feeds[i].Dims() {
			if k > 0 && d != dims[k] {
				even = false
				dims[k] = max(dims[k], d)
			}
		}
	}
	dims[0] = int64(rows)
	t, err := tensor.New(first.DType(), dims...)
	if err != nil {
		return nil, err
	}
	if t.NumElements() == 0 {
		return t, nil
	}
	row := t.NumElements() / rows
	to, at := tensor.ValueOf(t), 0
	for _, r := range requests {
		from := tensor.ValueOf(r.feeds[i])
		part := to.Borrow(at*row, r.rows*row, append([]int64{int64(r.rows)}, dims[1:]...))
		at += r.rows
		if even || slices.Equal(r.feeds[i].Dims()[1:], dims[1:]) {
			part.CopyFrom(from)
		} else {
			pad(part, from)
		}
	}
	if at < rows { // the first row again and again
		one := append([]int64{1}, dims[1:]...)
		from := to.Borrow(0, row, one)
		for ; at < rows; at++ {
			part := to.Borrow(at*row, row, one)
			part.CopyFrom(from)
		}
	}
	return t, nil
}

// pad copies an array into a larger one of the same rank, whose other elements become the
// first of the smaller.
func pad(to, from tensor.Value) {
	switch to.DType().Base() {
	case tensor.String:
		padOf(tensor.Of[string](&to), tensor.Of[string](&from), to.Dims(), from.Dims(), 1)
	default:
		padOf(tensor.Bytes(&to), tensor.Bytes(&from), to.Dims(), from.Dims(), to.DType().Size())
	}
}

// padOf is pad on slices, of which size elements are one of the array's.
func padOf[T any](to, from []T, dims, inner []int64, size int) {
	if len(from) > 0 {
		for i := 0; i < len(to); i += size {
			copy(to[i:], from[:size])
		}
	}
	last := len(dims) - 1
	line := int(inner[last]) * size
	if line == 0 {
		return
	}
	index := make([]int64, last)
	for ; len(from) > 0; from = from[line:] {
		at := int64(0)
		for k, i := range index {
			at = at*dims[k] + i
		}
		copy(to[int(at*dims[last])*size:], from[:line])
		for k := last - 1; k >= 0; k-- {
			if index[k]++; index[k] < inner[k] {
				break
			}
			index[k] = 0
		}
	}
}

// errRows is that of an output which has not the rows of its batch.
func errRows(t *tensor.Tensor, rows int) error {
	return status.Errorf(status.FailedPrecondition, "an output has the shape %s for a batch of %d rows", tensor.FormatDims(t.Dims()), rows)
}

// splittable checks that the outputs of a batch have its rows.
func splittable(outputs []*tensor.Tensor, rows int) error {
	for _, t := range outputs {
		if d := t.Dims(); len(d) == 0 || d[0] != int64(rows) {
			return errRows(t, rows)
		}
	}
	return nil
}

// part returns rows of outputs, which share their memory.
func part(outputs []*tensor.Tensor, from, rows int) []*tensor.Tensor {
	list := make([]*tensor.Tensor, len(outputs))
	for i, t := range outputs {
		d := slices.Clone(t.Dims())
		row := 0
		if d[0] > 0 {
			row = t.NumElements() / int(d[0])
		}
		d[0] = int64(rows)
		list[i] = t.Slice(from*row, rows*row, d)
	}
	return list
}

// concat returns results of consecutive parts as one.
func concat(parts [][]*tensor.Tensor) ([]*tensor.Tensor, error) {
	list := make([]*tensor.Tensor, len(parts[0]))
	for i := range list {
		requests, rows := make([]*request, len(parts)), 0
		for k, p := range parts {
			d := p[i].Dims()
			if len(d) == 0 || !slices.Equal(d[1:], parts[0][i].Dims()[1:]) {
				return nil, errRows(p[i], rows)
			}
			requests[k] = &request{rows: int(d[0]), call: call{feeds: []*tensor.Tensor{p[i]}}}
			rows += int(d[0])
		}
		t, err := join(requests, 0, max(rows, 1))
		if err != nil {
			return nil, err
		}
		list[i] = t
	}
	return list, nil
}
