package nn

import (
	"math"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	for _, dt := range elementwise.Reals {
		kernel.ForType("TopK", "T", dt, newTopK)
		kernel.ForType("TopKV2", "T", dt, newTopK)
	}
	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) {
		if k := c.Int("k"); k != int64(int32(k)) {
			return nil, c.Errorf("Attr k has value %d out of range for an int32", k)
		}
		return inTopK{c.Int("k")}, nil
	}, "InTopK")
	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) { return inTopK{}, nil }, "InTopKV2")
}

func newTopK(c *kernel.Construction) (kernel.Kernel, error) {
	places := tensor.Int32
	if c.Op.Name == "TopKV2" {
		places = c.Type("index_type")
	} else if c.Int("k") < 0 {
		return nil, c.Errorf("Need k >= 0, got %d", c.Int("k"))
	}
	switch dt := c.Type("T"); dt {
	case tensor.Float:
		return topKOf(c, dt, places, keyOfFloat32), nil
	case tensor.Double:
		return topKOf(c, dt, places, keyOfFloat64), nil
	case tensor.Half, tensor.Bfloat16:
		return elementwise.Widen(dt, topKOf(c, tensor.Float, places, keyOfFloat32)), nil
	case tensor.Uint64:
		return topKOf(c, dt, places, keyOfUint64), nil
	default:
		return elementwise.WidenToInt64(dt, topKOf(c, tensor.Int64, places, keyOfInt64), 0), nil
	}
}

func topKOf[T elementwise.Real](c *kernel.Construction, dt, places tensor.DType, key func(T) uint64) kernel.Kernel {
	return &topK[T]{dt, places, c.Int("k"), c.Bool("sorted"), key}
}

// A topK is the kernel of TopK and TopKV2.
type topK[T elementwise.Real] struct {
	dt, places tensor.DType
	k          int64 // of TopK
	sorted     bool
	key        func(T) uint64 // the lesser, the greater the number
}

// A ranked is an element and its place.
type ranked[T elementwise.Real] struct {
	x  T
	at int
}

// before reports whether a comes before b: the greater does, of equal ones, and
// where one is no number, the first.
func (a ranked[T]) before(b ranked[T]) bool { return a.x > b.x || !(a.x < b.x) && a.at < b.at }

func (a ranked[T]) compare(b ranked[T]) int {
	if a.before(b) {
		return -1
	}
	if b.before(a) {
		return 1
	}
	return 0
}

func (t *topK[T]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	k := t.k
	if len(in) > 1 {
		if in[1].Rank() != 0 {
			return status.Invalid("k must be scalar, got shape %s", tensor.FormatDims(in[1].Dims()))
		}
		if in[1].DType() == tensor.Int16 {
			k = int64(tensor.At0[int16](&in[1]))
		} else {
			k, _ = kernel.Int(&in[1], "k")
		}
	}
	if k < 0 {
		return status.Invalid("Need k >= 0, got %d", k)
	}
	dims := in[0].Dims()
	if len(dims) == 0 {
		return status.Invalid("input must be >= 1-D, got shape []")
	}
	n := dims[len(dims)-1]
	if n < k {
		return status.Invalid("input must have at least k columns. Had %d, needed %d", n, k)
	}
	shape := append(append(make([]int64, 0, len(dims)), dims[:len(dims)-1]...), k)
	var err error
	if out[0], err = ctx.Alloc(t.dt, shape); err != nil {
		return err
	}
	if out[1], err = ctx.Alloc(t.places, shape); err != nil {
		return err
	}
	if out[0].NumElements() == 0 {
		return nil
	}
	x, values := tensor.Of[T](&in[0]), tensor.Of[T](&out[0])
	most, digits := int(n), 0 // that are ranked at a time, and what sorting by digits takes
	if !allRanked(int(k), int(n)) {
		most = int(k) + 1
	} else if n >= fewestByDigits {
		digits = 2 * int(n)
	}
	rows, grain := len(x)/int(n), max(1, rowGrain/int(n))
	work := 16 * (most + digits) * min(ctx.Step.Pool.Workers(), (rows+grain-1)/grain)
	if err := ctx.Reserve(work); err != nil {
		return err
	}
	defer ctx.Unreserve(work)
	ctx.Parallel(rows, grain, func(lo, hi int) {
		best, desk := make([]ranked[T], 0, most), make([]keyed, digits)
		for r := lo; r < hi && ctx.Err() == nil; r++ {
			best = t.greatest(ctx, best[:0], x[r*int(n):(r+1)*int(n)], int(k), desk)
			if len(best) < int(k) {
				return
			}
			for i, b := range best {
				values[r*int(k)+i] = b.x
			}
			switch t.places {
			case tensor.Int16:
				putPlaces(tensor.Of[int16](&out[1])[r*int(k):], best)
			case tensor.Int64:
				putPlaces(tensor.Of[int64](&out[1])[r*int(k):], best)
			default:
				putPlaces(tensor.Of[int32](&out[1])[r*int(k):], best)
			}
		}
	})
	return ctx.Err()
}

