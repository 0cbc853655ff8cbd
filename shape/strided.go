package shape

import (
	"math"
	"math/bits"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A StridedSpec is what the operands and masks of a StridedSlice say. Bit i of
// a mask is about element i of the operands.
type StridedSpec struct {
	Begin, End []int64 // nil while not known
	Strides    []int64

	BeginMask, EndMask int64 // Begin, End do not count: from the first, to the last
	EllipsisMask       int64 // stands for as many whole dimensions as are left; at most one bit
	NewAxisMask        int64 // makes a dimension of 1
	ShrinkMask         int64 // takes the one element at Begin and the dimension away
}

// A Strided is a StridedSpec applied to an input of known rank: which part of
// each of its dimensions is taken.
type Strided struct {
	Dims []StridedDim // by dimension of the input

	// Shape is the shape of the result. Processed is that before dimensions
	// were added and taken away: Dims' counts.
	Shape, Processed Shape
}

// A StridedDim takes Count elements from Begin on, Stride apart.
type StridedDim struct {
	Begin, Stride int64
	Count         int64 // Unknown if the dimension or an operand is not known; Begin means nothing then
	Shrink        bool
}

// a denseDim is what a StridedSpec says of one dimension of the input.
type denseDim struct {
	begin, end, stride int64
	beginMask, endMask bool
	shrink             bool
}

const newAxis = -1

// Apply applies the spec to an input of that shape, whose rank must be known.
func (s StridedSpec) Apply(in Shape) (Strided, error) {
	if !in.known {
		return Strided{}, nil
	}
	if bits.OnesCount64(uint64(s.EllipsisMask)) > 1 {
		return Strided{}, status.Invalid("Multiple ellipses in slice spec not allowed")
	}
	n := len(s.Strides)
	if n > tensor.MaxRank || s.Begin != nil && len(s.Begin) != n || s.End != nil && len(s.End) != n {
		return Strided{}, status.Invalid("Expected begin, end, and strides to be 1D equal size tensors")
	}
	dense, gather, err := s.dense(len(in.dims))
	if err != nil {
		return Strided{}, err
	}
	known := s.Begin != nil && s.End != nil
	out := Strided{Dims: make([]StridedDim, len(dense))}
	processed := make([]int64, len(dense))
	for i := range dense {
		if out.Dims[i], err = dense[i].resolve(i, in.dims[i], known); err != nil {
			return Strided{}, err
		}
		processed[i] = out.Dims[i].Count
	}
	out.Processed = Of(processed...)
	if len(gather) > tensor.MaxRank {
		return Strided{}, rankError(len(gather))
	}
	dims := make([]int64, len(gather))
	for k, i := range gather {
		dims[k] = 1
		if i != newAxis {
			dims[k] = processed[i]
		}
	}
	out.Shape = Of(dims...)
	return out, nil
}

// dense spreads the spec over the dimensions of an input of that rank. It also
// says which dimension of the input each dimension of the result comes from.
func (s StridedSpec) dense(rank int) (dense []denseDim, gather []int, err error) {
	n := len(s.Strides)
	bit := func(mask int64, i int) bool { return i < 64 && mask>>uint(i)&1 != 0 }
	ellipsis, added := n, 0 // where it stands; new axes behind it
	for i := range n {
		switch {
		case ellipsis < n && bit(s.NewAxisMask, i):
			added++
		case bit(s.EllipsisMask, i):
			ellipsis = i
		}
	}
	dense = make([]denseDim, 0, rank)
	for i := range max(n, ellipsis+1) {
		switch {
		case i == ellipsis:
			behind := n - i - 1 - added // elements behind the ellipsis that take a dimension
			for len(dense) < min(rank-behind, rank) {
				gather = append(gather, len(dense))
				dense = append(dense, denseDim{stride: 1, beginMask: true, endMask: true})
			}
		case bit(s.NewAxisMask, i):
			gather = append(gather, newAxis)
		case len(dense) == rank:
			return nil, nil, status.Invalid("Index out of range using input dim %d; input has only %d dims", rank, rank)
		default:
			d := denseDim{stride: s.Strides[i], beginMask: bit(s.BeginMask, i), endMask: bit(s.EndMask, i), shrink: bit(s.ShrinkMask, i)}
			if s.Begin != nil {
				d.begin = s.Begin[i]
			}
			if s.End != nil {
				d.end = s.End[i]
			}
			if !d.shrink {
				gather = append(gather, len(dense))
			}
			dense = append(dense, d)
		}
	}
	return dense, gather, nil
}

// resolve works out what is taken of dimension i of that size; known says that
// begin and end are.
func (d *denseDim) resolve(i int, size int64, known bool) (StridedDim, error) {
	if d.stride == 0 {
		return StridedDim{}, status.Invalid("strides[%d] must be non-zero", i)
	}
	if d.shrink && d.stride < 0 && size != Unknown {
		return StridedDim{}, status.Invalid("only stride 1 allowed on non-range indexing.")
	}
	out := StridedDim{Stride: d.stride, Count: Unknown, Shrink: d.shrink}
	if d.shrink {
		out.Count = 1
	}
	if size == Unknown || !known && !(d.beginMask && d.endMask) {
		return out, nil
	}
	if d.shrink {
		out.Begin = d.begin
		if d.begin < 0 {
			out.Begin += size
		}
		if known && (out.Begin < 0 || out.Begin >= size) {
			return StridedDim{}, status.Invalid("slice index %d of dimension %d out of bounds.", d.begin, i)
		}
		return out, nil
	}
	first, last := int64(0), size // what begin and end are clamped to
	if d.stride < 0 {
		first, last = -1, size-1
	}
	place := func(at int64, masked bool, whole int64) int64 {
		if masked {
			return whole
		}
		if at < 0 {
			at += size
		}
		return min(max(at, first), last)
	}
	from, to := first, last
	if d.stride < 0 {
		from, to = last, first
	}
	begin, end := place(d.begin, d.beginMask, from), place(d.end, d.endMask, to)
	out.Begin, out.Count = begin, 0
	if d.stride > 0 && end > begin {
		out.Count = (end-begin-1)/d.stride + 1
	}
	if d.stride < 0 && end < begin {
		step := -d.stride
		if step < 0 { // the least int64 has no opposite
			step = math.MaxInt64
		}
		out.Count = (begin-end-1)/step + 1
	}
	return out, nil
}
