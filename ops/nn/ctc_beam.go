package nn

import (
	"cmp"
	"container/heap"
	"math"
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	kernel.ForType("CTCBeamSearchDecoder", "T", tensor.Float, newBeamSearch[float32])
	kernel.ForType("CTCBeamSearchDecoder", "T", tensor.Double, newBeamSearch[float64])
}

// A beamSearch is the kernel of CTCBeamSearchDecoder: the search for the likeliest
// prefixes of A. Graves, "Supervised sequence labelling with recurrent neural
// networks", 2012, section 7.5.3, in logarithms.
type beamSearch[T elementwise.Float] struct {
	width, paths int
	merge        bool
	dt           tensor.DType
}

func newBeamSearch[T elementwise.Float](c *kernel.Construction) (kernel.Kernel, error) {
	return beamSearch[T]{int(c.Int("beam_width")), int(c.Int("top_paths")), c.Bool("merge_repeated"), c.Type("T")}, nil
}

// A prefix is a sequence of classes, known by its last one and what is before it,
// with the logarithms of its probability, if the last symbol was the class
// itself, if it was a blank, and of both together, now and one step ago.
type prefix[T elementwise.Float] struct {
	parent   *prefix[T]
	class    int // -1 for the empty prefix
	children map[int]*prefix[T]
	now, old chance[T]
}

type chance[T elementwise.Float] struct{ class, blank, total T }

// never returns the chance of what does not happen.
func never[T elementwise.Float]() chance[T] {
	zero := T(math.Inf(-1))
	return chance[T]{zero, zero, zero}
}

// active reports whether p is in the beam.
func (p *prefix[T]) active() bool { return !math.IsInf(float64(p.now.total), -1) }

// A beam is the likeliest prefixes, as a heap with the least likely on top.
type beam[T elementwise.Float] []*prefix[T]

func (b beam[T]) Len() int           { return len(b) }
func (b beam[T]) Less(i, j int) bool { return b[i].now.total < b[j].now.total }
func (b beam[T]) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }
func (b *beam[T]) Push(x any)        { *b = append(*b, x.(*prefix[T])) }
func (b *beam[T]) Pop() any {
	last := (*b)[len(*b)-1]
	*b = (*b)[:len(*b)-1]
	return last
}

// either returns the logarithm of the sum of two probabilities.
func either[T elementwise.Float](x, y T) T {
	if x < y {
		x, y = y, x
	}
	if math.IsInf(float64(y), -1) {
		return x
	}
	return x + T(math.Log1p(math.Exp(float64(y-x))))
}

func (k beamSearch[T]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	if in[0].Rank() == 3 && in[0].NumElements() == 0 {
		return status.Invalid("inputs must not be empty")
	}
	c, err := ctcInputOf[T](&in[0], &in[1], status.FailedPrecondition)
	if err != nil {
		return err
	}
	if k.paths > k.width {
		return status.Invalid("requested more paths than the beam width.")
	}
	if out[3*k.paths], err = ctx.Alloc(k.dt, []int64{int64(c.batch), int64(k.paths)}); err != nil {
		return err
	}
	logs := tensor.Of[T](&out[3*k.paths])
	found := make([][][]int64, k.paths) // by path and example
	sequences := make([][]int64, k.paths)
	defer ctx.UnreserveTo(ctx.Reserved())
	input, err := kernel.Scratch[T](ctx, c.classes)
	if err != nil {
		return err
	}
	for b, n := range c.lengths {
		before := ctx.Reserved() // the tree of prefixes of this example
		leaves := beam[T]{{class: -1, now: chance[T]{T(math.Inf(-1)), 0, 0}, old: never[T]()}}
		for t := range int(n) {
			if err := ctx.Err(); err != nil {
				return err
			}
			logChances(ctx, input, c.at(t, b))
			if leaves, err = k.step(ctx, leaves, input); err != nil {
				return err
			}
		}
		slices.SortStableFunc(leaves, func(a, b *prefix[T]) int { return cmp.Compare(b.now.total, a.now.total) })
		if len(leaves) < k.paths {
			return status.Invalid("Less leaves in the beam search than requested.")
		}
		for p, leaf := range leaves[:k.paths] {
			sequences[p] = leaf.classes(k.merge)
			logs[b*k.paths+p] = leaf.now.total
		}
		ctx.UnreserveTo(before)
		for p, s := range sequences {
			if err := ctx.Reserve(sequenceBytes + 8*cap(s)); err != nil {
				return err
			}
			found[p] = append(found[p], s)
		}
	}
	for p, sequences := range found {
		if err := k.put(ctx, out, p, sequences); err != nil {
			return err
		}
	}
	return nil
}

