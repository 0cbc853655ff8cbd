package layers

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"sync"

	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A Batch is several examples: a tensor for each input of the network, labels, and perhaps
// a weight for each example. The first dimension of all tensors counts the examples.
type Batch struct {
	X       []*tf.Tensor
	Y       *tf.Tensor
	Ys      []*tf.Tensor // in place of Y, for a network of several outputs
	Weights *tf.Tensor   // float32, or nil
	Err     error        // why there is no batch: it ends what goes through the batches
}

// Len is the number of examples.
func (b Batch) Len() int {
	for _, t := range b.tensors() {
		if t != nil && len(t.Dims()) > 0 {
			return int(t.Dims()[0])
		}
	}
	return 0
}

func (b Batch) tensors() []*tf.Tensor {
	return slices.Concat(b.X, []*tf.Tensor{b.Y, b.Weights}, b.Ys)
}

// of is a batch of tensors in the order of tensors.
func (b Batch) of(list []*tf.Tensor) Batch {
	n := len(b.X)
	return Batch{X: list[:n:n], Y: list[n], Weights: list[n+1], Ys: list[n+2:]}
}

// Examples are the labels y of inputs x in memory. It fails if they are not of as many
// examples.
func Examples(y *tf.Tensor, x ...*tf.Tensor) (Batch, error) {
	b := Batch{X: x, Y: y}
	if err := b.check(); err != nil {
		return Batch{}, err
	}
	if b.Len() == 0 {
		return Batch{}, status.Invalid("there are no examples")
	}
	return b, nil
}

// check returns an error unless all tensors are of as many examples: others would be broadcast.
func (b Batch) check() error {
	for _, t := range b.tensors() {
		if t != nil && (len(t.Dims()) == 0 || int(t.Dims()[0]) != b.Len()) {
			return status.Invalid("a tensor of shape %v is not one of %d examples", tf.MakeShape(t.Dims()...), b.Len())
		}
	}
	return nil
}

// Batches divides the examples into batches of size, in order; the last one may be smaller.
func (b Batch) Batches(size int) iter.Seq[Batch] {
	return b.batches(size, func() []int { return nil })
}

// Shuffled divides the examples into batches of size, in another random order each time;
// the last batch may be smaller.
func (b Batch) Shuffled(size int, seed uint64) iter.Seq[Batch] {
	return b.ShuffledFrom(size, seed, 0)
}

// ShuffledFrom is [Batch.Shuffled] after that many epochs, for training that goes on.
func (b Batch) ShuffledFrom(size int, seed uint64, epochs int) iter.Seq[Batch] {
	r := rand.New(rand.NewPCG(seed, 0))
	for range epochs {
		r.Perm(b.Len())
	}
	return b.batches(size, func() []int { return r.Perm(b.Len()) })
}

func (b Batch) batches(size int, order func() []int) iter.Seq[Batch] {
	size = max(size, 1)
	return func(yield func(Batch) bool) {
		at := order()
		for lo := 0; lo < b.Len(); lo += size {
			n := min(size, b.Len()-lo)
			var rows []int
			if at != nil {
				rows = at[lo : lo+n]
			}
			if !yield(b.rows(lo, n, rows)) {
				return
			}
		}
	}
}

// Split divides the examples at random: first has n of them.
func (b Batch) Split(n int, seed uint64) (first, rest Batch, err error) {
	if n < 0 || n > b.Len() {
		return Batch{}, Batch{}, status.Invalid("%d examples cannot be split off from %d", n, b.Len())
	}
	at := rand.New(rand.NewPCG(seed, 0)).Perm(b.Len())
	return b.rows(0, n, at[:n]), b.rows(n, b.Len()-n, at[n:]), nil
}

// Rows is the examples from number lo up to hi, without hi. It panics unless there are
// examples of these numbers, like a slice.
func (b Batch) Rows(lo, hi int) Batch {
	if lo < 0 || hi < lo || hi > b.Len() {
		panic(fmt.Sprintf("layers: examples %d to %d of %d", lo, hi, b.Len()))
	}
	return b.rows(lo, hi-lo, nil)
}

// Select is the examples of these numbers. It panics if one does not exist, like a slice.
func (b Batch) Select(at []int) Batch { return b.rows(0, len(at), at) }

// rows is n examples from lo on, or those at the places of at.
func (b Batch) rows(lo, n int, at []int) Batch {
	list := b.tensors()
	for i, t := range list {
		if t == nil {
			continue
		}
		dims := slices.Clone(t.Dims())
		row := t.NumElements() / max(int(dims[0]), 1)
		dims[0] = int64(n)
		if at == nil {
			list[i] = t.Slice(lo*row, n*row, dims)
			continue
		}
		parts := make([]*tf.Tensor, n)
		for k, j := range at {
			parts[k] = t.Slice(j*row, row, dims[1:])
		}
		list[i] = joined(t.DType(), dims, parts)
	}
	return b.of(list)
}

