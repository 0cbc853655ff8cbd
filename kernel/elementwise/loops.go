package elementwise

import "github.com/troupe-go/troupe/tensor"

// What drives loops over shapes, blocks and workers ([Binary], [Unary]) knows
// nothing of the elements' types, so that it is compiled once: it says where loops
// begin, and the loops, which are compiled for every type, are short.

// Loops are the inner loops of an operation on two operands. o has as many
// elements as every vector among the others, and may be one of them.
type Loops[T, R tensor.Element] interface {
	VV(o []R, x, y []T)   // o[i] = x[i] ∘ y[i]
	VS(o []R, x []T, y T) // o[i] = x[i] ∘ y
	SV(o []R, x T, y []T) // o[i] = x ∘ y[i]
}

// A Pairwise is [Loops] on elements of whatever types: it computes a stretch of o,
// as [Pairs] does. o may be the memory of an operand that is not repeated.
type Pairwise interface {
	Pairs(o, x, y tensor.Memory, s Stretch)
}

// A Stretch is N elements of a result, from element O on, and those of the operands
// that they are computed from: from elements X and Y on, or one of them for all.
type Stretch struct {
	O, X, Y, N int
	Repeats    Repeats
}

// Repeats says which operand of a stretch is one element.
type Repeats uint8

// Of neither operand one element is repeated, or of the first, or of the second.
const (
	RepeatsNone Repeats = iota
	RepeatsX
	RepeatsY
)

// Pairs computes a stretch by the loops of its type: it is how a [Pairwise] with
// Loops is written.
func Pairs[T, R tensor.Element](l Loops[T, R], o, x, y tensor.Memory, s Stretch) {
	to, a, b := tensor.Elements[R](o)[s.O:s.O+s.N], tensor.Elements[T](x), tensor.Elements[T](y)
	switch s.Repeats {
	case RepeatsX:
		l.SV(to, a[s.X], b[s.Y:s.Y+s.N])
	case RepeatsY:
		l.VS(to, a[s.X:s.X+s.N], b[s.Y])
	default:
		l.VV(to, a[s.X:s.X+s.N], b[s.Y:s.Y+s.N])
	}
}

// PairwiseOf is l on elements of whatever types.
func PairwiseOf[T, R tensor.Element](l Loops[T, R]) Pairwise {
	if p, ok := l.(Pairwise); ok {
		return p
	}
	return &pairwise[T, R]{l}
}

type pairwise[T, R tensor.Element] struct{ Loops[T, R] }

func (p *pairwise[T, R]) Pairs(o, x, y tensor.Memory, s Stretch) { Pairs(p.Loops, o, x, y, s) }

// A Loop is the inner loop of an operation on one operand: it sets o[i] from x[i],
// and may be given the same memory for both.
type Loop[T, R any] interface{ V(o []R, x []T) }

// A Placed loop depends on where elements are: At is V for those from element at on, of
// so many in all. A [Chain] computes parts that begin and end anywhere.
type Placed[T any] interface{ At(o, x []T, at, whole int) }

// An Each is a [Loop] on elements of whatever types: it sets n
// elements of o, from element to on, from those of x, from element from on.
type Each interface {
	Each(o, x tensor.Memory, to, from, n int)
}

// EachFunc is an [Each] that is a function.
type EachFunc func(o, x tensor.Memory, to, from, n int)

// Each calls the function.
func (f EachFunc) Each(o, x tensor.Memory, to, from, n int) { f(o, x, to, from, n) }

// EachOf returns the loop that is the function f. It is not inlined: every caller would
// have the loop once more.
//
//go:noinline
func EachOf[T, R tensor.Element](f func(o []R, x []T)) EachFunc {
	return func(o, x tensor.Memory, to, from, n int) {
		f(tensor.Elements[R](o)[to:to+n], tensor.Elements[T](x)[from:from+n])
	}
}
