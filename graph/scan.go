package graph

import (
	"math"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/troupe-go/troupe/status"
)

// Field numbers of the messages that import reads off the wire itself.
const (
	graphNode, graphLibrary, graphVersion, graphVersions = 1, 2, 3, 4

	nodeName, nodeOp, nodeInput, nodeDevice, nodeAttr = 1, 2, 3, 4, 5

	versionProducer, versionMinConsumer, versionBadConsumers = 1, 2, 3

	entryKey, entryValue = 1, 2
)

// A span is a range of a message's bytes.
type span struct{ lo, hi int32 }

func (s span) of(b []byte) []byte { return b[s.lo:s.hi] }

// A fields reads the fields of a message that is a span of a larger buffer,
// so that its errors can name the offset in the whole.
type fields struct {
	buf   []byte
	msg   string // the message's name, for errors
	pos   int32
	end   int32
	start int32 // of the present field, its tag included

	// The present field.
	num   protowire.Number
	typ   protowire.Type
	value uint64 // of a varint or fixed field
	body  span   // of a length-delimited field
}

// next advances to the next field; false at the end.
func (f *fields) next() (bool, error) {
	if f.pos >= f.end {
		return false, nil
	}
	f.start = f.pos
	b := f.buf[f.pos:f.end]
	var n int
	// Nearly all tags and lengths are one byte.
	if c := b[0]; c < 0x80 && c >= 8 {
		f.num, f.typ, n = protowire.Number(c>>3), protowire.Type(c&7), 1
	} else {
		f.num, f.typ, n = protowire.ConsumeTag(b)
	}
	if n < 0 {
		return false, f.malformed(n)
	}
	b = b[n:]
	f.pos += int32(n)
	switch f.typ {
	case protowire.BytesType:
		var size uint64
		if len(b) > 0 && b[0] < 0x80 {
			size, n = uint64(b[0]), 1
		} else if size, n = protowire.ConsumeVarint(b); n < 0 {
			return false, f.malformed(n)
		}
		if size > uint64(len(b)-n) {
			return false, status.Invalid("%s is malformed at byte %d: a length of %d points past the end of the message at byte %d",
				f.msg, f.pos, size, f.end)
		}
		f.body.lo = f.pos + int32(n)
		f.body.hi = f.body.lo + int32(size)
		f.pos = f.body.hi
		return true, nil
	case protowire.VarintType:
		f.value, n = protowire.ConsumeVarint(b)
	default:
		n = protowire.ConsumeFieldValue(f.num, f.typ, b)
	}
	if n < 0 {
		return false, f.malformed(n)
	}
	f.pos += int32(n)
	return true, nil
}

func (f *fields) malformed(code int) error {
	return status.Invalid("%s is malformed at byte %d: %w", f.msg, f.pos, protowire.ParseError(code))
}

// is says whether the present field has this number and type. A field of a
// known number and another type is an unknown field.
func (f *fields) is(num protowire.Number, typ protowire.Type) bool {
	return f.num == num && f.typ == typ
}

// utf8 checks that the present field is valid as a string.
func (f *fields) utf8(what string) error {
	if b := f.body.of(f.buf); !utf8.Valid(b) {
		return status.Invalid("%s is malformed at byte %d: the %s %q is not UTF-8", f.msg, f.body.lo, what, b)
	}
	return nil
}

// sub reads the present field as a message.
func (f *fields) sub(msg string) fields {
	return fields{buf: f.buf, msg: msg, pos: f.body.lo, end: f.body.hi}
}

// A scan is what one reading of a GraphDef's bytes finds.
type scan struct {
	def       []byte
	nodes     []scanNode
	inputs    []scanInput // of all nodes, one after another
	libraries []span
	versions  Versions
	nameBytes int // of all nodes together
}

// A scanNode is a NodeDef by its place.
type scanNode struct {
	name, op, device span
	attrs            span // from the first attr field to the end of the last
	input            int32
	inputs           int32 // control inputs included
}

// A scanInput is one input of a node: first the text, then what it refers to.
type scanInput struct {
	text  span
	index int32 // output of the node, or Control
	node  int32 // position; negative: of importer.mapped, from -1 on downwards
}

// checkSize makes sure that spans can point to all of a message.
func checkSize(def []byte) error {
	if len(def) > math.MaxInt32 {
		return status.Invalid("the message has %d bytes, but a message has at most 2 GiB", len(def))
	}
	return nil
}

// scanGraphDef reads the outline of a serialized GraphDef.
func scanGraphDef(def []byte) (*scan, error) {
	if err := checkSize(def); err != nil {
		return nil, err
	}
	s := &scan{def: def}
	f := fields{buf: def, msg: "GraphDef", end: int32(len(def))}
	if err := s.reserve(f); err != nil {
		return nil, err
	}
	for {
		more, err := f.next()
		if err != nil {
			return nil, err
		}
		if !more {
			return s, nil
		}
		switch {
		case f.is(graphNode, protowire.BytesType):
			err = s.node(f.sub("NodeDef"))
		case f.is(graphLibrary, protowire.BytesType):
			s.libraries = append(s.libraries, f.body)
		case f.is(graphVersion, protowire.VarintType):
			// Before there were VersionDefs.
		case f.is(graphVersions, protowire.BytesType):
			err = s.versions.merge(f.sub("VersionDef"))
		}
		if err != nil {
			return nil, err
		}
	}
}

// reserve counts the nodes, to allocate once: a NodeDef takes at least two
// bytes, so the table is proportional to the message.
func (s *scan) reserve(f fields) error {
	nodes := 0
	for {
		more, err := f.next()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if f.is(graphNode, protowire.BytesType) {
			nodes++
		}
	}
	s.nodes = make([]scanNode, 0, nodes)
	s.inputs = make([]scanInput, 0, nodes)
	return nil
}

func (s *scan) node(f fields) error {
	n := scanNode{input: int32(len(s.inputs))}
	for {
		more, err := f.next()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if f.typ != protowire.BytesType {
			continue
		}
		switch f.num {
		case nodeName:
			n.name = f.body
			err = f.utf8("name")
		case nodeOp:
			n.op = f.body
			err = f.utf8("operation")
		case nodeInput:
			s.inputs = append(s.inputs, scanInput{text: f.body})
			err = f.utf8("input")
		case nodeDevice:
			n.device = f.body
			err = f.utf8("device")
		case nodeAttr:
			if n.attrs.hi == 0 {
				n.attrs.lo = f.start
			}
			n.attrs.hi = f.pos
		}
		if err != nil {
			return err
		}
	}
	n.inputs = int32(len(s.inputs)) - n.input
	s.nameBytes += int(n.name.hi - n.name.lo)
	s.nodes = append(s.nodes, n)
	return nil
}

// string is a span's text, for messages.
func (s *scan) string(sp span) string { return string(sp.of(s.def)) }