// joined is a tensor of dims of parts one after another.
func joined(dt tf.DataType, dims []int64, parts []*tf.Tensor) *tf.Tensor {
	out, err := tensor.New(dt, dims...)
	if err != nil {
		panic("layers: " + err.Error()) // the dimensions are those of tensors that exist
	}
	to := tensor.ValueOf(out)
	at := 0
	for _, p := range parts {
		from := tensor.ValueOf(p)
		if dt == tf.String {
			at += copy(tensor.Of[string](&to)[at:], tensor.Of[string](&from))
		} else {
			at += copy(tensor.Bytes(&to)[at:], tensor.Bytes(&from))
		}
	}
	return out
}

// Batched collects examples, whose tensors have no dimension that counts them, into
// batches of size; the last one may be smaller. Examples of another type or shape than
// the first of a batch begin a new batch. An example with an error is the last batch.
func Batched(examples iter.Seq[Batch], size int) iter.Seq[Batch] {
	return func(yield func(Batch) bool) {
		var held []Batch
		flush := func() bool {
			b := stacked(held)
			held = held[:0]
			return yield(b)
		}
		for e := range examples {
			if e.Err != nil {
				if len(held) == 0 || flush() {
					yield(e)
				}
				return
			}
			if len(held) > 0 && !alike(held[0], e) && !flush() {
				return
			}
			if held = append(held, e); len(held) >= max(size, 1) && !flush() {
				return
			}
		}
		if len(held) > 0 {
			flush()
		}
	}
}

func alike(a, b Batch) bool {
	return slices.EqualFunc(a.tensors(), b.tensors(), func(x, y *tf.Tensor) bool {
		return x == y || x != nil && y != nil && x.DType() == y.DType() && slices.Equal(x.Dims(), y.Dims())
	})
}

func stacked(examples []Batch) Batch {
	list := examples[0].tensors()
	for i, t := range list {
		if t == nil {
			continue
		}
		parts := make([]*tf.Tensor, len(examples))
		for k, e := range examples {
			parts[k] = e.tensors()[i]
		}
		list[i] = joined(t.DType(), append([]int64{int64(len(parts))}, t.Dims()...), parts)
	}
	return examples[0].of(list)
}

// Shuffle returns elements in random order, out of a buffer of that many; another order
// each time.
func Shuffle[T any](seq iter.Seq[T], buffer int, seed uint64) iter.Seq[T] {
	r := rand.New(rand.NewPCG(seed, 1))
	return func(yield func(T) bool) {
		held := make([]T, 0, max(buffer, 1))
		take := func() T {
			i, end := r.IntN(len(held)), len(held)-1
			x := held[i]
			held[i] = held[end]
			held = held[:end]
			return x
		}
		for x := range seq {
			if len(held) == cap(held) && !yield(take()) {
				return
			}
			held = append(held, x)
		}
		for len(held) > 0 {
			if !yield(take()) {
				return
			}
		}
	}
}

// Map returns f of each element, in order, computed by that many goroutines, which have
// ended when the loop over the result has. If f panics, so does the loop, at that element.
func Map[T, U any](seq iter.Seq[T], workers int, f func(T) U) iter.Seq[U] {
	return func(yield func(U) bool) {
		workers := max(workers, 1)
		pending := make([]*result[U], 0, workers)
		var all sync.WaitGroup
		defer all.Wait()
		next := func() U {
			r := pending[0]
			pending = pending[1:]
			return r.wait()
		}
		for x := range seq {
			if len(pending) == workers && !yield(next()) {
				return
			}
			r := &result[U]{done: make(chan struct{})}
			pending = append(pending, r)
			all.Go(func() { r.compute(func() U { return f(x) }) })
		}
		for len(pending) > 0 {
			if !yield(next()) {
				return
			}
		}
	}
}

// A result is what a function returns on another goroutine, or the panic it ends in.
type result[T any] struct {
	done     chan struct{}
	value    T
	returned bool
	panicked any
}

func (r *result[T]) compute(f func() T) {
	defer close(r.done)
	defer func() { r.panicked = recover() }()
	r.value = f()
	r.returned = true
}

// wait returns the value, or panics where the function did.
func (r *result[T]) wait() T {
	<-r.done
	if r.returned {
		return r.value
	}
	if r.panicked == nil {
		panic("layers: a function ended its goroutine") // runtime.Goexit, as of testing.T.Fatal
	}
	panic(r.panicked)
}

// Prefetch computes up to n elements ahead on a goroutine, which has ended when the loop
// over the result has: so breaking the loop waits until seq has returned its next element.
func Prefetch[T any](seq iter.Seq[T], n int) iter.Seq[T] {
	return func(yield func(T) bool) {
		ahead, stop := make(chan T, max(n, 1)), make(chan struct{})
		var producer sync.WaitGroup
		defer producer.Wait()
		defer close(stop)
		source := result[struct{}]{done: make(chan struct{})}
		producer.Go(func() {
			defer close(ahead)
			source.compute(func() (nothing struct{}) {
				for x := range seq {
					select {
					case ahead <- x:
					case <-stop:
						return
					}
				}
				return
			})
		})
		for x := range ahead {
			if !yield(x) {
				return
			}
		}
		source.wait() // panics where the loop over seq would have
	}
}
