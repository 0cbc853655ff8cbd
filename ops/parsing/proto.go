package parsing

import (
	"slices"
	"sync/atomic"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/wire"
)

func init() {
	registry.Define("DecodeProtoV2").
		Input("bytes: string").Output("sizes: int32").Output("values: output_types").
		Attr("message_type: string").
		Attr("field_names: list(string)").
		Attr("output_types: list(type) >= 0").
		Attr("descriptor_source: string = 'local://'").
		Attr("message_format: string = 'binary'").
		Attr("sanitize: bool = false").
		Doc(`Takes fields out of serialized protocol buffer messages.

bytes: The messages.
sizes: How many values each field has in each message.
values: For each field its values, filled up to the longest.
message_type: The full name of the messages' type.
field_names: The fields.
output_types: The types of the fields.
descriptor_source: Where the type is described: "local://", "bytes://" and a serialized FileDescriptorSet, or the name of a file with one.
message_format: "binary" or "text".
sanitize: Whether messages are parsed and serialized again first.`)
	registry.Define("EncodeProto").
		Input("sizes: int32").Input("values: Tinput_types").Output("bytes: string").
		Attr("field_names: list(string)").
		Attr("message_type: string").
		Attr("descriptor_source: string = 'local://'").
		Attr("Tinput_types: list(type) >= 1").
		Doc(`Makes serialized protocol buffer messages of the values of their fields.

sizes: How many values each field has in each message.
values: For each field its values, the first of each row.
bytes: The messages.
field_names: The fields.
message_type: The full name of the messages' type.
descriptor_source: As in DecodeProtoV2.`)
	gradient.None("EncodeProto")
	kernel.ForAll(newDecodeProto, "DecodeProtoV2")
	kernel.ForAll(newEncodeProto, "EncodeProto")
}

// A protoType is the type of messages and the fields of it that a node is about.
// Where it is described may be a file, so it is looked up when the node runs for
// the first time.
type protoType struct {
	source, message string
	fields          []string
	types           []tensor.DType
	misfit          func(fd protoreflect.FieldDescriptor, dt tensor.DType) error
	found           atomic.Pointer[foundProto]
}

type foundProto struct {
	message protoreflect.MessageDescriptor
	fields  []protoField
}

func (t *protoType) find(ctx *kernel.Context) (*foundProto, error) {
	if f := t.found.Load(); f != nil {
		return f, nil
	}
	m, err := findMessage(ctx, t.source, t.message)
	if err != nil {
		return nil, err
	}
	f := &foundProto{message: m}
	for i, name := range t.fields {
		fd := m.Fields().ByName(protoreflect.Name(name))
		if fd == nil {
			return nil, status.Invalid("Unknown field: %s in message type %s", name, t.message)
		}
		field := protoField{fd: fd, dt: t.types[i]}
		if !field.fits() {
			return nil, t.misfit(fd, t.types[i])
		}
		f.fields = append(f.fields, field)
	}
	t.found.Store(f)
	return f, nil
}

// A protoDecoder is the kernel of DecodeProtoV2.
type protoDecoder struct {
	protoType
	text, sanitize bool
}

func newDecodeProto(c *kernel.Construction) (kernel.Kernel, error) {
	k := &protoDecoder{sanitize: c.Bool("sanitize")}
	k.source, k.message, k.fields, k.types = c.Str("descriptor_source"), c.Str("message_type"), c.Strs("field_names"), c.Types("output_types")
	if len(k.fields) != len(k.types) {
		return nil, c.Errorf("field_names and output_types attributes must have the same length")
	}
	switch c.Str("message_format") {
	case "binary":
	case "text":
		k.text = true
	default:
		return nil, c.Errorf("format must be one of binary or text")
	}
	k.misfit = func(fd protoreflect.FieldDescriptor, dt tensor.DType) error {
		return status.Invalid("Unexpected output type for %s: %v to %s", fd.FullName(), fd.Kind(), dt.ProtoName())
	}
	return k, nil
}

func (k *protoDecoder) Run(ctx *kernel.Context, in, out []tensor.Value) (err error) {
	found, err := k.find(ctx)
	if err != nil {
		return err
	}
	messages := tensor.Of[string](&in[0])
	if len(messages) == 0 {
		return status.Invalid("Bufs argument must contain at least one value")
	}
	fields := found.fields
	if out[0], err = ctx.Alloc(tensor.Int32, append(slices.Clone(in[0].Dims()), int64(len(fields)))); err != nil {
		return err
	}
	sizes, longest := tensor.Of[int32](&out[0]), make([]int64, len(fields))
	for f := range longest {
		longest[f] = 1 // room for a default, at least
	}
	plain := make([][]byte, len(messages))
	var credit kernel.Credit
	for i, text := range messages {
		if !credit.Spend(ctx, len(text)+len(fields)) {
			return ctx.Err()
		}
		if plain[i], err = k.binary(found.message, text); err != nil {
			return err
		}
		counts := sizes[i*len(fields):][:len(fields)]
		clear(counts)
		err := walkFields(plain[i], fields, func(f int, v fieldValue) {
			if counts[f]++; !fields[f].fd.IsList() {
				counts[f] = 1
			}
		})
		if err != nil {
			return err
		}
		for f, n := range counts {
			longest[f] = max(longest[f], int64(n))
		}
	}
	values := out[1:]
	for f := range fields {
		if values[f], err = ctx.Alloc(fields[f].dt, append(slices.Clone(in[0].Dims()), longest[f])); err != nil {
			return err
		}
	}
	next := make([]int, len(fields))
	for i, b := range plain {
		if !credit.Spend(ctx, len(b)+len(fields)) {
			return ctx.Err()
		}
		for f, n := range longest {
			next[f] = i * int(n)
			for at := next[f] + int(sizes[i*len(fields)+f]); at < (i+1)*int(n); at++ {
				fields[f].setDefault(&values[f], at)
			}
		}
		if err := walkFields(b, fields, func(f int, v fieldValue) {
			fields[f].set(&values[f], next[f], v)
			if fields[f].fd.IsList() {
				next[f]++
			}
		}); err != nil {
			return err
		}
	}
	return nil
}

