package nn

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
)

// TensorFlow keeps the greatest elements of a row in a binary heap and, unless
// they are to be sorted, gives them in the heap's order, which the numbers that a
// seeded sampler draws then depend on. So this heap is built and changed as
// TensorFlow's is: the first k+1 elements make a heap, whose root leaves it; a
// later element that comes before the root enters at the end once the root has
// left. Elements that are not numbers have no order, and where they end up depends
// on every comparison: an element sinks to a leaf first and rises from there, as
// Wegener describes for bottom-up heapsort (Theoretical Computer Science 118, 1993).

// askEvery is a mask of the steps between two looks at whether the step has ended.
const askEvery = 1<<14 - 1

// heaped appends the k greatest of x, which has more, to best, which is empty, in
// the heap's order or sorted; none if the step ends.
func heaped[T elementwise.Real](ctx *kernel.Context, best []ranked[T], x []T, k int, sorted bool) []ranked[T] {
	for i, v := range x[:k+1] {
		best = append(best, ranked[T]{v, i})
	}
	for i := (k+1)/2 - 1; i >= 0; i-- {
		if i&askEvery == 0 && ctx.Err() != nil {
			return nil
		}
		bottomUp(best, i, best[i])
	}
	best = removeRoot(best)
	for i, v := range x[k+1:] {
		if i&askEvery == 0 && ctx.Err() != nil {
			return nil
		}
		if e := (ranked[T]{v, k + 1 + i}); e.before(best[0]) {
			best = append(removeRoot(best), e)
			rise(best, 0, k-1, e)
		}
	}
	if sorted {
		for n := k; n > 1; n-- {
			if n&askEvery == 0 && ctx.Err() != nil {
				return nil
			}
			root := best[0]
			removeRoot(best[:n])
			best[n-1] = root
		}
	}
	return best
}

// removeRoot takes the root out of a heap, which becomes shorter.
func removeRoot[T elementwise.Real](heap []ranked[T]) []ranked[T] {
	n := len(heap) - 1
	e := heap[n]
	heap = heap[:n]
	if n > 0 {
		bottomUp(heap, 0, e)
	}
	return heap
}

// bottomUp puts e at place top of a heap, or below: the later of the elements below
// move up, as far as there are any, and e rises from the leaf that they leave.
func bottomUp[T elementwise.Real](heap []ranked[T], top int, e ranked[T]) {
	at := top
	for 2*at+2 < len(heap) {
		next := 2*at + 2
		if heap[next].before(heap[next-1]) {
			next--
		}
		heap[at] = heap[next]
		at = next
	}
	if 2*at+2 == len(heap) { // one element below
		heap[at] = heap[2*at+1]
		at = 2*at + 1
	}
	rise(heap, top, at, e)
}

// rise puts e at place at of a heap, or above, but not above top: elements that come
// before it move down.
func rise[T elementwise.Real](heap []ranked[T], top, at int, e ranked[T]) {
	for at > top {
		above := (at - 1) / 2
		if !heap[above].before(e) {
			break
		}
		heap[at] = heap[above]
		at = above
	}
	heap[at] = e
}