func putPlaces[I int16 | int32 | int64, T elementwise.Real](o []I, best []ranked[T]) {
	for i, b := range best {
		o[i] = I(b.at)
	}
}

// allRanked reports whether all of n elements are ranked to find the k greatest, as most
// are kept anyway.
func allRanked(k, n int) bool { return 4*k > n }

// greatest appends the k greatest of x to best, which is empty; none if the step
// ends. desk, if it is not empty, is for sorting by digits.
func (t *topK[T]) greatest(ctx *kernel.Context, best []ranked[T], x []T, k int, desk []keyed) []ranked[T] {
	some := k > 1 && k < len(x)
	switch {
	case some && (!t.sorted || hasNaN(x[:k])):
		return heaped(ctx, best, x, k, t.sorted)
	case allRanked(k, len(x)):
		if some && hasNaN(x[k:]) {
			return heaped(ctx, best, x, k, t.sorted)
		}
		if len(desk) > 0 && !hasNaN(x) {
			return byDigits(ctx, best, x, k, t.key, desk)
		}
		for i, v := range x {
			best = append(best, ranked[T]{v, i})
		}
		if kernel.Sort(ctx, best, ranked[T].compare) != nil {
			return nil
		}
		return best[:k]
	}
	for i, v := range x[:k] {
		best = append(best, ranked[T]{v, i})
	}
	for i := k/2 - 1; i >= 0; i-- {
		sink(best, i)
	}
	// The root of the heap is the last of the best. What comes later must be
	// greater to be let in.
	const stretch = 1 << 16 // between looks at the context
	for from := k; from < len(x); from += stretch {
		if ctx.Err() != nil {
			return nil
		}
		least := best[0].x
		for i, v := range x[from:min(from+stretch, len(x))] {
			if v <= least {
				continue
			}
			if v != v && some {
				return heaped(ctx, best[:0], x, k, t.sorted)
			}
			if v > least {
				best[0] = ranked[T]{v, from + i}
				sink(best, 0)
				least = best[0].x
			}
		}
	}
	if kernel.Sort(ctx, best, ranked[T].compare) != nil {
		return nil
	}
	return best
}

func hasNaN[T elementwise.Real](x []T) bool {
	for _, v := range x {
		if v != v {
			return true
		}
	}
	return false
}

// sink moves element i of a heap down to where both below it come before it.
func sink[T elementwise.Real](heap []ranked[T], i int) {
	e := heap[i]
	for {
		next := 2*i + 1
		if next >= len(heap) {
			break
		}
		if next+1 < len(heap) && heap[next].before(heap[next+1]) {
			next++
		}
		if !e.before(heap[next]) {
			break
		}
		heap[i] = heap[next]
		i = next
	}
	heap[i] = e
}

// An inTopK is the kernel of InTopK and, with k as an input, InTopKV2.
type inTopK struct{ k int64 }

func (t inTopK) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	k := t.k
	if len(in) > 2 {
		if in[2].Rank() != 0 {
			return status.Invalid("k must be 0-D, got shape %s", tensor.FormatDims(in[2].Dims()))
		}
		k, _ = kernel.Int(&in[2], "k")
	}
	if in[0].Rank() != 2 {
		return status.Invalid("predictions must be 2-dimensional")
	}
	if in[1].Rank() != 1 {
		return status.Invalid("targets must be 1-dimensional")
	}
	rows, n := in[0].Dim(0), in[0].Dim(1)
	if rows != in[1].Dim(0) {
		return status.Invalid("First dimension of predictions %d must match length of targets %d", rows, in[1].Dim(0))
	}
	var err error
	if out[0], err = ctx.Alloc(tensor.Bool, in[1].Dims()); err != nil {
		return err
	}
	x, o := tensor.Of[float32](&in[0]), tensor.Of[bool](&out[0])
	for lo, hi := range ctx.Ranges(rows, 1+1<<15/max(1, n)) {
		for r := lo; r < hi; r++ {
			var class int64
			if in[1].DType() == tensor.Int32 {
				class = int64(tensor.Of[int32](&in[1])[r])
			} else {
				class = tensor.Of[int64](&in[1])[r]
			}
			o[r] = class >= 0 && class < int64(n) && among(ctx, x[r*n:(r+1)*n], class, k)
		}
	}
	return nil
}

// among reports whether fewer than k of x are greater than the one of the class.
// It cannot be said where a number is not finite.
func among(ctx *kernel.Context, x []float32, class, k int64) bool {
	want, greater := x[class], int64(0)
	if !finite(want) {
		return false
	}
	for lo, hi := range ctx.Ranges(len(x), 1<<16) {
		for _, v := range x[lo:hi] {
			if !finite(v) {
				return false
			}
			if v > want {
				if greater++; greater > k {
					return false
				}
			}
		}
	}
	return greater < k
}

func finite(x float32) bool { return math.Abs(float64(x)) <= math.MaxFloat32 }
