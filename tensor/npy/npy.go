// Package npy reads and writes NumPy's .npy files.
package npy

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/literal"
)

// The format is that of NumPy Enhancement Proposal 1: a magic, the length of
// the header, the header as the text of a Python dict, and the elements.

const (
	magic     = "\x93NUMPY"
	maxHeader = 64 << 10
)

// Read reads a NumPy .npy file: of booleans, integers, floats of 16 to 64
// bits and complex numbers in either byte order, or fixed-size byte strings or
// Unicode text (kept as UTF-8), whose padding is cut off; in either memory
// order. Arrays of Python objects and of records are UNIMPLEMENTED. limit
// bounds the bytes that the elements take, as in package tensorproto; memory
// grows with the data that arrives.
func Read(r io.Reader, limit int64) (*tensor.Tensor, error) {
	h, err := readHeader(r)
	if err != nil {
		return nil, err
	}
	shape := h.shape
	if h.fortran {
		shape = slices.Clone(shape)
		slices.Reverse(shape)
	}
	n, err := tensor.NumElements(h.dtype, shape)
	if err != nil {
		return nil, malformed("%s", status.From(err).Message)
	}
	if limit <= 0 {
		limit = tensor.DefaultLimit
	}
	if n > 0 && int64(max(h.size, h.dtype.MemorySize())) > limit/int64(n) {
		return nil, status.Errorf(status.ResourceExhausted, "npy file: an array of %s and shape %s takes more than the limit of %d bytes",
			h.descr, tensor.FormatDims(h.shape), limit)
	}
	var t *tensor.Tensor
	if h.dtype == tensor.String {
		t, err = h.readStrings(r, n, shape)
	} else if t, err = tensor.ReadTensor(h.dtype, shape, r); err == nil && h.swapped && n > 0 {
		t, err = swapped(t)
	}
	if err != nil {
		return nil, err
	}
	if h.fortran && len(shape) > 1 {
		return transposed(t, h.shape)
	}
	return t, nil
}

type header struct {
	descr   string
	dtype   tensor.DType
	size    int  // bytes of an element in the file
	swapped bool // big-endian
	unicode bool // 4 bytes a character
	fortran bool
	shape   []int64
}

func malformed(format string, args ...any) error {
	return status.Invalid("npy file: %s", fmt.Sprintf(format, args...))
}

func readHeader(r io.Reader) (*header, error) {
	var start [8]byte
	if _, err := io.ReadFull(r, start[:]); err != nil || string(start[:6]) != magic {
		return nil, malformed("it does not begin as one")
	}
	var length int64
	switch version := start[6]; version {
	case 1:
		var b [2]byte
		if _, err := io.ReadFull(r, b[:]); err != nil {
			return nil, malformed("header: %v", err)
		}
		length = int64(binary.LittleEndian.Uint16(b[:]))
	case 2, 3:
		var b [4]byte
		if _, err := io.ReadFull(r, b[:]); err != nil {
			return nil, malformed("header: %v", err)
		}
		length = int64(binary.LittleEndian.Uint32(b[:]))
	default:
		return nil, malformed("unknown version %d", version)
	}
	if length > maxHeader {
		return nil, malformed("a header of %d bytes is longer than the %d allowed", length, maxHeader)
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, malformed("header: %v", err)
	}
	return parseHeader(string(text))
}