// binary returns a message in the binary form.
func (k *protoDecoder) binary(m protoreflect.MessageDescriptor, message string) ([]byte, error) {
	if !k.text && !k.sanitize {
		return []byte(message), nil
	}
	return reserialize(m, message, k.text)
}

// A fieldValue is a value on the wire: a number, or bytes.
type fieldValue struct {
	number uint64
	bytes  []byte
	none   bool // a field that is not repeated was packed: it counts, without a value
}

// walkFields goes through a message and gives the values of fields that are asked
// for, in the order in which they come. Of the fields that do not have the wire
// type that the description says nothing is given.
func walkFields(message []byte, fields []protoField, value func(f int, v fieldValue)) error {
	c := wire.NewCursor("message", message)
	for c.Next() {
		for f := range fields {
			field := &fields[f]
			if field.fd.Number() != c.Num {
				continue
			}
			switch want := field.wireType(); {
			case c.Type != want && c.Type == protowire.BytesType && want != protowire.StartGroupType:
				if !field.fd.IsList() {
					value(f, fieldValue{none: true})
					continue
				}
				n := c.Numbers(want)
				for n.Next() {
					value(f, fieldValue{number: n.Value})
				}
				if n.Err() != nil {
					return status.Errorf(status.DataLoss, "Corrupt packed varint")
				}
			case c.Type != want:
			case want == protowire.BytesType:
				value(f, fieldValue{bytes: c.Body()})
			case want == protowire.StartGroupType:
				value(f, fieldValue{bytes: message[c.Start:c.Hi]})
			default:
				value(f, fieldValue{number: c.Value})
			}
		}
	}
	if err := c.Err(); err != nil {
		return status.Errorf(status.DataLoss, "Unable to parse binary protobuf: %s", status.From(err).Message)
	}
	return nil
}

// A protoEncoder is the kernel of EncodeProto.
type protoEncoder struct{ protoType }

func newEncodeProto(c *kernel.Construction) (kernel.Kernel, error) {
	k := &protoEncoder{}
	k.source, k.message, k.fields, k.types = c.Str("descriptor_source"), c.Str("message_type"), c.Strs("field_names"), c.Types("Tinput_types")
	if len(k.fields) != len(k.types) {
		return nil, c.Errorf("Number of inputs (%d) and field names (%d) differ", len(k.types), len(k.fields))
	}
	k.misfit = func(fd protoreflect.FieldDescriptor, dt tensor.DType) error {
		return status.Invalid("Incompatible type for field %s.  Saw dtype: %v but field type is: %v", fd.Name(), dt, fd.Kind())
	}
	return k, nil
}

func (k *protoEncoder) Run(ctx *kernel.Context, in, out []tensor.Value) (err error) {
	found, err := k.find(ctx)
	if err != nil {
		return err
	}
	values := in[1:]
	if values[0].Rank() < 2 {
		return status.Invalid("Invalid shape for field %s.  Saw shape %s but it should be at least a matrix.", k.fields[0], tensor.FormatDims(values[0].Dims()))
	}
	batch := values[0].Dims()[:values[0].Rank()-1]
	for i := range values {
		if d := values[i].Dims(); len(d) != len(batch)+1 || !slices.Equal(d[:len(batch)], batch) {
			return status.Invalid("Values must match up to the last dimension: %s and %s", tensor.FormatDims(values[0].Dims()), tensor.FormatDims(d))
		}
	}
	if want := append(slices.Clone(batch), int64(len(values))); !slices.Equal(in[0].Dims(), want) {
		return status.Invalid("sizes should be batch_size + [len(field_names)].  Saw: %s but expected: %s", tensor.FormatDims(in[0].Dims()), tensor.FormatDims(want))
	}
	if out[0], err = ctx.Alloc(tensor.String, batch); err != nil {
		return err
	}
	order := make([]int, len(values)) // fields in the order of their numbers
	for i := range order {
		order[i] = i
	}
	sorted.Stably(order, func(a, b int) int { return int(found.fields[a].fd.Number() - found.fields[b].fd.Number()) })
	sizes, messages := tensor.Of[int32](&in[0]), tensor.Of[string](&out[0])
	var b []byte
	var credit kernel.Credit
	for i := range messages {
		b = b[:0]
		for _, f := range order {
			n, room := max(int(sizes[i*len(values)+f]), 0), values[f].Dim(len(batch))
			if n > room {
				return status.Invalid("Size to write must not be larger than value tensor; but saw: %d > %d at message %d field %d", n, room, i, f)
			}
			if !credit.Spend(ctx, n+len(b)) {
				return ctx.Err()
			}
			b = found.fields[f].append(b, &values[f], i*room, n)
		}
		messages[i] = string(b)
	}
	return nil
}
