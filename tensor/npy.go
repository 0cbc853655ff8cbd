package tensor

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
)

// The format is that of NumPy Enhancement Proposal 1: a magic, the length of
// the header, the header as the text of a Python dict, and the elements.

const (
	npyMagic     = "\x93NUMPY"
	maxNpyHeader = 64 << 10
)

// ReadNPY reads a NumPy .npy file: of booleans, integers, floats of 16 to 64
// bits and complex numbers in either byte order, or fixed-size byte strings or
// Unicode text (kept as UTF-8), whose padding is cut off; in either memory
// order. Arrays of Python objects and of records are UNIMPLEMENTED. limit
// bounds the bytes that the elements take, as in [UnmarshalProto]; memory
// grows with the data that arrives.
func ReadNPY(r io.Reader, limit int64) (*Tensor, error) {
	h, err := readNPYHeader(r)
	if err != nil {
		return nil, err
	}
	shape := h.shape
	if h.fortran {
		shape = slices.Clone(shape)
		slices.Reverse(shape)
	}
	n, err := NumElements(h.dtype, shape)
	if err != nil {
		return nil, npyErrorf("%s", status.From(err).Message)
	}
	if limit <= 0 {
		limit = DefaultLimit
	}
	if n > 0 && int64(max(h.size, h.dtype.elemSize())) > limit/int64(n) {
		return nil, status.Errorf(status.ResourceExhausted, "npy file: an array of %s and shape %s takes more than the limit of %d bytes",
			h.descr, FormatDims(h.shape), limit)
	}
	var t *Tensor
	if h.dtype == String {
		t, err = h.readStrings(r, n, shape)
	} else if t, err = ReadTensor(h.dtype, shape, r); err == nil && h.swapped && n > 0 {
		swapOrder(t)
	}
	if err != nil {
		return nil, err
	}
	if h.fortran && len(shape) > 1 {
		return transposed(t, h.shape), nil
	}
	return t, nil
}

type npyHeader struct {
	descr   string
	dtype   DType
	size    int  // bytes of an element in the file
	swapped bool // big-endian
	unicode bool // 4 bytes a character
	fortran bool
	shape   []int64
}

func npyErrorf(format string, args ...any) error {
	return status.Invalid("npy file: %s", fmt.Sprintf(format, args...))
}

func readNPYHeader(r io.Reader) (*npyHeader, error) {
	var start [8]byte
	if _, err := io.ReadFull(r, start[:]); err != nil || string(start[:6]) != npyMagic {
		return nil, npyErrorf("it does not begin as one")
	}
	var length int64
	switch version := start[6]; version {
	case 1:
		var b [2]byte
		if _, err := io.ReadFull(r, b[:]); err != nil {
			return nil, npyErrorf("header: %v", err)
		}
		length = int64(binary.LittleEndian.Uint16(b[:]))
	case 2, 3:
		var b [4]byte
		if _, err := io.ReadFull(r, b[:]); err != nil {
			return nil, npyErrorf("header: %v", err)
		}
		length = int64(binary.LittleEndian.Uint32(b[:]))
	default:
		return nil, npyErrorf("unknown version %d", version)
	}
	if length > maxNpyHeader {
		return nil, npyErrorf("a header of %d bytes is longer than the %d allowed", length, maxNpyHeader)
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, npyErrorf("header: %v", err)
	}
	return parseNPYHeader(string(text))
}

// parseNPYHeader reads {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }.
func parseNPYHeader(text string) (*npyHeader, error) {
	h := &npyHeader{}
	rest := strings.TrimSpace(text)
	inner, begins := strings.CutPrefix(rest, "{")
	inner, ends := strings.CutSuffix(inner, "}")
	if !begins || !ends {
		return nil, npyErrorf("its header is not a dict: %.80q", rest)
	}
	var seen int
	for rest = strings.TrimSpace(inner); rest != ""; rest = strings.TrimLeft(rest, ", \t\n") {
		if rest[0] != '\'' && rest[0] != '"' {
			return nil, npyErrorf("header: a key should be at %.40q", rest)
		}
		key, length, ok := unquote(rest)
		if !ok {
			return nil, npyErrorf("header: a key should be at %.40q", rest)
		}
		value, ok := strings.CutPrefix(strings.TrimLeft(rest[length:], " "), ":")
		if !ok {
			return nil, npyErrorf("header: no value for key %q", key)
		}
		value = strings.TrimLeft(value, " ")
		switch {
		case key == "descr" && strings.HasPrefix(value, "["):
			return nil, status.Errorf(status.Unimplemented, "npy file: arrays of records are not supported")
		case key == "descr" && value != "" && (value[0] == '\'' || value[0] == '"'):
			if h.descr, length, ok = unquote(value); !ok {
				return nil, npyErrorf("header: descr should be at %.40q", value)
			}
			rest = value[length:]
		case key == "fortran_order" && strings.HasPrefix(value, "True"):
			h.fortran, rest = true, value[len("True"):]
		case key == "fortran_order" && strings.HasPrefix(value, "False"):
			rest = value[len("False"):]
		case key == "shape" && strings.HasPrefix(value, "("):
			list, after, ok := strings.Cut(value[1:], ")")
			if !ok {
				return nil, npyErrorf("header: shape has no end")
			}
			for d := range strings.SplitSeq(list, ",") {
				if d = strings.TrimSpace(d); d == "" {
					continue
				}
				size, err := strconv.ParseInt(strings.TrimSuffix(d, "L"), 10, 64)
				if err != nil || size < 0 || len(h.shape) == MaxRank {
					return nil, npyErrorf("header: %.80q is not a shape", list)
				}
				h.shape = append(h.shape, size)
			}
			rest = after
		default:
			return nil, npyErrorf("header: unexpected %q: %.40q", key, value)
		}
		seen++
	}
	if h.descr == "" || seen != 3 {
		return nil, npyErrorf("its header lacks descr, fortran_order or shape")
	}
	return h, h.setDescr()
}

