package tensorproto

import (
	"bytes"
	"encoding/binary"
	"math"
	"unicode/utf8"
	"unsafe"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/wire"
)

// Unmarshal decodes a serialized TensorProto. It reads every encoding:
// raw tensor_content, or the repeated field of the dtype, packed or not, whose
// last value repeats up to the number of elements (no value at all means
// zeros); values of other dtypes' fields are passed over, as are unknown
// fields.
//
// limit bounds the bytes that the elements take in memory, the headers of
// strings included; 0 or less means [tensor.DefaultLimit]. It is checked before
// anything is allocated: a few bytes can declare a shape of any size. Beyond
// it the error is RESOURCE_EXHAUSTED; a message that is not well-formed, an
// unknown dtype, an unknown rank, a negative dimension or content that does
// not fit the shape are INVALID_ARGUMENT with the offset of the byte at fault.
//
// Nothing of b is retained. Elements of Variant tensors stay serialized, as
// [tensor.VariantData]; handles are never nil.
func Unmarshal(b []byte, limit int64) (*tensor.Tensor, error) {
	d := decoder{b: b}
	if err := d.scan(); err != nil {
		return nil, err
	}
	return d.decode(limit)
}

// From returns the tensor that p describes; see [Unmarshal]. Offsets in
// its errors are those of p's serialized form, within tensor_content those of
// the content.
func From(p *wire.TensorProto, limit int64) (*tensor.Tensor, error) {
	content := p.GetTensorContent()
	if len(content) > 0 { // spare large constants a copy
		p = &wire.TensorProto{Dtype: p.GetDtype(), TensorShape: p.GetTensorShape()}
	}
	b, err := proto.Marshal(p)
	if err != nil {
		return nil, status.Invalid("tensor message: %w", err)
	}
	d := decoder{b: b}
	if err := d.scan(); err != nil {
		return nil, err
	}
	d.content = content
	return d.decode(limit)
}

// A decoder decodes one TensorProto: scan learns dtype, shape and content,
// wherever they are, and decode goes through the values.
type decoder struct {
	b         []byte
	dtype     int64
	shape     []int64
	dims      [8]int64 // shape's memory up to rank 8
	unknown   bool     // unknown_rank
	content   []byte
	contentAt int
	dtypeAt   int
	shapeAt   int
	t         *tensor.Tensor
}

func (d *decoder) scan() error {
	d.shape = d.dims[:0]
	c := d.fields()
	for c.Next() {
		switch {
		case c.IsVarint(fieldDtype):
			d.dtype, d.dtypeAt = int64(int32(c.Value)), c.Lo
		case c.IsBytes(fieldShape):
			d.shapeAt = c.Lo
			if err := d.scanShape(c.Message(messageName)); err != nil {
				return err
			}
		case c.IsBytes(fieldContent):
			d.content, d.contentAt = c.Body(), c.Lo
		}
	}
	return c.Err()
}

// messageName is what the errors of malformed messages call them.
const messageName = "tensor message"

// fields begins with the message.
func (d *decoder) fields() wire.Cursor { return wire.NewCursor(messageName, d.b) }

func (d *decoder) scanShape(c wire.Cursor) error {
	for c.Next() {
		switch {
		case c.IsVarint(fieldUnknownRank):
			d.unknown = c.Value != 0
		case c.IsBytes(fieldDim):
			if len(d.shape) == tensor.MaxRank {
				return malformed(c.Lo, "a shape has at most %d dimensions", tensor.MaxRank)
			}
			size, at := int64(0), c.Lo
			dim := c.Message(messageName)
			for dim.Next() {
				if dim.IsVarint(fieldDimSize) {
					size, at = int64(dim.Value), dim.Lo
				}
			}
			if err := dim.Err(); err != nil {
				return err
			}
			if size < 0 {
				return malformed(at, "dimension %d of the shape is %d", len(d.shape), size)
			}
			d.shape = append(d.shape, size)
		}
	}
	return c.Err()
}