// parseHeader reads {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }.
func parseHeader(text string) (*header, error) {
	h := &header{}
	rest := strings.TrimSpace(text)
	inner, begins := strings.CutPrefix(rest, "{")
	inner, ends := strings.CutSuffix(inner, "}")
	if !begins || !ends {
		return nil, malformed("its header is not a dict: %.80q", rest)
	}
	var seen int
	for rest = strings.TrimSpace(inner); rest != ""; rest = strings.TrimLeft(rest, ", \t\n") {
		if rest[0] != '\'' && rest[0] != '"' {
			return nil, malformed("header: a key should be at %.40q", rest)
		}
		key, length, ok := literal.Unquote(rest)
		if !ok {
			return nil, malformed("header: a key should be at %.40q", rest)
		}
		value, ok := strings.CutPrefix(strings.TrimLeft(rest[length:], " "), ":")
		if !ok {
			return nil, malformed("header: no value for key %q", key)
		}
		value = strings.TrimLeft(value, " ")
		switch {
		case key == "descr" && strings.HasPrefix(value, "["):
			return nil, status.Errorf(status.Unimplemented, "npy file: arrays of records are not supported")
		case key == "descr" && value != "" && (value[0] == '\'' || value[0] == '"'):
			if h.descr, length, ok = literal.Unquote(value); !ok {
				return nil, malformed("header: descr should be at %.40q", value)
			}
			rest = value[length:]
		case key == "fortran_order" && strings.HasPrefix(value, "True"):
			h.fortran, rest = true, value[len("True"):]
		case key == "fortran_order" && strings.HasPrefix(value, "False"):
			rest = value[len("False"):]
		case key == "shape" && strings.HasPrefix(value, "("):
			list, after, ok := strings.Cut(value[1:], ")")
			if !ok {
				return nil, malformed("header: shape has no end")
			}
			for d := range strings.SplitSeq(list, ",") {
				if d = strings.TrimSpace(d); d == "" {
					continue
				}
				size, err := strconv.ParseInt(strings.TrimSuffix(d, "L"), 10, 64)
				if err != nil || size < 0 || len(h.shape) == tensor.MaxRank {
					return nil, malformed("header: %.80q is not a shape", list)
				}
				h.shape = append(h.shape, size)
			}
			rest = after
		default:
			return nil, malformed("header: unexpected %q: %.40q", key, value)
		}
		seen++
	}
	if h.descr == "" || seen != 3 {
		return nil, malformed("its header lacks descr, fortran_order or shape")
	}
	return h, h.setDescr()
}

var types = map[string]tensor.DType{
	"b1": tensor.Bool, "i1": tensor.Int8, "i2": tensor.Int16, "i4": tensor.Int32, "i8": tensor.Int64,
	"u1": tensor.Uint8, "u2": tensor.Uint16, "u4": tensor.Uint32, "u8": tensor.Uint64,
	"f2": tensor.Half, "f4": tensor.Float, "f8": tensor.Double, "c8": tensor.Complex64, "c16": tensor.Complex128,
}

// setDescr reads descr: the byte order, the kind and the size of an element.
func (h *header) setDescr() error {
	order, kind := h.descr[:1], h.descr[1:]
	if !strings.Contains("<>|=", order) {
		return malformed("unknown element type %.40q", h.descr)
	}
	if dt, ok := types[kind]; ok {
		h.dtype, h.size = dt, dt.Size()
		h.swapped = order == ">" && h.size > 1
		return nil
	}
	if kind != "" && strings.Contains("SaU", kind[:1]) {
		size, err := strconv.ParseInt(kind[1:], 10, 32)
		if err != nil || size < 0 || size > math.MaxInt32/4 {
			return malformed("unknown element type %.40q", h.descr)
		}
		h.dtype, h.size, h.swapped = tensor.String, int(size), order == ">"
		if h.unicode = kind[0] == 'U'; h.unicode {
			h.size *= 4
		}
		return nil
	}
	return status.Errorf(status.Unimplemented, "npy file: element type %.40q is not supported", h.descr)
}

// readStrings reads n strings of h.size bytes each.
func (h *header) readStrings(r io.Reader, n int, shape []int64) (*tensor.Tensor, error) {
	var out []string
	if n > 0 && h.size == 0 && n > maxHeader {
		return nil, malformed("%d strings of no length", n)
	}
	raw, err := tensor.ReadTensor(tensor.Uint8, []int64{int64(n) * int64(h.size)}, r)
	if err != nil {
		return nil, err
	}
	b := elems[byte](raw)
	for range n {
		out = append(out, h.stringOf(b[:h.size]))
		b = b[h.size:]
	}
	return tensor.FromSlice(out, shape...)
}