var npyTypes = map[string]DType{
	"b1": Bool, "i1": Int8, "i2": Int16, "i4": Int32, "i8": Int64,
	"u1": Uint8, "u2": Uint16, "u4": Uint32, "u8": Uint64,
	"f2": Half, "f4": Float, "f8": Double, "c8": Complex64, "c16": Complex128,
}

// setDescr reads descr: the byte order, the kind and the size of an element.
func (h *npyHeader) setDescr() error {
	order, kind := h.descr[:1], h.descr[1:]
	if !strings.Contains("<>|=", order) {
		return npyErrorf("unknown element type %.40q", h.descr)
	}
	if dt, ok := npyTypes[kind]; ok {
		h.dtype, h.size = dt, dt.Size()
		h.swapped = order == ">" && h.size > 1
		return nil
	}
	if kind != "" && strings.Contains("SaU", kind[:1]) {
		size, err := strconv.ParseInt(kind[1:], 10, 32)
		if err != nil || size < 0 || size > math.MaxInt32/4 {
			return npyErrorf("unknown element type %.40q", h.descr)
		}
		h.dtype, h.size, h.swapped = String, int(size), order == ">"
		if h.unicode = kind[0] == 'U'; h.unicode {
			h.size *= 4
		}
		return nil
	}
	return status.Errorf(status.Unimplemented, "npy file: element type %.40q is not supported", h.descr)
}

// readStrings reads n strings of h.size bytes each.
func (h *npyHeader) readStrings(r io.Reader, n int, shape []int64) (*Tensor, error) {
	var out []string
	if n > 0 && h.size == 0 && n > maxNpyHeader {
		return nil, npyErrorf("%d strings of no length", n)
	}
	raw, err := ReadTensor(Uint8, []int64{int64(n) * int64(h.size)}, r)
	if err != nil {
		return nil, err
	}
	b := elems[byte](raw)
	for range n {
		out = append(out, h.stringOf(b[:h.size]))
		b = b[h.size:]
	}
	return FromSlice(out, shape...)
}

func (h *npyHeader) stringOf(b []byte) string {
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

// swapOrder reverses the bytes of each element of t, which has no other holder.
func swapOrder(t *Tensor) {
	size := t.dtype.Size()
	if t.dtype == Complex64 || t.dtype == Complex128 {
		size /= 2
	}
	for b := t.rawBytes(); len(b) > 0; b = b[size:] {
		slices.Reverse(b[:size])
	}
}

// transposed is t with its axes in reverse order, which makes it of shape.
func transposed(t *Tensor, shape []int64) *Tensor {
	out := &Tensor{dtype: t.dtype, n: t.n}
	out.setShape(shape)
	out.reserve(t.n)
	out.shared.Store(true)
	if t.n == 0 {
		return out
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
	switch t.dtype.elemSize() {
	case 1:
		permute[uint8](out, t, from)
	case 2:
		permute[uint16](out, t, from)
	case 4:
		permute[uint32](out, t, from)
	case 8:
		permute[uint64](out, t, from)
	default:
		if t.dtype == String {
			permute[string](out, t, from)
		} else {
			permute[[2]uint64](out, t, from)
		}
	}
	return out
}

func permute[T any](out, in *Tensor, from func() int) {
	src := elems[T](in)
	for i := range elems[T](out) {
		elems[T](out)[i] = src[from()]
	}
}

// WriteNPY writes t as a NumPy .npy file. It fails for the dtypes that NumPy
// does not have itself, and for strings: those have no size of their own there.
func (t *Tensor) WriteNPY(w io.Writer) error {
	var descr string
	for d, dt := range npyTypes {
		if dt == t.dtype {
			descr = "<" + d
		}
	}
	if descr == "" {
		return status.Errorf(status.Unimplemented, "npy file: a tensor of type %v cannot be written", t.dtype)
	}
	var dims strings.Builder
	for _, d := range t.shape {
		fmt.Fprintf(&dims, "%d, ", d)
	}
	shape := strings.TrimSuffix(dims.String(), " ")
	if len(t.shape) > 1 {
		shape = strings.TrimSuffix(shape, ",")
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, shape)
	// Elements begin at a multiple of 64 bytes.
	text += strings.Repeat(" ", 63-(10+len(text))%64) + "\n"
	head := binary.LittleEndian.AppendUint16([]byte(npyMagic+"\x01\x00"), uint16(len(text)))
	if _, err := w.Write(append(head, text...)); err != nil {
		return err
	}
	_, err := t.WriteContentsTo(w)
	return err
}