// What a prefix takes, with its place in its parent's map, and a sequence that was
// found beside its classes.
const (
	prefixBytes   = 160
	sequenceBytes = 64
)

// logChances sets to to the logarithms of the probabilities that scores stand for.
func logChances[T elementwise.Float](ctx *kernel.Context, to, scores []T) {
	most := slices.Max(scores)
	var sum T
	for lo, hi := range ctx.Ranges(len(scores), 1<<13) {
		for _, x := range scores[lo:hi] {
			sum += T(math.Exp(float64(x - most)))
		}
	}
	offset := most + T(math.Log(float64(sum)))
	for i, x := range scores {
		to[i] = x - offset
	}
}

// step returns the beam after one more symbol.
func (k beamSearch[T]) step(ctx *kernel.Context, leaves beam[T], input []T) (beam[T], error) {
	branches, blank := []*prefix[T](leaves), len(input)-1
	for _, b := range branches {
		b.old = b.now
	}
	slices.SortStableFunc(branches, func(a, b *prefix[T]) int { return cmp.Compare(b.old.total, a.old.total) })
	next := make(beam[T], 0, len(branches))
	for _, b := range branches {
		if b.parent != nil {
			if b.parent.active() {
				before := b.parent.old.total
				if b.class == b.parent.class {
					before = b.parent.old.blank
				}
				b.now.class = either(b.now.class, before)
			}
			b.now.class += input[b.class]
		}
		b.now.blank = b.old.total + input[blank]
		b.now.total = either(b.now.blank, b.now.class)
		heap.Push(&next, b)
	}
	candidate := func(total T) bool {
		return total > T(math.Inf(-1)) && (len(next) < k.width || total > next[0].now.total)
	}
	for _, b := range branches {
		if !candidate(b.old.total) {
			continue
		}
		for class, x := range input[:blank] {
			if class%(1<<13) == 1<<13-1 {
				ctx.Ask()
			}
			child := b.children[class]
			if child != nil && child.active() {
				continue
			}
			before := b.old.total
			if class == b.class {
				before = b.old.blank
			}
			if !candidate(x + before) {
				if child != nil { // it may have left the beam in this very step
					child.now, child.old = never[T](), never[T]()
				}
				continue
			}
			if child == nil {
				if err := ctx.Reserve(prefixBytes); err != nil {
					return nil, err
				}
				child = &prefix[T]{parent: b, class: class, old: never[T]()}
				if b.children == nil {
					b.children = map[int]*prefix[T]{}
				}
				b.children[class] = child
			}
			child.now = chance[T]{x + before, T(math.Inf(-1)), x + before}
			if len(next) == k.width {
				heap.Pop(&next).(*prefix[T]).now = never[T]()
			}
			heap.Push(&next, child)
		}
	}
	return next, nil
}

// classes returns the sequence, without repetitions if merge is set.
func (p *prefix[T]) classes(merge bool) []int64 {
	var s []int64
	for last := -1; p.parent != nil; p = p.parent {
		if !merge || p.class != last {
			s = append(s, int64(p.class))
		}
		last = p.class
	}
	slices.Reverse(s)
	return s
}

// put makes the sparse matrix of path p.
func (k beamSearch[T]) put(ctx *kernel.Context, out []tensor.Value, p int, sequences [][]int64) (err error) {
	total, longest := int64(0), int64(0)
	for _, s := range sequences {
		total += int64(len(s))
		longest = max(longest, int64(len(s)))
	}
	for i, dims := range [][]int64{{total, 2}, {total}, {2}} {
		if out[i*k.paths+p], err = ctx.Alloc(tensor.Int64, dims); err != nil {
			return err
		}
	}
	at, values := tensor.Of[int64](&out[p])[:0], tensor.Of[int64](&out[k.paths+p])[:0]
	for b, s := range sequences {
		for i, class := range s {
			at, values = append(at, int64(b), int64(i)), append(values, class)
		}
	}
	copy(tensor.Of[int64](&out[2*k.paths+p]), []int64{int64(len(sequences)), longest})
	return ctx.Err()
}