// decode allocates the tensor, once its size is known to be within limit, and
// fills it.
func (d *decoder) decode(limit int64) (*tensor.Tensor, error) {
	dt := tensor.DType(d.dtype)
	switch {
	case d.dtype < 0 || d.dtype > math.MaxUint8 || !dt.Valid():
		return nil, malformed(d.dtypeAt, "unknown dtype %d", d.dtype)
	case dt.IsRef():
		return nil, malformed(d.dtypeAt, "a tensor cannot be of reference type %v", dt)
	case d.unknown:
		return nil, malformed(d.shapeAt, "a tensor's rank cannot be unknown")
	}
	n, err := tensor.NumElements(dt, d.shape)
	if err != nil {
		return nil, malformed(d.shapeAt, "%s", status.From(err).Message)
	}
	if limit <= 0 {
		limit = tensor.DefaultLimit
	}
	if size := int64(n) * int64(dt.MemorySize()); size > limit {
		return nil, status.Errorf(status.ResourceExhausted,
			"tensor message, byte %d: a tensor of type %v and shape %s takes %d bytes, more than the limit of %d",
			d.shapeAt, dt, tensor.FormatDims(d.shape), size, limit)
	}
	if len(d.content) > 0 {
		if err := d.checkContent(dt, n); err != nil {
			return nil, err
		}
	}
	t, err := tensor.New(dt, d.shape...)
	if err != nil {
		return nil, err
	}
	d.t = t
	if n == 0 {
		return t, nil
	}
	if len(d.content) > 0 {
		err = d.fillContent()
	} else {
		err = d.fillValues()
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

// checkContent reports whether content can hold n elements, before they are
// allocated.
func (d *decoder) checkContent(dt tensor.DType, n int) error {
	switch {
	case dt == tensor.String:
		if n > len(d.content) { // each string has at least its length
			return malformed(d.contentAt, "tensor_content of %d bytes is too short for %d strings", len(d.content), n)
		}
	case dt.HasPointers():
		return malformed(d.contentAt, "a tensor of type %v cannot be in tensor_content", dt)
	case len(d.content) != n*dt.Size():
		return malformed(d.contentAt, "tensor_content has %d bytes where a tensor of type %v and shape %s has %d",
			len(d.content), dt, tensor.FormatDims(d.shape), n*dt.Size())
	}
	return nil
}

func (d *decoder) fillContent() error {
	if d.t.DType() == tensor.String {
		return d.fillStringContent()
	}
	return d.t.SetContents(d.content)
}

// fillStringContent reads all the lengths, and then all the bytes.
func (d *decoder) fillStringContent() error {
	out := elems[string](d.t)
	lengths, rest := d.content, d.content
	for i := range out {
		_, n := protowire.ConsumeVarint(rest)
		if n < 0 {
			return malformed(d.contentAt+len(lengths)-len(rest), "length of string %d: %v", i, protowire.ParseError(n))
		}
		rest = rest[n:]
	}
	for i := range out {
		size, n := protowire.ConsumeVarint(lengths)
		lengths = lengths[n:]
		if size > uint64(len(rest)) {
			return malformed(d.contentAt+len(d.content)-len(rest), "string %d has %d bytes where %d are left", i, size, len(rest))
		}
		out[i] = string(rest[:size])
		rest = rest[size:]
	}
	if len(rest) > 0 {
		return malformed(d.contentAt+len(d.content)-len(rest), "%d bytes left after the last string", len(rest))
	}
	return nil
}

func (d *decoder) fillValues() error {
	t := d.t
	switch t.DType() {
	case tensor.Float:
		return fillFixed(d, fieldFloat, elems[uint32](t), 1)
	case tensor.Double:
		return fillFixed(d, fieldDouble, elems[uint64](t), 1)
	case tensor.Complex64:
		return fillFixed(d, fieldComplex64, unsafe.Slice((*uint32)(first[complex64](t)), 2*t.NumElements()), 2)
	case tensor.Complex128:
		return fillFixed(d, fieldComplex128, unsafe.Slice((*uint64)(first[complex128](t)), 2*t.NumElements()), 2)
	case tensor.Int32, tensor.Qint32:
		return fillVarints(d, fieldInt, elems[int32](t), truncate[int32])
	case tensor.Int16, tensor.Uint16, tensor.Qint16, tensor.Quint16:
		return fillVarints(d, fieldInt, elems[uint16](t), truncate[uint16])
	case tensor.Int8, tensor.Uint8, tensor.Qint8, tensor.Quint8:
		return fillVarints(d, fieldInt, elems[uint8](t), truncate[uint8])
	case tensor.Int4, tensor.Uint4, tensor.Int2, tensor.Uint2:
		if err := fillVarints(d, fieldInt, elems[uint8](t), truncate[uint8]); err != nil {
			return err
		}
		return t.SetContents(elems[uint8](t)) // sets the other bits right
	case tensor.Int64:
		return fillVarints(d, fieldInt64, elems[int64](t), truncate[int64])
	case tensor.Uint32:
		return fillVarints(d, fieldUint32, elems[uint32](t), truncate[uint32])
	case tensor.Uint64:
		return fillVarints(d, fieldUint64, elems[uint64](t), truncate[uint64])
	case tensor.Bool:
		return fillVarints(d, fieldBool, elems[bool](t), func(v uint64) bool { return v != 0 })
	case tensor.Half, tensor.Bfloat16:
		return fillVarints(d, fieldHalf, elems[uint16](t), truncate[uint16])
	case tensor.Float8e5m2, tensor.Float8e4m3fn, tensor.Float8e4m3fnuz, tensor.Float8e4m3b11fnuz, tensor.Float8e5m2fnuz:
		return d.fillFloat8()
	case tensor.String:
		return fillMessages(d, fieldString, func(c *wire.Cursor) (string, error) { return string(c.Body()), nil })
	case tensor.Resource:
		elems[*tensor.Handle](t)[0] = &tensor.Handle{} // kernels need not look for nil
		return fillMessages(d, fieldResource, decodeHandle)
	case tensor.Variant:
		return fillMessages(d, fieldVariant, decodeVariant)
	}
	return status.Errorf(status.Unimplemented, "tensor messages of type %v", t.DType())
}

func truncate[T int32 | int64 | uint8 | uint16 | uint32 | uint64](v uint64) T { return T(v) }

// repeatLast fills dst from its first count elements on.
func repeatLast[T any](dst []T, count int) {
	if count == 0 {
		return
	}
	last := dst[count-1]
	for i := count; i < len(dst); i++ {
		dst[i] = last
	}
}

// fillVarints reads a repeated varint field. Values beyond the elements are
// checked and dropped.
func fillVarints[T any](d *decoder, num protowire.Number, dst []T, conv func(uint64) T) error {
	var values [64]uint64
	count := 0
	c := d.fields()
	for c.Next() {
		if !c.IsVarint(num) && !c.IsBytes(num) {
			continue
		}
		n := c.Numbers(protowire.VarintType)
		for k := n.Read(values[:]); k > 0; k = n.Read(values[:]) {
			for _, v := range values[:min(k, len(dst)-count)] {
				dst[count] = conv(v)
				count++
			}
		}
		if err := n.Err(); err != nil {
			return err
		}
	}
	repeatLast(dst, count)
	return c.Err()
}

// fillFixed reads a repeated float or double field, words values making up one
// element: 2 for complex types, of which an unpaired last value is dropped.
func fillFixed[T uint32 | uint64](d *decoder, num protowire.Number, dst []T, words int) error {
	wordSize := int(unsafe.Sizeof(dst[0]))
	single := protowire.Fixed32Type
	if wordSize == 8 {
		single = protowire.Fixed64Type
	}
	count := 0
	c := d.fields()
	for c.Next() {
		if !c.Is(num, single) && !c.IsBytes(num) {
			continue
		}
		if size := c.Hi - c.Lo; size%wordSize != 0 {
			return malformed(c.Lo, "field %d: %d bytes are no whole number of values", num, size)
		}
		for _, w := range eachWord(c.Body(), wordSize) {
			if count == len(dst) {
				break
			}
			dst[count] = T(w)
			count++
		}
	}
	err := c.Err()
	if words == 1 {
		repeatLast(dst, count)
		return err
	}
	count -= count % 2
	clear(dst[count:])
	if count > 0 {
		for i := count; i < len(dst); i++ {
			dst[i] = dst[i-2]
		}
	}
	return err
}

// eachWord yields the little-endian words of b, whose length is a multiple of
// size, 4 or 8.
func eachWord(b []byte, size int) func(func(int, uint64) bool) {
	return func(yield func(int, uint64) bool) {
		for i := 0; len(b) > 0; i++ {
			var w uint64
			if size == 4 {
				w = uint64(binary.LittleEndian.Uint32(b))
			} else {
				w = binary.LittleEndian.Uint64(b)
			}
			if !yield(i, w) {
				return
			}
			b = b[size:]
		}
	}
}

// fillFloat8 reads float8_val: one byte an element in one field.
func (d *decoder) fillFloat8() error {
	dst, count := elems[uint8](d.t), 0
	c := d.fields()
	for c.Next() {
		if c.IsBytes(fieldFloat8) {
			count = copy(dst, c.Body())
		}
	}
	clear(dst[count:])
	repeatLast(dst, count)
	return c.Err()
}

// fillMessages reads a repeated field of bytes or messages.
func fillMessages[T tensor.Element](d *decoder, num protowire.Number, conv func(*wire.Cursor) (T, error)) error {
	dst, count := elems[T](d.t), 0
	c := d.fields()
	for c.Next() {
		if !c.IsBytes(num) || count == len(dst) {
			continue
		}
		v, err := conv(&c)
		if err != nil {
			return err
		}
		dst[count] = v
		count++
	}
	repeatLast(dst, max(count, 1))
	return c.Err()
}

func decodeHandle(f *wire.Cursor) (*tensor.Handle, error) {
	h := &tensor.Handle{}
	c := f.Message(messageName)
	for c.Next() {
		if c.Type != protowire.BytesType {
			continue
		}
		var dst *string
		switch c.Num {
		case 1:
			dst = &h.Device
		case 2:
			dst = &h.Container
		case 3:
			dst = &h.Name
		case 5:
			dst = &h.Type
		default:
			continue
		}
		if !utf8.Valid(c.Body()) {
			return nil, malformed(c.Lo, "field %d of a resource handle is not UTF-8", c.Num)
		}
		*dst = string(c.Body())
	}
	return h, c.Err()
}

func decodeVariant(f *wire.Cursor) (*tensor.Object, error) {
	v := &tensor.VariantData{}
	own, at := bytes.Clone(f.Body()), f.Lo // one copy serves all parts of the element
	c := f.Message(messageName)
	for c.Next() {
		part := own[c.Lo-at : c.Hi-at : c.Hi-at]
		switch {
		case c.IsBytes(1):
			if !utf8.Valid(part) {
				return nil, malformed(c.Lo, "the type name of a variant is not UTF-8")
			}
			v.TypeName = string(part)
		case c.IsBytes(2):
			v.Metadata = part
		case c.IsBytes(3):
			v.Tensors = append(v.Tensors, part)
		}
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	if v.TypeName == "" && len(v.Metadata) == 0 && len(v.Tensors) == 0 {
		return nil, nil
	}
	return &tensor.Object{Value: v}, nil
}
