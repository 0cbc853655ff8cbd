package bundle

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/wire"
)

// Whole is the length of an extent that is all of its dimension.
const Whole = -1

// An Extent is a range of one dimension: Length elements from Start on, or, if
// Length is [Whole], all, Start being 0.
type Extent struct{ Start, Length int64 }

// A Slice is a rectangular part of a tensor, an extent for every dimension. Nil
// stands for the whole tensor.
type Slice []Extent

// ParseSpec reads what SaveV2 and RestoreV2 are told about a slice: the shape of
// the whole tensor and an extent for every dimension, as in "4 5 0,2:-", the
// first two rows of a matrix.
func ParseSpec(text string) (shape []int64, s Slice, err error) {
	fields := strings.Split(text, " ")
	rank := len(fields) - 1
	if rank < 1 {
		return nil, nil, status.Invalid("Need least two elements in shape_and_slice specification: %s", text)
	}
	if rank > tensor.MaxRank {
		return nil, nil, status.Invalid("shape_and_slice specification of rank %d", rank)
	}
	for _, f := range fields[:rank] {
		d, err := strconv.ParseInt(f, 10, 64)
		if err != nil || d < 0 {
			return nil, nil, status.Invalid("Non numerical dimension in shape_and_slice: %s", text)
		}
		shape = append(shape, d)
	}
	if _, err := tensor.NumElements(tensor.Uint8, shape); err != nil {
		return nil, nil, err
	}
	spec := fields[rank]
	for part := range strings.SplitSeq(spec, ":") {
		e, err := parseExtent(part, spec)
		if err != nil {
			return nil, nil, err
		}
		s = append(s, e)
	}
	if _, err := s.Dims(shape); err != nil {
		return nil, nil, err
	}
	return shape, s, nil
}

func parseExtent(part, spec string) (Extent, error) {
	if part == "-" {
		return Extent{0, Whole}, nil
	}
	from, count, _ := strings.Cut(part, ",")
	start, err := strconv.ParseInt(from, 10, 64)
	length, err2 := strconv.ParseInt(count, 10, 64)
	if err != nil || err2 != nil {
		return Extent{}, status.Invalid("Expected a pair of numbers or '-' but got '%s': string = %s", part, spec)
	}
	if start < 0 || length <= 0 {
		return Extent{}, status.Invalid("Expected non-negative start and positive length but got start = %d, length = %d: string = %s", start, length, spec)
	}
	return Extent{start, length}, nil
}

// String returns the slice as in a specification: "0,2:-".
func (s Slice) String() string {
	parts := make([]string, len(s))
	for i, e := range s {
		if parts[i] = "-"; e.Length != Whole {
			parts[i] = fmt.Sprintf("%d,%d", e.Start, e.Length)
		}
	}
	return strings.Join(parts, ":")
}

// Dims returns the shape of the slice of a tensor of the given shape.
// It fails if the slice does not lie within that.
func (s Slice) Dims(shape []int64) ([]int64, error) {
	if len(s) != len(shape) {
		return nil, status.Errorf(status.Internal, "Mismatching ranks: shape = %s, slice = %v", tensor.FormatDims(shape), s)
	}
	dims := slices.Clone(shape)
	for i, e := range s {
		if e.Length == Whole {
			continue
		}
		if e.Start < 0 || e.Length < 0 || e.Start > shape[i] || e.Length > shape[i]-e.Start {
			return nil, status.Errorf(status.Internal, "Extent in dimension %d out of bounds: shape = %s, slice = %v", i, tensor.FormatDims(shape), s)
		}
		dims[i] = e.Length
	}
	return dims, nil
}

// full reports whether the slice is the whole of a tensor of the given shape.
func (s Slice) full(shape []int64) bool {
	for i, e := range s {
		if e.Length != Whole && (e.Start != 0 || e.Length != shape[i]) {
			return false
		}
	}
	return true
}

// all returns the slice that is a whole tensor of that rank.
func all(rank int) Slice {
	s := make(Slice, rank)
	for i := range s {
		s[i].Length = Whole
	}
	return s
}

// within is e's start and end in a dimension of size d.
func (e Extent) within(d int64) (start, end int64) {
	if e.Length == Whole {
		return 0, d
	}
	return e.Start, e.Start + e.Length
}

// intersect returns what slices of a tensor of the given shape have in common, by its
// first element and its dimensions; ok is false if that is nothing.
func intersect(a, b Slice, shape []int64) (first, dims []int64, ok bool) {
	first, dims = make([]int64, len(shape)), make([]int64, len(shape))
	for i, d := range shape {
		a0, a1 := a[i].within(d)
		b0, b1 := b[i].within(d)
		if first[i], dims[i] = max(a0, b0), min(a1, b1)-max(a0, b0); dims[i] <= 0 {
			return nil, nil, false
		}
	}
	return first, dims, true
}

// disjoint reports whether slices of a tensor of the given shape have nothing in
// common.
func disjoint(a, b Slice, shape []int64) bool {
	for i, d := range shape {
		a0, a1 := a[i].within(d)
		b0, b1 := b[i].within(d)
		if min(a1, b1) <= max(a0, b0) {
			return true
		}
	}
	return false
}

func sliceOf(p *wire.TensorSliceProto) Slice {
	s := make(Slice, len(p.GetExtent()))
	for i, e := range p.GetExtent() {
		s[i] = Extent{e.GetStart(), Whole}
		if e.GetHasLengthHack() != nil {
			s[i].Length = e.GetLength()
		}
	}
	return s
}

func sliceProto(s Slice) *wire.TensorSliceProto {
	p := &wire.TensorSliceProto{}
	for _, e := range s {
		x := &wire.TensorSliceProto_Extent{Start: e.Start}
		if e.Length != Whole {
			x.HasLengthHack = &wire.TensorSliceProto_Extent_Length{Length: e.Length}
		}
		p.Extent = append(p.Extent, x)
	}
	return p
}

// key returns the key of the entry of a part of the tensor of that name: 0, the name,
// the rank, and start and length of each extent, coded such that keys are in the
// order of what they stand for.
func (s Slice) key(name string) []byte {
	b := appendOrdered(nil, 0)
	for i := range len(name) {
		switch c := name[i]; c {
		case 0:
			b = append(b, 0, 0xff)
		case 0xff:
			b = append(b, 0xff, 0)
		default:
			b = append(b, c)
		}
	}
	b = appendOrdered(append(b, 0, 1), uint64(len(s)))
	for _, e := range s {
		b = appendOrderedSigned(appendOrderedSigned(b, e.Start), e.Length)
	}
	return b
}

// appendOrdered appends the number of bytes that x takes, and those, the most
// significant first.
func appendOrdered(b []byte, x uint64) []byte {
	n := 0
	for v := x; v > 0; v >>= 8 {
		n++
	}
	b = append(b, byte(n))
	for n--; n >= 0; n-- {
		b = append(b, byte(x>>(8*n)))
	}
	return b
}

// appendOrderedSigned appends x in as few bytes as hold it beside a prefix: for
// n bytes n ones and a zero, inverted if x is negative, instead of the leading
// bits, which are all x's sign.
func appendOrderedSigned(b []byte, x int64) []byte {
	magnitude := uint64(x ^ x>>63)
	n := 1
	for n < 10 && magnitude>>(7*n-1) != 0 {
		n++
	}
	var buf [10]byte
	for i := range buf {
		buf[9-i] = byte(x >> min(8*i, 63))
	}
	code := buf[10-n:]
	for i := range n { // bits of the prefix
		code[i/8] ^= 0x80 >> (i % 8)
	}
	return append(b, code...)
}
