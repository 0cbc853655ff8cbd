package train

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"

	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Data is a set of examples in memory: tensors whose first dimension counts examples.
type Data struct {
	tensors Batch
	n       int
}

// NewData makes data from tensors, by the placeholders to which they are fed. All have
// the same first dimension.
func NewData(tensors Batch) (*Data, error) {
	d := &Data{tensors: tensors, n: -1}
	for o, t := range tensors {
		dims := t.Dims()
		switch {
		case len(dims) == 0:
			return nil, status.Invalid("the tensor for %v is a scalar, and has no examples", o)
		case t.DType() == tf.DataType(tensor.Variant) || t.DType() == tf.DataType(tensor.Resource):
			return nil, status.Invalid("the tensor for %v is of type %v", o, t.DType())
		case d.n >= 0 && int(dims[0]) != d.n:
			return nil, status.Invalid("the tensor for %v has %d examples, another one %d", o, dims[0], d.n)
		}
		d.n = int(dims[0])
	}
	if d.n < 0 {
		return nil, status.Invalid("there are no tensors")
	}
	return d, nil
}

// Len returns the number of examples.
func (d *Data) Len() int { return d.n }

// Batches divides the examples into batches of size, in order; the last one may be
// smaller.
func (d *Data) Batches(size int) iter.Seq[Batch] {
	size = max(size, 1)
	return func(yield func(Batch) bool) {
		for lo := 0; lo < d.n; lo += size {
			n := min(size, d.n-lo)
			batch := Batch{}
			for o, t := range d.tensors {
				dims := slices.Clone(t.Dims())
				row := rowSize(dims)
				dims[0] = int64(n)
				batch[o] = t.Slice(lo*row, n*row, dims)
			}
			if !yield(batch) {
				return
			}
		}
	}
}

// Shuffled returns the batches with numbers from (inclusive) to to (exclusive) of an
// endless sequence that the seed determines. Each epoch is a new permutation of the
// examples, cut into batches of size; a remainder is dropped. Training that resumes
// after some updates starts with the batch of that number, and sees the same batches as
// uninterrupted training.
func (d *Data) Shuffled(size int, seed uint64, from, to int64) iter.Seq[Batch] {
	size = min(max(size, 1), d.n)
	return func(yield func(Batch) bool) {
		if size == 0 {
			return
		}
		epochSize := int64(d.n / size)
		var order []int
		epoch := int64(-1)
		for i := max(from, 0); i < to; i++ {
			if e := i / epochSize; e != epoch {
				epoch = e
				order = rand.New(rand.NewPCG(seed, uint64(e))).Perm(d.n)
			}
			lo := int(i%epochSize) * size
			if !yield(d.rows(order[lo : lo+size])) {
				return
			}
		}
	}
}

// Split divides the examples at random: first has n of them.
func (d *Data) Split(n int, seed uint64) (first, rest *Data, err error) {
	if n < 0 || n > d.n {
		return nil, nil, status.Invalid("%d of %d examples", n, d.n)
	}
	order := rand.New(rand.NewPCG(seed, 0)).Perm(d.n)
	return &Data{d.rows(order[:n]), n}, &Data{d.rows(order[n:]), d.n - n}, nil
}

// rows returns a batch of the examples at these places.
func (d *Data) rows(at []int) Batch {
	batch := Batch{}
	for o, t := range d.tensors {
		dims := slices.Clone(t.Dims())
		row := rowSize(dims)
		dims[0] = int64(len(at))
		batch[o] = gather(t, at, row, dims)
	}
	return batch
}

// gather returns the rows, of that many elements each, at these places.
func gather(t *tf.Tensor, at []int, row int, dims []int64) *tf.Tensor {
	out, err := tensor.New(t.DType(), dims...)
	if err != nil {
		panic(fmt.Sprintf("train: %v", err)) // a part of a tensor that exists
	}
	from, to := tensor.ValueOf(t), tensor.ValueOf(out)
	if t.DType() == tf.String {
		src, dst := tensor.Of[string](&from), tensor.Of[string](&to)
		for i, k := range at {
			copy(dst[i*row:(i+1)*row], src[k*row:])
		}
		return out
	}
	src, dst := tensor.Bytes(&from), tensor.Bytes(&to)
	row *= t.DType().Size()
	for i, k := range at {
		copy(dst[i*row:(i+1)*row], src[k*row:])
	}
	return out
}

// rowSize returns the number of elements of an example.
func rowSize(dims []int64) int {
	n := 1
	for _, d := range dims[1:] {
		n *= int(d)
	}
	return n
}