func (h *header) stringOf(b []byte) string {
	if !h.unicode {
		return string(bytes.TrimRight(b, "\x00"))
	}
	var order binary.ByteOrder = binary.LittleEndian
	if h.swapped {
		order = binary.BigEndian
	}
	var s []byte
	for ; len(b) > 0; b = b[4:] {
		s = utf8.AppendRune(s, rune(order.Uint32(b)))
	}
	return string(bytes.TrimRight(s, "\x00"))
}

// swapped returns t, which has no other holder, with the bytes of each element reversed.
func swapped(t *tensor.Tensor) (*tensor.Tensor, error) {
	size := t.DType().Size()
	if t.DType() == tensor.Complex64 || t.DType() == tensor.Complex128 {
		size /= 2
	}
	all, err := t.Contents()
	if err != nil {
		return nil, err
	}
	for b := all; len(b) > 0; b = b[size:] {
		slices.Reverse(b[:size])
	}
	return tensor.FromBytes(t.DType(), all, t.Dims()...)
}

// transposed is t with its axes in reverse order, which makes it of shape.
func transposed(t *tensor.Tensor, shape []int64) (*tensor.Tensor, error) {
	out, err := tensor.New(t.DType(), shape...)
	if err != nil || out.NumElements() == 0 {
		return out, err
	}
	// from[i] is the place of element i of out in t.
	index, at := make([]int64, len(shape)), 0
	from := func() int {
		now := at
		for axis := len(shape) - 1; axis >= 0; axis-- {
			stride := 1
			for _, d := range shape[:axis] {
				stride *= int(d)
			}
			index[axis]++
			at += stride
			if index[axis] < shape[axis] {
				break
			}
			at -= int(shape[axis]) * stride
			index[axis] = 0
		}
		return now
	}
	switch t.DType().MemorySize() {
	case 1:
		permute[uint8](out, t, from)
	case 2:
		permute[uint16](out, t, from)
	case 4:
		permute[uint32](out, t, from)
	case 8:
		permute[uint64](out, t, from)
	default:
		if t.DType() == tensor.String {
			permute[string](out, t, from)
		} else {
			permute[complex128](out, t, from)
		}
	}
	return out, nil
}

func permute[T tensor.Element](out, in *tensor.Tensor, from func() int) {
	src, dst := elems[T](in), elems[T](out)
	for i := range dst {
		dst[i] = src[from()]
	}
}

// elems returns t's memory as elements of type T, unchecked.
func elems[T tensor.Element](t *tensor.Tensor) []T { return tensor.Elements[T](t.Memory()) }

// Write writes t as a NumPy .npy file. It fails for the dtypes that NumPy
// does not have itself, and for strings: those have no size of their own there.
func Write(w io.Writer, t *tensor.Tensor) error {
	var descr string
	for d, dt := range types {
		if dt == t.DType() {
			descr = "<" + d
		}
	}
	if descr == "" {
		return status.Errorf(status.Unimplemented, "npy file: a tensor of type %v cannot be written", t.DType())
	}
	var dims strings.Builder
	for _, d := range t.Dims() {
		fmt.Fprintf(&dims, "%d, ", d)
	}
	shape := strings.TrimSuffix(dims.String(), " ")
	if len(t.Dims()) > 1 {
		shape = strings.TrimSuffix(shape, ",")
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, shape)
	// Elements begin at a multiple of 64 bytes.
	text += strings.Repeat(" ", 63-(10+len(text))%64) + "\n"
	head := binary.LittleEndian.AppendUint16([]byte(magic+"\x01\x00"), uint16(len(text)))
	if _, err := w.Write(append(head, text...)); err != nil {
		return err
	}
	_, err := t.WriteContentsTo(w)
	return err
}
